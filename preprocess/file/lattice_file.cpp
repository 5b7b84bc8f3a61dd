// SPDX-License-Identifier: GPL-3.0-or-later
// geom.vdb: the OpenVDB part, our container, the trailer.
#include "preprocess/file/lattice_file.hpp"

#include <openvdb/io/Stream.h>
#include <openvdb/openvdb.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/container.hpp"
#include "pipelines/stage/io/provenance.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "preprocess/file/meta.hpp"
#include "preprocess/file/vdb_archive.hpp"
#include "preprocess/file/vdb_trailer.hpp"
#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::preprocess::file {

using geometry::LatticeGeometry;

namespace {

constexpr std::uint16_t majorVersion = 1;
constexpr std::uint16_t minorVersion = 0;

void readArrays(const stage::ContainerReader& reader, const GeometryCounts& counts,
                LatticeGeometry& geometry) {
  geometry::BoundaryNodes& boundary = geometry.boundary;
  boundary.node = reader.read<std::uint64_t>("boundaryNode", counts.boundaryNodes);
  boundary.mask = reader.read<std::uint32_t>("boundaryMask", counts.boundaryNodes);
  boundary.normal = reader.read<std::uint32_t>("boundaryNormal", counts.boundaryNodes);
  boundary.distance = reader.read<std::uint16_t>("linkDistance", counts.links);
  boundary.patch = reader.read<geometry::Patch>("linkPatch", counts.links);
  geometry.surface.vertex = reader.read<Float3>("surfaceVertex", counts.vertices);
  geometry.surface.triangle =
      reader.read<std::array<std::uint32_t, 3>>("surfaceTriangle", counts.triangles);
  geometry.surface.label = reader.read<geometry::Patch>("surfaceLabel", counts.triangles);
}

LatticeGeometry readGeometry(const std::filesystem::path& path,
                             const stage::ContainerReader& reader) {
  LatticeGeometry geometry;
  const GeometryCounts counts = metaFromJson(reader.text("meta"), geometry);
  readArrays(reader, counts, geometry);
  std::ifstream vdb(path, std::ios::binary);
  geometry.fluid = nodesFromVdb(vdb, counts.nodes);
  if (geometry.fluid.count() != counts.fluidNodes)
    throw std::runtime_error(
        "\"nodeType\" has a number of nodes that differs from Tessera's section of the file");
  const std::string defect = geometry::defectOf(geometry);
  if (!defect.empty()) throw std::runtime_error(defect);
  return geometry;
}

}  // namespace

void writeLatticeFile(const std::filesystem::path& path, const LatticeGeometry& geometry,
                      const stage::Provenance& provenance) {
  stage::AtomicFile file(path);
  const std::string vdb = nodeTypesToVdb(geometry, provenance.program + " " + provenance.version);
  file.write(vdb);
  stage::ContainerWriter writer("lattice", majorVersion, minorVersion);
  writer.addText("meta", metaToJson(geometry));
  writer.addText("provenance", provenance.toJson());
  writer.add("boundaryNode", geometry.boundary.node);
  writer.add("boundaryMask", geometry.boundary.mask);
  writer.add("boundaryNormal", geometry.boundary.normal);
  writer.add("linkDistance", geometry.boundary.distance);
  writer.add("linkPatch", geometry.boundary.patch);
  writer.add("surfaceVertex", geometry.surface.vertex);
  writer.add("surfaceTriangle", geometry.surface.triangle);
  writer.add("surfaceLabel", geometry.surface.label);
  writer.write(file);
  VdbTrailer trailer;
  trailer.vdbBytes = vdb.size();
  trailer.fileBytes = file.size() + sizeof trailer;
  const auto bytes = std::as_bytes(std::span(&trailer, 1));
  file.write(bytes.first(sizeof trailer - sizeof trailer.hash));
  trailer.hash = stage::hashFileRange(file.temporaryPath(), 0, file.size());
  file.write(bytes.last(sizeof trailer.hash));
  file.commit();
}

