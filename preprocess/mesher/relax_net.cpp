// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/mesher/relax_net.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "preprocess/mesher/label_net.hpp"
#include "preprocess/mesher/surface_net.hpp"

namespace tessera::preprocess::mesher {

namespace {

using std::size_t;

constexpr float reach = 0.48F;  // largest offset of a vertex from its cell's centre, voxels
constexpr int rounds = 120;     // relaxation steps
constexpr float step = 0.25F;   // 1 over the largest eigenvalue, 4, of the squared Laplacian

template <class Body>
void forEachVertex(size_t count, const Body& body) {
  tbb::parallel_for(tbb::blocked_range<size_t>(0, count, 4096), [&](const auto& range) {
    for (size_t v = range.begin(); v != range.end(); ++v) body(v);
  });
}

// Umbrella operator: mean of the neighbours' values minus the vertex's own.
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

// Minimises the bending energy by projected gradient steps with Nesterov momentum; the bounds are
// those of the cells.
void bend(LabelNet& net, const NetLinks& links) {
  const size_t count = net.cell.size();
  std::vector<Float3> ahead = net.offset;  // extrapolated by the momentum
  std::vector<Float3> laplacian(count);
  for (int round = 0; round < rounds; ++round) {
    forEachVertex(count, [&](size_t v) {
      laplacian[v] = umbrella(links, ahead, v);
      for (size_t a = 0; a < 3; ++a) laplacian[v][a] += links.meanStep[v][a];
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

// Unit directions, out of the fluid, in which vertices move to gain volume: zero within caps, in
// the plane of the side or end on which a vertex lies.
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

// Shifts that restore volumes and cap areas of the voxels, to first order; limited to a tenth of a
// voxel for parts with almost no wall or rim.
Moves restoringMoves(const NetVolume& volume, const CapAreas& caps, double smallestVoxel) {
  Moves moves;
  const auto restore = [&](double gained, double extent) {
    const double move = extent > 0.0 ? -gained / extent : 0.0;
    moves.furthest = std::max(moves.furthest, std::abs(move));
    return std::clamp(move, -0.1 * smallestVoxel, 0.1 * smallestVoxel);
  };
  for (size_t p = 0; p < volume.gained.size(); ++p)
    moves.ofPart.push_back(restore(volume.gained[p], volume.wallArea[p]));
  for (size_t c = 0; c < caps.gained.size(); ++c)
    moves.ofCap.push_back(restore(caps.gained[c], caps.rim[c]));
  return moves;
}

// Rim vertices move with their caps, others with their parts.
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
        restoringMoves(volume, capAreasOfNet(net, caps, outwards, voxel), smallestVoxel);
    if (pass == 12 || moves.furthest < 1e-3 * smallestVoxel) return gained;
    moveOutwards(net, parts, caps, moves, outwards, voxel);
  }
}

namespace {

struct Corners {
  std::array<Double3, 4> now, before;  // before: with vertices at the cells' centres
};

Corners cornersOf(const LabelNet& net, const LabelNet::Quad& quad, const Double3& voxel) {
  Corners corners;
  for (size_t k = 0; k < 4; ++k) {
    const Double3 at = net.position(quad, k);
    const Float3& offset = net.offset[quad.vertex[k]];
    corners.now[k] = scaled(at, voxel);
    corners.before[k] =
        scaled({at[0] - static_cast<double>(offset[0]), at[1] - static_cast<double>(offset[1]),
                at[2] - static_cast<double>(offset[2])},
               voxel);
  }
  return corners;
}

using Half = std::array<Double3, 3>;

Double3 areaOf(const Half& t) {
  return 0.5 * cross(t[1] - t[0], t[2] - t[0]);
}

// Volume swept by a triangle whose corners move linearly: the integral of mean velocity times area
// vector, quadratic in time, so that Simpson's rule is exact.
double sweptVolume(const Half& from, const Half& to) {
  Half half;
  Double3 mean{};
  for (size_t k = 0; k < 3; ++k) {
    half[k] = 0.5 * (from[k] + to[k]);
    mean = mean + (1.0 / 3.0) * (to[k] - from[k]);
  }
  return dot(mean, (1.0 / 6.0) * (areaOf(from) + 4.0 * areaOf(half) + areaOf(to)));
}

}  // namespace

NetVolume volumeOfNet(const LabelNet& net, const NetParts& parts, const Double3& voxel) {
  NetVolume volume;
  volume.gained.assign(parts.count, 0.0);
  volume.wallArea.assign(parts.count, 0.0);
  volume.normal.assign(net.cell.size(), Double3{});
  for (const LabelNet::Quad& quad : net.quad) {
    const std::uint32_t part = parts.of[quad.vertex[0]];
    const Corners corner = cornersOf(net, quad, voxel);
    for (const auto& half : halvesOf(corner.now)) {
      const Half now{corner.now[half[0]], corner.now[half[1]], corner.now[half[2]]};
      const Half before{corner.before[half[0]], corner.before[half[1]], corner.before[half[2]]};
      const Double3 area = areaOf(now);
      volume.gained[part] += sweptVolume(before, now);
      if (quad.side != LabelNet::wall) continue;
      volume.wallArea[part] += length(area);
      for (const size_t k : half) {
        Double3& normal = volume.normal[quad.vertex[k]];
        normal = normal + area;
      }
    }
  }
  return volume;
}

CapAreas capAreasOfNet(const LabelNet& net, const NetParts& caps,
                       const std::vector<Double3>& outwards, const Double3& voxel) {
  CapAreas areas;
  areas.gained.assign(caps.count, 0.0);
  areas.rim.assign(caps.count, 0.0);
  for (const LabelNet::Quad& quad : net.quad) {
    if (quad.side == LabelNet::wall) continue;
    const std::uint32_t cap = caps.of[quad.vertex[0]];
    Double3 normal{};
    normal[quad.side / 2] = quad.side % 2 == 1 ? 1.0 : -1.0;
    const Corners corner = cornersOf(net, quad, voxel);
    for (const auto& half : halvesOf(corner.now)) {
      const Half now{corner.now[half[0]], corner.now[half[1]], corner.now[half[2]]};
      const Half before{corner.before[half[0]], corner.before[half[1]], corner.before[half[2]]};
      areas.gained[cap] += dot(areaOf(now) - areaOf(before), normal);
      for (size_t k = 0; k < 3; ++k)  // the gradient of the triangle's area
        areas.rim[cap] += 0.5 * dot(cross(normal, now[(k + 2) % 3] - now[(k + 1) % 3]),
                                    outwards[quad.vertex[half[k]]]);
    }
  }
  return areas;
}

}  // namespace tessera::preprocess::mesher
