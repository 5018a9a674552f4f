// The GPU's entry points on a host that plays the GPU, to test without one what a GPU would run.
//
// The grid's warps run one after the other, the 32 lanes of each as coroutines (platform/emulated_lanes.h). The same options
// and the same generated header as for NVRTC apply. Shared memory and the rest of its array hold NaN before a block starts.
#define PHALANX_EMULATE_LANES
#include "platform/host_headers.h"

#include "platform/compiler.h"
#include "platform/float_modes.h"
#include "platform/lanes.h"

// What CUDA declares. A block's shared memory is one array of the program here.
#undef PHALANX_SHARED_ARRAY
#define PHALANX_SHARED_ARRAY(name) extern real name[];
#define __global__ __attribute__((visibility("hidden")))
#define __launch_bounds__(...)
#define __grid_constant__
namespace {
struct Dim {
  unsigned x;
};
Dim gridDim, blockDim, blockIdx;
unsigned first_thread;
}  // namespace
#define threadIdx (Dim{first_thread + (unsigned)EmulatedWarp::running()->current})

#include "entry_under_test.cu"
#include "view/model_copy.h"

namespace {
constexpr int shared_words = 1 << 16;
}
__attribute__((visibility("hidden"))) real phalanx_shared[shared_words];

namespace {
/// Runs a kernel on a grid. Returns 0, or 1 with a message.
int launch(void (*kernel)(void*), const Arguments* a, uint32_t blocks, uint32_t threads, int order, char* message, uint64_t bytes) {
  const StandardFloatModes modes;
  static EmulatedWarp warp;
  const int64_t used = model_copy_words + a->shared_words * (threads / PHALANX_LANES);
  if (used > shared_words) {
    snprintf(message, bytes, "a block of %u threads takes %lld words of shared memory", threads, (long long)used);
    return 1;
  }
  gridDim.x = blocks;
  blockDim.x = threads;
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) {
    for (int i = 0; i < shared_words; ++i) phalanx_shared[i] = bits_float(0x7fc0dead);
    for (first_thread = 0; first_thread < threads; first_thread += EmulatedWarp::width) {
      if (!warp.run((EmulatedWarp::Order)order, kernel, (void*)a, message, bytes)) return 1;
    }
    for (int i = (int)used; i < shared_words; ++i) {
      if (float_bits(phalanx_shared[i]) != 0x7fc0dead) {
        snprintf(message, bytes, "word %d of shared memory was written, %lld belong to the block", i, (long long)used);
        return 1;
      }
    }
  }
  return 0;
}
}  // namespace

#define PHALANX_EMULATED(kernel)                                                                                          \
  extern "C" __attribute__((visibility("default"))) int kernel##_emulated(const void* arguments, uint32_t blocks,          \
                                                                          uint32_t threads, int order, char* message,      \
                                                                          uint64_t message_bytes) {                        \
    const auto lane = [](void* argument) { kernel(*(const Arguments*)argument); };                                         \
    return launch(lane, (const Arguments*)arguments, blocks, threads, order, message, message_bytes);                      \
  }
#include "kernels_under_test.h"
