// SPDX-License-Identifier: GPL-3.0-or-later
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/neighbourhood.hpp"
#include "preprocess/sample/random.hpp"
#include "preprocess/sample/spheres.hpp"

namespace tessera::preprocess::sample {

using stage::ExitCode;
using stage::fail;

namespace {
// Cell list of the placed centres, cells of at least a diameter, for neighbour queries.
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

void requireSpheres(const SpheresShape& shape) {
  const int shortest = std::min({shape.size[0], shape.size[1], shape.size[2]});
  if (!(shape.diameter >= 2.0) || shape.diameter > shortest)
    fail(ExitCode::Usage,
         fmt::format(
             "--diameter must be at least 2 voxels and at most the shortest side ({} voxels).",
             shortest));
  if (!(shape.porosity >= 0.02) || shape.porosity > 1.0)
    fail(ExitCode::Usage, "--porosity must be from 0.02 to 1.");
  if (shape.apart && shape.porosity < lowestPorosityApart)
    fail(ExitCode::Usage,
         "--no-overlap requires --porosity of at least 0.62, where random sequential addition "
         "jams: increase --porosity, or let the spheres overlap.");
}

[[noreturn]] void jammed(double porosity) {
  fail(ExitCode::Usage,
       fmt::format(
           "--no-overlap jammed at porosity {:f}: increase --porosity or --size, or change --seed.",
           porosity));
}
}  // namespace

SpherePack randomSpheres(const SpheresShape& shape) {
  SampleImage image = sampleBoxImage(shape.size);
  requireSpheres(shape);
  SpherePack pack{.size = shape.size, .periodic = shape.periodic, .sphere = {}};
  Random random{shape.seed};
  PlacedCentres placed(shape);
  const auto all = static_cast<double>(image.value.size());
  std::size_t pore = image.value.size();
  const double radius = 0.5 * shape.diameter;
  // Without periodicity centres reach one radius outside of the box, so that its border is not
  // special.
  const double beyond = shape.periodic ? 0.0 : radius;
  constexpr std::int64_t maxRefused = 20'000'000;
  std::int64_t refused = 0;  // consecutive
  while (static_cast<double>(pore) > shape.porosity * all) {
    Double3 centre{};
    for (std::size_t a = 0; a < 3; ++a)
      centre[a] = -0.5 - beyond + random.unitInterval() * (shape.size[a] + 2.0 * beyond);
    if (shape.apart && !placed.isFree(centre)) {
      if (++refused == maxRefused) jammed(static_cast<double>(pore) / all);
      continue;
    }
    refused = 0;
    if (shape.apart) placed.add(centre);
    pack.sphere.push_back({centre, radius});
    pore -= placeSphere(image, pack.sphere.back(), shape.periodic);
  }
  return pack;
}

namespace {

// Cell list of spheres, cells of at least a diameter, rebuilt by counting sort: cell c has the
// spheres order[start[c] .. start[c + 1]).
class Cells {
 public:
  Cells(const Int3& size, double diameter) : size_(size) {
    for (std::size_t a = 0; a < 3; ++a)
      count_[a] = std::max(1, static_cast<int>(size[a] / diameter));
  }
  void sort(const std::vector<Double3>& centres) {
    start_.assign(static_cast<std::size_t>(count_[0]) * static_cast<std::size_t>(count_[1]) *
                          static_cast<std::size_t>(count_[2]) +
                      1,
                  0);
    for (const Double3& centre : centres) ++start_[slot(cellOf(centre)) + 1];
    for (std::size_t c = 1; c < start_.size(); ++c) start_[c] += start_[c - 1];
    std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
    order_.resize(centres.size());
    for (std::size_t k = 0; k < centres.size(); ++k) order_[next[slot(cellOf(centres[k]))]++] = k;
  }
  // visit(index) for all spheres in the cells around a point; each cell once, also with few cells.
  template <class Visit>
  void around(const Double3& point, const Visit& visit) const {
    const Int3 cell = cellOf(point);
    for (const geometry::Neighbour& next : geometry::neighbourhood) {
      if (isRepeated(next.step)) continue;
      Int3 at = cell + next.step;
      geometry::wrapInto(count_, {true, true, true}, at);
      const std::size_t c = slot(at);
      for (std::size_t k = start_[c]; k < start_[c + 1]; ++k) visit(order_[k]);
    }
  }

 private:
  // Whether another step leads to the same cell, on an axis of fewer than 3 cells.
  [[nodiscard]] bool isRepeated(const Int3& step) const {
    for (std::size_t a = 0; a < 3; ++a)
      if ((step[a] < 0 && count_[a] < 3) || (step[a] > 0 && count_[a] < 2)) return true;
    return false;
  }
  [[nodiscard]] Int3 cellOf(const Double3& centre) const {
    Int3 cell;
    for (std::size_t a = 0; a < 3; ++a)
      cell[a] =
          std::clamp(static_cast<int>((centre[a] + 0.5) / size_[a] * count_[a]), 0, count_[a] - 1);
    return cell;
  }
  [[nodiscard]] std::size_t slot(const Int3& cell) const {
    return static_cast<std::size_t>(cell[0] + count_[0] * (cell[1] + count_[1] * cell[2]));
  }

