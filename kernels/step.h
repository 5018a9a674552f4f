// The step of one environment, as the physics reads.
#pragma once
#include "collision/broadphase/find_pairs.h"
#include "collision/narrowphase/find_contacts.h"
#include "constraint/build_constraints.h"
#include "dynamics/actuation.h"
#include "dynamics/bias_forces.h"
#include "dynamics/mass_matrix.h"
#include "dynamics/passive_forces.h"
#include "dynamics/smooth_forces.h"
#include "integrate/runge_kutta.h"
#include "integrate/single_step.h"
#include "kinematics/center_of_mass.h"
#include "kinematics/forward_kinematics.h"
#include "kinematics/velocities.h"
#include "platform/stage_clock.h"
#include "sensor/outputs.h"
#include "solver/solve_constraints.h"

/// What a pass computes.
enum Level { level_positions = 1, level_velocities = 2, level_accelerations = 3 };

/// The acceleration at the current state, or as much of the way there as `level` asks for. Contacts come late, since what they
/// need of the workspace and what forces need then have the same room.
template <class Team> INLINE void forward(Team team, const Model& model, Env& env, StageClock& clock, int level, bool outputs) {
  begin_stage(team, env, stage_forward_kinematics);
  // 1. Where is everything?
  forward_kinematics(team, model, env);
  clock.stage(team, env, stage_forward_kinematics);
  center_of_mass(team, model, env);
  if (outputs) position_outputs(team, model, env);
  clock.stage(team, env, stage_center_of_mass);
  if (level < level_velocities) return;

  // 2. How would it move if nothing touched?        M(q) a = tau - c(q, v)
  mass_matrix(team, model, env);
  clock.stage(team, env, stage_mass_matrix);
  velocities(team, model, env);
  if (outputs) velocity_outputs(team, model, env);
  clock.stage(team, env, stage_velocities);
  if (level < level_accelerations) return;
  passive_forces(team, model, env);
  clock.stage(team, env, stage_passive_forces);
  actuation(team, model, env);
  clock.stage(team, env, stage_actuation);
  bias_forces(team, model, env);
  clock.stage(team, env, stage_bias_forces);
  smooth_forces(team, model, env);
  if (outputs) force_outputs(team, model, env);
  clock.stage(team, env, stage_smooth_forces);

  // 3. What touches?
  find_pairs(team, model, env);
  clock.stage(team, env, stage_find_pairs);
  find_contacts(team, model, env);
  clock.stage(team, env, stage_find_contacts);

  // 4. Which forces keep the constraints?            min over a of  1/2 |a - a_smooth|_M^2 + s(J a - a_ref)
  build_constraints(team, model, env);
  clock.stage(team, env, stage_build_constraints);
  solve_constraints(team, model, env, outputs);
  if (outputs) acceleration_outputs(team, model, env);
  clock.stage(team, env, stage_solve_constraints);
}

/// Advances one environment by one time step, or computes its outputs where it is.
template <class Team> INLINE void step(Team team, const Model& model, Env& env, StageClock& clock, bool advancing, int output_level) {
  const bool runge_kutta = advancing && model.opt_integrator == integrator_rk4;
  if (runge_kutta) begin_runge_kutta(team, model, env);
  NO_UNROLL for (int stage = 0; stage < (runge_kutta ? 4 : 1); ++stage) {
    forward(team, model, env, clock, advancing ? level_accelerations : output_level, !advancing);
    if (!advancing) return;
    // 5. Move.                                         v += a dt,  q (+)= v dt
    if (runge_kutta) runge_kutta_stage(team, model, env, stage);
    else if (model.opt_integrator != integrator_rk4) integrate_single_step(team, model, env);
    clock.stage(team, env, stage_integrate);
  }
}
