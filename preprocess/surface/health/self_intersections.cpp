// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/health/self_intersections.hpp"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/box_intersection_d.h>
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <set>

#include "preprocess/surface/topology/parts.hpp"

namespace tessera::preprocess::surface {

using geometry::TriangleMesh;

namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Point = Kernel::Point_3;
using Box = CGAL::Box_intersection_d::Box_with_info_d<double, 3, std::uint32_t>;
using Pair = std::array<std::uint32_t, 2>;

struct TooManyTests {};
struct Met {};

class PairTest {
 public:
  explicit PairTest(const TriangleMesh& mesh) : mesh_(mesh) {}

  [[nodiscard]] bool isDegenerate(std::uint32_t t) const {
    return CGAL::collinear(corner(t, 0), corner(t, 1), corner(t, 2));
  }
  [[nodiscard]] Box boxOf(std::uint32_t t) const {
    return {corner(t, 0).bbox() + corner(t, 1).bbox() + corner(t, 2).bbox(), t};
  }
  [[nodiscard]] bool intersect(std::uint32_t s, std::uint32_t t) const {
    std::array<std::size_t, 3> inS{}, inT{};
    std::size_t shared = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        if (mesh_.triangle[s][i] == mesh_.triangle[t][j]) {
          inS[shared] = i;
          inT[shared++] = j;
        }
    if (shared == 3) return false;
    if (shared == 2) return foldOntoEachOther(s, 3 - inS[0] - inS[1], t, 3 - inT[0] - inT[1]);
    if (shared == 1) return meetBeyond(s, inS[0], t, inT[0]);
    return CGAL::do_intersect(triangle(s), triangle(t));
  }

 private:
  [[nodiscard]] Point corner(std::uint32_t t, std::size_t c) const {
    const Double3& p = mesh_.vertex[mesh_.triangle[t][c % 3]];
    return {p[0], p[1], p[2]};
  }
  [[nodiscard]] Kernel::Triangle_3 triangle(std::uint32_t t) const {
    return {corner(t, 0), corner(t, 1), corner(t, 2)};
  }
  // Triangles with a common edge overlap if they are coplanar with both tips on one side.
  [[nodiscard]] bool foldOntoEachOther(std::uint32_t s, std::size_t tipS, std::uint32_t t,
                                       std::size_t tipT) const {
    const Point a = corner(s, tipS + 1), b = corner(s, tipS + 2);
    const Point p = corner(s, tipS), q = corner(t, tipT);
    return CGAL::coplanar(a, b, p, q) && CGAL::coplanar_orientation(a, b, p, q) == CGAL::POSITIVE;
  }
  // Triangles with a common vertex also meet elsewhere if the opposite edge of one meets the other.
  [[nodiscard]] bool meetBeyond(std::uint32_t s, std::size_t inS, std::uint32_t t,
                                std::size_t inT) const {
    return edgeMeets(t, inT, s) || edgeMeets(s, inS, t);
  }
  [[nodiscard]] bool edgeMeets(std::uint32_t t, std::size_t tip, std::uint32_t other) const {
    const Point p = corner(t, tip + 1), q = corner(t, tip + 2);
    const Point a = corner(other, 0), b = corner(other, 1), c = corner(other, 2);
    const CGAL::Orientation atP = CGAL::orientation(a, b, c, p);
    if (atP != CGAL::COPLANAR && atP == CGAL::orientation(a, b, c, q)) return false;
    return CGAL::do_intersect(Kernel::Triangle_3(a, b, c), Kernel::Segment_3(p, q));
  }

  const TriangleMesh& mesh_;
};

}  // namespace

SelfIntersections findSelfIntersections(const TriangleMesh& mesh) {
  const PairTest test(mesh);
  std::vector<Box> boxes;
  boxes.reserve(mesh.triangle.size());
  for (std::uint32_t t = 0; t < mesh.triangle.size(); ++t)
    if (!test.isDegenerate(t)) boxes.push_back(test.boxOf(t));
  std::vector<const Box*> order;
  for (const Box& box : boxes) order.push_back(&box);
  // CGAL splits the range among threads in order; shuffling balances the parts.
  std::shuffle(order.begin(), order.end(), std::minstd_rand(1));

  const std::uint64_t maxTests = 10'000'000 + 100 * std::uint64_t{mesh.triangle.size()};
  std::atomic<std::uint64_t> tests{0};
  tbb::enumerable_thread_specific<std::vector<Pair>> found;
  SelfIntersections result;
  try {
    CGAL::box_self_intersection_d<CGAL::Parallel_tag>(
        order.begin(), order.end(),
        [&](const Box* a, const Box* b) {
          if (tests.fetch_add(1, std::memory_order_relaxed) > maxTests) throw TooManyTests{};
          const std::uint32_t s = std::min(a->info(), b->info()),
                              t = std::max(a->info(), b->info());
          if (test.intersect(s, t)) found.local().push_back({s, t});
        },
        std::ptrdiff_t{2000});
  } catch (const TooManyTests&) {
    result.complete = false;
  }
  for (const std::vector<Pair>& part : found)
    result.pairs.insert(result.pairs.end(), part.begin(), part.end());
  std::sort(result.pairs.begin(), result.pairs.end());
  return result;
}

bool doMeet(const TriangleMesh& mesh, std::span<const std::uint32_t> a,
            std::span<const std::uint32_t> b) {
  const PairTest test(mesh);
  const auto boxesOf = [&](std::span<const std::uint32_t> triangles) {
    std::vector<Box> boxes;
    for (const std::uint32_t t : triangles)
      if (!test.isDegenerate(t)) boxes.push_back(test.boxOf(t));
    return boxes;
  };
  std::vector<Box> boxesOfA = boxesOf(a), boxesOfB = boxesOf(b);
  try {
    CGAL::box_intersection_d(boxesOfA.begin(), boxesOfA.end(), boxesOfB.begin(), boxesOfB.end(),
                             [&](const Box& s, const Box& t) {
                               if (test.intersect(s.info(), t.info())) throw Met{};
                             });
  } catch (const Met&) {
    return true;
  }
  return false;
}

void countSelfIntersections(const TriangleMesh& mesh, std::uint32_t closingFrom,
                            HealthReport& health) {
  const SelfIntersections found = findSelfIntersections(mesh);
  health.allSelfIntersections = found.complete;
  health.selfIntersections = found.pairs.size();
  health.selfIntersectionsAsRead = static_cast<std::uint64_t>(
      std::count_if(found.pairs.begin(), found.pairs.end(),
                    [&](const Pair& pair) { return pair[1] < closingFrom; }));
  if (found.pairs.empty()) return;
  const Parts parts = partsOf(mesh);
  std::set<std::pair<std::uint32_t, std::uint32_t>> overlapping;
  for (const auto& [s, t] : found.pairs)
    if (const auto both = std::minmax(parts.ofTriangle[s], parts.ofTriangle[t]);
        both.first != both.second)
      overlapping.insert(both);
  health.parts.overlapping = overlapping.size();
}

}  // namespace tessera::preprocess::surface
