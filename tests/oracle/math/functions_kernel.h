// Kernels that hash each function over the inputs 0, stride, 2 stride ... on a GPU, to be compared with the host's hashes.
//
// Launch any grid with *sum = 0; count is the number of inputs. check_math.py prints what the sums must be.
#pragma once
#include "function_hash.h"

#define HASH_KERNEL(name)                                                                                      \
  extern "C" __global__ void hash_kernel_##name(uint64_t count, uint32_t stride, uint64_t* sum) {              \
    uint64_t own = 0;                                                                                          \
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;                                                 \
    NO_UNROLL                                                                                                  \
    for (uint64_t k = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; k < count; k += threads) {              \
      own += hash_of_##name((uint32_t)k * stride);                                                             \
    }                                                                                                          \
    atomic_add(sum, own);                                                                                      \
  }
HASH_KERNEL(sine_cosine)
HASH_KERNEL(exponential)
HASH_KERNEL(logarithm)
HASH_KERNEL(arc_tangent2)
HASH_KERNEL(power)
HASH_KERNEL(random)

// The functions alone, for their code size.
extern "C" __global__ void size_of_nothing(float* x) { x[threadIdx.x] = x[threadIdx.x + 1] + x[threadIdx.x + 2]; }
extern "C" __global__ void size_of_sin_cos(float* x) { sin_cos(x[threadIdx.x], x[threadIdx.x + 1], x[threadIdx.x + 2]); }
extern "C" __global__ void size_of_exponential(float* x) { x[threadIdx.x] = exponential(x[threadIdx.x + 1]); }
extern "C" __global__ void size_of_logarithm(float* x) { x[threadIdx.x] = logarithm(x[threadIdx.x + 1]); }
extern "C" __global__ void size_of_arc_tangent2(float* x) {
  x[threadIdx.x] = arc_tangent2(x[threadIdx.x + 1], x[threadIdx.x + 2]);
}
extern "C" __global__ void size_of_power(float* x) { x[threadIdx.x] = power(x[threadIdx.x + 1], x[threadIdx.x + 2]); }
extern "C" __global__ void size_of_random(uint32_t* x) {
  x[threadIdx.x] = float_bits(uniform(random_words(x[0], x[threadIdx.x + 1], x[1], x[2], x[3]).x, -1.0f, 1.0f));
}
