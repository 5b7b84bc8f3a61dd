// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/developed_profile.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/neighbourhood.hpp"
#include "solver/boundary/planned_opening.hpp"

namespace tessera::solver::boundary {

namespace {

using Vector = std::vector<double>;

double scalarProduct(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

// out = matrix applied to in over the diagonal.
void apply(const SparseMatrix& matrix, const Vector& in, Vector& out) {
  for (std::size_t k = 0; k < in.size(); ++k) {
    double sum = 0.0;
    for (std::size_t e = matrix.rowStart[k]; e < matrix.rowStart[k + 1]; ++e)
      sum += matrix.value[e] * in[matrix.column[e]];
    out[k] = in[k] + sum / matrix.diagonal[k];
  }
}

}  // namespace

std::optional<Vector> solveBiCgStab(const SparseMatrix& matrix, const Vector& right,
                                    double tolerance, std::size_t most) {
  const std::size_t n = right.size();
  Vector r(n);
  for (std::size_t k = 0; k < n; ++k) {
    if (!(matrix.diagonal[k] > 0.0)) return std::nullopt;
    r[k] = right[k] / matrix.diagonal[k];
  }
  const Vector shadow = r;
  const double enough = tolerance * std::sqrt(scalarProduct(r, r));
  Vector x(n, 0.0);
  Vector p(n, 0.0);
  Vector v(n, 0.0);
  Vector t(n, 0.0);
  double rho = 1.0;
  double alpha = 1.0;
  double omega = 1.0;
  for (std::size_t iteration = 0; iteration < most; ++iteration) {
    if (std::sqrt(scalarProduct(r, r)) <= enough) return x;
    const double next = scalarProduct(shadow, r);
    const double beta = next / rho * (alpha / omega);
    rho = next;
    for (std::size_t k = 0; k < n; ++k) p[k] = r[k] + beta * (p[k] - omega * v[k]);
    apply(matrix, p, v);
    alpha = rho / scalarProduct(shadow, v);
    for (std::size_t k = 0; k < n; ++k) r[k] -= alpha * v[k];
    apply(matrix, r, t);
    const double tt = scalarProduct(t, t);
    omega = tt > 0.0 ? scalarProduct(t, r) / tt : 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      x[k] += alpha * p[k] + omega * r[k];
      r[k] -= omega * t[k];
    }
    if (!std::isfinite(alpha) || !std::isfinite(omega)) return std::nullopt;
    if (omega == 0.0)
      return std::sqrt(scalarProduct(r, r)) <= enough ? std::optional(x) : std::nullopt;
  }
  return std::nullopt;
}

using tiler::TiledGeometry;

namespace {

using Plane = std::array<double, 2>;  // a displacement in the opening's plane, spacings

// A neighbour's displacement and its weight in the fit; node < 0: on the wall, where w is 0.
struct Point {
  Plane d{};
  double weight = 0.0;
  std::int64_t node = -1;
};

struct ProfileNode {
  Int3 at{};
  std::vector<Point> around;
};

constexpr double nearest = 0.02;  // points closer than this tell nothing about derivatives
constexpr std::size_t terms = 5;
using Terms = std::array<double, terms>;

Terms termsOf(const Plane& d) {
  return {d[0], d[1], 0.5 * d[0] * d[0], d[0] * d[1], 0.5 * d[1] * d[1]};
}

// Two unit vectors that span the plane across n; in 2D the second lies on z and is not used.
std::array<Double3, 2> planeAxes(const Double3& n, int dimensions) {
  if (dimensions == 2) return {{{-n[1], n[0], 0.0}, {0.0, 0.0, 0.0}}};
  std::size_t least = 0;
  for (std::size_t a = 1; a < 3; ++a)
    if (std::abs(n[a]) < std::abs(n[least])) least = a;
  Double3 first{};
  for (std::size_t a = 0; a < 3; ++a) first[a] = (a == least ? 1.0 : 0.0) - n[least] * n[a];
  const double length = std::sqrt(dot(first, first));
  for (double& component : first) component /= length;
  const Double3 second{n[1] * first[2] - n[2] * first[1], n[2] * first[0] - n[0] * first[2],
                       n[0] * first[1] - n[1] * first[0]};
  return {first, second};
}

class ProfileLayer {
 public:
  ProfileLayer(const TiledGeometry& geometry, const LatticeOpening& opening,
               preprocess::geometry::Patch patch, const std::vector<bool>& symmetric)
      : geometry_(geometry),
        symmetric_(symmetric),
        axes_(planeAxes(opening.normal, opening.dimensions)),
        flat_(opening.dimensions == 2) {
    forNodes(patch, [&](const Int3& at, std::uint32_t, std::uint64_t) {
      index_.emplace(key(at), nodes_.size());
      nodes_.push_back({at, {}});
    });
    std::size_t k = 0;
    forNodes(patch, [&](const Int3&, std::uint32_t mask, std::uint64_t first) {
      findPoints(nodes_[k++], mask, first);
    });
  }

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  // -laplacian w = 1 at each node.
  [[nodiscard]] SparseMatrix equations() const {
    SparseMatrix matrix;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const ProfileNode& node = nodes_[k];
      std::vector<double> share = laplacianOf(node);
      double diagonal = std::accumulate(share.begin(), share.end(), 0.0);
      if (!(diagonal > 1e-6)) {  // points on one side only tell no second derivative
        share.clear();
        for (const Point& point : node.around) share.push_back(point.weight);
        diagonal = node.around.empty() ? 1.0 : std::accumulate(share.begin(), share.end(), 0.0);
      }
      for (std::size_t p = 0; p < node.around.size(); ++p) {
        if (node.around[p].node >= 0)
          matrix.add(static_cast<std::size_t>(node.around[p].node), -share[p]);
      }
      matrix.endRow(diagonal);
    }
    return matrix;
  }

