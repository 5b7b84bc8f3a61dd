// SPDX-License-Identifier: GPL-3.0-or-later
// Rasteriser with a depth buffer of 4 x 4 samples per pixel: interpolated normals and shades, each
// triangle shaded once per pixel at the mean of its samples, averaged in linear light. Glass
// absorbs light, most at its silhouette; its factors commute, so its triangles need no sorting.
// Bands of rows run in parallel; the image does not depend on the number of threads.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pipelines/picture/camera.hpp"
#include "pipelines/picture/colour.hpp"
#include "pipelines/picture/image.hpp"

namespace tessera::picture {

// Corners are counter-clockwise seen from outside; the inside is drawn darker.
struct RenderMesh {
  std::vector<Double3> vertex;  // m
  std::vector<stage::Triangle> triangle;
  std::vector<std::array<Float3, 3>> normal;  // unit, outwards, one per corner
  std::vector<float> shade;                   // position on the colour map 0..1 per vertex; or
  Colour plain;                               // one colour if shade is empty
  ColourMap map = ColourMap::Viridis;
  bool glass = false;  // transparent tint of the plain colour
};

// Draws over the image, opaque meshes before glass ones; the camera's scale is in pixels.
void rasterise(std::span<const RenderMesh* const> meshes, const Camera& camera, Image& image);
void rasterise(const RenderMesh& mesh, const Camera& camera, Image& image);

}  // namespace tessera::picture
