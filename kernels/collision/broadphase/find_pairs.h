// Which geom pairs may touch: those whose bounding spheres meet, in the order of the collision table.
//
// The table holds every pair that the model's filters allow, sorted by pair type. The test is conservative, so it decides
// what is looked at, never what is found.
#pragma once
#include "generated/view.h"
#include "collision/contact_parameters.h"
#include "platform/team.h"

/// False when the pair is surely further apart than contacts reach.
INLINE bool may_touch(const Model& model, const Env& env, int pair) {
  const int a = model.collision_geom1(pair), b = model.collision_geom2(pair);
  const real margin = detection_distance(model, pair);
  const Vec3 between = env.geom_position(b) - env.geom_position(a);
  const real ra = model.geom_rbound(a), rb = model.geom_rbound(b);
  if (model.geom_type(a) == geom_plane) return dot(between, rotate(env.geom_orientation(a), {0, 0, 1})) <= rb + margin;
  return dot(between, between) <= square(ra + rb + margin);
}

template <class Team> INLINE void find_pairs(Team team, const Model& model, Env& env) {
  team.each(model.ngeom, [&](int geom) {
    const int body = model.geom_bodyid(geom);
    const Quat above = env.body_orientation(body);
    env.geom_position(geom) = env.body_position(body) + rotate(above, model.geom_pos(geom));
    env.geom_orientation(geom) = normalized(above * model.geom_quat(geom));
  });
  int count = 0;
  team.rounds(model.collision_count, [&](int pair, bool valid) {
    const bool keep = valid && may_touch(model, env, pair);
    int total;
    const int slot = count + team.scan(keep ? 1 : 0, total);
    if (keep) env.candidate(slot) = pair;
    count += total;
  });
  env.candidate_count = count;
  team.sync();
}