  // w at a place near a node, by the quadratic through the node's own value. Beyond the wall, where
  // links of nodes inside have their middle, it is below 0, as the flow's own continuation is; cut
  // off at 0 the flow would enter too far outside and the pressure would pay for its way inwards.
  [[nodiscard]] double valueAt(const Int3& at, const Double3& place,
                               const std::vector<double>& w) const {
    const std::size_t k = index_.at(key(at));
    const ProfileNode& node = nodes_[k];
    Plane d{};
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t e = 0; e < 2; ++e) d[e] += axes_[e][a] * (place[a] - at[a]);
    Terms wanted = termsOf(d);
    const Terms y = solveFit(node, wanted);
    double value = w[k];
    for (const Point& point : node.around) {
      const Terms p = termsOf(point.d);
      double share = 0.0;
      for (std::size_t t = 0; t < terms; ++t) share += y[t] * p[t];
      const double there = point.node < 0 ? 0.0 : w[static_cast<std::size_t>(point.node)];
      value += point.weight * share * (there - w[k]);
    }
    return std::max(-w[k], value);  // at most its mirror image
  }

 private:
  static std::uint64_t key(const Int3& at) {
    std::uint64_t code = 0;
    for (const int component : at) code = code << 21U | static_cast<std::uint64_t>(component + 1);
    return code;
  }

  // Calls visit(node, mask, first link) for each node with a link of the 26 that ends on the patch.
  template <class Visit>
  void forNodes(preprocess::geometry::Patch patch, Visit&& visit) const {
    const TiledGeometry& g = geometry_;
    for (std::size_t t = 0; t < g.tiles(); ++t) {
      if ((g.tileFlags[t] & tiler::tileHasOpening) == 0) continue;
      std::uint64_t link = g.linkStart[t];
      for (std::uint64_t k = g.boundaryStart[t]; k < g.boundaryStart[t + 1]; ++k) {
        const auto count = static_cast<std::uint64_t>(std::popcount(g.boundaryMask[k]));
        const auto begin = g.linkPatch.begin() + static_cast<std::ptrdiff_t>(link);
        if (std::find(begin, begin + static_cast<std::ptrdiff_t>(count), patch) !=
            begin + static_cast<std::ptrdiff_t>(count))
          visit(g.nodeOf(t, g.boundaryLocal[k]), g.boundaryMask[k], link);
        link += count;
      }
    }
  }

  void findPoints(ProfileNode& node, std::uint32_t mask, std::uint64_t link) const {
    for (const auto& [n, step] : preprocess::geometry::neighbourhood) {
      const bool leaves = (mask >> n & 1U) != 0;
      const std::uint64_t own = link;
      if (leaves) ++link;
      if (n == preprocess::geometry::restDirection || (flat_ && step[2] != 0)) continue;
      Point point;
      double length = 1.0;
      if (leaves) {
        const preprocess::geometry::Patch patch = geometry_.linkPatch[own];
        if (preprocess::geometry::isOpening(patch)) continue;
        if (patch < symmetric_.size() && symmetric_[patch]) {
          addImage(node, step);
          continue;
        }
        length = preprocess::geometry::distanceFromCode(geometry_.linkDistance[own]);
      } else {
        const auto found = index_.find(key(wrapped(node.at, step)));
        if (found == index_.end()) continue;
        point.node = static_cast<std::int64_t>(found->second);
      }
      addPoint(node, point, step, length);
    }
  }

  // The node beyond a symmetry plane across one of the step's axes is the image of one on this
  // side.
  void addImage(ProfileNode& node, const Int3& step) const {
    for (std::size_t a = 0; a < 3; ++a) {
      Int3 along = step;
      along[a] = 0;
      const auto found = index_.find(key(wrapped(node.at, along)));
      if (step[a] == 0 || found == index_.end()) continue;
      addPoint(node, {{}, 0.0, static_cast<std::int64_t>(found->second)}, step, 1.0);
      return;
    }
  }

