// SPDX-License-Identifier: GPL-3.0-or-later
// Orthographic camera, so that one scale bar is valid everywhere.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pipelines/picture/drawing.hpp"
#include "pipelines/stage/vec3.hpp"

namespace tessera::picture {

// Unit vectors from the longest to the shortest extent of an area-weighted surface, right-handed;
// the largest component of the first two is positive, the first of nearly equal ones. Among nearly
// equal extents the world's axes decide, not the noise of a mesh.
std::array<Double3, 3> principalAxes(std::span<const Double3> vertex,
                                     std::span<const stage::Triangle> triangle);

struct Rectangle {
  double left = 0.0, top = 0.0, width = 0.0, height = 0.0;
};

struct Projected {
  double x = 0.0, y = 0.0;  // drawing units or pixels, as the camera's scale
  double depth = 0.0;       // m, towards the viewer
};

struct Camera {
  Double3 right{1.0, 0.0, 0.0}, up{0.0, 1.0, 0.0}, toward{0.0, 0.0, 1.0};  // unit, toward: viewer
  Double3 target{};                                                        // m, at `centre`
  Point centre;
  double scale = 1.0;  // drawing units or pixels per metre

  [[nodiscard]] Projected project(const Double3& world) const {
    const Double3 d = world - target;
    return {centre.x + scale * dot(d, right), centre.y - scale * dot(d, up), dot(d, toward)};
  }
  // The world position seen at (x, y) in the plane through the target.
  [[nodiscard]] Double3 unproject(double x, double y) const {
    return target + ((x - centre.x) / scale) * right + ((centre.y - y) / scale) * up;
  }
  // The same view at `factor` pixels per drawing unit.
  [[nodiscard]] Camera magnified(double factor) const {
    Camera camera = *this;
    camera.centre = {centre.x * factor, centre.y * factor};
    camera.scale = scale * factor;
    return camera;
  }
};

// View against `toward` that fits the points into the frame: upright or lying along the axes,
// whichever is larger; world +z (otherwise +y) points up.
Camera frameView(const Double3& toward, const std::array<Double3, 3>& axes,
                 std::span<const Double3> points, const Rectangle& frame);

// Framed view along `normal`, a unit vector, from the side and the way up of another view: the
// first or second axis, whichever is nearer to that one's, points up.
Camera viewLike(const Camera& other, const Double3& normal, const std::array<Double3, 3>& axes,
                std::span<const Double3> points, const Rectangle& frame);

// Framed view along world axis 0..2 from its upper or lower end; z points up (y in views along z).
Camera fixedView(std::size_t axis, bool fromAbove, std::span<const Double3> points,
                 const Rectangle& frame);

// Side that a geometry is seen from: towards the viewer and upwards, unit vectors.
struct Side {
  Double3 toward{0.0, 0.0, 1.0}, up{0.0, 1.0, 0.0};
};

// Side, tilted off the principal axes, with the largest visible surface; marked triangles, such as
// openings, count three times. One function for all pictures and pages, so that a geometry is seen
// from the same side before and after a run; of nearly equal sides the first, so that meshes of one
// geometry have the same.
Side bestSide(std::span<const Double3> vertex, std::span<const stage::Triangle> triangle,
              const std::vector<bool>& marked);

// Framed view from a side.
Camera viewFrom(const Side& side, std::span<const Double3> points, const Rectangle& frame);

}  // namespace tessera::picture
