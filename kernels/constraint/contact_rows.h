// Rows of the contacts: a normal and, with friction, two tangents; the four edges of the pyramid are combined on the fly.
//
// The Jacobian of the contact point's relative motion is stored by dof, descending along both bodies' chains to where they
// meet: dofs above that point move both bodies alike. MuJoCo: mj_instantiateContact, pyramidal cone.
#pragma once
#include "collision/contact_parameters.h"
#include "constraint/impedance.h"
#include "solver/register_columns.h"
#include "platform/team.h"
#include "view/options.h"

/// A pyramid's regularizer shrinks with the square of the friction; below this share of the inverse mass (a friction of
/// about 0.003) a float could not tell the mass matrix beside it.
constexpr real least_regularizer = sizeof(real) == 4 ? real(1e-6) : real(0);

/// Walks the dofs that move two bodies differently, from the last to the first: f(dof, +1 for the second body, else -1).
template <class F> INLINE void walk_chains(const Model& model, int body1, int body2, F f) {
  int a = model.body_lastdof(body1), b = model.body_lastdof(body2);
  NO_UNROLL while (a != b) {
    if (a > b) {
      f(a, real(-1));
      a = model.dof_parentid(a);
    } else {
      f(b, real(1));
      b = model.dof_parentid(b);
    }
  }
}

INLINE int chain_length(const Model& model, int body1, int body2) {
  int n = 0;
  walk_chains(model, body1, body2, [&](int, real) { ++n; });
  return n;
}

/// Fills the Jacobian entries of a contact and returns the contact point's relative velocity: normal, tangents.
INLINE Vec3 contact_jacobian(const Model& model, Env& env, int contact, int body1, int body2, int address) {
  const Mat3 frame = env.con_frame(contact);
  const Vec3 pos = env.con_pos(contact);
  Vec3 velocity = {0, 0, 0};
  walk_chains(model, body1, body2, [&](int dof, real sign) {
    const SpatialMotion axis = env.cdof(dof);
    const Vec3 arm = pos - env.tree_com(model.body_rootid(model.dof_bodyid(dof)));
    const Vec3 rows = (frame * (axis.linear + cross(axis.angular, arm))) * sign;
    velocity = add_scaled(velocity, env.v(dof), rows);
    env.con_J(address++) = {rows, dof};
  });
  return velocity;
}

#if PHALANX_SPECIALISED
/// Notes which dofs of a block a contact moves, as bits, for a solver that has the matrix in registers. A contact between two
/// blocks is for a solver in memory.
INLINE void note_chain(Env& env, int contact, int body1, int body2) {
  UNROLL for (int word = 0; word < block_words; ++word) {
    env.con_chain(block_words * contact + word) = (int)(table::body_chain[body1][word] ^ table::body_chain[body2][word]);
  }
}
#else
INLINE void note_chain(Env&, int, int, int) {}
#endif

template <class Team> INLINE void contact_rows(Team team, const Model& model, Env& env) {
  const bool off = model.opt_disableflags & (disable_constraint | disable_contact);
  if (off) env.contact_count = 0;
  const int capacity = (int)env.arguments->jacobian_capacity;
  const bool refsafe = !(model.opt_disableflags & disable_refsafe);
  const real timestep = model.opt_timestep(), impratio = model.opt_impratio();
  int entries = 0, edges = 0;
  team.rounds(env.contact_count, [&](int contact, bool valid) {
    int body1 = 0, body2 = 0, length = 0, pair = 0;
    real past = 0;
    if (valid) {
      pair = env.con_pair(contact);
      body1 = model.geom_bodyid(model.collision_geom1(pair));
      body2 = model.geom_bodyid(model.collision_geom2(pair));
      past = env.con_dist(contact) - collision_margin(model, pair);
      if (past < 0) length = chain_length(model, body1, body2);
    }
    int total;
    const int address = entries + team.scan(length, total);
    entries += total;
    int dim = 0;
    if (length > 0 && address + length <= capacity) {
      const ContactParameters p = contact_parameters(model, pair);
      const Vec3 velocity = contact_jacobian(model, env, contact, body1, body2, address);
      const real d = impedance(p.solimp, past);
      const Reference ref = reference(p.solref, p.solimp, timestep, refsafe);
      const real inverse_mass = model.body_invweight0(body1).x + model.body_invweight0(body2).x;
      const real mu2 = square(p.friction.x);
      dim = p.dim;
      // All edges of a pyramid share the regularizer that makes it as stiff as the cone that it stands for.
      const real r = dim == 1 ? regularizer(d, inverse_mass)
                              : 2 * mu2 / max(smallest_length, impratio) * regularizer(d, fused(mu2, inverse_mass, inverse_mass));
      env.con_D(contact) = 1 / max(max(smallest_length, least_regularizer * inverse_mass), r);
      env.con_mu(contact) = p.friction;
      env.con_jar(contact) = -vec3(-ref.b * velocity.x - ref.k * d * past, -ref.b * velocity.y, -ref.b * velocity.z);
      env.con_adr(contact) = address;
      if constexpr (factors_in_registers<Team>()) note_chain(env, contact, body1, body2);
    }
    if (valid) {
      env.con_dim(contact) = dim;  // 0: within the gap, or between bodies that cannot move
      env.con_num(contact) = dim == 0 ? 0 : length;
    }
    int rows;
    team.scan(dim <= 1 ? dim : 2 * (dim - 1), rows);
    edges += rows;
  });
  env.jacobian_count = entries;
  env.jacobian_need = entries;
  env.fits = env.fits && entries <= capacity;
  if (!env.fits) env.contact_count = 0;
  env.efc_count = env.row_count + edges;
  team.sync();
}
