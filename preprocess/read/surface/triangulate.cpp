// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/surface/triangulate.hpp"

#include <cmath>

namespace tessera::preprocess::read {
namespace {

using Point = std::array<double, 2>;
using Triangles = std::vector<std::array<std::uint32_t, 3>>;

double turn(const Point& a, const Point& b, const Point& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Projection onto the two axes across the largest component of the area vector (Newell), wound
// counter-clockwise; relative to the first corner to preserve precision.
std::vector<Point> flattened(std::span<const Double3> ring) {
  Double3 area{0.0, 0.0, 0.0};
  for (std::size_t i = 0; i + 1 < ring.size(); ++i)
    for (std::size_t a = 0; a < 3; ++a) {
      const std::size_t u = (a + 1) % 3;
      const std::size_t v = (a + 2) % 3;
      area[a] += (ring[i][u] - ring[0][u]) * (ring[i + 1][v] - ring[0][v]) -
                 (ring[i][v] - ring[0][v]) * (ring[i + 1][u] - ring[0][u]);
    }
  std::size_t axis = 0;
  for (std::size_t a = 1; a < 3; ++a)
    if (std::abs(area[a]) > std::abs(area[axis])) axis = a;
  const std::size_t u = (axis + (area[axis] < 0.0 ? 2 : 1)) % 3;
  const std::size_t v = (axis + (area[axis] < 0.0 ? 1 : 2)) % 3;
  std::vector<Point> flat;
  flat.reserve(ring.size());
  for (const Double3& corner : ring)
    flat.push_back({corner[u] - ring[0][u], corner[v] - ring[0][v]});
  return flat;
}

bool isConvex(const std::vector<Point>& flat) {
  const std::size_t n = flat.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (turn(flat[i], flat[(i + 1) % n], flat[(i + 2) % n]) < 0.0) return false;
    if (turn(flat[0], flat[i], flat[(i + 1) % n]) < 0.0) return false;
  }
  return true;
}

// Ear clipping on a ring of the remaining corners.
class Ears {
 public:
  explicit Ears(const std::vector<Point>& flat) : flat_(flat), testsLeft_(1000 * flat.size()) {
    const auto n = static_cast<std::uint32_t>(flat.size());
    for (std::uint32_t i = 0; i < n; ++i) {
      before_.push_back((i + n - 1) % n);
      after_.push_back((i + 1) % n);
    }
    for (std::uint32_t i = 0; i < n; ++i)
      if (turnAt(i) < 0.0) reflex_.push_back(i);
  }

  void clip(Triangles& triangle) {
    std::size_t left = flat_.size();
    std::uint32_t at = 0;
    for (std::size_t tried = 0; left > 3 && tried <= left;) {
      if (tried == left || testsLeft_ == 0) break;
      if (!isEar(at)) {
        at = after_[at];
        ++tried;
        continue;
      }
      triangle.push_back({before_[at], at, after_[at]});
      after_[before_[at]] = after_[at];
      before_[after_[at]] = before_[at];
      at = before_[at];
      --left;
      tried = 0;
    }
    for (std::uint32_t a = after_[at]; after_[a] != at; a = after_[a])
      triangle.push_back({at, a, after_[a]});
  }

 private:
  double turnAt(std::uint32_t i) const {
    return turn(flat_[before_[i]], flat_[i], flat_[after_[i]]);
  }
  bool isEar(std::uint32_t i) {
    if (turnAt(i) <= 0.0) return false;
    const Point& a = flat_[before_[i]];
    const Point& b = flat_[i];
    const Point& c = flat_[after_[i]];
    for (const std::uint32_t r : reflex_) {
      if (testsLeft_ == 0) return false;
      --testsLeft_;
      const Point& p = flat_[r];
      if (p == a || p == b || p == c) continue;
      if (turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0) return false;
    }
    return true;
  }

  const std::vector<Point>& flat_;
  std::size_t testsLeft_;
  std::vector<std::uint32_t> before_;
  std::vector<std::uint32_t> after_;
  std::vector<std::uint32_t> reflex_;  // of the whole polygon; only these can lie in an ear
};

}  // namespace

void triangulate(std::span<const Double3> ring, Triangles& triangle) {
  const auto n = static_cast<std::uint32_t>(ring.size());
  if (n == 3) triangle.push_back({0, 1, 2});
  if (n <= 3) return;
  const std::vector<Point> flat = flattened(ring);
  if (isConvex(flat))
    for (std::uint32_t i = 1; i + 1 < n; ++i) triangle.push_back({0, i, i + 1});
  else
    Ears(flat).clip(triangle);
}

}  // namespace tessera::preprocess::read
