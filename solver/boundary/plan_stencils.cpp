// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/plan_stencils.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "pipelines/stage/system/large_array.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "solver/tiles/neighbour_table.hpp"
#include "tiler/opening_links.hpp"

namespace tessera::solver::boundary {

namespace {

constexpr int stencilReach = 2;         // steps; as far as a rank has tiles (tiles/rank_part.cpp)
constexpr int farthestSquared = 6;      // of its nodes from the link's, squared spacings
constexpr double stencilFading = 0.3;   // weights 1 / (1 + stencilFading distance^2)
constexpr double largestWeights = 7.0;  // sum of their magnitudes in a change of velocity
constexpr double largestBend = 15.0;    // the same in its second derivatives
constexpr double leastFitPivot = 1e-6;  // over the first one
constexpr double leastInside = 0.3;     // spacings between the two nodes of a pressure gradient
constexpr std::size_t mostFitTerms = 6;
constexpr std::size_t linksOfBlock = 256;  // that one thread plans

using FitTerms = std::array<double, mostFitTerms>;

// A fluid node around a link's node.
struct StencilPlace {
  Int3 offset{};
  std::size_t tile = 0;
  std::uint8_t local = 0;
};

// A velocity that the polynomial is fitted to; node -1: a wall at rest.
struct FitRow {
  FitTerms terms{};
  double weight = 0.0;
  int node = -1;
};

struct PlaneAxes {
  Double3 normal;
  std::array<Double3, 2> along;
  int count;  // of axes along the plane

  PlaneAxes(const Double3& n, int dimensions) : normal(n), along{}, count(dimensions - 1) {
    if (dimensions == 2) {
      along[0] = {-n[1], n[0], 0.0};
      return;
    }
    std::size_t least = 0;
    for (std::size_t a = 1; a < 3; ++a)
      if (std::abs(n[a]) < std::abs(n[least])) least = a;
    for (std::size_t a = 0; a < 3; ++a) along[0][a] = (a == least ? 1.0 : 0.0) - n[least] * n[a];
    const double length = std::sqrt(dot(along[0], along[0]));
    for (double& x : along[0]) x /= length;
    along[1] = {n[1] * along[0][2] - n[2] * along[0][1], n[2] * along[0][0] - n[0] * along[0][2],
                n[0] * along[0][1] - n[1] * along[0][0]};
  }

  // FitTerms of a degree: 1, a, b, a^2, a b, b^2, in 2D 1, a, a^2.
  [[nodiscard]] std::size_t terms(int degree) const {
    if (degree == 0) return 1;
    if (count == 1) return degree == 1 ? 2 : 3;
    return degree == 1 ? 3 : 6;
  }
  [[nodiscard]] FitTerms at(const Double3& x) const {
    const double a = dot(x, along[0]);
    if (count == 1) return {1.0, a, a * a, 0.0, 0.0, 0.0};
    const double b = dot(x, along[1]);
    return {1.0, a, b, a * a, a * b, b * b};
  }
  // Derivatives of the terms along one of the axes.
  [[nodiscard]] FitTerms derivatives(std::size_t axis, const Double3& x) const {
    const double a = dot(x, along[0]);
    if (count == 1) return {0.0, 1.0, 2.0 * a, 0.0, 0.0, 0.0};
    const double b = dot(x, along[1]);
    if (axis == 0) return {0.0, 1.0, 0.0, 2.0 * a, b, 0.0};
    return {0.0, 0.0, 1.0, 0.0, a, 2.0 * b};
  }
  // Elements of a matrix along the axes: 11, 22, 12 + 21.
  [[nodiscard]] std::array<double, 3> inPlane(const AdvectionMatrix& matrix) const {
    const auto element = [&](std::size_t s, std::size_t t) {
      double sum = 0.0;
      for (std::size_t a = 0; a < 3; ++a) sum += along[s][a] * dot(matrix[a], along[t]);
      return sum;
    };
    return {element(0, 0), element(1, 1), element(0, 1) + element(1, 0)};
  }
  // Second derivatives of the terms, summed with these elements.
  [[nodiscard]] FitTerms secondDerivatives(const AdvectionMatrix& matrix) const {
    const std::array<double, 3> k = inPlane(matrix);
    if (count == 1) return {0.0, 0.0, 2.0 * k[0], 0.0, 0.0, 0.0};
    return {0.0, 0.0, 0.0, 2.0 * k[0], k[2], 2.0 * k[1]};
  }
};

// Solves the normal equations of a fit for several right-hand sides (Cholesky); none where they
// are close to singular.
class FitMatrix {
 public:
  FitMatrix(std::span<const FitRow> rows, std::size_t terms) : terms_(terms) {
    for (const FitRow& row : rows)
      for (std::size_t i = 0; i < terms; ++i)
        for (std::size_t j = 0; j <= i; ++j)
          factor_[i][j] += row.weight * row.terms[i] * row.terms[j];
    const double least = leastFitPivot * factor_[0][0];
    for (std::size_t i = 0; i < terms && regular_; ++i)
      for (std::size_t j = 0; j <= i && regular_; ++j) {
        double sum = factor_[i][j];
        for (std::size_t k = 0; k < j; ++k) sum -= factor_[i][k] * factor_[j][k];
        if (i == j) regular_ = sum > least;
        factor_[i][j] = i == j ? std::sqrt(sum) : sum / factor_[j][j];
      }
  }
  [[nodiscard]] bool regular() const { return regular_; }
  [[nodiscard]] std::size_t terms() const { return terms_; }
  [[nodiscard]] FitTerms solve(FitTerms x) const {
    for (std::size_t i = 0; i < terms_; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= factor_[i][k] * x[k];
      x[i] /= factor_[i][i];
    }
    for (std::size_t i = terms_; i-- > 0;) {
      for (std::size_t k = i + 1; k < terms_; ++k) x[i] -= factor_[k][i] * x[k];
      x[i] /= factor_[i][i];
    }
    return x;
  }