  Int3 size_;
  Int3 count_{};
  std::vector<std::size_t> start_, order_;
};

// Shortest vector from b to a in the periodic box.
Double3 between(const Double3& a, const Double3& b, const Int3& size) {
  Double3 shift = a - b;
  for (std::size_t x = 0; x < 3; ++x) shift[x] -= size[x] * std::round(shift[x] / size[x]);
  return shift;
}

Double3 intoBox(Double3 centre, const Int3& size) {
  for (std::size_t a = 0; a < 3; ++a) {
    const double n = size[a];
    centre[a] -= n * std::floor((centre[a] + 0.5) / n);
  }
  return centre;
}

// Simultaneously displaces each sphere by a part of its overlaps, repeatedly: the mean overlap
// falls below 1 % of the diameter near random close packing. A small overlap remains at such
// densities.
void moveApart(std::vector<Double3>& centres, const Int3& size, double diameter) {
  constexpr int rounds = 600;
  constexpr double part = 0.3;
  Cells cells(size, diameter);
  std::vector<Double3> moved(centres.size());
  for (int round = 0; round < rounds; ++round) {
    cells.sort(centres);
    tbb::parallel_for(std::size_t{0}, centres.size(), [&](std::size_t k) {
      Double3 push{};
      cells.around(centres[k], [&](std::size_t other) {
        const Double3 shift = between(centres[k], centres[other], size);
        const double square = dot(shift, shift);
        if (other == k || square >= diameter * diameter || square == 0.0) return;
        const double distance = std::sqrt(square);
        push = push + (part * (diameter - distance) / distance) * shift;
      });
      moved[k] = intoBox(centres[k] + push, size);
    });
    centres.swap(moved);
  }
}

// Sphere radius at which the voxels have the requested porosity.
double radiusFor(const std::vector<Double3>& centres, const BedShape& shape) {
  double low = 0.4 * shape.diameter, high = 0.6 * shape.diameter;
  for (int step = 0; step < 16; ++step) {
    SpherePack pack{.size = shape.size, .periodic = true, .sphere = {}};
    const double radius = 0.5 * (low + high);
    for (const Double3& centre : centres) pack.sphere.push_back({centre, radius});
    (imageOf(pack).porosity() < shape.porosity ? high : low) = radius;
  }
  return 0.5 * (low + high);
}

void requireBed(const BedShape& shape) {
  const int shortest = std::min({shape.size[0], shape.size[1], shape.size[2]});
  if (!(shape.diameter >= 4.0) || 3.0 * shape.diameter > shortest)
    stage::fail(stage::ExitCode::Usage,
                fmt::format("--diameter must be at least 4 voxels and at most a third of the bed's "
                            "shortest side ({} voxels).",
                            shortest));
  if (!(shape.porosity >= 0.34) || shape.porosity > 0.6)
    stage::fail(stage::ExitCode::Usage, "--porosity of a bed must be from 0.34 to 0.6.");
}

}  // namespace

SpherePack sphereBed(const BedShape& shape) {
  requireBed(shape);
  Random random{shape.seed};
  const double volume = double(shape.size[0]) * shape.size[1] * shape.size[2];
  const double sphere = M_PI / 6.0 * shape.diameter * shape.diameter * shape.diameter;
  std::vector<Double3> centres(
      static_cast<std::size_t>(std::llround((1.0 - shape.porosity) * volume / sphere)));
  for (Double3& centre : centres)
    for (std::size_t a = 0; a < 3; ++a) centre[a] = random.unitInterval() * shape.size[a] - 0.5;
  moveApart(centres, shape.size, shape.diameter);
  const double radius = radiusFor(centres, shape);
  SpherePack pack{.size = shape.size, .periodic = true, .sphere = {}};
  for (const Double3& centre : centres) pack.sphere.push_back({centre, radius});
  return pack;
}

SpherePack riverBed(const BedShape& shape, int freeAbove) {
  SpherePack bed = sphereBed(shape);
  SpherePack pack{.size = bed.size, .periodic = false, .sphere = {}};
  pack.size[2] += freeAbove;
  for (const Sphere& sphere : bed.sphere)
    for (int image = 0; image < 18; ++image) {
      const Double3 centre{sphere.centre[0] + (image % 3 - 1) * bed.size[0],
                           sphere.centre[1] + (image / 3 % 3 - 1) * bed.size[1],
                           sphere.centre[2] - image / 9 * bed.size[2]};
      bool inside = true;
      for (std::size_t a = 0; a < 3; ++a)
        inside = inside && centre[a] + sphere.radius >= -0.5 &&
                 centre[a] - sphere.radius <= pack.size[a] - 0.5;
      if (inside) pack.sphere.push_back({centre, sphere.radius});
    }
  return pack;
}

}  // namespace tessera::preprocess::sample
