// The CPU's entry points, compiled once per precision and instruction set; PHALANX_VARIANT names each build.
//
// Everything lives in a namespace of the build's own: inline functions of two builds must not be merged by the linker.
#include "platform/host_headers.h"

namespace PHALANX_VARIANT {
#include "platform/float_modes.h"
#include "dynamics/set_constants.h"
#include "reset.h"
#include "run.h"

/// Steps the environments [begin, end), or with is_retry those entries of the retry list, with one workspace.
void step_range(const Arguments& a, real* workspace, int64_t begin, int64_t end) {
  const StandardFloatModes modes;
  Tally tally;
  for (int64_t slot = begin; slot < end; ++slot) {
    int64_t index = slot;
    int first = 0;
    if (a.is_retry) {
      index = a.retry_list[2 * slot];
      first = (int)a.retry_list[2 * slot + 1];
    }
    run_environment(SingleLane{}, a, Workspace{workspace, 0, workspace}, index, first, true, tally);
  }
  add_tally(SingleLane{}, a, begin, tally);
}
void reset_range(const Arguments& a, int64_t begin, int64_t end) {
  const StandardFloatModes modes;
  for (int64_t e = begin; e < end; ++e) reset_environment(a, e);
}
void random_controls_range(const Arguments& a, int64_t begin, int64_t end) {
  const StandardFloatModes modes;
  for (int64_t e = begin; e < end; ++e) {
    for (int i = 0; i < (int)a.nu; ++i) draw_control(a, e, i);
  }
}
void set_constants_range(const Arguments& a, real* workspace, int64_t begin, int64_t end) {
  const StandardFloatModes modes;
  for (int64_t e = begin; e < end; ++e) {
    if (a.mask && !a.mask[e]) continue;
    Env env = open_environment(a, Workspace{workspace, 0, workspace}, e, true);
    set_constants(SingleLane{}, Model(a, e), env);
    finish_stage(SingleLane{}, env, stage_set_constants);
  }
}
}  // namespace PHALANX_VARIANT

#define PHALANX_NAME_(function, variant) phalanx_##function##_##variant
#define PHALANX_NAME(function, variant) PHALANX_NAME_(function, variant)

extern "C" {
void PHALANX_NAME(step, PHALANX_VARIANT)(const void* arguments, void* workspace, int64_t begin, int64_t end) {
  PHALANX_VARIANT::step_range(*(const PHALANX_VARIANT::Arguments*)arguments, (PHALANX_VARIANT::real*)workspace, begin, end);
}
void PHALANX_NAME(set_constants, PHALANX_VARIANT)(const void* arguments, void* workspace, int64_t begin, int64_t end) {
  PHALANX_VARIANT::set_constants_range(*(const PHALANX_VARIANT::Arguments*)arguments, (PHALANX_VARIANT::real*)workspace, begin, end);
}
void PHALANX_NAME(reset, PHALANX_VARIANT)(const void* arguments, int64_t begin, int64_t end) {
  PHALANX_VARIANT::reset_range(*(const PHALANX_VARIANT::Arguments*)arguments, begin, end);
}
void PHALANX_NAME(random_controls, PHALANX_VARIANT)(const void* arguments, int64_t begin, int64_t end) {
  PHALANX_VARIANT::random_controls_range(*(const PHALANX_VARIANT::Arguments*)arguments, begin, end);
}
}