 private:
  std::size_t terms_;
  std::array<FitTerms, mostFitTerms> factor_{};
  bool regular_ = true;
};

// The nodes around one node of an opening, and the fit to their velocities.
class Neighbourhood {
 public:
  Neighbourhood(const PlanInput& lattice, const StencilWalls& walls, const tiles::OpeningLink& link)
      : lattice_(lattice),
        walls_(walls),
        axes_(inLattice(lattice.geometry.openings[link.opening], lattice.geometry).normal,
              lattice.geometry.dimensions) {
    findPlaces(link);
    for (std::size_t n = 0; n < places_.size(); ++n) addRows(static_cast<int>(n));
    for (int degree = 2; degree > 0; --degree) fits_.emplace_back(rows_, axes_.terms(degree));
  }

  [[nodiscard]] const std::vector<StencilPlace>& places() const { return places_; }
  [[nodiscard]] const PlaneAxes& axes() const { return axes_; }

  // Weights of the nodes in the derivative of the velocity along c, half of c away: its change from
  // the node to the node beyond.
  [[nodiscard]] std::vector<double> change(const Double3& c) const {
    return weights([&](const PlaneAxes& axes) {
      FitTerms beyond = axes.at(c);
      beyond[0] = 0.0;
      return beyond;
    });
  }
  // In the derivative along one of the axes at x.
  [[nodiscard]] std::vector<double> gradient(std::size_t axis, const Double3& x) const {
    if (axis >= static_cast<std::size_t>(axes_.count))
      return std::vector<double>(places_.size(), 0.0);
    return weights([&](const PlaneAxes& axes) { return axes.derivatives(axis, x); });
  }
  // In K of a matrix : second derivatives.
  [[nodiscard]] std::vector<double> bend(const AdvectionMatrix& matrix) const {
    return weights([&](const PlaneAxes& axes) { return axes.secondDerivatives(matrix); },
                   largestBend);
  }
  // The neighbour farthest inside, in the places; those aside count less. depth: of the node.
  [[nodiscard]] std::optional<std::size_t> inner() const {
    std::optional<std::size_t> best;
    double highest = 0.0;
    for (std::size_t n = 1; n < places_.size(); ++n) {
      const Int3& at = places_[n].offset;
      if (std::max({std::abs(at[0]), std::abs(at[1]), std::abs(at[2])}) > 1) continue;
      const Double3 x = real(at);
      const double inside = -dot(x, axes_.normal);
      const double score = inside - leastInside * (dot(x, x) - inside * inside);
      if (inside < leastInside || (best && score <= highest)) continue;
      best = n;
      highest = score;
    }
    return best;
  }