LatticeFile readLatticeFile(const std::filesystem::path& path) try {
  const VdbTrailer trailer = readVdbTrailer(path);
  const stage::ContainerReader reader(path, "lattice", majorVersion, trailer.vdbBytes,
                                      sizeof trailer);
  LatticeFile file;
  file.contentHash = stage::toHex(trailer.hash);
  file.provenance = stage::Provenance::fromJson(reader.text("provenance"));
  file.geometry = readGeometry(path, reader);
  return file;
} catch (const stage::StageError&) {
  throw;
} catch (const std::bad_alloc&) {
  throw;
} catch (const std::exception& error) {
  stage::fail(stage::ExitCode::BadInput, path.string() +
                                             " is not a valid geom.vdb: " + error.what() +
                                             "; regenerate it with tessera-preprocess.");
}

// Lattice to OpenVDB tree and back, in parallel by layers of leaves (8 x 8 x 8 nodes). A leaf
// without boundary nodes that is wholly fluid becomes a tile of the tree.

using geometry::BitLattice;

namespace {

using std::size_t;
using Grid = openvdb::Int32Grid;
using Leaf = Grid::TreeType::LeafNodeType;
constexpr int leafNodes = 8;  // on an axis

// Leaves of one layer of the lattice: a leaf is as thick as a block.
static_assert(BitLattice::blockPlanes == leafNodes);
class LeafLayer {
 public:
  LeafLayer(const BitLattice& fluid, int layer)
      : z0_(layer * leafNodes), columns_(fluid.blocks()[0]) {
    if (fluid.layerIsEmpty(layer)) return;
    blockAt_.resize(static_cast<size_t>(columns_) * static_cast<size_t>(fluid.blocks()[1]));
    fluid.forEachBlock(layer, [&](int i, int j) { addBlock(i, j, fluid.block(i, j, layer)); });
  }
  // The node must be fluid and in this layer.
  void setType(const Int3& node, NodeType type) {
    Cell& cell = cellAt(node[0], node[1]);
    const openvdb::Coord origin(node[0] & ~7, node[1] & ~7, z0_);
    if (!cell.leaf) cell.leaf = newLeaf(origin, cell.isFull);
    cell.isFull = false;
    cell.leaf->setValueOn(openvdb::Coord(node[0], node[1], node[2]),
                          static_cast<openvdb::Int32>(type));
  }
  // Moves the leaves into the tree.
  void moveTo(Grid::TreeType& tree) {
    for (Cells& cells : cells_)
      for (size_t k = 0; k < cells.cell.size(); ++k) {
        Cell& cell = cells.cell[k];
        if (cell.leaf) tree.addLeaf(cell.leaf.release());
        if (cell.isFull)
          tree.addTile(1, originOf(cells, k), static_cast<openvdb::Int32>(NodeType::Fluid), true);
      }
  }

