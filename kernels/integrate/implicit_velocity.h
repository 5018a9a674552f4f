// The acceleration of an integrator that is implicit in the velocity:  (M - h D) a = M qacc.
//
// Euler takes joint damping into D; implicitfast takes the derivatives of actuators and of the medium too, and for free bodies
// that carry nothing the gyroscopic forces. MuJoCo documentation, computation, "Integrators" and "Gyroscopic derivatives for free
// bodies".
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

#if PHALANX_SPECIALISED
/// Fills step_acc: the matrix is summed and factored in registers block by block, column j by lane j.
template <class Team> INLINE void register_implicit(Team team, const Model& model, Env& env, bool actuators) {
  using Columns = RegisterColumns<Team, true>;
  constexpr int n = Columns::n, slots = Columns::slots;
  const real h = model.opt_timestep();
  NO_UNROLL for (int index = 0; index < block_count; ++index) {
    const Block block = block_at(index);
    real damping[slots], x[slots];
    UNROLL for (int c = 0; c < slots; ++c) {
      const int j = Columns::dof(team, c), dof = block.first + j;
      const bool here = j < block.size();
      damping[c] = here ? velocity_damping(model, env, dof, dof, actuators) : real(0);
      x[c] = here ? env.force_smooth(dof) + env.force_constraint(dof) : real(0);
    }
    Columns columns;
    columns.load_mass(team, env, block, [&](int c, real mass) { return fused(h, damping[c], mass); });
    if (actuators && model.turning_actuators) {
      UNROLL for (int c = 0; c < slots; ++c) {
        const int j = Columns::dof(team, c);
        UNROLL for (int i = 1; i < n; ++i) {
          if (j >= i || i >= block.size() || model.dof_jntid(block.first + j) != model.dof_jntid(block.first + i)) continue;
          columns.column[c][i] = fused(h, velocity_damping(model, env, block.first + i, block.first + j, true), columns.column[c][i]);
        }
      }
    }
    if (model.fluid_entries > 0) columns.add_scaled(team, block, h, [&](int entry) { return env.fluid_damping(entry); });
    columns.factor(team, env, block, 0, x);
    columns.solve(team, env, block, x);
    UNROLL for (int c = 0; c < slots; ++c) {
      const int j = Columns::dof(team, c);
      if (j < block.size()) env.step_acc(block.first + j) = x[c];
    }
    team.sync();
  }
}
#endif

/// Whether the implicit mass matrix is laid out as the Hessian, in the memory that the solver has left: an entry's place there is
/// arithmetic, in M's order it is looked up. A single lane walks M's order, and small trees are quickly walked; the generic
/// kernel has no code for a second way.
template <class Team> INLINE bool laid_out_dense(const Model& model) {
  return PHALANX_SPECIALISED && Team::lanes > 1 && is_large(model) && model.tree_lower == 0;
}

/// Fills step_acc: the matrix is summed and factored in memory.
template <class Team> INLINE void memory_implicit(Team team, const Model& model, Env& env, bool actuators) {
  const real h = model.opt_timestep();
  const bool dense = laid_out_dense<Team>(model);
  team.each_if(dense, model.nlower, [&](int place) { env.H(place) = 0; });
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
  const auto acceleration = [&](int dof) -> real& { return env.step_acc(dof); };
  if (dense) {
    const auto entry = [&](int i, int j) -> real& { return env.H(lower_index(i, j)); };
    tree_pattern(team, model, env);
    list_columns(team, model, env, true);
    solve_by_pattern(team, model, env, 0, true, entry, acceleration);
  } else {
    const auto factor = [&](int entry) -> real& { return env.implicit_L(entry); };
    factor_tree(team, model, factor);
    solve_tree(team, model, factor, acceleration);
  }
}

/// Fills step_acc with the implicit acceleration.
template <class Team> INLINE void implicit_acceleration(Team team, const Model& model, Env& env, bool actuators) {
  if constexpr (factors_in_registers<Team>()) {
#if PHALANX_SPECIALISED
    register_implicit(team, model, env, actuators);
#endif
  } else {
    memory_implicit(team, model, env, actuators);
  }
  if (actuators && model.free_block_count > 0) {
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