  static Double3 real(const Int3& x) {
    return {static_cast<double>(x[0]), static_cast<double>(x[1]), static_cast<double>(x[2])};
  }

 private:
  // Breadth first over links that no wall or opening ends; in a fixed order.
  void findPlaces(const tiles::OpeningLink& link) {
    places_.push_back({{0, 0, 0}, link.tile, link.local});
    const Int3 origin = lattice_.geometry.nodeOf(link.tile, link.local);
    std::size_t first = 0;
    for (int step = 0; step < stencilReach; ++step) {
      const std::size_t end = places_.size();
      for (; first < end; ++first) addNeighbours(origin, first);
    }
  }
  void addNeighbours(const Int3& origin, std::size_t from) {
    const tiler::TiledGeometry& g = lattice_.geometry;
    const StencilPlace place = places_[from];
    const std::uint32_t leaving = tiler::linkMaskOf(g, place.tile, place.local);
    for (int direction = 0; direction < 27; ++direction) {
      const Int3 c = preprocess::geometry::directionStep(direction);
      if (direction == preprocess::geometry::restDirection || (leaving >> direction & 1U) != 0 ||
          (g.dimensions == 2 && c[2] != 0))
        continue;
      Int3 offset{};
      Int3 node{};
      for (std::size_t a = 0; a < 3; ++a) {
        offset[a] = place.offset[a] + c[a];
        node[a] = origin[a] + offset[a];
        if (g.periodic[a]) node[a] = (node[a] + g.nodes[a]) % g.nodes[a];
      }
      const auto squared = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
      if (squared > farthestSquared || known(offset)) continue;
      const tiler::TilePlace at = g.placeOf(node);
      const std::int32_t tile = g.tileAt(at.tile[0], at.tile[1], at.tile[2]);
      if (!stored(tile)) continue;
      places_.push_back(
          {offset, static_cast<std::size_t>(tile), static_cast<std::uint8_t>(at.local)});
    }
  }
  // False around nodes of other ranks that no own node's walls reach.
  [[nodiscard]] bool stored(std::int32_t tile) const {
    const tiles::TileOrder& order = lattice_.order;
    return tile >= 0 && order.slotOfTile[static_cast<std::size_t>(tile)] < order.slotsOfTiles();
  }
  [[nodiscard]] bool known(const Int3& offset) const {
    return std::any_of(places_.begin(), places_.end(),
                       [&](const StencilPlace& place) { return place.offset == offset; });
  }

  void addRow(const Double3& x, int node) {
    rows_.push_back({axes_.at(x), 1.0 / std::pow(1.0 + stencilFading * dot(x, x), 2), node});
  }
  void addRows(int n) {
    const tiler::TiledGeometry& g = lattice_.geometry;
    const StencilPlace& place = places_[static_cast<std::size_t>(n)];
    const Double3 x = real(place.offset);
    addRow(x, n);
    const tiler::NodeLinks leaving = tiler::linksOf(g, place.tile, place.local);
    for (const std::array<int, 3>& c : lattice_.info.velocities) {
      const int direction = preprocess::geometry::directionOf(c[0], c[1], c[2]);
      if (direction == preprocess::geometry::restDirection || (leaving.mask >> direction & 1U) == 0)
        continue;
      const std::uint64_t link = tiler::linkIndex(leaving.first, leaving.mask, direction);
      if (!rests(g.linkPatch[link])) continue;
      const double q = walls_.scheme == WallScheme::Halfway
                           ? 0.5
                           : preprocess::geometry::distanceFromCode(g.linkDistance[link]);
      addRow({x[0] + q * c[0], x[1] + q * c[1], x[2] + q * c[2]}, -1);
    }
  }
  [[nodiscard]] bool rests(preprocess::geometry::Patch patch) const {
    if (preprocess::geometry::isOpening(patch)) return false;
    return patch >= walls_.conditions.size() || walls_.conditions[patch].kind == WallKind::Rest;
  }