  // Links along the plane count most: along others the cross-section need not be the same.
  void addPoint(ProfileNode& node, Point point, const Int3& step, double length) const {
    double squared = 0.0;
    for (std::size_t a = 0; a < 3; ++a) {
      squared += step[a] * step[a];
      for (std::size_t e = 0; e < 2; ++e) point.d[e] += length * axes_[e][a] * step[a];
    }
    const double inPlane = point.d[0] * point.d[0] + point.d[1] * point.d[1];
    const double slant = inPlane / (squared * length * length);
    if (slant < 0.1) return;
    const double distance = std::max(inPlane, nearest * nearest);
    point.weight = slant * slant * slant * slant / (distance * distance);
    node.around.push_back(point);
  }

  [[nodiscard]] Int3 wrapped(Int3 at, const Int3& step) const {
    for (std::size_t a = 0; a < 3; ++a) {
      at[a] += step[a];
      const int n = geometry_.nodes[a];
      if (geometry_.periodic[a]) at[a] = (at[a] + n) % n;
    }
    return at;
  }

  // y of (sum weight p p^T) y = wanted: the fit's functional `wanted` of the derivatives is then
  // sum weight (y . p) (w_j - w_i). Terms that the points say nothing about are left out.
  [[nodiscard]] Terms solveFit(const ProfileNode& node, Terms wanted) const {
    std::array<Terms, terms> matrix{};
    for (const Point& point : node.around) {
      const Terms p = termsOf(point.d);
      for (std::size_t r = 0; r < terms; ++r)
        for (std::size_t c = 0; c < terms; ++c) matrix[r][c] += point.weight * p[r] * p[c];
    }
    Terms scale{};
    for (std::size_t r = 0; r < terms; ++r) scale[r] = matrix[r][r];
    // Elimination of a symmetric, semidefinite matrix needs no row exchanges.
    std::array<bool, terms> used{};
    for (std::size_t r = 0; r < terms; ++r) {
      used[r] = matrix[r][r] > 1e-9 * scale[r] && scale[r] > 0.0;
      if (!used[r]) continue;
      for (std::size_t below = r + 1; below < terms; ++below) {
        const double factor = matrix[below][r] / matrix[r][r];
        for (std::size_t c = r; c < terms; ++c) matrix[below][c] -= factor * matrix[r][c];
        wanted[below] -= factor * wanted[r];
      }
    }
    Terms y{};
    for (std::size_t r = terms; r-- > 0;) {
      if (!used[r]) continue;
      double rest = wanted[r];
      for (std::size_t c = r + 1; c < terms; ++c) rest -= matrix[r][c] * y[c];
      y[r] = rest / matrix[r][r];
    }
    return y;
  }

  // Shares a_j of laplacian w = sum a_j (w_j - w_i).
  [[nodiscard]] std::vector<double> laplacianOf(const ProfileNode& node) const {
    const Terms y = solveFit(node, {0.0, 0.0, 1.0, 0.0, flat_ ? 0.0 : 1.0});
    std::vector<double> share;
    for (const Point& point : node.around) {
      const Terms p = termsOf(point.d);
      double sum = 0.0;
      for (std::size_t t = 0; t < terms; ++t) sum += y[t] * p[t];
      share.push_back(point.weight * sum);
    }
    return share;
  }

  const TiledGeometry& geometry_;
  const std::vector<bool>& symmetric_;
  std::array<Double3, 2> axes_;
  bool flat_;
  std::vector<ProfileNode> nodes_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
};

}  // namespace

std::vector<double> developedProfile(const TiledGeometry& geometry, const tiles::TileOrder& order,
                                     const LatticeOpening& opening,
                                     std::span<const std::uint32_t> links,
                                     const std::vector<Double3>& positions,
                                     const std::vector<bool>& symmetric) {
  std::vector<double> values(links.size(), 0.0);
  if (links.empty()) return values;
  const std::size_t index = order.openingLinks[links.front()].opening;
  const ProfileLayer layer(geometry, opening,
                           preprocess::geometry::openingPatch(static_cast<int>(index) + 1),
                           symmetric);
  const auto w = solveBiCgStab(layer.equations(), std::vector<double>(layer.size(), 1.0),
                               developedTolerance, 50 * (100 + layer.size()));
  if (!w)
    stage::fail(stage::ExitCode::Usage,
                fmt::format("{}: the equations of its developed profile could not be "
                            "solved; use profile = \"parabolic\" or \"plug\", or a finer spacing",
                            labelOf(geometry.openings[index])));
  for (std::size_t k = 0; k < links.size(); ++k) {
    const tiles::OpeningLink& link = order.openingLinks[links[k]];
    values[k] = layer.valueAt(geometry.nodeOf(link.tile, link.local), positions[k], *w);
  }
  return values;
}

}  // namespace tessera::solver::boundary
