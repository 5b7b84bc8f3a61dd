// SPDX-License-Identifier: GPL-3.0-or-later
// Random packs of spheres; see spheres.hpp.
#include <algorithm>
#include <cmath>
#include <string>

#include "pipelines/stage/error.hpp"
#include "preprocess/geometry/neighbourhood.hpp"
#include "preprocess/sample/place_sphere.hpp"
#include "preprocess/sample/random.hpp"
#include "preprocess/sample/spheres.hpp"

namespace tessera::preprocess::sample {

using stage::ExitCode;
using stage::fail;

namespace {
// The centres placed so far in cells of at least a diameter, to find those within one.
class PlacedCentres {
 public:
  explicit PlacedCentres(const SpheresShape& shape) : shape_(shape) {
    for (std::size_t a = 0; a < 3; ++a) {
      extent_[a] = shape.size[a] + (shape.periodic ? 0.0 : shape.diameter);
      count_[a] = std::max(1, static_cast<int>(extent_[a] / shape.diameter));
    }
    cells_.resize(static_cast<std::size_t>(count_[0]) * static_cast<std::size_t>(count_[1]) *
                  static_cast<std::size_t>(count_[2]));
  }

  [[nodiscard]] bool isFree(const Double3& centre) const {
    const Int3 cell = cellOf(centre);
    for (const geometry::Neighbour& next : geometry::neighbourhood)
      if (overlaps(centre, cell + next.step)) return false;
    return true;
  }
  void add(const Double3& centre) { cells_[slot(cellOf(centre))].push_back(centre); }

 private:
  [[nodiscard]] Int3 cellOf(const Double3& centre) const {
    Int3 cell;
    for (std::size_t a = 0; a < 3; ++a) {
      const double from = -0.5 - 0.5 * (extent_[a] - shape_.size[a]);
      const int k = static_cast<int>((centre[a] - from) / extent_[a] * count_[a]);
      cell[a] = std::clamp(k, 0, count_[a] - 1);
    }
    return cell;
  }
  [[nodiscard]] std::size_t slot(const Int3& cell) const {
    return static_cast<std::size_t>(cell[0] + count_[0] * (cell[1] + count_[1] * cell[2]));
  }
  [[nodiscard]] bool overlaps(const Double3& centre, Int3 cell) const {
    if (!geometry::wrapInto(count_, {shape_.periodic, shape_.periodic, shape_.periodic}, cell))
      return false;
    for (const Double3& other : cells_[slot(cell)]) {
      Double3 offset = centre - other;
      for (std::size_t a = 0; a < 3 && shape_.periodic; ++a)
        offset[a] -= shape_.size[a] * std::round(offset[a] / shape_.size[a]);
      if (dot(offset, offset) < shape_.diameter * shape_.diameter) return true;
    }
    return false;
  }

  const SpheresShape& shape_;
  Double3 extent_{};
  Int3 count_{};
  std::vector<std::vector<Double3>> cells_;
};

void needSpheres(const SpheresShape& shape) {
  const int shortest = std::min({shape.size[0], shape.size[1], shape.size[2]});
  if (!(shape.diameter >= 2.0) || shape.diameter > shortest)
    fail(ExitCode::Usage,
         "--diameter must be 2 voxels or more and no more than the shortest side (" +
             std::to_string(shortest) + " voxels).");
  if (!(shape.porosity >= 0.02) || shape.porosity > 1.0)
    fail(ExitCode::Usage, "--porosity must be from 0.02 to 1.");
  if (shape.apart && shape.porosity < lowestPorosityApart)
    fail(ExitCode::Usage,
         "--no-overlap reaches no porosity below 0.62, since spheres placed at random leave no "
         "gap for another one then: give a higher --porosity, or let the spheres overlap.");
}

[[noreturn]] void jammed(double porosity) {
  fail(ExitCode::Usage, "--no-overlap found no place for another sphere at porosity " +
                            std::to_string(porosity) +
                            ": give a higher --porosity, another --seed or a larger --size.");
}
}  // namespace

SpherePack randomSpheres(const SpheresShape& shape) {
  SampleImage image = sampleBoxImage(shape.size);
  needSpheres(shape);
  SpherePack pack{.size = shape.size, .periodic = shape.periodic, .sphere = {}};
  Random random{shape.seed};
  PlacedCentres placed(shape);
  const auto all = static_cast<double>(image.value.size());
  std::size_t pore = image.value.size();
  const double radius = 0.5 * shape.diameter;
  // Without wrapping, centres reach one radius beyond the box, so that the edge is like the middle.
  const double beyond = shape.periodic ? 0.0 : radius;
  constexpr std::int64_t patience = 20'000'000;
  std::int64_t refused = 0;  // in a row
  while (static_cast<double>(pore) > shape.porosity * all) {
    Double3 centre{};
    for (std::size_t a = 0; a < 3; ++a)
      centre[a] = -0.5 - beyond + random.unitInterval() * (shape.size[a] + 2.0 * beyond);
    if (shape.apart && !placed.isFree(centre)) {
      if (++refused == patience) jammed(static_cast<double>(pore) / all);
      continue;
    }
    refused = 0;
    if (shape.apart) placed.add(centre);
    pack.sphere.push_back({centre, radius});
    pore -= placeSphere(image, pack.sphere.back(), shape.periodic);
  }
  return pack;
}

}  // namespace tessera::preprocess::sample
