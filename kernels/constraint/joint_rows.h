// Rows that act on one joint: dry friction and limits.
//
// A row exists by its values at this moment: friction loss above zero, a limit within its margin. MuJoCo: mj_instantiateFriction,
// mj_instantiateLimit.
#pragma once
#include "constraint/impedance.h"
#include "joints/joint_table.h"
#include "platform/team.h"
#include "view/options.h"

constexpr int row_friction = 0, row_limit = 1, row_ball_limit = 2;

/// Fills a row; `velocity` is J v and `past` the distance from the edge where it pushes.
INLINE void fill_row(const Model& model, Env& env, int row, int type, int dof, Vec3 jacobian, real past, real velocity,
                     Vec2 solref, Vec5 solimp, real inverse_inertia, real frictionloss) {
  const bool refsafe = !(model.opt_disableflags & disable_refsafe);
  const real d = impedance(solimp, past);
  Reference ref = reference(solref, solimp, model.opt_timestep(), refsafe);
  if (type == row_friction) ref.k = 0;
  env.row_type(row) = type;
  env.row_dof(row) = dof;
  env.row_sign(row) = jacobian.x;
  if (model.ball_row_max > 0) env.row_axis(row) = jacobian;
  env.row_pos(row) = past;
  env.row_D(row) = 1 / regularizer(d, inverse_inertia);
  env.row_jar(row) = -(-ref.b * velocity - ref.k * d * past);
  if (type == row_friction) env.row_floss(row) = frictionloss;
}

/// A ball joint's angle from its reference, and the axis that it turns about.
struct BallAngle {
  Vec3 axis;
  real angle;
};
INLINE BallAngle ball_angle(const Env& env, int adr) {
  const Vec3 turn = rotation_vector(normalized(Quat{env.q(adr), env.q(adr + 1), env.q(adr + 2), env.q(adr + 3)}));
  const real angle = length(turn);
  return {angle < smallest_length ? vec3(1, 0, 0) : turn * (1 / angle), angle};
}

template <class Team> INLINE void joint_rows(Team team, const Model& model, Env& env) {
  int count = 0;
  const bool friction = model.friction_row_max > 0 && !(model.opt_disableflags & (disable_constraint | disable_frictionloss));
  // A condition of its own, not a count: where it is false for the whole model, the code is left out.
  if (friction) team.rounds(model.nv, [&](int dof, bool valid) {
    const real loss = valid ? model.dof_frictionloss(dof) : real(0);
    int total;
    const int row = count + team.rank(loss > 0, total);
    if (loss > 0) {
      fill_row(model, env, row, row_friction, dof, {1, 0, 0}, 0, env.v(dof), model.dof_solref(dof), model.dof_solimp(dof),
               model.dof_invweight0(dof), loss);
    }
    count += total;
  });
  const bool limits = !(model.opt_disableflags & (disable_constraint | disable_limit));
  if (limits) team.rounds(model.njnt, [&](int joint, bool valid) {
    int type = 0, dof = 0;
    real lower = largest_real, upper = largest_real, margin = 0;  // distances to the limits
    BallAngle ball = {{0, 0, 0}, 0};
    if (valid && model.jnt_limited(joint)) {
      type = model.jnt_type(joint);
      dof = model.jnt_dofadr(joint);
      margin = model.jnt_margin(joint);
      const Vec2 range = model.jnt_range(joint);
      const int adr = model.jnt_qposadr(joint);
      if (has_joint(model, Ball::type) && type == Ball::type) {
        ball = ball_angle(env, adr);
        upper = max(range.x, range.y) - ball.angle;
      } else {
        lower = env.q(adr) - range.x;
        upper = range.y - env.q(adr);
      }
    }
    const bool low = lower < margin, high = upper < margin;
    int total;
    int row = count + team.scan((low ? 1 : 0) + (high ? 1 : 0), total);
    NO_UNROLL for (int side = low ? 0 : 1; side < (high ? 2 : 1); ++side, ++row) {
      const bool turning = has_joint(model, Ball::type) && type == Ball::type;
      const Vec3 jacobian = turning ? -ball.axis : vec3(side == 0 ? real(1) : real(-1), 0, 0);
      real velocity = jacobian.x * env.v(dof);
      if (turning) velocity = dot(jacobian, vec3(env.v(dof), env.v(dof + 1), env.v(dof + 2)));
      fill_row(model, env, row, turning ? row_ball_limit : row_limit, dof, jacobian, (side == 0 ? lower : upper) - margin, velocity,
               model.jnt_solref(joint), model.jnt_solimp(joint), model.dof_invweight0(dof), 0);
    }
    count += total;
  });
  env.row_count = count;
  team.sync();
}
