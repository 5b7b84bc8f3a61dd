// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/lattice/throats/covered_openings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "preprocess/geometry/plane_axes.hpp"

namespace tessera::preprocess::lattice {

using geometry::LatticeGeometry;
using geometry::Opening;
using std::size_t;

namespace {

// Cells of the plane of an opening, each with the heights of cap and sheets along its normal.
class OpeningRaster {
 public:
  OpeningRaster(const LatticeGeometry& geometry, const Opening& opening)
      : surface_(geometry.surface), centre_(geometry.frame.toLattice(opening.centre)) {
    const double spacing = geometry.frame.spacing;
    normal_ = unit(geometry.frame.toLattice(opening.centre + spacing * opening.normal) - centre_);
    const geometry::PlaneAxes axes(normal_);
    u_ = axes.u;
    v_ = axes.v;
    const geometry::Patch patch = geometry::openingPatch(opening.id);
    closed_ = surface_.triangle.size() - surface_.sheetTriangles;
    for (size_t t = 0; t < closed_; ++t)
      if (surface_.label[t] == patch) cap_.push_back(t);
    for (const size_t t : cap_)
      for (const Double3& corner : seen(t))
        reach_ = std::max({reach_, std::abs(corner[0]), std::abs(corner[1])});
    pitch_ = 2.0 * reach_ / cellsAcross;
  }
  // Area left of the opening, nodes^2, with its passages; nullopt: sheets cover little, or all.
  std::optional<ThroatMeasures> open() {
    if (!(reach_ > 0.0) || !anySheetNear()) return std::nullopt;
    height_.assign(size_t{cellsAcross} * cellsAcross, farBelow);
    for (const size_t t : cap_)
      forCells(t, [&](size_t cell, double height) { height_[cell] = height; });
    isOpen_.assign(height_.size(), 0);
    for (size_t cell = 0; cell < height_.size(); ++cell) isOpen_[cell] = height_[cell] > farBelow;
    const auto all = std::count(isOpen_.begin(), isOpen_.end(), 1);
    for (size_t t = closed_; t < surface_.triangle.size(); ++t)
      forCells(t, [&](size_t cell, double height) {
        const double before = height_[cell] - height;
        if (before > -touching && before <= mostBefore) isOpen_[cell] = 0;
      });
    const auto left = std::count(isOpen_.begin(), isOpen_.end(), 1);
    if (left == 0 || static_cast<double>(left) > (1.0 - leastCovered) * static_cast<double>(all))
      return std::nullopt;
    return measured();
  }

 private:
  static constexpr int cellsAcross = 200;
  static constexpr double farBelow = std::numeric_limits<double>::lowest();
  static constexpr double touching = 0.05, mostBefore = 1.0;  // nodes
  static constexpr double leastCovered = 0.02;

