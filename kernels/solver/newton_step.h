// One Newton step: the gradient and the Hessian M + J' D J of the cost, and the direction to its minimum.
//
// In memory the sums are loops of constraint_products.h. In the registers of a team lane j sums dof j's gradient and column j of
// the Hessian, in the same order: M, joint rows, contacts. A contact's chain says as bits which dofs it moves; all dofs of a body
// are in it or none, so the loop over a contact's entries is unrolled over bodies. Where a model has more dofs than a block, the
// trees are taken one after the other, and an environment in which a contact couples two of them is solved in memory.
#pragma once
#include "solver/dense_factor.h"
#include "solver/register_columns.h"

template <class Team, bool in_registers> struct NewtonStep {
  /// Fills grad and force_constraint at the current jar; con_force is current.
  INLINE void gradient(Team team, const Model& model, Env& env, int rows, int contacts, bool active) {
    constraint_force(team, model, env, rows, contacts, active);
    team.each_if(active, model.nv, [&](int i) { env.grad(i) = env.Ma(i) - env.force_smooth(i) - env.force_constraint(i); });
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
  Columns columns;    // of one block; where there is only one they wait here from the gradient to the direction
  real force[slots];  // J' f

  INLINE void gradient(Team team, const Model& model, Env& env, int rows, int contacts, bool active) {
    NO_UNROLL for (int index = 0; index < block_count; ++index) {
      const Block block = block_at(index);
      assemble<!blocks_are_trees>(team, model, env, block, rows, contacts);
      UNROLL for (int c = 0; c < slots; ++c) {
        const int j = Columns::dof(team, c), dof = block.first + j;
        if (!active || j >= block.size()) continue;
        env.force_constraint(dof) = force[c];
        env.grad(dof) = env.Ma(dof) - env.force_smooth(dof) - force[c];
      }
    }
    team.sync();
  }

  INLINE void direction(Team team, const Model& model, Env& env, int rows, int contacts, bool active) {
    bool blocks = active;
    if constexpr (blocks_are_trees) {
      const bool coupled = active && env.coupled;
      blocks = active && !env.coupled;
      if (team.any_in_warp(coupled)) {
        hessian(team, model, env, coupled ? rows : 0, coupled ? contacts : 0, coupled);
        newton_direction(team, model, env, coupled);
      }
      if (!team.any_in_warp(blocks)) return;
    }
    NO_UNROLL for (int index = 0; index < block_count; ++index) {
      const Block block = block_at(index);
      if constexpr (blocks_are_trees) assemble<true>(team, model, env, block, blocks ? rows : 0, blocks ? contacts : 0);
      real x[slots];
      UNROLL for (int c = 0; c < slots; ++c) {
        const int j = Columns::dof(team, c);
        x[c] = j < block.size() ? -env.grad(block.first + j) : real(0);
      }
      columns.factor(team, env, block, smallest_length, x);
      columns.solve(team, env, block, x);
      UNROLL for (int c = 0; c < slots; ++c) {
        const int j = Columns::dof(team, c);
        if (blocks && j < block.size()) env.search(block.first + j) = x[c];
      }
      team.sync();
    }
  }

 private:
  /// Sums the block's J' f and, with `matrix`, its columns of the Hessian.
  template <bool matrix> INLINE void assemble(Team team, const Model& model, const Env& env, Block block, int rows, int contacts) {
    real curvature[slots];
    UNROLL for (int c = 0; c < slots; ++c) force[c] = curvature[c] = 0;
    NO_UNROLL for (int row = 0; row < rows; ++row) {
      const int first = env.row_dof(row) - block.first;
      const bool ball = on_ball(model, env, row);
      UNROLL for (int c = 0; c < slots; ++c) {
        const int j = Columns::dof(team, c), k = j - first;
        if (j >= block.size() || (k != 0 && !(ball && k > 0 && k < 3))) continue;
        const RowForce f = row_force(env, row, env.row_jar(row));
        force[c] = fused(row_jacobian(model, env, row, k), f.force, force[c]);
        if (!ball) curvature[c] = curvature[c] + f.curvature;
      }
    }
    if constexpr (matrix) {
      columns.load_mass(team, env, block, [&](int c, real mass) { return mass + curvature[c]; });
      if (model.ball_row_max > 0) add_ball_limits(team, model, env, block, rows);
    }
    NO_UNROLL for (int contact = 0; contact < contacts; ++contact) {
      if (env.con_num(contact) == 0) continue;
      const ContactForce w = env.con_force(contact);
      if (w.nn != 0) add_contact<matrix>(team, model, env, block, contact, w);
    }
  }

  /// Limits of ball joints, each on the 3 x 3 block of its dofs.
  INLINE void add_ball_limits(Team team, const Model& model, const Env& env, Block block, int rows) {
    NO_UNROLL for (int row = 0; row < rows; ++row) {
      const int first = env.row_dof(row) - block.first;
      if (!on_ball(model, env, row) || first < 0 || first >= block.size()) continue;
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

  /// The dofs of the block that the contact moves, and the entries of other blocks before theirs.
  INLINE DofSet chain_in(const Model& model, const Env& env, Block block, int contact, int& entry) const {
    DofSet chain = no_dofs();
    entry = env.con_adr(contact);
    const int highest = env.con_J(entry).dof;
    if (blocks_are_trees && env.coupled) {  // its bits mix two blocks
      const int end = entry + env.con_num(contact);
      NO_UNROLL while (entry < end && env.con_J(entry).dof >= block.first + block.size()) ++entry;
      NO_UNROLL for (int e = entry; e < end && env.con_J(e).dof >= block.first; ++e) {
        const int j = env.con_J(e).dof - block.first;
        UNROLL for (int word = 0; word < DofSet::words; ++word) chain.bits[word] |= word == j / 32 ? 1u << (j & 31) : 0u;
      }
    } else if (!blocks_are_trees || block_of(highest) == block.first) {
      UNROLL for (int word = 0; word < DofSet::words; ++word) chain.bits[word] = (uint32_t)env.con_chain(DofSet::words * contact + word);
    }
    return chain;
  }

  template <bool matrix>
  INLINE void add_contact(Team team, const Model& model, const Env& env, Block block, int contact, const ContactForce& w) {
    int entry;
    const DofSet chain = chain_in(model, env, block, contact, entry);
    Vec3 weighted[slots];
    bool mine[slots], any = false;
    UNROLL for (int c = 0; c < slots; ++c) {
      const int j = Columns::dof(team, c);
      mine[c] = j < n && chain.has(j);
      any |= mine[c];
      if (!mine[c]) continue;
      const Vec3 b = env.con_J(entry + chain.above(j)).rows;
      force[c] = fused(b.x, w.force.x, fused(b.y, w.force.y, fused(b.z, w.force.z, force[c])));
      weighted[c] = {fused(w.nn, b.x, fused(w.n1, b.y, w.n2 * b.z)), fused(w.n1, b.x, w.t1 * b.y), fused(w.n2, b.x, w.t2 * b.z)};
    }
    if (!matrix || !any) return;
    UNROLL for (int run = table::run_count - 1; run >= 0; --run) {
      const int count = table::run_length[run], lowest = table::run_first[run];
      if (!chain.has(lowest)) continue;
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
};
#endif
