// Where every body is: positions and orientations from the generalized positions.
//
// What the joints' positions mean is found for all joints at once. Then bodies of one level of the tree need only their parents,
// so the levels are the sequence and the bodies of a level the parallel work. MuJoCo: mj_kinematics; Featherstone (2008), section
// 4.
#pragma once
#include "joints/joint_table.h"

template <class Team> INLINE void forward_kinematics(Team team, const Model& model, Env& env) {
  team.each(1, [&](int) {
    env.body_position(0) = {0, 0, 0};
    env.body_orientation(0) = {1, 0, 0, 0};
  });
  team.each(model.njnt, [&](int joint) { env.joint_turn(joint) = joint_turn(model, env, joint); });
  NO_UNROLL for (int level = 1; level < model.level_count; ++level) {
    const int start = model.level_adr(level);
    team.each(model.level_adr(level + 1) - start, [&](int k) {
      const int body = model.level_body(start + k);
      const JointFrame frame = body_frame(model, env, body);
      env.body_position(body) = frame.pos;
      env.body_orientation(body) = normalized(frame.quat);
    });
  }
}
