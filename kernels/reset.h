// Starting over, and controls drawn at random.
#pragma once
#include "generated/view.h"
#include "math/philox.h"

/// What random numbers are for.
constexpr uint32_t stream_controls = 0;

/// Four random words of the `index`-th four controls. The counter's 128 bits hold 56 of the environment, 48 of the step, 8 of the
/// stream and 16 of the index, so no two draws share one; the caller keeps environment and step within theirs.
INLINE FourWords control_words(uint64_t seed, uint64_t environment, uint64_t step, uint32_t index) {
  const uint32_t stream = stream_controls | (uint32_t)(environment >> 32) << 8;
  return random_words(seed, (uint32_t)environment, (uint32_t)step, stream, index | (uint32_t)(step >> 32) << 16);
}

/// Puts the n numbers of an environment back to its row of `to`, or to the row that all share.
INLINE void reset_row(const Arguments& a, int64_t e, real* field, const real* to, int64_t n) {
  const int64_t from = a.reset_stride ? e : 0;
  NO_UNROLL for (int64_t i = 0; i < n; ++i) field[e * n + i] = to[from * n + i];
}

INLINE void clear_row(int64_t e, real* field, int64_t n) {
  NO_UNROLL for (int64_t i = 0; i < n; ++i) field[e * n + i] = 0;
}

/// Puts an environment of the mask back to the state to reset to, inputs too if they are given; clears its faults and counts.
INLINE void reset_environment(const Arguments& a, int64_t e) {
  if (a.mask && !a.mask[e]) return;
  reset_row(a, e, a.qpos, a.reset_qpos, a.nq);
  reset_row(a, e, a.qvel, a.reset_qvel, a.nv);
  clear_row(e, a.qacc_warmstart, a.nv);
  if (a.reset_act) reset_row(a, e, a.act, a.reset_act, a.na);
  else clear_row(e, a.act, a.na);
  if (a.reset_mocap_pos) reset_row(a, e, a.mocap_pos, a.reset_mocap_pos, 3 * a.nmocap);
  if (a.reset_mocap_quat) reset_row(a, e, a.mocap_quat, a.reset_mocap_quat, 4 * a.nmocap);
  if (a.reset_ctrl) {
    reset_row(a, e, (real*)a.ctrl, a.reset_ctrl, a.nu);
    if (a.qfrc_applied) clear_row(e, (real*)a.qfrc_applied, a.nv);
    if (a.xfrc_applied) clear_row(e, (real*)a.xfrc_applied, 6 * a.nbody);
  }
  a.fault[e] = 0;
  a.step_count[e] = 0;
}

/// Draws the control of an actuator uniformly in its range, or in [-1, 1) where it has none.
INLINE void draw_control(const Arguments& a, int64_t e, int actuator) {
  const Model model(a, e);
  float low = -1, high = 1;
  if (model.actuator_ctrllimited(actuator)) {
    const Vec2 range = model.actuator_ctrlrange(actuator);
    low = (float)range.x;
    high = (float)range.y;
  }
  const FourWords words = control_words(a.seed, (uint64_t)(a.first_env + e), a.random_step, (uint32_t)actuator / 4);
  const uint32_t k = (uint32_t)actuator % 4, word = k == 0 ? words.x : (k == 1 ? words.y : (k == 2 ? words.z : words.w));
  ((real*)a.ctrl)[e * a.nu + actuator] = real(uniform(word, low, high));
}
