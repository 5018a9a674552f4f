// One Newton step: the gradient and the Hessian M + J' D J of the cost, and the direction to its minimum.
//
// In memory the sums are loops of constraint_products.h. In the registers of a team lane j sums dof j's gradient and column j of
// the Hessian, in the same order: M, joint rows, contacts. A contact's chain says as bits which
// dofs it moves; all dofs of a body are in it or none, so the loop over a contact's entries is unrolled over bodies.
#pragma once
#include "solver/dense_factor.h"
#include "solver/register_columns.h"

template <class Team, bool in_registers> struct NewtonStep {
  /// Fills grad and force_constraint at the current jar; con_force is current.
  INLINE void gradient(Team team, const Model& model, Env& env, int rows, int contacts, bool active) {
    constraint_force(team, model, env, rows, contacts, active);
    team.each(active ? model.nv : 0, [&](int i) { env.grad(i) = env.Ma(i) - env.force_smooth(i) - env.force_constraint(i); });
  }
  /// Fills `search` with minus the solution of H x = grad; the factor takes H's memory.
  INLINE void direction(Team team, const Model& model, Env& env, int rows, int contacts, bool active) {
    hessian(team, model, env, rows, contacts, active);
    newton_direction(team, model, env, active);
  }
};

#if PHALANX_SPECIALISED
template <class Team> struct NewtonStep<Team, true> {
  using Columns = RegisterColumns<Team, false>;
  static constexpr int n = Columns::n, slots = Columns::slots, lanes = Columns::lanes;
  Columns columns;
  real force[slots];  // J' f

  /// Fills the sums of the gradient and the Hessian at the current jar; con_force is current.
  INLINE void assemble(Team team, const Model& model, const Env& env, int rows, int contacts) {
    real curvature[slots];
    UNROLL for (int c = 0; c < slots; ++c) force[c] = curvature[c] = 0;
    NO_UNROLL for (int row = 0; row < rows; ++row) {
      const int first = env.row_dof(row);
      const bool ball = on_ball(model, env, row);
      UNROLL for (int c = 0; c < slots; ++c) {
        const int k = Columns::dof(team, c) - first;
        if (k != 0 && !(ball && k > 0 && k < 3)) continue;
        const RowForce f = row_force(env, row, env.row_jar(row));
        force[c] = fused(row_jacobian(model, env, row, k), f.force, force[c]);
        if (!ball) curvature[c] = curvature[c] + f.curvature;
      }
    }
    columns.load_mass(team, model, env, [&](int c, real mass) { return mass + curvature[c]; });
    if (model.ball_row_max > 0) add_ball_limits(team, model, env, rows);
    NO_UNROLL for (int contact = 0; contact < contacts; ++contact) {
      if (env.con_num(contact) == 0) continue;
      const ContactForce w = env.con_force(contact);
      if (w.nn != 0) add_contact(team, env, contact, w);
    }
  }

  /// Limits of ball joints, each on the 3 x 3 block of its dofs.
  INLINE void add_ball_limits(Team team, const Model& model, const Env& env, int rows) {
    NO_UNROLL for (int row = 0; row < rows; ++row) {
      if (!on_ball(model, env, row)) continue;
      const int first = env.row_dof(row);
      const Vec3 axis = env.row_axis(row);
      const real curvature = row_force(env, row, env.row_jar(row)).curvature;
      UNROLL for (int c = 0; c < slots; ++c) {
        const int m = Columns::dof(team, c) - first;
        if (m < 0 || m > 2) continue;
        UNROLL for (int i = 0; i < n; ++i) {
          const int k = i - first;
          if (k >= m && k < 3) columns.column[c][i] = fused(curvature * axis[k], axis[m], columns.column[c][i]);
        }
      }
    }
  }

  INLINE void add_contact(Team team, const Env& env, int contact, const ContactForce& w) {
    DofSet chain;
    UNROLL for (int word = 0; word < DofSet::words; ++word) chain.bits[word] = (uint32_t)env.con_chain(2 * contact + word);
    const int first = env.con_adr(contact);
    Vec3 weighted[slots];
    bool mine[slots], any = false;
    UNROLL for (int c = 0; c < slots; ++c) {
      const int j = Columns::dof(team, c);
      mine[c] = j < n && chain.has(j < n ? j : 0);
      any |= mine[c];
      if (!mine[c]) continue;
      const Vec3 b = env.con_J(first + chain.above(j)).rows;
      force[c] = fused(b.x, w.force.x, fused(b.y, w.force.y, fused(b.z, w.force.z, force[c])));
      weighted[c] = {fused(w.nn, b.x, fused(w.n1, b.y, w.n2 * b.z)), fused(w.n1, b.x, w.t1 * b.y), fused(w.n2, b.x, w.t2 * b.z)};
    }
    if (!any) return;
    int entry = first;
    UNROLL for (int body = Model::nbody - 1; body > 0; --body) {
      const int count = table::body_dofnum[body], lowest = table::body_dofadr[body];
      if (count == 0 || !chain.has(lowest)) continue;
      UNROLL for (int k = 0; k < count; ++k) {
        const int i = lowest + count - 1 - k;
        const Vec3 a = env.con_J(entry + k).rows;
        UNROLL for (int c = 0; c < slots; ++c) {
          real& h = columns.column[c][i];
          if (c * lanes <= i && mine[c]) h = fused(a.x, weighted[c].x, fused(a.y, weighted[c].y, fused(a.z, weighted[c].z, h)));
        }
      }
      entry += count;
    }
  }

  INLINE void gradient(Team team, const Model& model, Env& env, int rows, int contacts, bool active) {
    assemble(team, model, env, rows, contacts);
    UNROLL for (int c = 0; c < slots; ++c) {
      const int j = Columns::dof(team, c);
      if (!active || j >= n) continue;
      env.force_constraint(j) = force[c];
      env.grad(j) = env.Ma(j) - env.force_smooth(j) - force[c];
    }
    team.sync();
  }

  INLINE void direction(Team team, const Model&, Env& env, int, int, bool active) {
    real x[slots];
    UNROLL for (int c = 0; c < slots; ++c) {
      const int j = Columns::dof(team, c);
      x[c] = j < n ? -env.grad(j) : real(0);
    }
    columns.factor(team, env, smallest_length, x, [&](int i, int j, real value) { env.H(lower_index(i, j)) = value; });
    columns.solve(team, x, [&](int i, int k) { return env.H(lower_index(i, k)); });
    UNROLL for (int c = 0; c < slots; ++c) {
      const int j = Columns::dof(team, c);
      if (active && j < n) env.search(j) = x[c];
    }
    team.sync();
  }
};
#endif
