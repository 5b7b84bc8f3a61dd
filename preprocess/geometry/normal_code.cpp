// SPDX-License-Identifier: GPL-3.0-or-later
// Octahedral unit-normal code (Cigolle et al., "A survey of efficient representations for
// independent unit vectors", JCGT 3(2), 2014).
#include <algorithm>
#include <cmath>

#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::preprocess::geometry {

namespace {
double signNotZero(double value) {
  return value < 0.0 ? -1.0 : 1.0;
}

std::uint32_t quantise(double value) {
  return static_cast<std::uint32_t>(std::lround(std::clamp(value, -1.0, 1.0) * 32767.0) + 32767);
}
}  // namespace

std::uint32_t codeFromNormal(const Double3& normal) {
  const double sum = std::abs(normal[0]) + std::abs(normal[1]) + std::abs(normal[2]);
  double u = normal[0] / sum;
  double v = normal[1] / sum;
  if (normal[2] < 0.0) {
    const double folded = (1.0 - std::abs(v)) * signNotZero(u);
    v = (1.0 - std::abs(u)) * signNotZero(v);
    u = folded;
  }
  return quantise(u) | (quantise(v) << 16U);
}

Double3 normalFromCode(std::uint32_t code) {
  double u = (static_cast<double>(code & 0xffffU) - 32767.0) / 32767.0;
  double v = (static_cast<double>(code >> 16U) - 32767.0) / 32767.0;
  const double w = 1.0 - std::abs(u) - std::abs(v);
  if (w < 0.0) {
    const double folded = (1.0 - std::abs(v)) * signNotZero(u);
    v = (1.0 - std::abs(u)) * signNotZero(v);
    u = folded;
  }
  const double length = std::sqrt(u * u + v * v + w * w);
  return {u / length, v / length, w / length};
}

}  // namespace tessera::preprocess::geometry
