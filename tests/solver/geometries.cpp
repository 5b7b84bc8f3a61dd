// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/solver/geometries.hpp"

#include <bit>

#include "preprocess/lattice/links/links.hpp"
#include "solver/model/lattice/d3q19.hpp"
#include "solver/model/populations.hpp"
#include "tiler/search_rows.hpp"
#include "tiler/tile.hpp"

namespace tessera::testing {

using namespace tessera::preprocess::geometry;
using namespace tessera::preprocess::lattice;
using namespace tessera::solver::model;
using namespace tessera::solver::tiles;
using namespace tessera::tiler;
using namespace tessera::tiler::file;

namespace {

// The opening a box face makes: its fluid nodes' area and centroid.
Opening faceOpening(const LatticeGeometry& geometry, const BoxFace& face) {
  Opening opening;
  opening.id = face.openingId;
  opening.name = "opening" + std::to_string(face.openingId);
  const auto axis = static_cast<std::size_t>(face.axis);
  const Int3& n = geometry.fluid.size;
  Double3 sum{};
  double count = 0.0;
  for (int z = 0; z < n[2]; ++z)
    for (int y = 0; y < n[1]; ++y)
      for (int x = 0; x < n[0]; ++x) {
        const Int3 node{x, y, z};
        if (node[axis] != (face.high ? n[axis] - 1 : 0) || !geometry.fluid.at(x, y, z)) continue;
        for (std::size_t a = 0; a < 3; ++a) sum[a] += node[a];
        count += 1.0;
      }
  for (double& component : sum) component /= count;
  sum[axis] += face.high ? 0.5 : -0.5;
  opening.centre = geometry.frame.toWorld(sum);
  opening.normal[axis] = face.high ? 1.0 : -1.0;
  opening.area = count * geometry.frame.spacing * geometry.frame.spacing;
  opening.radius = std::sqrt(opening.area / 3.14159265358979323846);
  return opening;
}

}  // namespace

LatticeGeometry imageLattice(const Int3& nodes, const std::function<bool(int, int, int)>& fluid,
                             const std::array<bool, 3>& periodic, const std::vector<BoxFace>& faces,
                             double spacing, int dimensions) {
  LatticeGeometry geometry;
  geometry.dimensions = dimensions;
  geometry.frame.spacing = spacing;
  geometry.periodic = periodic;
  geometry.fluid = BitLattice(nodes);
  for (int z = 0; z < nodes[2]; ++z)
    for (int y = 0; y < nodes[1]; ++y)
      for (int x = 0; x < nodes[0]; ++x)
        if (fluid(x, y, z)) geometry.fluid.set(x, y, z);
  geometry.boundary = findImageLinks(geometry.fluid, periodic, faces).boundary;
  for (const BoxFace& face : faces) geometry.openings.push_back(faceOpening(geometry, face));
  return geometry;
}

TilesFile imageGeometry(const Int3& nodes, const std::function<bool(int, int, int)>& fluid,
                        const std::array<bool, 3>& periodic, const std::vector<BoxFace>& faces,
                        double spacing, const Int3& offset, int dimensions) {
  TilesFile file;
  file.geometry =
      coverWithTiles(imageLattice(nodes, fluid, periodic, faces, spacing, dimensions), offset);
  file.contentHash = "made by a test";
  return file;
}

void setWalls(LatticeGeometry& geometry, int labels,
              const std::function<void(const Int3&, const Int3&, double&, int&)>& set) {
  geometry.wallNames.clear();
  for (int k = 0; k < labels; ++k) geometry.wallNames.push_back("wall" + std::to_string(k));
  BoundaryNodes& boundary = geometry.boundary;
  const Int3& n = geometry.fluid.size;
  std::size_t link = 0;
  for (std::size_t k = 0; k < boundary.node.size(); ++k) {
    const auto index = static_cast<long long>(boundary.node[k]);
    const Int3 node{static_cast<int>(index % n[0]), static_cast<int>(index / n[0] % n[1]),
                    static_cast<int>(index / n[0] / n[1])};
    for (std::uint32_t rest = boundary.mask[k]; rest != 0; rest &= rest - 1, ++link) {
      if (isOpening(boundary.patch[link])) continue;
      double distance = 0.5;
      int label = 0;
      set(node, directionStep(std::countr_zero(rest)), distance, label);
      boundary.distance[link] = codeFromDistance(distance);
      boundary.patch[link] = static_cast<Patch>(label);
    }
  }
}

LatticeGeometry levelLattice(const Int3& nodes, const std::function<double(const Double3&)>& level,
                             const std::array<bool, 3>& periodic, double spacing, int dimensions,
                             int labels, const std::function<int(const Double3&)>& label) {
  LatticeGeometry geometry = imageLattice(
      nodes,
      [&](int x, int y, int z) {
        return level({double(x), double(y), double(z)}) < 0.0;
      },
      periodic, {}, spacing, dimensions);
  setWalls(geometry, labels, [&](const Int3& node, const Int3& step, double& distance, int& wall) {
    const auto at = [&](double q) {
      return Double3{node[0] + q * step[0], node[1] + q * step[1], node[2] + q * step[2]};
    };
    double low = 0.0;
    double high = 1.0;
    for (int k = 0; k < 50; ++k) {
      const double middle = 0.5 * (low + high);
      (level(at(middle)) < 0.0 ? low : high) = middle;
    }
    if (level(at(1.0)) >= 0.0) distance = high;
    wall = label(at(distance));
  });
  return geometry;
}

TilesFile inTiles(const LatticeGeometry& geometry, const Int3& offset) {
  TilesFile file;
  file.geometry = coverWithTiles(geometry, offset);
  file.contentHash = "made by a test";
  return file;
}

TilesFile inRows(const LatticeGeometry& geometry, const std::array<int, 3>& axes) {
  TilesFile file;
  file.geometry = coverByMesh(geometry, searchRows(geometry.fluid, axes).mesh);
  file.contentHash = "made by a test, in rows";
  return file;
}

std::vector<double> ofFluid(const TileOrder& order, std::vector<double> populations) {
  for (std::uint32_t slot = 0; slot < order.tiles; ++slot) {
    const std::int32_t masks = order.rows[std::size_t{slot} * rowLength + maskColumn];
    for (std::size_t l = 0; masks >= 0 && l < tileNodes; ++l)
      if ((order.masks[static_cast<std::size_t>(masks) * tileNodes + l] >> solidBit & 1U) != 0)
        for (int i = 0; i < D3Q19::q; ++i)
          populations[populationIndex<D3Q19>(slot, i, static_cast<int>(l))] = 0.0;
  }
  return populations;
}

std::function<bool(int, int, int)> strewn(double porosity) {
  return [porosity](int x, int y, int z) {
    auto hash = static_cast<std::uint64_t>(x + 1) * 0x9e3779b97f4a7c15ULL;
    hash ^= static_cast<std::uint64_t>(y + 1) * 0xbf58476d1ce4e5b9ULL;
    hash ^= static_cast<std::uint64_t>(z + 1) * 0x94d049bb133111ebULL;
    hash = (hash ^ hash >> 31) * 0xd6e8feb86659fd93ULL;
    hash ^= hash >> 32;
    return static_cast<double>(hash >> 11) / 9007199254740992.0 < porosity;
  };
}

}  // namespace tessera::testing
