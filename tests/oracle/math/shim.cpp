// The kernels' functions for check_math.py: evaluated, hashed, and compared with the C library's in double.
#include <cfloat>

#include "random_hash.h"
#if !defined(PHALANX_F64)
#include "function_hash.h"
#endif

template <class F> static uint64_t sum_over(uint64_t first, uint64_t count, uint32_t stride, F f) {
  uint64_t sum = 0;
  for (uint64_t k = first; k < first + count; k++) sum += f((uint32_t)k * stride);
  return sum;
}

extern "C" void philox_words(const uint32_t* counter, const uint32_t* key, uint32_t* out) {
  const FourWords w = philox({counter[0], counter[1], counter[2], counter[3]}, key[0], key[1]);
  out[0] = w.x, out[1] = w.y, out[2] = w.z, out[3] = w.w;
}
extern "C" float uniform_between(uint32_t word, float low, float high) { return uniform(word, low, high); }
extern "C" uint64_t hash_random(uint64_t first, uint64_t count, uint32_t stride) {
  return sum_over(first, count, stride, [](uint32_t i) { return hash_of_random(i); });
}

#if !defined(PHALANX_F64)
extern "C" uint64_t hash_sine_cosine(uint64_t first, uint64_t count, uint32_t stride) {
  return sum_over(first, count, stride, [](uint32_t i) { return hash_of_sine_cosine(i); });
}
extern "C" uint64_t hash_exponential(uint64_t first, uint64_t count, uint32_t stride) {
  return sum_over(first, count, stride, [](uint32_t i) { return hash_of_exponential(i); });
}
extern "C" uint64_t hash_logarithm(uint64_t first, uint64_t count, uint32_t stride) {
  return sum_over(first, count, stride, [](uint32_t i) { return hash_of_logarithm(i); });
}
extern "C" uint64_t hash_arc_tangent2(uint64_t first, uint64_t count, uint32_t stride) {
  return sum_over(first, count, stride, [](uint32_t i) { return hash_of_arc_tangent2(i); });
}
extern "C" uint64_t hash_power(uint64_t first, uint64_t count, uint32_t stride) {
  return sum_over(first, count, stride, [](uint32_t i) { return hash_of_power(i); });
}

/// |got - want| in units of the last place that a float of want's size has; huge where a NaN, its bits or a zero's sign
/// differ.
static double units_off(float got, double want) {
  if (want != want || got != got) return want != want && float_bits(got) == 0x7fffffffu ? 0 : 1e30;
  if (got == 0 && std::signbit(got) != std::signbit(want)) return 1e30;
  if (std::isinf(want)) return got == want ? 0 : 1e30;
  int exponent;
  frexp(want, &exponent);
  if (exponent > 128) return std::isinf(got) && (got > 0) == (want > 0) ? 0 : 1e30;
  const double unit = ldexp(1.0, (exponent < -125 ? -125 : exponent) - 24);
  const double value = std::isinf(got) ? copysign(ldexp(1.0, 128), got) : (double)got;
  return fabs(value - want) / unit;
}

struct Worst {
  double units;
  uint64_t input;
};
struct Call {
  float got;
  double want;
};
/// function: 0 sine, 1 cosine, 2 exponential, 3 logarithm, 4 arc_tangent2, 5 power
static Call call(int function, float a, float b) {
  float s, c;
  switch (function) {
    case 0: sin_cos(a, s, c); return {s, sin((double)a)};
    case 1: sin_cos(a, s, c); return {c, cos((double)a)};
    case 2: return {exponential(a), exp((double)a)};
    case 3: return {logarithm(a), log((double)a)};
    case 4: return {arc_tangent2(a, b), atan2((double)a, (double)b)};
    default: return {power(a, b), pow((double)a, (double)b)};
  }
}
extern "C" void call_one(int function, float a, float b, float* got, double* want) {
  const Call c = call(function, a, b);
  *got = c.got, *want = c.want;
}
extern "C" void operands_of(uint32_t i, float* a, float* b) {
  const Operands o = operands(i);
  *a = o.a, *b = o.b;
}
extern "C" Worst worst_over(int function, uint64_t first, uint64_t count, uint32_t stride) {
  Worst worst = {0, 0};
  for (uint64_t k = first; k < first + count; k++) {
    const uint32_t i = (uint32_t)k * stride;
    const Operands o = function < 4 ? Operands{bits_float(i), 0} : operands(i);
    const Call c = call(function, o.a, o.b);
    const double units = units_off(c.got, c.want);
    if (units > worst.units) worst = {units, i};
  }
  return worst;
}
#endif
