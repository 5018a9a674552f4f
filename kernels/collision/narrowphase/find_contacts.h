// Where the surfaces meet: the candidates of each pair type in turn, a lane a pair.
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

/// Runs one pair function over its candidates.
template <int most, class Team, class Collide>
INLINE void collide_type(Team team, const Model& model, Env& env, int type, Collide collide) {
  const int first = type == 0 ? 0 : env.candidate_end(type - 1);
  const int capacity = (int)env.arguments->contact_capacity;
  team.rounds(env.candidate_end(type) - first, [&](int k, bool valid) {
    ContactPoint points[most];
    int found = 0;
    const int pair = valid ? env.candidate(first + k) : 0;
    if (valid) {
      const Geom a = placed_geom(model, env, model.collision_geom1(pair)), b = placed_geom(model, env, model.collision_geom2(pair));
      found = collide(a, b, detection_distance(model, pair), points);
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
  if (env.arguments->injected_contacts) {
    inject_contacts(team, env);
  } else {
#define PHALANX_PAIR(type, function, most)                                    \
  if (model.collision_typeadr(type + 1) > model.collision_typeadr(type)) {    \
    collide_type<most>(team, model, env, type, [](const Geom& a, const Geom& b, real margin, ContactPoint* out) { \
      return function(a, b, margin, out);                                     \
    });                                                                       \
  }
    PHALANX_PAIRS(PHALANX_PAIR)
#undef PHALANX_PAIR
  }
  env.fits = env.fits && env.contact_count <= (int)env.arguments->contact_capacity;
  if (!env.fits) env.contact_count = 0;
  team.sync();
}
