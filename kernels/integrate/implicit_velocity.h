// The acceleration of an integrator that is implicit in the velocity:  (M - h D) a = M qacc.
//
// Euler takes joint damping into D; implicitfast takes the derivatives of actuators and of the medium too, and for free bodies
// that carry nothing the gyroscopic forces. MuJoCo documentation, computation, "Integrators" and "Gyroscopic derivatives for free bodies".
#pragma once
#include "dynamics/actuation.h"
#include "dynamics/tree_factor.h"
#include "integrate/free_body.h"
#include "solver/constraint_products.h"
#include "solver/register_columns.h"
#include "solver/sparse_factor.h"

/// Minus D(i, j) for dof i and a dof j above it on the same joint: damping and actuators.
INLINE real velocity_damping(const Model& model, const Env& env, int i, int j, bool actuators) {
  real damping = 0;
  if (i == j && !(model.opt_disableflags & disable_damper)) damping = model.dof_damping(i);
  if (!actuators) return damping;
  const int first = model.dof_actuatoradr(i), end = first + model.dof_actuatornum(i);
  NO_UNROLL for (int k = first; k < end; ++k) {
    const int actuator = model.actuator_list(k);
    const real moment = actuator_moment(model, env, actuator, i) * actuator_moment(model, env, actuator, j);
    damping = fused(-env.actuation_slope(actuator), moment, damping);
  }
  return damping;
}

/// Whether the implicit mass matrix is laid out as the Hessian, in the memory that the solver has left: an entry's place there is
/// arithmetic, in M's order it is looked up. A single lane walks M's order.
template <class Team> INLINE bool laid_out_dense(const Model& model) {
  return factors_in_registers<Team>() || (Team::lanes > 1 && model.nv > most_dense_dofs);
}

/// Replaces step_acc by the solution of (implicit matrix) x = step_acc.
template <class Team> INLINE void solve_implicit(Team team, const Model& model, Env& env) {
  const auto factor = [&](int entry) -> real& { return env.implicit_L(entry); };
  if constexpr (factors_in_registers<Team>()) {
#if PHALANX_SPECIALISED
    using Columns = RegisterColumns<Team, true>;
    const auto entry = [&](int i, int j) -> real& { return env.H(lower_index(i, j)); };
    Columns columns;
    columns.load(team, entry);
    team.sync();
    columns.factor(team, env, 0, [&](int i, int j, real value) { entry(i, j) = value; });
    real x[Columns::slots];
    UNROLL for (int c = 0; c < Columns::slots; ++c) {
      const int j = team.lane + c * Team::lanes;
      x[c] = j < model.nv ? env.step_acc(j) : real(0);
    }
    columns.solve(team, x, entry);
    UNROLL for (int c = 0; c < Columns::slots; ++c) {
      const int j = team.lane + c * Team::lanes;
      if (j < model.nv) env.step_acc(j) = x[c];
    }
    team.sync();
#endif
  } else if (Team::lanes > 1 && model.nv > most_dense_dofs) {
    const auto entry = [&](int i, int j) -> real& { return env.H(lower_index(i, j)); };
    tree_pattern(team, model, env);
    factor_pattern(team, model, env, 0, true, entry);
    solve_pattern(team, model, env, true, entry, [&](int dof) -> real& { return env.step_acc(dof); });
  } else {
    factor_tree(team, model, factor);
    solve_tree(team, model, factor, [&](int dof) -> real& { return env.step_acc(dof); });
  }
}

/// Fills step_acc with the implicit acceleration.
template <class Team> INLINE void implicit_acceleration(Team team, const Model& model, Env& env, bool actuators) {
  const real h = model.opt_timestep();
  const bool dense = laid_out_dense<Team>(model);
  team.each(dense ? model.nlower : 0, [&](int place) { env.H(place) = 0; });
  team.each(model.nv, [&](int i) {
    int entry = model.dof_Madr(i);
    const int joint = model.dof_jntid(i);
    NO_UNROLL for (int j = i; j >= 0; j = model.dof_parentid(j), ++entry) {
      real value = env.M(entry);
      if (model.dof_jntid(j) == joint) value = fused(h, velocity_damping(model, env, i, j, actuators), value);
      if (model.fluid_entries > 0) value = fused(h, env.fluid_damping(entry), value);
      if (dense) env.H(lower_index(i, j)) = value;
      else env.implicit_L(entry) = value;
    }
    env.step_acc(i) = env.force_smooth(i) + env.force_constraint(i);
  });
  solve_implicit(team, model, env);
  if (actuators) {
    team.each(model.nbody, [&](int body) {
      if (body > 0 && model.body_freeblock(body)) {
        resolve_free_body(model, env, body, [&](int i, int j) {
          const real damping = velocity_damping(model, env, i, j, true);
          return model.fluid_entries > 0 ? damping + env.fluid_damping(model.dof_Madr(i) + i - j) : damping;
        });
      }
    });
  }
}
