// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/solver/geometries.hpp"

#include "preprocess/lattice/links.hpp"
#include "tiler/search_rows.hpp"
#include "tiler/tile.hpp"

namespace tessera::testing {

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

TilesFile inRows(const LatticeGeometry& geometry, const std::array<int, 3>& axes) {
  TilesFile file;
  file.geometry = coverByMesh(geometry, searchRows(geometry.fluid, axes).mesh);
  file.contentHash = "made by a test, in rows";
  return file;
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
