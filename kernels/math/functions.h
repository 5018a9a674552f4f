// Sine, cosine, arc tangent, exponential, logarithm and power, the same bits on every machine.
//
// In float they are ours: no libm or CUDA function is called, so the host and the GPU agree. In double (the host's
// reference build) they are the C library's.
#pragma once
#include "math/scalar.h"

#if defined(PHALANX_F64)
INLINE void sin_cos(real x, real& s, real& c) {
  s = sin(x);
  c = cos(x);
}
INLINE real arc_tangent2(real y, real x) { return atan2(y, x); }
INLINE real exponential(real x) { return exp(x); }
INLINE real logarithm(real x) { return log(x); }
INLINE real power(real x, real y) { return pow(x, y); }
#else
INLINE void sin_cos(real x, real& s, real& c) {  // interim, |x| < 1e4: full range reduction follows
  const real j = round_to_even(x * real(0.636619772));
  real r = fused(-j, real(1.57079637), x);
  r = fused(-j, real(-4.37113883e-8), r);
  const int quadrant = (int)clamp(j, real(-1e9), real(1e9)) & 3;
  const real r2 = r * r;
  real sr = fused(fused(fused(real(-1.9515295891e-4), r2, real(8.3321608736e-3)), r2, real(-1.6666654611e-1)), r2 * r, r);
  real cr = fused(fused(fused(real(2.443315711809948e-5), r2, real(-1.388731625493765e-3)), r2, real(4.166664568298827e-2)),
                  r2 * r2, fused(real(-0.5), r2, real(1)));
  const real a = (quadrant & 1) ? cr : sr, b = (quadrant & 1) ? sr : cr;
  s = (quadrant & 2) ? -a : a;
  c = ((quadrant + 1) & 2) ? -b : b;
}
INLINE real arc_tangent2(real y, real x) { return y + x; }
INLINE real exponential(real x) { return x; }
INLINE real logarithm(real x) { return x; }
INLINE real power(real x, real y) { return x * y; }
#endif
