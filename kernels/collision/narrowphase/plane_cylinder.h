// A plane and a cylinder: up to four contacts on the rims.
//
// The two rim points on the cylinder's lowest side line, lower end first, then two more points of the lower rim that make
// an equilateral triangle with its lowest point.
#pragma once
#include "collision/narrowphase/plane_sphere.h"

/// A cylinder this upright has no lowest side line: its x axis stands in.
constexpr real upright_sine = sizeof(real) == 8 ? real(1e-13) : real(1e-6);

inline int plane_cylinder(const Geom& plane, const Geom& cylinder, real margin, ContactPoint* contacts) {
  const real radius = cylinder.size.x;
  const Vec3 normal = plane.axis(2), up = cylinder.axis(2);
  const real rise = dot(normal, up);
  const Vec3 down = up * (rise > 0 ? real(-1) : real(1));  // along the axis, towards the plane
  const Vec3 slope = cross(up, cross(up, normal));         // -normal, without its part along the axis
  const real steepness = length(slope);
  const Vec3 lowest = steepness < upright_sine ? cylinder.axis(0) * radius : slope * (radius / steepness);
  const Vec3 half = down * cylinder.size.y;
  const Vec3 aside = normalized(cross(lowest, half)) * (radius * real(0.86602540378443864676));  // sqrt(3) / 2
  int count = 0;
  NO_UNROLL for (int i = 0; i < 4; ++i) {
    const Vec3 end = i == 1 ? -half : half;
    const Vec3 rim = i < 2 ? lowest : add_scaled(aside * (i == 2 ? real(1) : real(-1)), real(-0.5), lowest);
    const int hit = plane_ball(plane.pos, normal, cylinder.pos + end + rim, 0, margin, &contacts[count]);
    if (i == 0 && !hit) return 0;
    count += hit;
  }
  return count;
}
