// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/mesher/net_volume.hpp"

#include "preprocess/mesher/surface_net.hpp"

namespace tessera::preprocess::mesher {
namespace {

using std::size_t;

struct Corners {
  std::array<Double3, 4> now, before;  // before: in the middle of the cells
};

Corners cornersOf(const LabelNet& net, const LabelNet::Quad& quad, const Double3& voxel) {
  Corners corners;
  for (size_t k = 0; k < 4; ++k) {
    const Double3 at = net.place(quad, k);
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

// The volume that a triangle sweeps when its corners move in straight lines: the integral of mean
// speed times area vector, which is quadratic in time, so that Simpson's rule is exact.
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
