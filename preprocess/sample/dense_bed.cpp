// SPDX-License-Identifier: GPL-3.0-or-later
// Dense random packs of spheres; see spheres.hpp.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "pipelines/stage/error.hpp"
#include "preprocess/geometry/neighbourhood.hpp"
#include "preprocess/sample/place_sphere.hpp"
#include "preprocess/sample/random.hpp"
#include "preprocess/sample/spheres.hpp"

namespace tessera::preprocess::sample {

namespace {

// Spheres in cells of at least a diameter, counted and sorted anew each time: cell c holds those of
// order[start[c] .. start[c + 1]).
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
  // visit(index) for all in the cells around a place; a cell is visited once, however few there
  // are.
  template <class Visit>
  void around(const Double3& place, const Visit& visit) const {
    const Int3 cell = cellOf(place);
    for (const geometry::Neighbour& next : geometry::neighbourhood) {
      if (isRepeated(next.step)) continue;
      Int3 at = cell + next.step;
      geometry::wrapInto(count_, {true, true, true}, at);
      const std::size_t c = slot(at);
      for (std::size_t k = start_[c]; k < start_[c + 1]; ++k) visit(order_[k]);
    }
  }

 private:
  // Another step leads to the same cell, since an axis has fewer than 3.
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

// The shortest way from b to a in the periodic box.
Double3 between(const Double3& a, const Double3& b, const Int3& size) {
  Double3 way = a - b;
  for (std::size_t x = 0; x < 3; ++x) way[x] -= size[x] * std::round(way[x] / size[x]);
  return way;
}

Double3 intoBox(Double3 centre, const Int3& size) {
  for (std::size_t a = 0; a < 3; ++a) {
    const double n = size[a];
    centre[a] -= n * std::floor((centre[a] + 0.5) / n);
  }
  return centre;
}

// Each sphere is moved out of all that it overlaps by a part of what they overlap, all at once,
// again and again: the mean overlap falls to below a hundredth of the diameter near the densest
// random packs. (Spheres so dense never come quite apart; a bed's do not quite either, they are
// pressed.)
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
        const Double3 way = between(centres[k], centres[other], size);
        const double square = dot(way, way);
        if (other == k || square >= diameter * diameter || square == 0.0) return;
        const double distance = std::sqrt(square);
        push = push + (part * (diameter - distance) / distance) * way;
      });
      moved[k] = intoBox(centres[k] + push, size);
    });
    centres.swap(moved);
  }
}

// The radius at which the voxels' porosity is met.
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

void needBed(const BedShape& shape) {
  const int shortest = std::min({shape.size[0], shape.size[1], shape.size[2]});
  if (!(shape.diameter >= 4.0) || 3.0 * shape.diameter > shortest)
    stage::fail(
        stage::ExitCode::Usage,
        "--diameter must be 4 voxels or more and no more than a third of the bed's shortest side "
        "(" +
            std::to_string(shortest) + " voxels).");
  if (!(shape.porosity >= 0.34) || shape.porosity > 0.6)
    stage::fail(stage::ExitCode::Usage, "--porosity of a bed must be from 0.34 to 0.6.");
}

}  // namespace

SpherePack sphereBed(const BedShape& shape) {
  needBed(shape);
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
