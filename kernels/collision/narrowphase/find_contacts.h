// Where the surfaces meet: a lane a candidate pair; lanes of one type run together.
//
// Contacts are stored in the order (pair, contact of the pair), whatever the number of lanes. A workspace that is too small
// is noted in env.fits and the count goes on, so that the need is known; nothing is ever dropped silently.
#pragma once
#include "collision/contact_parameters.h"
#include "generated/pair_table.h"
#include "platform/team.h"

/// The geom's shape in the world.
INLINE Geom placed_geom(const Model& model, const Env& env, int geom) {
  return {env.geom_position(geom), matrix(env.geom_orientation(geom)), model.geom_size(geom)};
}

/// Runs the pair function of the two shapes' types.
INLINE int collide(const Model& model, int type, const Geom& a, const Geom& b, real distance, ContactPoint* points) {
#define PHALANX_PAIR(index, function, most) \
  if ((model.pair_types >> index & 1) && type == index) return function(a, b, distance, points);
  PHALANX_PAIRS(PHALANX_PAIR)
#undef PHALANX_PAIR
  return 0;
}

/// The pair type of a collision: the table is sorted by type.
INLINE int pair_type(const Model& model, int pair) {
  int type = 0;
#define PHALANX_PAIR(index, function, most) \
  if (model.pair_types >> index & 1) type = pair >= model.collision_typeadr(index) ? index : type;
  PHALANX_PAIRS(PHALANX_PAIR)
#undef PHALANX_PAIR
  return type;
}

/// Takes the caller's contacts instead of finding them: a hook for tests that judge the solver apart from collision.
template <class Team> INLINE void inject_contacts(Team team, Env& env) {
  const int count = min((int)env.arguments->injected_count, (int)env.arguments->contact_capacity);
  team.each(count, [&](int k) {
    const real* c = env.arguments->injected_contacts + 14 * k;
    env.con_pair(k) = (int)c[0];
    env.con_dist(k) = c[1];
    env.con_pos(k) = {c[2], c[3], c[4]};
    env.con_frame(k) = {{c[5], c[6], c[7]}, {c[8], c[9], c[10]}, {c[11], c[12], c[13]}};
  });
  env.contact_count = (int)env.arguments->injected_count;
}

template <class Team> INLINE void find_contacts(Team team, const Model& model, Env& env) {
  env.contact_count = 0;
  const bool injected = env.arguments->injected_contacts != nullptr;
  if (injected) inject_contacts(team, env);
  const int capacity = (int)env.arguments->contact_capacity;
  team.rounds(injected ? 0 : env.candidate_count, [&](int k, bool valid) {
    ContactPoint points[most_contacts_of_a_pair];
    int found = 0;
    const int pair = valid ? env.candidate(k) : 0;
    if (valid) {
      const Geom a = placed_geom(model, env, model.collision_geom1(pair)), b = placed_geom(model, env, model.collision_geom2(pair));
      found = collide(model, pair_type(model, pair), a, b, detection_distance(model, pair), points);
    }
    int total;
    const int slot = env.contact_count + team.scan(found, total);
    NO_UNROLL for (int i = 0; i < found && slot + i < capacity; ++i) {
      env.con_pair(slot + i) = pair;
      env.con_dist(slot + i) = points[i].dist;
      env.con_pos(slot + i) = points[i].pos;
      env.con_frame(slot + i) = contact_frame(points[i].normal, points[i].tangent);
    }
    env.contact_count += total;
  });
  env.contact_need = env.contact_count;
  env.fits = env.fits && env.contact_count <= capacity;
  if (!env.fits) env.contact_count = 0;
  team.sync();
}
