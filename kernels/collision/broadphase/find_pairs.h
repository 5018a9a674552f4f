// Which geom pairs may touch: those whose bounding spheres meet, in the order of the collision table.
//
// The table holds every pair that the model's filters allow, sorted by pair type. The test is conservative, so it decides
// what is looked at, never what is found.
#pragma once
#include "generated/view.h"
#include "collision/contact_parameters.h"
#include "platform/team.h"

/// How far around its position a geom finds contacts, by itself.
INLINE real geom_reach(const Model& model, int geom) {
  const real margin = model.contact_override ? real(0) : model.geom_margin(geom);
  return model.geom_rbound(geom) + (margin + model.geom_gap(geom));
}

/// How far apart the positions of two geoms are at most that find a contact.
INLINE real pair_reach(const Model& model, const Env& env, int pair, int a, int b) {
  if (model.npair > 0 && model.collision_pairid(pair) >= 0) {
    return model.geom_rbound(a) + model.geom_rbound(b) + detection_distance(model, pair);
  }
  const real reach = env.geom_reach(a) + env.geom_reach(b);
  return model.contact_override ? reach + model.opt_o_margin() : reach;
}

/// False when the pair is surely further apart than contacts reach. A plane, which has no radius, reaches as far from itself.
INLINE bool may_touch(const Model& model, const Env& env, int pair) {
  const int a = model.collision_geom1(pair), b = model.collision_geom2(pair);
  const Vec3 between = env.geom_position(b) - env.geom_position(a);
  const real reach = pair_reach(model, env, pair, a, b);
  if (model.geom_type(a) == geom_plane) return dot(between, rotate(env.geom_orientation(a), {0, 0, 1})) <= reach;
  return dot(between, between) <= square(reach);
}

template <class Team> INLINE void find_pairs(Team team, const Model& model, Env& env) {
  team.each(model.ngeom, [&](int geom) {
    const int body = model.geom_bodyid(geom);
    const Quat above = env.body_orientation(body);
    env.geom_position(geom) = env.body_position(body) + rotate(above, model.geom_pos(geom));
    env.geom_orientation(geom) = normalized(above * model.geom_quat(geom));
    env.geom_reach(geom) = geom_reach(model, geom);
  });
  int count = 0;
  team.rounds(model.collision_count, [&](int pair, bool valid) {
    const bool keep = valid && may_touch(model, env, pair);
    int total;
    const int slot = count + team.rank(keep, total);
    if (keep) env.candidate(slot) = pair;
    count += total;
  });
  env.candidate_count = count;
  team.sync();
}
