// From solref and solimp to the numbers of a constraint row.
//
// A row is a spring and damper in acceleration space: aref = -b v - k d(r) r, with impedance d(r) and regularizer
// R = (1 - d) / d * A. MuJoCo documentation, computation, "Solver parameters".
#pragma once
#include "math/functions.h"
#include "view/elements.h"

constexpr real least_impedance = real(0.0001), greatest_impedance = real(0.9999);

/// The impedance at distance r from the constraint's edge.
NOINLINE real impedance(Vec5 solimp, real r) {
  const real low = clamp(solimp.a, least_impedance, greatest_impedance), high = clamp(solimp.b, least_impedance, greatest_impedance);
  const real width = max(real(0), solimp.c), middle = clamp(solimp.d, least_impedance, greatest_impedance), exponent = max(real(1), solimp.e);
  if (low == high || width <= smallest_length) return real(0.5) * (low + high);
  const real x = absolute(r) / width;
  if (x >= 1) return high;
  if (x == 0) return low;
  real y;
  if (exponent == 1) {
    y = x;
  } else if (exponent == 2) {
    y = x <= middle ? x * x / middle : 1 - (1 - x) * (1 - x) / (1 - middle);
  } else if (x <= middle) {
    y = power(x, exponent) / power(middle, exponent - 1);
  } else {
    y = 1 - power(1 - x, exponent) / power(1 - middle, exponent - 1);
  }
  return fused(y, high - low, low);
}

/// Stiffness and damping of the reference acceleration.
struct Reference {
  real k, b;
};

/// `solref` is (time constant, damping ratio), or (-stiffness, -damping); a mixture of the two stands for the default. A time
/// constant is kept above two steps.
INLINE Reference reference(Vec2 solref, Vec5 solimp, real timestep, bool refsafe) {
  const real high = clamp(solimp.b, least_impedance, greatest_impedance);
  if ((solref.x > 0) != (solref.y > 0)) solref = {real(0.02), 1};
  if (solref.x <= 0) return {-solref.x / max(smallest_length, high * high), -solref.y / max(smallest_length, high)};
  const real time = refsafe ? max(solref.x, 2 * timestep) : solref.x;
  return {1 / max(smallest_length, square(high * time * solref.y)), 2 / max(smallest_length, high * time)};
}

/// The regularizer R of a row with impedance d and approximate inverse inertia A.
INLINE real regularizer(real d, real inverse_inertia) { return max(smallest_length, (1 - d) / d * inverse_inertia); }