  // Weights of the nodes in a linear functional of the polynomial; the highest degree that gives
  // moderate ones.
  template <class Functional>
  [[nodiscard]] std::vector<double> weights(const Functional& functional,
                                            double largest = largestWeights) const {
    std::vector<double> out;
    for (const FitMatrix& fit : fits_) {
      if (!fit.regular()) continue;
      const FitTerms solution = fit.solve(functional(axes_));
      out.assign(places_.size(), 0.0);
      double sum = 0.0;
      for (const FitRow& row : rows_) {
        if (row.node < 0) continue;
        double& weight = out[static_cast<std::size_t>(row.node)];
        for (std::size_t i = 0; i < fit.terms(); ++i) weight += row.terms[i] * solution[i];
        weight *= row.weight;
        sum += std::abs(weight);
      }
      if (sum <= largest) return out;
    }
    out.assign(places_.size(), 0.0);
    return out;
  }

  const PlanInput& lattice_;
  const StencilWalls& walls_;
  PlaneAxes axes_;
  std::vector<StencilPlace> places_;
  std::vector<FitRow> rows_;
  std::vector<FitMatrix> fits_;  // the highest degree first
};

// Weights of r at the middle of a link: of the plane, of the node, of its inner neighbour.
struct MiddleWeights {
  double plane = 1.0;
  double node = 0.0;
  double inner = 0.0;
};

// q: distance of the plane along the link, which it meets at an angle of cosine cn over |c|;
// inside: how much deeper the inner neighbour is, or 0. r = r_p + (1/2 - q) cn g with the gradient
// g of the line from the plane that is nearest to both nodes.
MiddleWeights middleWeights(double q, double cn, double inside) {
  MiddleWeights out;
  const double depth = q * cn;
  const double inner = inside > 0.0 ? depth + inside : 0.0;
  const double squares = depth * depth + inner * inner;
  if (!(cn > 0.0) || !(squares > 0.05)) return out;
  const double share = (0.5 - q) * cn / squares;
  return {1.0 + share * (depth + inner), -share * depth, -share * inner};
}

// Stencils of links that follow each other. Entries have the population of rest of their node
// beside them in place of its number.
struct StencilsOfBlock {
  std::vector<LinkStencil> links;
  std::vector<StencilEntry> entries;
  std::vector<std::uint64_t> nodes;
};

class StencilPlanner {
 public:
  StencilPlanner(const PlanInput& lattice, const StencilWalls& walls)
      : lattice_(lattice), walls_(walls), matrices_(lattice.geometry.openings.size()) {}

  // The matrices of all directions are the same for all links of an opening; not by several
  // threads.
  void findMatrices(std::size_t opening) {
    std::vector<AdvectionMatrix>& matrices = matrices_[opening];
    if (!matrices.empty()) return;
    const preprocess::geometry::Opening& at = lattice_.geometry.openings[opening];
    matrices =
        advectionMatrices(lattice_.info, inLattice(at, lattice_.geometry).normal, walls_.advection);
  }

  void add(const tiles::OpeningLink& link, const Neighbourhood& around,
           StencilsOfBlock& out) const {
    const std::vector<StencilPlace>& places = around.places();
    const Double3 c = velocityOf(lattice_.info, link.direction);
    const Double3& normal = around.axes().normal;
    const AdvectionMatrix& matrix = matrices_[link.opening][link.direction];
    const std::vector<double> change = around.change(c);
    const std::vector<double> bend = around.bend(matrix);
    const std::array<std::vector<double>, 2> along{around.gradient(0, 0.5 * c),
                                                   around.gradient(1, 0.5 * c)};
    const std::optional<std::size_t> inner = around.inner();
    const Double3 node = Neighbourhood::real(lattice_.geometry.nodeOf(link.tile, link.local));
    const double crossing = dot(link.position - node, c) / dot(c, c);
    const MiddleWeights r =
        middleWeights(crossing, dot(c, normal),
                      inner ? -dot(Neighbourhood::real(places[*inner].offset), normal) : 0.0);
    const auto first = static_cast<std::uint32_t>(out.entries.size());
    for (std::size_t n = 0; n < places.size(); ++n) {
      const double pressure = n == 0 ? r.node : inner && n == *inner ? r.inner : 0.0;
      const std::array<double, 5> weights{change[n], pressure, bend[n], along[0][n], along[1][n]};
      if (std::all_of(weights.begin(), weights.end(), [](double x) { return x == 0.0; })) continue;
      out.nodes.push_back(populationOf(places[n]));
      out.entries.push_back({0,
                             static_cast<float>(change[n]),
                             static_cast<float>(pressure),
                             static_cast<float>(bend[n]),
                             {static_cast<float>(along[0][n]), static_cast<float>(along[1][n])}});
    }
    LinkStencil stencil{
        first, static_cast<std::uint32_t>(out.entries.size()) - first, r.plane, {}, {}};
    for (std::size_t a = 0; a < 3; ++a) stencil.normal[a] = static_cast<float>(normal[a]);
    const std::array<double, 3> slopes = around.axes().inPlane(matrix);
    for (std::size_t s = 0; s < 3; ++s) stencil.slopes[s] = static_cast<float>(slopes[s]);
    out.links.push_back(stencil);
  }

