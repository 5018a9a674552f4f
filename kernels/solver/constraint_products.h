// Products with the constraint Jacobian: J x, J' f and J' D J.
#pragma once
#include "constraint/joint_rows.h"
#include "solver/sparse_factor.h"
#include "solver/row_forces.h"

/// Whether the row is the limit of a ball joint, which acts on three dofs.
INLINE bool on_ball(const Model& model, const Env& env, int row) { return model.ball_row_max > 0 && env.row_type(row) == row_ball_limit; }

/// A joint row's Jacobian on the k-th of its dofs.
INLINE real row_jacobian(const Model& model, const Env& env, int row, int k) {
  return on_ball(model, env, row) ? env.row_axis(row)[k] : env.row_sign(row);
}

/// A joint row's product with a vector over the dofs.
template <class Vector> INLINE real row_times(const Model& model, const Env& env, int row, Vector x) {
  const int dof = env.row_dof(row);
  if (on_ball(model, env, row)) return dot(env.row_axis(row), vec3(x(dof), x(dof + 1), x(dof + 2)));
  return env.row_sign(row) * x(dof);
}

/// A contact's product with a vector over the dofs: normal, tangents.
template <class Vector> INLINE Vec3 contact_times(const Env& env, int contact, Vector x) {
  const int first = env.con_adr(contact), end = first + env.con_num(contact);
  Vec3 sum = {0, 0, 0};
  NO_UNROLL for (int e = first; e < end; ++e) {
    const JacobianEntry entry = env.con_J(e);
    sum = add_scaled(sum, x(entry.dof), entry.rows);
  }
  return sum;
}

/// The force and curvature of a joint row at jar.
INLINE RowForce row_force(const Env& env, int row, real jar) {
  if (env.row_type(row) == row_friction) return friction_row(env.row_D(row), env.row_floss(row), jar);
  return push_row(env.row_D(row), jar);
}

/// For every dof, total = add(row, k, total) over the joint rows that act on it, in order, k being the dof's place in the row.
/// Lanes look for their dofs' rows; a single lane goes from row to row.
template <class Team, class Total, class Add>
INLINE void gather_rows(Team team, const Model& model, const Env& env, int rows, bool active, Total total, Add add) {
  if constexpr (Team::lanes > 1) {
    team.each_if(active, model.nv, [&](int dof) {
      real sum = 0;
      NO_UNROLL for (int row = 0; row < rows; ++row) {
        const int k = dof - env.row_dof(row);
        const bool ball = on_ball(model, env, row);
        if (k == 0 || (ball && k > 0 && k < 3)) sum = add(row, k, sum);
      }
      total(dof) = sum;
    });
  } else {
    for (int dof = 0; active && dof < model.nv; ++dof) total(dof) = 0;
    for (int row = 0; active && row < rows; ++row) {
      const int first = env.row_dof(row), count = on_ball(model, env, row) ? 3 : 1;
      for (int k = 0; k < count; ++k) total(first + k) = add(row, k, total(first + k));
    }
  }
}

/// Fills con_force: what each contact does at the current jar.
template <class Team> INLINE void contact_forces(Team team, Env& env, int contacts) {
  team.each(contacts, [&](int c) {
    if (env.con_num(c) > 0) env.con_force(c) = contact_force(env.con_dim(c), env.con_mu(c), env.con_D(c), env.con_jar(c));
  });
}

/// Fills force_constraint with J' f, f the forces at the current jar: joint rows first, then contacts, in order.
template <class Team> INLINE void constraint_force(Team team, const Model& model, Env& env, int rows, int contacts, bool active) {
  gather_rows(team, model, env, rows, active, [&](int dof) -> real& { return env.force_constraint(dof); },
              [&](int row, int k, real total) {
                return fused(row_jacobian(model, env, row, k), row_force(env, row, env.row_jar(row)).force, total);
              });
  NO_UNROLL for (int c = 0; team.any_in_warp(c < contacts); ++c) {
    const bool mine = c < contacts && env.con_num(c) > 0;
    const int first = mine ? env.con_adr(c) : 0;
    const Vec3 force = mine ? env.con_force(c).force : Vec3{};
    team.each(mine ? env.con_num(c) : 0, [&](int e) {
      const JacobianEntry entry = env.con_J(first + e);
      real& total = env.force_constraint(entry.dof);
      total = fused(entry.rows.x, force.x, fused(entry.rows.y, force.y, fused(entry.rows.z, force.z, total)));
    });
  }
}

/// Adds the limits of ball joints, each on the 3 x 3 block of its dofs, to H.
template <class Team> INLINE void ball_limit_curvature(Team team, const Model& model, Env& env, int rows) {
  const bool by_pattern = goes_by_pattern(model, env);
  NO_UNROLL for (int row = 0; team.any_in_warp(row < rows); ++row) {
    const bool ball = row < rows && env.row_type(row) == row_ball_limit;
    team.each(ball ? 3 : 0, [&](int k) {
      const int dof = env.row_dof(row);
      const Vec3 j = env.row_axis(row);
      const real curvature = row_force(env, row, env.row_jar(row)).curvature;
      for (int m = 0; m <= k; ++m) {
        real& h = env.H(by_pattern ? place_of(env, dof + k, dof + m) : lower_index(dof + k, dof + m));
        h = fused(curvature * j[k], j[m], h);
      }
    });
  }
}

/// Fills H with M + J' D J over the active rows: M, joint rows in order, contacts in order.
template <class Team> INLINE void hessian(Team team, const Model& model, Env& env, int rows, int contacts, bool active) {
  const bool by_pattern = goes_by_pattern(model, env);
  const auto place = [&](int i, int j) { return by_pattern ? place_of(env, i, j) : lower_index(i, j); };
  team.each_if(active, model.nlower, [&](int entry) { env.H(entry) = 0; });
  // The joint rows' share of the diagonal waits in Mv, which the solver fills later.
  gather_rows(team, model, env, rows, active, [&](int dof) -> real& { return env.Mv(dof); }, [&](int row, int, real total) {
    return on_ball(model, env, row) ? total : total + row_force(env, row, env.row_jar(row)).curvature;
  });
  team.each_if(active, model.nv, [&](int i) {
    int entry = model.dof_Madr(i);
    NO_UNROLL for (int j = i; j >= 0; j = model.dof_parentid(j)) env.H(place(i, j)) = env.M(entry++);
    env.H(place(i, i)) = env.H(place(i, i)) + env.Mv(i);
  });
  if (model.ball_row_max > 0) ball_limit_curvature(team, model, env, rows);
  NO_UNROLL for (int c = 0; team.any_in_warp(c < contacts); ++c) {
    int entries = 0, first = 0;
    ContactForce w = {};
    if (c < contacts && env.con_num(c) > 0) {
      w = env.con_force(c);
      first = env.con_adr(c);
      if (w.nn != 0) entries = env.con_num(c);
    }
    team.triangle(entries, [&](int s, int t) {  // entry s has the higher dof
      const JacobianEntry a = env.con_J(first + s), b = env.con_J(first + t);
      const Vec3 wb = {fused(w.nn, b.rows.x, fused(w.n1, b.rows.y, w.n2 * b.rows.z)), fused(w.n1, b.rows.x, w.t1 * b.rows.y),
                       fused(w.n2, b.rows.x, w.t2 * b.rows.z)};
      real& h = env.H(place(a.dof, b.dof));
      h = fused(a.rows.x, wb.x, fused(a.rows.y, wb.y, fused(a.rows.z, wb.z, h)));
    });
  }
}
