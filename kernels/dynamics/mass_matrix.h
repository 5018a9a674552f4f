// Joint-space mass matrix by the composite-rigid-body algorithm.
//
// Featherstone, Rigid Body Dynamics Algorithms (2008), table 6.2. Frame: world axes at the tree's centre of mass. M keeps,
// for each dof, the entries with itself, its parent and so on to its root: the others are zero.
#pragma once
#include "generated/view.h"
#include "platform/team.h"

/// M(i,j) = S(j)' Ic(body(i)) S(i)    for j = i and every ancestor dof j of i.
template <class Team> INLINE void mass_matrix(Team team, const Model& model, Env& env) {
  NO_UNROLL for (int level = model.level_count - 1; level > 0; --level) {
    const int start = model.level_adr(level);
    team.each(model.level_adr(level + 1) - start, [&](int k) {
      const int body = model.level_body(start + k);
      SpatialInertia composite = env.cinert(body);
      const int first = model.body_childadr(body), end = first + model.body_childnum(body);
      NO_UNROLL for (int c = first; c < end; ++c) composite = composite + env.crb(model.child_body(c));
      env.crb(body) = composite;
    });
  }
  team.each(model.nv, [&](int i) {
    const SpatialForce force = env.crb(model.dof_bodyid(i)) * env.cdof(i);
    int entry = model.dof_Madr(i);
    env.M(entry) = dot(env.cdof(i), force) + model.dof_armature(i);
    NO_UNROLL for (int j = model.dof_parentid(i); j >= 0; j = model.dof_parentid(j)) env.M(++entry) = dot(env.cdof(j), force);
  });
}
