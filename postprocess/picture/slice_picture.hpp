// SPDX-License-Identifier: GPL-3.0-or-later
// Speed and pressure on a plane through the geometry, and the cut of a surface by a plane.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipelines/picture/camera.hpp"
#include "pipelines/picture/image.hpp"
#include "postprocess/fields/node_lookup.hpp"
#include "postprocess/results/results.hpp"
#include "preprocess/geometry/lattice_geometry.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::picture {

struct CutSegment {
  tessera::picture::Point a, b;  // in the camera's projection
  preprocess::geometry::Patch label = 0;
};

// Cut of a surface by the plane through the camera's target, perpendicular to its view: one segment
// per triangle. A vertex on the plane counts as in front, so that segments of a closed surface
// close.
std::vector<CutSegment> cutSurface(const std::vector<Double3>& vertex,
                                   const std::vector<stage::Triangle>& triangle,
                                   const std::vector<preprocess::geometry::Patch>& label,
                                   const tessera::picture::Camera& camera);

// Pixel centres of [0, height) x [0, width) inside the closed outline (even-odd).
std::vector<char> insideOutline(const std::vector<CutSegment>& outline, int width, int height);

enum class SliceOf { Speed, Pressure };

// Main: the plane of the two longest principal axes of the wall (for images of the box sides);
// Across: of the longest and the shortest. Each at the position with most nodes.
enum class SlicePlane { Main, Across };

// The plane in words: "on the plane of the two longest principal axes of the wall".
std::string planeName(const results::Results& results, SlicePlane plane);

// Values on a plane, before they are coloured.
struct Slice {
  SliceOf what = SliceOf::Speed;
  SlicePlane plane = SlicePlane::Main;
  double pixelsPerUnit = 1.0;  // of the page
  int width = 0, height = 0;   // pixels
  tessera::picture::Camera camera;
  std::vector<float> value;  // SI, per pixel; NaN outside the fluid
  double least = 0.0, largest = 0.0;
};

// Seen from the side of the picture of the wall, if there is one. nullopt without nodes.
std::optional<Slice> sampleSlice(
    const results::Results& results, const solver::file::Fields& fields,
    const fields::NodeLookup& lookup, SliceOf what, SlicePlane plane, double pixelsPerUnit,
    const std::optional<tessera::picture::Camera>& wallView = std::nullopt);

// Colours from least to largest; with the wall's outline, openings in a thin line.
tessera::picture::Image paintSlice(const Slice& slice, const results::Results& results,
                                   const tiler::TiledGeometry& geometry, double least,
                                   double largest, const std::string& subtitle);

// Both, in colours of its own values. nullopt without nodes.
std::optional<tessera::picture::Image> drawSlice(
    const results::Results& results, const solver::file::Fields& fields,
    const fields::NodeLookup& lookup, SliceOf what, SlicePlane plane,
    const std::optional<tessera::picture::Camera>& wallView = std::nullopt);

}  // namespace tessera::postprocess::picture
