// Scalars: the comparisons whose bits are ours.
//
// The machines' own min and max differ for NaN and signed zeros; these are plain selections.
#pragma once
#include "platform/compiler.h"

constexpr real largest_real = real(1e30);
/// MuJoCo's mjMINVAL: below it a length or a mass counts as zero.
constexpr real smallest_length = real(1e-15);
constexpr real pi = real(3.14159265358979323846);

INLINE real min(real a, real b) { return a < b ? a : b; }
INLINE real max(real a, real b) { return a > b ? a : b; }
INLINE int min(int a, int b) { return a < b ? a : b; }
INLINE int max(int a, int b) { return a > b ? a : b; }
INLINE real clamp(real x, real low, real high) { return x < low ? low : (x > high ? high : x); }
INLINE real square(real x) { return x * x; }
/// 1, or -1 for negative numbers.
INLINE real sign(real x) { return x < 0 ? real(-1) : real(1); }
/// False for NaN, for infinities and beyond MuJoCo's mjMAXVAL of 1e10.
INLINE bool is_good(real x) { return absolute(x) <= real(1e10); }
