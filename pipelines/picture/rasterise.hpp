// SPDX-License-Identifier: GPL-3.0-or-later
// Triangles to pixels: depth buffer of 4 x 4 samples a pixel, interpolated normals and shades, each
// triangle shaded once a pixel, where its samples are, and averaged in linear light. Glass takes
// light away from what is behind it and most at its silhouette; as factors multiply, its triangles
// need no sorting. Bands of rows in parallel; the same image on any number of threads.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pipelines/picture/camera.hpp"
#include "pipelines/picture/colour_map.hpp"

namespace tessera::picture {

// The outside of a triangle is where its corners run counter-clockwise; the inside is drawn darker.
struct RenderMesh {
  std::vector<Double3> vertex;  // m
  std::vector<stage::Triangle> triangle;
  std::vector<std::array<Float3, 3>> normal;  // unit, outwards, one a corner
  std::vector<float> shade;                   // place on the colour map 0..1, one a vertex; or
  Colour plain;                               // one colour for all when shade is empty
  ColourMap map = ColourMap::Viridis;
  bool glass = false;  // a tint of the plain colour, through which opaque meshes are seen
};

// Draws over the image, opaque meshes before glass ones; the camera's scale is in pixels.
void rasterise(std::span<const RenderMesh* const> meshes, const Camera& camera, Image& image);
void rasterise(const RenderMesh& mesh, const Camera& camera, Image& image);

}  // namespace tessera::picture