 private:
  [[nodiscard]] std::uint64_t populationOf(const StencilPlace& place) const {
    return tiles::indexOfPopulation({lattice_.order.slotOfTile[place.tile], place.local, 0},
                                    lattice_.info);
  }

  const PlanInput& lattice_;
  const StencilWalls& walls_;
  std::vector<std::vector<AdvectionMatrix>> matrices_;  // by opening, direction
};

// Numbers the nodes of all stencils in the order in which links name them.
OpeningStencils joined(std::vector<StencilsOfBlock> blocks) {
  OpeningStencils out;
  std::unordered_map<std::uint64_t, std::uint32_t> number;
  std::size_t entries = 0;
  for (const StencilsOfBlock& block : blocks) entries += block.entries.size();
  stage::reserveLarge(out.entries, entries);
  for (StencilsOfBlock& block : blocks) {
    for (std::size_t k = 0; k < block.entries.size(); ++k) {
      const auto next = static_cast<std::uint32_t>(out.nodes.size());
      const auto [found, added] = number.emplace(block.nodes[k], next);
      if (added) out.nodes.push_back(block.nodes[k]);
      block.entries[k].node = found->second;
    }
    for (LinkStencil& link : block.links)
      link.first = link.count > 0 ? link.first + static_cast<std::uint32_t>(out.entries.size()) : 0;
    out.entries.insert(out.entries.end(), block.entries.begin(), block.entries.end());
    out.links.insert(out.links.end(), block.links.begin(), block.links.end());
    block = {};
  }
  if (out.nodes.empty()) out.links.clear();
  return out;
}

}  // namespace

OpeningStencils planStencils(const PlanInput& lattice, const StencilWalls& walls,
                             std::span<const IncomingLink> links, std::span<const std::size_t> of) {
  StencilPlanner planner(lattice, walls);
  const auto linkAt = [&](std::size_t k) -> const tiles::OpeningLink& {
    return lattice.order.openingLinks[of[k]];
  };
  for (std::size_t k = 0; k < links.size(); ++k)
    if (links[k].condition == LinkCondition::Pressure) planner.findMatrices(linkAt(k).opening);
  std::vector<StencilsOfBlock> blocks(stage::blocksOf(links.size(), linksOfBlock));
  const auto planBlock = [&](std::size_t block, std::size_t first, std::size_t end) {
    std::optional<Neighbourhood> around;
    const tiles::OpeningLink* last = nullptr;  // links of a node and opening follow each other
    for (std::size_t k = first; k < end; ++k) {
      if (links[k].condition != LinkCondition::Pressure) {
        blocks[block].links.push_back({0, 0, 1.0, {}, {}});
        continue;
      }
      const tiles::OpeningLink& link = linkAt(k);
      if (last == nullptr || last->tile != link.tile || last->local != link.local ||
          last->opening != link.opening)
        around.emplace(lattice, walls, link);
      last = &link;
      planner.add(link, *around, blocks[block]);
    }
  };
  stage::parallelBlocks(links.size(), linksOfBlock, planBlock);
  return joined(std::move(blocks));
}

}  // namespace tessera::solver::boundary
