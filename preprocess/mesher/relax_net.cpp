// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/mesher/relax_net.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "preprocess/mesher/net_links.hpp"
#include "preprocess/mesher/net_volume.hpp"

namespace tessera::preprocess::mesher {
namespace {

using std::size_t;

constexpr float reach = 0.48F;  // of a vertex from the middle of its cell, voxels
constexpr int rounds = 120;     // of relaxation
constexpr float step = 0.25F;   // over the largest eigenvalue, 4, of the squared Laplacian

template <class Body>
void forEachVertex(size_t count, const Body& body) {
  tbb::parallel_for(tbb::blocked_range<size_t>(0, count, 4096), [&](const auto& range) {
    for (size_t v = range.begin(); v != range.end(); ++v) body(v);
  });
}

// The mean of the neighbours' values less the vertex's own.
Float3 umbrella(const NetLinks& links, const std::vector<Float3>& value, size_t v) {
  const std::uint32_t begin = links.start[v];
  const std::uint32_t end = links.start[v + 1];
  if (begin == end) return {};
  Float3 sum{};
  for (std::uint32_t k = begin; k < end; ++k)
    for (size_t a = 0; a < 3; ++a) sum[a] += value[links.to[k]][a];
  const float share = 1.0F / static_cast<float>(end - begin);
  Float3 result;
  for (size_t a = 0; a < 3; ++a) result[a] = share * sum[a] - value[v][a];
  return result;
}

// Projected gradient steps with momentum (Nesterov) on the bending energy; the bounds are those of
// the cells.
void bend(LabelNet& net, const NetLinks& links) {
  const size_t count = net.cell.size();
  std::vector<Float3> ahead = net.offset;  // with momentum
  std::vector<Float3> laplacian(count);
  for (int round = 0; round < rounds; ++round) {
    forEachVertex(count, [&](size_t v) {
      laplacian[v] = umbrella(links, ahead, v);
      for (size_t a = 0; a < 3; ++a) laplacian[v][a] += links.middle[v][a];
    });
    const float momentum = static_cast<float>(round) / static_cast<float>(round + 3);
    forEachVertex(count, [&](size_t v) {
      if (links.start[v] == links.start[v + 1]) return;
      const Float3 force = umbrella(links, laplacian, v);
      for (size_t a = 0; a < 3; ++a) {
        const float bound = net.isFixed(v, a) ? 0.0F : reach;
        const float before = net.offset[v][a];
        const float now = std::clamp(ahead[v][a] - step * force[a], -bound, bound);
        net.offset[v][a] = now;
        ahead[v][a] = now + momentum * (now - before);
      }
    });
  }
}

// The directions that vertices are moved in to gain volume, out of the fluid: unit, zero within
// caps, in the plane of the side or end that a vertex lies on.
std::vector<Double3> outwardDirections(const LabelNet& net, std::vector<Double3> normal) {
  forEachVertex(net.cell.size(), [&](size_t v) {
    for (size_t a = 0; a < 3; ++a)
      if (net.isFixed(v, a)) normal[v][a] = 0.0;
    const double size = length(normal[v]);
    if (size > 0.0) normal[v] = (1.0 / size) * normal[v];
  });
  return normal;
}

struct Moves {
  std::vector<double> ofPart, ofCap;  // m, outwards
  double furthest = 0.0;
};

// What brings volumes and cap areas back to those of the voxels, to first order. What has almost no
// wall or rim left to move is moved by a tenth of a voxel at most.
Moves movesToKeep(const NetVolume& volume, const CapAreas& caps, double smallestVoxel) {
  Moves moves;
  const auto toKeep = [&](double gained, double extent) {
    const double move = extent > 0.0 ? -gained / extent : 0.0;
    moves.furthest = std::max(moves.furthest, std::abs(move));
    return std::clamp(move, -0.1 * smallestVoxel, 0.1 * smallestVoxel);
  };
  for (size_t p = 0; p < volume.gained.size(); ++p)
    moves.ofPart.push_back(toKeep(volume.gained[p], volume.wallArea[p]));
  for (size_t c = 0; c < caps.gained.size(); ++c)
    moves.ofCap.push_back(toKeep(caps.gained[c], caps.rim[c]));
  return moves;
}

// Rims go with their caps, the others with their parts.
void moveOutwards(LabelNet& net, const NetParts& parts, const NetParts& caps, const Moves& moves,
                  const std::vector<Double3>& outwards, const Double3& voxel) {
  forEachVertex(net.cell.size(), [&](size_t v) {
    const double distance =
        caps.of[v] == NetParts::none ? moves.ofPart[parts.of[v]] : moves.ofCap[caps.of[v]];
    for (size_t a = 0; a < 3; ++a) {
      if (net.isFixed(v, a)) continue;
      const auto move = static_cast<float>(distance * outwards[v][a] / voxel[a]);
      net.offset[v][a] = std::clamp(net.offset[v][a] + move, -reach, reach);
    }
  });
}

}  // namespace

double relaxNet(LabelNet& net, const Double3& voxel) {
  bend(net, linksOfNet(net));
  const NetParts parts = partsOfNet(net);
  const NetParts caps = capsOfNet(net);
  const double smallestVoxel = std::min({voxel[0], voxel[1], voxel[2]});
  for (int pass = 0;; ++pass) {
    NetVolume volume = volumeOfNet(net, parts, voxel);
    const double gained = std::accumulate(volume.gained.begin(), volume.gained.end(), 0.0);
    const std::vector<Double3> outwards = outwardDirections(net, std::move(volume.normal));
    const Moves moves =
        movesToKeep(volume, capAreasOfNet(net, caps, outwards, voxel), smallestVoxel);
    if (pass == 12 || moves.furthest < 1e-3 * smallestVoxel) return gained;
    moveOutwards(net, parts, caps, moves, outwards, voxel);
  }
}

}  // namespace tessera::preprocess::mesher
