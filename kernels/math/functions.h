// Sine, cosine, arc tangent, exponential, logarithm and power, the same bits on every machine.
//
// In float they are ours: no libm or CUDA function is called, so the host and the GPU agree. In double (the host's
// reference build) they are the C library's.
//   void sin_cos(real x, real& s, real& c)   s = sin x, c = cos x
//   real arc_tangent2(real y, real x)        the angle of (x, y) in [-pi, pi]
//   real exponential(real x)                 e^x
//   real logarithm(real x)                   log x, to base e
//   real power(real x, real y)               x^y
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
#include "math/arc_tangent.h"
#include "math/exponential.h"
#include "math/logarithm.h"
#include "math/power.h"
#include "math/sine_cosine.h"
#endif
