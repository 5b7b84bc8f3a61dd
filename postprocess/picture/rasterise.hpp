// SPDX-License-Identifier: GPL-3.0-or-later
// Triangles to pixels: depth buffer, interpolated normals and shades, two lights (after J. F. Blinn
// 1977), 4 x 4 samples a pixel averaged in linear light. Bands of rows in parallel; the same image
// on any number of threads.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pipelines/picture/colour_map.hpp"
#include "postprocess/picture/camera.hpp"

namespace tessera {

// The outside of a triangle is where its corners run counter-clockwise; the inside is drawn darker.
struct RenderMesh {
  std::vector<Double3> vertex;  // m
  std::vector<Triangle> triangle;
  std::vector<std::array<Float3, 3>> normal;  // unit, outwards, one a corner
  std::vector<float> shade;                   // place on the colour map 0..1, one a vertex; or
  Colour plain;                               // one colour for all when shade is empty
  ColourMap map = ColourMap::Viridis;
};

// Unit normals at the corners: area-weighted over the triangles around the vertex whose normals are
// within `crease` degrees of the triangle's own, so that edges stay sharp and curves smooth.
std::vector<std::array<Float3, 3>> smoothNormals(const std::vector<Double3>& vertex,
                                                 const std::vector<Triangle>& triangle,
                                                 double crease = 50.0);

// Draws over the image; the camera's scale is in pixels.
void rasterise(std::span<const RenderMesh> meshes, const Camera& camera, Image& image);

}  // namespace tessera