  // Corners along the plane's axes and its normal, from the centre.
  [[nodiscard]] std::array<Double3, 3> seen(size_t t) const {
    std::array<Double3, 3> corner{};
    for (size_t k = 0; k < 3; ++k) {
      const Float3& at = surface_.vertex[surface_.triangle[t][k]];
      const Double3 from = Double3{at[0], at[1], at[2]} - centre_;
      corner[k] = {dot(from, u_), dot(from, v_), dot(from, normal_)};
    }
    return corner;
  }
  [[nodiscard]] bool anySheetNear() const {
    for (size_t t = closed_; t < surface_.triangle.size(); ++t)
      for (const Double3& corner : seen(t))
        if (std::abs(corner[2]) < reach_ && std::abs(corner[0]) < 2.0 * reach_ &&
            std::abs(corner[1]) < 2.0 * reach_)
          return true;
    return false;
  }
  // visit(cell, height) for the cells whose middle lies in a triangle seen along the normal.
  template <class Visit>
  void forCells(size_t t, const Visit& visit) const {
    const auto [a, b, c] = seen(t);
    const double area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
    if (area == 0.0) return;
    const auto range = [&, &a = a, &b = b, &c = c](size_t axis) {  // for clang before 16
      const auto [low, high] = std::minmax({a[axis], b[axis], c[axis]});
      return std::pair(static_cast<int>(std::clamp(std::ceil((low + reach_) / pitch_ - 0.5), 0.0,
                                                   1.0 * cellsAcross)),
                       static_cast<int>(std::clamp(std::floor((high + reach_) / pitch_ - 0.5), -1.0,
                                                   cellsAcross - 1.0)));
    };
    const auto [firstU, lastU] = range(0);
    const auto [firstV, lastV] = range(1);
    for (int j = firstV; j <= lastV; ++j)
      for (int i = firstU; i <= lastU; ++i) {
        const double u = (i + 0.5) * pitch_ - reach_, v = (j + 0.5) * pitch_ - reach_;
        const double ofB = ((u - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (v - a[1])) / area;
        const double ofC = ((b[0] - a[0]) * (v - a[1]) - (u - a[0]) * (b[1] - a[1])) / area;
        if (ofB < 0.0 || ofC < 0.0 || ofB + ofC > 1.0) continue;
        visit(static_cast<size_t>(i + cellsAcross * j),
              a[2] + ofB * (b[2] - a[2]) + ofC * (c[2] - a[2]));
      }
  }
  // Connected open cells, by number, the largest first.
  [[nodiscard]] std::vector<std::vector<size_t>> pieces() {
    std::vector<std::vector<size_t>> found;
    for (size_t seed = 0; seed < isOpen_.size(); ++seed) {
      if (isOpen_[seed] == 0) continue;
      std::vector<size_t> piece{seed};
      isOpen_[seed] = 0;
      for (size_t k = 0; k < piece.size(); ++k)
        for (const int step : {-1, 1, -cellsAcross, cellsAcross}) {
          const auto next = static_cast<size_t>(static_cast<std::ptrdiff_t>(piece[k]) + step);
          const bool isBeside =
              step != 1 ? step != -1 || piece[k] % cellsAcross != 0 : next % cellsAcross != 0;
          if (!isBeside || next >= isOpen_.size() || isOpen_[next] == 0) continue;
          isOpen_[next] = 0;
          piece.push_back(next);
        }
      found.push_back(std::move(piece));
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.size() > b.size(); });
    return found;
  }
  ThroatMeasures measured() {
    const std::vector<std::vector<size_t>> all = pieces();
    ThroatMeasures measures{centreOf(all.front()), normal_};
    std::vector<double> cells;
    for (const std::vector<size_t>& piece : all) cells.push_back(static_cast<double>(piece.size()));
    measurePassages(cells, measures);
    measures.area *= pitch_ * pitch_;
    measures.narrowest *= pitch_ * pitch_;
    measures.isExact = true;
    return measures;
  }
  [[nodiscard]] Double3 centreOf(const std::vector<size_t>& piece) const {
    Double3 sum{};
    for (const size_t cell : piece) {
      const auto i = static_cast<double>(cell % cellsAcross);
      const auto j = static_cast<double>(cell / cellsAcross);
      sum = sum + ((i + 0.5) * pitch_ - reach_) * u_ + ((j + 0.5) * pitch_ - reach_) * v_ +
            height_[cell] * normal_;
    }
    return centre_ + (1.0 / static_cast<double>(piece.size())) * sum;
  }

  const geometry::Surface& surface_;
  Double3 centre_, normal_{}, u_{}, v_{};  // lattice coordinates
  size_t closed_ = 0;                      // triangles before those of sheets
  std::vector<size_t> cap_;                // triangles
  double reach_ = 0.0, pitch_ = 0.0;       // nodes, half of the raster's side and its cells
  std::vector<double> height_;             // of the cap over the plane, nodes; by cell
  std::vector<char> isOpen_;
};

}  // namespace

std::vector<FoundThroat> throatsOfCovered(const LatticeGeometry& geometry) {
  std::vector<FoundThroat> found;
  if (geometry.surface.sheetTriangles == 0) return found;
  for (const Opening& opening : geometry.openings) {
    OpeningSet others;
    for (const Opening& other : geometry.openings)
      if (other.id != opening.id && other.part == opening.part) others.push_back(other.id);
    if (others.empty()) continue;
    if (const auto measures = OpeningRaster(geometry, opening).open())
      found.push_back(foundThroat(geometry, {opening.id}, others, *measures));
  }
  return found;
}

}  // namespace tessera::preprocess::lattice
