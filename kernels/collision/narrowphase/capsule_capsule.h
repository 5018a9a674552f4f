// Two capsules: balls at the nearest points of their segments, or two pairs of balls where the segments are parallel.
//
// Nearest points: Ericson, Real-Time Collision Detection (2005), section 5.1.9, with unit directions. As in MuJoCo, axes
// within 1e-4 radians count as parallel; the contacts then lie at both ends of the stretch of capsule 1 that faces
// capsule 2 (at the same end twice where none does).
#pragma once
#include "collision/narrowphase/sphere_sphere.h"

constexpr real parallel_sine_squared = real(1e-8);

inline int capsule_capsule(const Geom& capsule1, const Geom& capsule2, real margin, ContactPoint* contacts) {
  const Vec3 axis1 = capsule1.axis(2), axis2 = capsule2.axis(2), across = cross(axis1, axis2);
  const Vec3 between = capsule2.pos - capsule1.pos;
  const real half1 = capsule1.size.y, half2 = capsule2.size.y, cosine = dot(axis1, axis2);
  const real sine_squared = dot(across, across);
  const real middle1 = dot(axis1, between);  // capsule 2's centre, along axis 1
  const bool parallel = sine_squared < parallel_sine_squared;
  int count = 0;
  NO_UNROLL for (int end = -1; end <= (parallel ? 1 : -1); end += 2) {
    const real end2 = cosine > 0 ? end * half2 : -end * half2;  // the end of capsule 2 that comes first along axis 1
    const real wanted1 = parallel ? fused(end2, cosine, middle1) : dot(cross(between, axis2), across) / sine_squared;
    real along1 = clamp(wanted1, -half1, half1), along2 = end2;
    if (!parallel || along1 != wanted1) {
      const real wanted2 = dot(axis2, add_scaled(-between, along1, axis1));
      along2 = clamp(wanted2, -half2, half2);
      if (along2 != wanted2) along1 = clamp(fused(along2, cosine, middle1), -half1, half1);
    }
    count += ball_ball(add_scaled(capsule1.pos, along1, axis1), capsule1.size.x, add_scaled(capsule2.pos, along2, axis2),
                       capsule2.size.x, across, margin, &contacts[count]);
  }
  return count;
}