 private:
  static constexpr int across = BitLattice::blockNodes / leafNodes;  // leaves of a block on x
  static constexpr int along = BitLattice::blockRows / leafNodes;    // on y
  struct Cell {
    std::unique_ptr<Leaf> leaf;
    bool isFull = false;  // all nodes are fluid, none lies at a boundary; without a leaf
  };
  struct Cells {
    int i, j;  // of the block
    std::array<Cell, static_cast<size_t>(across* along)> cell;
  };
  [[nodiscard]] Cell& cellAt(int x, int y) {
    const auto block =
        static_cast<size_t>(x / BitLattice::blockNodes + columns_ * (y / BitLattice::blockRows));
    return cells_[blockAt_[block]].cell[static_cast<size_t>(
        x % BitLattice::blockNodes / leafNodes + across * (y % BitLattice::blockRows / leafNodes))];
  }
  [[nodiscard]] openvdb::Coord originOf(const Cells& cells, size_t k) const {
    const auto cell = static_cast<int>(k);
    return {cells.i * BitLattice::blockNodes + cell % across * leafNodes,
            cells.j * BitLattice::blockRows + cell / across * leafNodes, z0_};
  }
  static std::unique_ptr<Leaf> newLeaf(const openvdb::Coord& origin, bool full) {
    const auto value = static_cast<openvdb::Int32>(full ? NodeType::Fluid : NodeType::Solid);
    return std::make_unique<Leaf>(origin, value, full);
  }
  void addBlock(int i, int j, const std::uint64_t* words) {
    blockAt_[static_cast<size_t>(i + columns_ * j)] = static_cast<std::uint32_t>(cells_.size());
    cells_.push_back({i, j, {}});
    for (size_t k = 0; k < cells_.back().cell.size(); ++k) fillCell(cells_.back(), k, words);
  }
  void fillCell(Cells& cells, size_t k, const std::uint64_t* words) {
    const openvdb::Coord origin = originOf(cells, k);
    const int shift = origin.x() % BitLattice::blockNodes;
    const auto octet = [&](int y, int z) {
      return words[BitLattice::wordInBlock(origin.y() + y, z)] >> shift & 0xffU;
    };
    int nodes = 0;
    for (int z = 0; z < leafNodes; ++z)
      for (int y = 0; y < leafNodes; ++y) nodes += std::popcount(octet(y, z));
    Cell& cell = cells.cell[k];
    cell.isFull = nodes == static_cast<int>(Leaf::SIZE);
    if (nodes == 0 || cell.isFull) return;
    cell.leaf = newLeaf(origin, false);
    for (int z = 0; z < leafNodes; ++z)
      for (int y = 0; y < leafNodes; ++y)
        for (std::uint64_t bits = octet(y, z); bits != 0; bits &= bits - 1)
          cell.leaf->setValueOn(origin.offsetBy(std::countr_zero(bits), y, z),
                                static_cast<openvdb::Int32>(NodeType::Fluid));
  }

  int z0_, columns_;
  std::vector<std::uint32_t> blockAt_;  // index into cells_, by block of the layer
  std::vector<Cells> cells_;            // of the non-empty blocks
};

// First link of every boundary node, and the end.
std::vector<std::uint64_t> firstLinks(const geometry::BoundaryNodes& boundary) {
  std::vector<std::uint64_t> first{0};
  first.reserve(boundary.mask.size() + 1);
  for (std::uint32_t mask : boundary.mask)
    first.push_back(first.back() + static_cast<std::uint64_t>(std::popcount(mask)));
  return first;
}

void fillTree(const geometry::LatticeGeometry& geometry, Grid::TreeType& tree) {
  const geometry::BoundaryNodes& boundary = geometry.boundary;
  const BitLattice& fluid = geometry.fluid;
  const std::vector<std::uint64_t> firstLink = firstLinks(boundary);
  const int layers = fluid.blocks()[2];
  std::vector<std::unique_ptr<LeafLayer>> layer(static_cast<size_t>(layers));
  tbb::parallel_for(0, layers, [&](int k) {
    auto mine = std::make_unique<LeafLayer>(fluid, k);
    const std::uint64_t begin = fluid.nodeIndex(0, 0, k * leafNodes);
    const std::uint64_t end = fluid.nodeIndex(0, 0, (k + 1) * leafNodes);
    const auto first = std::lower_bound(boundary.node.begin(), boundary.node.end(), begin);
    for (auto at = first; at != boundary.node.end() && *at < end; ++at) {
      const auto b = static_cast<size_t>(at - boundary.node.begin());
      const auto patches = boundary.patch.begin();
      const bool opening =
          std::any_of(patches + static_cast<std::ptrdiff_t>(firstLink[b]),
                      patches + static_cast<std::ptrdiff_t>(firstLink[b + 1]),
                      [](geometry::Patch patch) { return geometry::isOpening(patch); });
      mine->setType(fluid.nodeAt(*at), opening ? NodeType::Opening : NodeType::Wall);
    }
    layer[static_cast<size_t>(k)] = std::move(mine);
  });
  for (auto& each : layer) each->moveTo(tree);
}

Grid::Ptr findNodeTypes(std::istream& vdb) {
  openvdb::initialize();
  constexpr bool delayLoad = false;
  const openvdb::GridPtrVecPtr grids = openvdb::io::Stream(vdb, delayLoad).getGrids();
  for (const openvdb::GridBase::Ptr& grid : *grids)
    if (grid->getName() == "nodeType")
      if (auto found = openvdb::gridPtrCast<Grid>(grid)) return found;
  throw std::runtime_error("it has no Int32 grid \"nodeType\"");
}

void setNode(BitLattice& fluid, const openvdb::Coord& at, openvdb::Int32 type) {
  if (!fluid.inside(at.x(), at.y(), at.z()))
    throw std::runtime_error("a node of \"nodeType\" lies outside of the lattice");
  if (type < static_cast<int>(NodeType::Fluid) || type > static_cast<int>(NodeType::Opening))
    throw std::runtime_error("\"nodeType\" has a value that is no node type");
  fluid.set(at.x(), at.y(), at.z());
}

// Leaves of different layers share no words.
void setLeaves(const Grid::TreeType& tree, BitLattice& fluid) {
  std::vector<const Leaf*> leaves;
  tree.getNodes(leaves);
  std::sort(leaves.begin(), leaves.end(),
            [](const Leaf* a, const Leaf* b) { return a->origin().z() < b->origin().z(); });
  std::vector<size_t> layerStart;
  for (size_t k = 0; k < leaves.size(); ++k)
    if (k == 0 || leaves[k]->origin().z() != leaves[k - 1]->origin().z()) layerStart.push_back(k);
  layerStart.push_back(leaves.size());
  tbb::parallel_for(size_t{0}, layerStart.size() - 1, [&](size_t layer) {
    for (size_t k = layerStart[layer]; k < layerStart[layer + 1]; ++k)
      for (auto value = leaves[k]->cbeginValueOn(); value; ++value)
        setNode(fluid, value.getCoord(), *value);
  });
}

// Sets nodes from .. to of a row.
void setRun(BitLattice& fluid, int from, int to, int y, int z) {
  for (int w = from / 64; w <= to / 64; ++w) {
    const int low = std::max(from - 64 * w, 0);
    const int high = std::min(to - 64 * w, 63);
    fluid.setWord(w, y, z, ~std::uint64_t{0} >> (63 - high + low) << low);
  }
}

void setTiles(const Grid::TreeType& tree, BitLattice& fluid) {
  auto value = tree.cbeginValueOn();
  value.setMaxDepth(Grid::TreeType::ValueOnCIter::LEAF_DEPTH - 1);
  for (; value; ++value) {
    const openvdb::CoordBBox box = value.getBoundingBox();
    setNode(fluid, box.min(), *value);
    setNode(fluid, box.max(), *value);
    for (int z = box.min().z(); z <= box.max().z(); ++z)
      for (int y = box.min().y(); y <= box.max().y(); ++y)
        setRun(fluid, box.min().x(), box.max().x(), y, z);
  }
}

}  // namespace

