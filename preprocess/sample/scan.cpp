// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/sample/scan.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::preprocess::sample {

namespace {

constexpr std::uint8_t lumen = 1;
constexpr double mostVoxels = 1e9;
constexpr double fewestAcross = 4.0;
constexpr int margin = 2;  // voxels

// As the mesh is cut: beyond the plane of an end, within reach of its centre.
bool beyondAnEnd(const Vessel& vessel, const Double3& point) {
  return std::any_of(vessel.ends.begin(), vessel.ends.end(), [&](const TubeEnd& end) {
    const Double3 offset = point - end.centre;
    return dot(offset, end.normal) > 0.0 && length(offset) < end.reach;
  });
}

void requireVoxel(const Vessel& vessel, double voxel, double count) {
  double narrowest = vessel.ends.front().radius;
  for (const TubeEnd& end : vessel.ends) narrowest = std::min(narrowest, end.radius);
  if (2.0 * narrowest >= fewestAcross * voxel && count <= mostVoxels) return;
  stage::fail(
      stage::ExitCode::Usage,
      fmt::format("--voxel is {}; expected at most {}, and 10^9 voxels in all.",
                  stage::formatQuantity(voxel, stage::Dimension::Length),
                  stage::formatQuantity(2.0 * narrowest / fewestAcross, stage::Dimension::Length)));
}

}  // namespace

Scan scanOf(const Vessel& vessel, double voxel) {
  Scan scan{.image = {}, .origin = {}, .voxel = voxel, .ends = vessel.ends};
  for (TubeEnd& end : scan.ends) end.centre = end.centre - voxel * end.normal;
  std::stable_sort(scan.ends.begin(), scan.ends.end(),
                   [](const TubeEnd& a, const TubeEnd& b) { return a.radius > b.radius; });
  double count = 1.0;
  Double3 size{};
  for (std::size_t a = 0; a < 3; ++a) {
    size[a] = std::ceil((vessel.high[a] - vessel.low[a]) / voxel) + 2.0 * margin + 1.0;
    scan.origin[a] = vessel.low[a] - margin * voxel;
    count *= size[a];
  }
  requireVoxel(vessel, voxel, count);
  scan.image.size = {static_cast<int>(size[0]), static_cast<int>(size[1]),
                     static_cast<int>(size[2])};
  scan.image.value.assign(scan.image.index(0, 0, scan.image.size[2]), 0);
  stage::parallelFor(static_cast<std::size_t>(scan.image.size[2]), [&](std::size_t z) {
    for (int y = 0; y < scan.image.size[1]; ++y)
      for (int x = 0; x < scan.image.size[0]; ++x) {
        const Double3 point =
            scan.origin + voxel * Double3{double(x), double(y), static_cast<double>(z)};
        if (vessel.field(point).value < 0.0 && !beyondAnEnd(vessel, point))
          scan.image.value[scan.image.index(x, y, static_cast<int>(z))] = lumen;
      }
  });
  return scan;
}

std::string scanHeader(const Scan& scan) {
  const Int3& n = scan.image.size;
  const double mm = 1e3 * scan.voxel;
  return fmt::format(
      "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\n"
      "CompressedData = False\nTransformMatrix = 1 0 0 0 1 0 0 0 1\nOffset = {} {} {}\n"
      "ElementSpacing = {} {} {}\nDimSize = {} {} {}\nElementType = MET_UCHAR\n"
      "ElementDataFile = LOCAL\n",
      1e3 * scan.origin[0], 1e3 * scan.origin[1], 1e3 * scan.origin[2], mm, mm, mm, n[0], n[1],
      n[2]);
}

}  // namespace tessera::preprocess::sample
