// What the lanes of a warp can do together: wait, exchange values, vote.
//
// On the GPU these are the warp's own instructions with full masks. With PHALANX_EMULATE_LANES the host plays a warp (see
// emulated_lanes.h), so that a machine without a GPU runs the many-lane code. Otherwise the host has single lanes only.
#pragma once
#include "platform/compiler.h"

#if PHALANX_GPU
#define PHALANX_LANE_PRIMITIVES 1
INLINE void lane_sync() { __syncwarp(0xffffffffu); }
INLINE float lane_shuffle(float value, int source) { return __shfl_sync(0xffffffffu, value, source); }
INLINE int lane_shuffle(int value, int source) { return __shfl_sync(0xffffffffu, value, source); }
INLINE float lane_shuffle_xor(float value, int mask) { return __shfl_xor_sync(0xffffffffu, value, mask); }
INLINE uint32_t lane_ballot(bool p) { return __ballot_sync(0xffffffffu, p); }
INLINE bool lane_any(bool p) { return __any_sync(0xffffffffu, p); }
INLINE void block_meet() { asm volatile("bar.sync 0;" ::: "memory"); }
INLINE int block_lane() { return (int)threadIdx.x; }
INLINE int block_lanes() { return (int)blockDim.x; }
/// Every kernel's first act, before it touches memory. From compute capability 9 on a kernel may be launched while the one before
/// it in the stream still runs: it waits here until that is done, and lets the next be launched meanwhile.
INLINE void begin_after_earlier_kernels() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
#elif defined(PHALANX_EMULATE_LANES)
#define PHALANX_LANE_PRIMITIVES 1
#include "platform/emulated_lanes.h"
// Warps are played one after the other: each does for itself what the block does together.
INLINE void block_meet() { lane_sync(); }
INLINE int block_lane() { return EmulatedWarp::running()->current; }
INLINE int block_lanes() { return EmulatedWarp::width; }
INLINE void begin_after_earlier_kernels() {}
#else
#define PHALANX_LANE_PRIMITIVES 0
#endif
