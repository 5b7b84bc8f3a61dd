// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/surface/topology/suggest_weld.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace tessera::preprocess::surface {
namespace {

constexpr std::size_t samples = 1000;
constexpr std::size_t longestSearch = 100'000;  // vertices looked at from one

using Places = std::vector<std::pair<double, std::uint32_t>>;  // x and vertex, ascending

// The vertices each of the sampled ones shares a triangle with.
std::map<std::uint32_t, std::vector<std::uint32_t>> neighboursOf(
    const geometry::TriangleMesh& mesh, const std::vector<std::uint32_t>& sampled) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> neighbours;
  for (const std::uint32_t v : sampled) neighbours[v];
  for (const stage::Triangle& t : mesh.triangle)
    for (const std::uint32_t v : t)
      if (const auto found = neighbours.find(v); found != neighbours.end())
        found->second.insert(found->second.end(), t.begin(), t.end());
  return neighbours;
}

double distanceToNearest(const geometry::TriangleMesh& mesh, const Places& places, std::uint32_t v,
                         const std::vector<std::uint32_t>& own) {
  const Double3& at = mesh.vertex[v];
  double least = std::numeric_limits<double>::max();
  const auto look = [&](const std::pair<double, std::uint32_t>& place) {
    if (std::abs(place.first - at[0]) >= least) return false;
    const bool isOwn = std::find(own.begin(), own.end(), place.second) != own.end();
    if (!isOwn) least = std::min(least, length(mesh.vertex[place.second] - at));
    return true;
  };
  const auto middle = std::lower_bound(places.begin(), places.end(), std::pair{at[0], v});
  std::size_t steps = 0;
  for (auto up = middle; up != places.end() && ++steps < longestSearch && look(*up);) ++up;
  for (auto down = middle; down != places.begin() && ++steps < longestSearch;)
    if (!look(*--down)) break;
  return least;
}

double roundUp(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power >= value) return digit * power;
  return 10.0 * power;
}

}  // namespace

std::vector<double> weldsToTry(const geometry::TriangleMesh& mesh, const EdgeTable& edges) {
  const std::vector<std::uint32_t> open = verticesOfSingleEdges(edges);
  if (open.empty()) return {};
  Places places;
  for (const std::uint32_t v : open) places.emplace_back(mesh.vertex[v][0], v);
  std::sort(places.begin(), places.end());
  std::vector<std::uint32_t> sampled;
  const std::size_t stride = std::max<std::size_t>(1, open.size() / samples);
  for (std::size_t k = 0; k < open.size(); k += stride) sampled.push_back(open[k]);
  std::vector<double> distances;
  for (const auto& [v, own] : neighboursOf(mesh, sampled)) {
    const double distance = distanceToNearest(mesh, places, v, own);
    if (distance > 0.0 && distance < std::numeric_limits<double>::max())
      distances.push_back(distance);
  }
  if (distances.empty()) return {};
  std::sort(distances.begin(), distances.end());
  std::vector<double> welds;
  for (const double share : {0.5, 0.9, 0.99}) {
    const auto k = static_cast<std::size_t>(share * static_cast<double>(distances.size() - 1));
    const double weld = roundUp(1.5 * distances[k]);
    if (welds.empty() || weld > welds.back()) welds.push_back(weld);
  }
  welds.push_back(roundUp(1.01 * welds.back()));
  return welds;
}

}  // namespace tessera::preprocess::surface
