// Which compiler reads this, and what the kernels may assume of it.
//
// The kernels are a small C++17 subset for two compilers: NVRTC, with -default-device and without any standard header, and
// a host compiler. This folder is the only one that may ask which of them is at work.
//   real      float; double in the host's reference build (PHALANX_F64)
//   INLINE    for short functions that must not cost a call
//   NOINLINE  for long functions that are called from several places
//   RESTRICT   for a pointer whose memory nothing else in the function touches
//   UNROLL_BY  before a loop whose rounds shall overlap, so many at a time
//   NO_UNROLL  before a loop whose body is large: code size is compile time and instruction cache
#pragma once

#if defined(__CUDACC_RTC__)
#define PHALANX_GPU 1
typedef unsigned char uint8_t;
typedef signed char int8_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#define INLINE __forceinline__
#define NOINLINE __noinline__
#define UNROLL _Pragma("unroll")
#define UNROLL_PRAGMA(text) _Pragma(#text)
#define UNROLL_BY(count) UNROLL_PRAGMA(unroll count)
#define NO_UNROLL _Pragma("unroll 1")
#define RESTRICT __restrict__
#else
#define PHALANX_GPU 0
#include <cmath>
#include <cstdint>
#include <cstring>
#define INLINE inline __attribute__((always_inline))
#define NOINLINE inline __attribute__((noinline))
#define UNROLL
#define UNROLL_BY(count)
#define NO_UNROLL
#define RESTRICT __restrict__
#endif

/// A number that is known by its type, so that a loop of so many rounds is chosen when it is compiled. Otherwise it is an int.
template <int number> struct Constant {
  constexpr operator int() const { return number; }
};
template <class Count> struct Known {
  static constexpr bool is = false;
  static constexpr int number = 0;
};
template <int n> struct Known<Constant<n>> {
  static constexpr bool is = true;
  static constexpr int number = n;
};

/// Declares the block's dynamic shared memory; a host that plays a warp gives one array.
#if PHALANX_GPU
#define PHALANX_SHARED_ARRAY(name) extern __shared__ __align__(16) real name[];
#else
#define PHALANX_SHARED_ARRAY(name) alignas(16) static thread_local real name[1 << 16];
#endif

#if defined(PHALANX_F64)
typedef double real;
#else
typedef float real;
#endif

/// The only functions of the machine that the kernels call: each is correctly rounded everywhere, so its bits agree.
#if defined(PHALANX_F64)
INLINE real square_root(real x) { return sqrt(x); }
INLINE real fused(real a, real b, real c) { return __builtin_fma(a, b, c); }
INLINE real absolute(real x) { return fabs(x); }
INLINE real round_to_even(real x) { return rint(x); }
INLINE real round_down(real x) { return floor(x); }
#elif PHALANX_GPU
INLINE real square_root(real x) { return __fsqrt_rn(x); }
INLINE real fused(real a, real b, real c) { return __fmaf_rn(a, b, c); }
INLINE real absolute(real x) { return fabsf(x); }
INLINE real round_to_even(real x) { return rintf(x); }
INLINE real round_down(real x) { return floorf(x); }
#else
INLINE real square_root(real x) { return __builtin_sqrtf(x); }
INLINE real fused(real a, real b, real c) { return __builtin_fmaf(a, b, c); }
INLINE real absolute(real x) { return __builtin_fabsf(x); }
INLINE real round_to_even(real x) { return __builtin_rintf(x); }
INLINE real round_down(real x) { return __builtin_floorf(x); }
#endif

/// 1 / sqrt(x), each operation rounded: one call instead of two long sequences at every pivot of a factor.
NOINLINE real inverse_square_root(real x) { return 1 / square_root(x); }

/// The bits of a float as an integer, and back.
INLINE uint32_t float_bits(float x) {
#if PHALANX_GPU
  return __float_as_uint(x);
#else
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return bits;
#endif
}
INLINE float bits_float(uint32_t bits) {
#if PHALANX_GPU
  return __uint_as_float(bits);
#else
  float x;
  memcpy(&x, &bits, 4);
  return x;
#endif
}

/// The product of two 32-bit numbers: one instruction, where that of 64-bit numbers is several.
INLINE int64_t wide_product(int a, int b) { return (int64_t)a * b; }

/// The number of ones in a word.
INLINE int count_ones(uint32_t word) {
#if PHALANX_GPU
  return __popc(word);
#else
  return __builtin_popcount(word);
#endif
}

/// The number of zeros below the lowest one of a word that is not zero.
INLINE int trailing_zeros(uint32_t word) {
#if PHALANX_GPU
  return __ffs((int)word) - 1;
#else
  return __builtin_ctz(word);
#endif
}

/// Adds to a counter that several teams share and returns its old value. Integers only: their sum has no order.
INLINE uint32_t atomic_add(uint32_t* counter, uint32_t amount) {
#if PHALANX_GPU
  return atomicAdd(counter, amount);
#else
  return __atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
#endif
}
INLINE uint64_t atomic_add(uint64_t* counter, uint64_t amount) {
#if PHALANX_GPU
  return atomicAdd(counter, amount);
#else
  return __atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
#endif
}
/// Sets bits of a word that several lanes share.
INLINE void atomic_or(int* word, int bits) {
#if PHALANX_GPU
  atomicOr(word, bits);
#else
  __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
#endif
}
/// Writes a word that was 0; false if it was not.
INLINE bool claim(uint32_t* word, uint32_t value) {
#if PHALANX_GPU
  return atomicCAS(word, 0u, value) == 0u;
#else
  uint32_t seen = 0;
  return __atomic_compare_exchange_n(word, &seen, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}
INLINE void atomic_max(uint32_t* mark, uint32_t value) {
#if PHALANX_GPU
  atomicMax(mark, value);
#else
  uint32_t seen = __atomic_load_n(mark, __ATOMIC_RELAXED);
  while (seen < value && !__atomic_compare_exchange_n(mark, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}
