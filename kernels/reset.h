// Starting over, and controls drawn at random.
#pragma once
#include "generated/view.h"
#include "math/philox.h"

/// What random numbers are for.
constexpr uint32_t stream_controls = 0;

/// Puts an environment of the mask back to the state to reset to; clears its faults and counts.
INLINE void reset_environment(const Arguments& a, int64_t e) {
  if (a.mask && !a.mask[e]) return;
  const int64_t from = a.reset_stride ? e : 0;
  NO_UNROLL for (int64_t i = 0; i < a.nq; ++i) a.qpos[e * a.nq + i] = a.reset_qpos[from * a.nq + i];
  NO_UNROLL for (int64_t i = 0; i < a.nv; ++i) {
    a.qvel[e * a.nv + i] = a.reset_qvel[from * a.nv + i];
    a.qacc_warmstart[e * a.nv + i] = 0;
  }
  NO_UNROLL for (int64_t i = 0; i < a.na; ++i) a.act[e * a.na + i] = 0;
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
  const uint32_t id = (uint32_t)(a.first_env + e), step = (uint32_t)a.random_step;
  const FourWords words = random_words(a.seed, id, step, stream_controls, (uint32_t)actuator / 4);
  const uint32_t k = (uint32_t)actuator % 4, word = k == 0 ? words.x : (k == 1 ? words.y : (k == 2 ? words.z : words.w));
  ((real*)a.ctrl)[e * a.nu + actuator] = real(uniform(word, low, high));
}
