// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/shading.hpp"

#include <algorithm>
#include <array>

namespace tessera::picture {
namespace {

struct Light {
  Float3 direction;  // unit, view axes: right, up, toward the viewer
  float strength;
};

struct Lighting {
  float ambient = 0.36F;
  std::array<Light, 2> light{
      {{unitf({-0.45F, 0.65F, 0.75F}), 0.62F}, {unitf({0.75F, -0.10F, 0.50F}), 0.20F}}};
  float gloss = 0.10F;
  Float3 half = unitf(light[0].direction + Float3{0.0F, 0.0F, 1.0F});  // to the viewer
};

}  // namespace

Float3 shaded(const Float3& colour, Float3 normal, bool outside) {
  static const Lighting lighting;
  normal = unitf(normal);
  if (!outside) normal = -1.0F * normal;
  normal[2] = std::max(normal[2], 0.0F);
  float diffuse = lighting.ambient;
  for (const Light& light : lighting.light)
    diffuse += light.strength * std::max(0.0F, dotf(normal, light.direction));
  diffuse *= 0.72F + 0.28F * normal[2];  // outlines a little darker
  if (!outside) {
    const float grey = 0.30F * (0.3F * colour[0] + 0.6F * colour[1] + 0.1F * colour[2]) + 0.02F;
    return 0.5F * diffuse * (0.7F * colour + Float3{grey, grey, grey});
  }
  float highlight = std::max(0.0F, dotf(normal, lighting.half));
  for (int i = 0; i < 5; ++i) highlight *= highlight;  // to the power of 32
  const float white = lighting.gloss * highlight;
  return diffuse * colour + Float3{white, white, white};
}

}  // namespace tessera::picture
