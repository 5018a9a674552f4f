// A sphere and a box, and the ball and box to which a capsule comes down.
#pragma once
#include "collision/narrowphase/contact_point.h"

/// A centre outside the box meets its nearest point; a centre inside leaves through the nearest face.
inline int ball_box(Vec3 centre, real radius, const Geom& box, real margin, ContactPoint* contact) {
  const Vec3 local = transposed_times(box.axes, centre - box.pos), s = box.size;
  const Vec3 nearest = {clamp(local.x, -s.x, s.x), clamp(local.y, -s.y, s.y), clamp(local.z, -s.z, s.z)};
  const Vec3 inward = nearest - local;
  const real distance = length(inward);
  Vec3 normal = inward * (1 / distance);
  real dist = distance - radius;
  if (!(dist <= margin)) return 0;
  if (distance < smallest_length) {
    real depth = largest_real;
    NO_UNROLL for (int i = 0; i < 3; ++i) {
      const real to_face = s[i] - absolute(local[i]);
      if (!(to_face < depth)) continue;
      depth = to_face;
      normal = with(vec3(0, 0, 0), i, local[i] > 0 ? real(-1) : real(1));
    }
    dist = -depth - radius;
  }
  *contact = ball_contact(centre, radius, box.axes * normal, dist);
  return 1;
}

INLINE int sphere_box(const Geom& sphere, const Geom& box, real margin, ContactPoint* contacts) {
  return ball_box(sphere.pos, sphere.size.x, box, margin, contacts);
}
