// Positions move along velocities, joint by joint. MuJoCo: mj_integratePos.
#pragma once
#include "joints/joint_table.h"
#include "platform/team.h"

/// q = q (+) v dt, with velocity(i) the velocity of dof i.
template <class Team, class Velocity> INLINE void advance_positions(Team team, const Model& model, Env& env, Velocity velocity, real dt) {
  team.each(model.njnt, [&](int joint) {
    const int adr = model.jnt_qposadr(joint), dof = model.jnt_dofadr(joint);
    with_joint(model, model.jnt_type(joint), [&](auto type) {
      type.advance([&](int i) -> real& { return env.q(adr + i); }, [&](int i) { return velocity(dof + i); }, dt);
    });
  });
}
