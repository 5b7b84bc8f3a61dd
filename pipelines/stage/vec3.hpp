// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors of three numbers and triangles of vertex indices. Sums of products are added from x to z.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace tessera {

using Int3 = std::array<int, 3>;
using Float3 = std::array<float, 3>;
using Double3 = std::array<double, 3>;

template <class T>
constexpr std::array<T, 3> operator+(const std::array<T, 3>& a, const std::array<T, 3>& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
template <class T>
constexpr std::array<T, 3> operator-(const std::array<T, 3>& a, const std::array<T, 3>& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
template <class T>
constexpr std::array<T, 3> operator*(std::type_identity_t<T> factor, const std::array<T, 3>& a) {
  return {factor * a[0], factor * a[1], factor * a[2]};
}

template <class T>
constexpr T dot(const std::array<T, 3>& a, const std::array<T, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class T>
constexpr std::array<T, 3> cross(const std::array<T, 3>& a, const std::array<T, 3>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
template <class T>
T length(const std::array<T, 3>& a) {
  static_assert(std::is_floating_point_v<T>);
  return std::sqrt(dot(a, a));
}
// Vector of length 1 in the same direction; a zero vector stays zero.
template <class T>
std::array<T, 3> unit(const std::array<T, 3>& a) {
  const T size = length(a);
  return size > T{0} ? (T{1} / size) * a : a;
}
// Product by components.
template <class T>
constexpr std::array<T, 3> scaled(const std::array<T, 3>& a, const std::array<T, 3>& factors) {
  return {a[0] * factors[0], a[1] * factors[1], a[2] * factors[2]};
}
// Right-handed rotation of a vector about a unit axis (Rodrigues).
inline Double3 rotated(const Double3& vector, const Double3& unitAxis, double angle) {
  const double c = std::cos(angle);
  return c * vector + std::sin(angle) * cross(unitAxis, vector) +
         ((1.0 - c) * dot(unitAxis, vector)) * unitAxis;
}

namespace stage {

using Triangle = std::array<std::uint32_t, 3>;  // vertex indices, counter-clockwise from outside

}  // namespace stage
}  // namespace tessera