std::string nodeTypesToVdb(const geometry::LatticeGeometry& geometry, const std::string& writer) {
  const stage::MemoryWatch memory;
  openvdb::initialize();
  // The library's own instance; Grid::create would compile every function of its tree here.
  const auto grid = openvdb::StaticPtrCast<Grid>(openvdb::GridBase::createGrid(Grid::gridType()));
  grid->setName("nodeType");
  const WorldUnit unit = worldUnitFor(geometry.frame.spacing);
  grid->setTransform(transformOf(geometry.frame, unit.perMetre));
  grid->insertMeta("units", openvdb::StringMetadata(unit.name));
  grid->insertMeta("values",
                   openvdb::StringMetadata("0 solid, 1 fluid, 2 at a wall, 3 at an opening"));
  grid->insertMeta("writer", openvdb::StringMetadata(writer));
  fillTree(geometry, grid->tree());
  std::ostringstream stream(std::ios::binary);
  writeGrids(stream, {grid});
  memory.requireEnough();
  std::string bytes = std::move(stream).str();
  setContentUuid(bytes);
  return bytes;
}

BitLattice nodesFromVdb(std::istream& vdb, const Int3& nodes) try {
  const Grid::Ptr grid = findNodeTypes(vdb);
  BitLattice fluid(nodes);
  setTiles(grid->tree(), fluid);
  setLeaves(grid->tree(), fluid);
  return fluid;
} catch (const openvdb::Exception& error) {
  throw std::runtime_error(std::string("OpenVDB says: ") + error.what());
}

}  // namespace tessera::preprocess::file
