// SPDX-License-Identifier: GPL-3.0-or-later
// How bright a surface looks: two lights and a highlight, after J. F. Blinn 1977.
#pragma once

#include <cmath>

#include "pipelines/stage/vec3.hpp"

namespace tessera::picture {

inline Float3 operator*(float factor, const Float3& v) {
  return {factor * v[0], factor * v[1], factor * v[2]};
}
inline Float3 operator+(const Float3& a, const Float3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline float dotf(const Float3& a, const Float3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Float3 unitf(const Float3& v) {
  const float size = std::sqrt(dotf(v, v));
  return size > 0.0F ? (1.0F / size) * v : Float3{0.0F, 0.0F, 1.0F};
}

// Linear light that leaves a surface of that linear colour towards the viewer. The normal in view
// axes (right, up, toward the viewer), of any length, out of the surface; its inside is darker.
Float3 shaded(const Float3& colour, Float3 normal, bool outside);

}  // namespace tessera::picture
