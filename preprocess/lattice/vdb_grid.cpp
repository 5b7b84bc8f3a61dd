// SPDX-License-Identifier: GPL-3.0-or-later
// Lattice to OpenVDB tree and back, in parallel by layers of leaves (8 x 8 x 8 nodes). A leaf
// without boundary nodes that is wholly fluid becomes a tile of the tree.
#include "preprocess/lattice/vdb_grid.hpp"

#include <openvdb/io/Archive.h>
#include <openvdb/io/Stream.h>
#include <openvdb/openvdb.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "pipelines/stage/provenance.hpp"
#include "preprocess/lattice/lattice_file.hpp"

namespace tessera {

namespace {

using std::size_t;
using Grid = openvdb::Int32Grid;
using Leaf = Grid::TreeType::LeafNodeType;
constexpr int leafNodes = 8;  // on an axis

// The 8 nodes of row (y, z) that begin at x, as bits.
std::uint64_t octet(const BitLattice& fluid, int x, int y, int z) {
  const std::uint64_t word = fluid.words[fluid.rowStart(y, z) + static_cast<size_t>(x / 64)];
  return word >> (x % 64) & 0xffU;
}

// One layer of leaves: its 8 planes of nodes.
class LeafLayer {
 public:
  LeafLayer(const LatticeGeometry& geometry, int firstPlane)
      : fluid_(geometry.fluid),
        z0_(firstPlane),
        columns_((fluid_.size[0] + leafNodes - 1) / leafNodes),
        rows_((fluid_.size[1] + leafNodes - 1) / leafNodes),
        leaf_(static_cast<size_t>(columns_) * static_cast<size_t>(rows_)),
        isFull_(leaf_.size(), 0) {
    for (int j = 0; j < rows_; ++j)
      for (int i = 0; i < columns_; ++i) addBlock(i, j);
  }
  // Nodes must lie in this layer.
  void setType(std::uint64_t node, NodeType type) {
    const auto nx = static_cast<std::uint64_t>(fluid_.size[0]);
    const auto ny = static_cast<std::uint64_t>(fluid_.size[1]);
    const auto x = static_cast<int>(node % nx);
    const auto y = static_cast<int>(node / nx % ny);
    const auto z = static_cast<int>(node / nx / ny);
    const size_t at = index(x / leafNodes, y / leafNodes);
    if (!leaf_[at]) leaf_[at] = newLeaf(x / leafNodes, y / leafNodes, isFull_[at] != 0);
    isFull_[at] = 0;
    leaf_[at]->setValueOn(openvdb::Coord(x, y, z), static_cast<openvdb::Int32>(type));
  }
  // Hands the leaves to the tree.
  void moveTo(Grid::TreeType& tree) {
    for (int j = 0; j < rows_; ++j)
      for (int i = 0; i < columns_; ++i) {
        const size_t at = index(i, j);
        if (leaf_[at]) tree.addLeaf(leaf_[at].release());
        if (isFull_[at] != 0)
          tree.addTile(1, origin(i, j), static_cast<openvdb::Int32>(NodeType::Fluid), true);
      }
  }

 private:
  [[nodiscard]] size_t index(int i, int j) const {
    return static_cast<size_t>(i) + static_cast<size_t>(columns_) * static_cast<size_t>(j);
  }
  [[nodiscard]] openvdb::Coord origin(int i, int j) const {
    return {i * leafNodes, j * leafNodes, z0_};
  }
  [[nodiscard]] std::unique_ptr<Leaf> newLeaf(int i, int j, bool full) const {
    const auto value = static_cast<openvdb::Int32>(full ? NodeType::Fluid : NodeType::Solid);
    return std::make_unique<Leaf>(origin(i, j), value, full);
  }
  template <class Visit>
  void forOctets(int i, int j, const Visit& visit) const {
    const int yEnd = std::min((j + 1) * leafNodes, fluid_.size[1]);
    const int zEnd = std::min(z0_ + leafNodes, fluid_.size[2]);
    for (int z = z0_; z < zEnd; ++z)
      for (int y = j * leafNodes; y < yEnd; ++y) visit(y, z, octet(fluid_, i * leafNodes, y, z));
  }
  void addBlock(int i, int j) {
    int nodes = 0;
    forOctets(i, j, [&](int, int, std::uint64_t bits) { nodes += std::popcount(bits); });
    if (nodes == 0) return;
    const size_t at = index(i, j);
    isFull_[at] = nodes == static_cast<int>(Leaf::SIZE) ? 1 : 0;
    if (isFull_[at] != 0) return;
    leaf_[at] = newLeaf(i, j, false);
    forOctets(i, j, [&](int y, int z, std::uint64_t bits) {
      for (; bits != 0; bits &= bits - 1)
        leaf_[at]->setValueOn(openvdb::Coord(i * leafNodes + std::countr_zero(bits), y, z),
                              static_cast<openvdb::Int32>(NodeType::Fluid));
    });
  }

  const BitLattice& fluid_;
  int z0_, columns_, rows_;
  std::vector<std::unique_ptr<Leaf>> leaf_;
  std::vector<std::uint8_t> isFull_;
};

// First link of every boundary node, and one after the last.
std::vector<std::uint64_t> firstLinks(const BoundaryNodes& boundary) {
  std::vector<std::uint64_t> first{0};
  first.reserve(boundary.mask.size() + 1);
  for (std::uint32_t mask : boundary.mask)
    first.push_back(first.back() + static_cast<std::uint64_t>(std::popcount(mask)));
  return first;
}

void fillTree(const LatticeGeometry& geometry, Grid::TreeType& tree) {
  const BoundaryNodes& boundary = geometry.boundary;
  const BitLattice& fluid = geometry.fluid;
  const std::vector<std::uint64_t> firstLink = firstLinks(boundary);
  const int layers = (fluid.size[2] + leafNodes - 1) / leafNodes;
  std::vector<std::unique_ptr<LeafLayer>> layer(static_cast<size_t>(layers));
  tbb::parallel_for(0, layers, [&](int k) {
    auto mine = std::make_unique<LeafLayer>(geometry, k * leafNodes);
    const std::uint64_t begin = fluid.nodeIndex(0, 0, k * leafNodes);
    const std::uint64_t end = fluid.nodeIndex(0, 0, (k + 1) * leafNodes);
    const auto first = std::lower_bound(boundary.node.begin(), boundary.node.end(), begin);
    for (auto at = first; at != boundary.node.end() && *at < end; ++at) {
      const auto b = static_cast<size_t>(at - boundary.node.begin());
      const auto patches = boundary.patch.begin();
      const bool opening = std::any_of(patches + static_cast<std::ptrdiff_t>(firstLink[b]),
                                       patches + static_cast<std::ptrdiff_t>(firstLink[b + 1]),
                                       [](Patch patch) { return isOpening(patch); });
      mine->setType(*at, opening ? NodeType::Opening : NodeType::Wall);
    }
    layer[static_cast<size_t>(k)] = std::move(mine);
  });
  for (auto& each : layer) each->moveTo(tree);
}

// OpenVDB takes a transform of spacing^3 < 3e-15 for singular, so fine lattices are in micrometres.
struct WorldUnit {
  const char* name;
  double perMetre;
};
WorldUnit worldUnitFor(double spacing) {
  return spacing > 2e-5 ? WorldUnit{"metres", 1.0} : WorldUnit{"micrometres", 1e6};
}

// OpenVDB multiplies row vectors: the rows are the images of the index axes.
openvdb::math::Transform::Ptr transformOf(const Frame& frame, double perMetre) {
  openvdb::Mat4R matrix = openvdb::Mat4R::identity();
  for (int a = 0; a < 3; ++a)
    for (int c = 0; c < 3; ++c) {
      const auto axis = static_cast<size_t>(a);
      const auto component = static_cast<size_t>(c);
      matrix[a][c] = perMetre * frame.spacing * frame.axis[axis][component];
      if (a == 0) matrix[3][c] = perMetre * frame.origin[component];
    }
  return openvdb::math::Transform::createLinearTransform(matrix);
}

// An archive written to a stream that can seek, as io::File does, so that other programs can read
// metadata without the grid.
class SeekableArchive : public openvdb::io::Archive {
 public:
  void writeTo(std::ostream& stream, const openvdb::GridCPtrVec& grids) const {
    Archive::write(stream, grids, true);
  }
};

// The header holds a random UUID of 36 characters after magic, versions and a flag; ours is made
// from the bytes around it.
void setContentUuid(std::string& bytes) {
  constexpr size_t place = 21;
  constexpr size_t length = 36;
  if (bytes.size() < place + length || bytes[place + 8] != '-' || bytes[place + 23] != '-')
    throw std::logic_error("OpenVDB's header is not laid out as in format 224");
  bytes.replace(place, length, length, '0');
  std::string uuid = hashBytes(bytes.data(), bytes.size());
  for (size_t at : {8U, 13U, 18U, 23U}) uuid.insert(at, "-");
  bytes.replace(place, length, uuid);
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

// Leaves of one layer share no words with another's.
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

void setTiles(const Grid::TreeType& tree, BitLattice& fluid) {
  auto value = tree.cbeginValueOn();
  value.setMaxDepth(Grid::TreeType::ValueOnCIter::LEAF_DEPTH - 1);
  for (; value; ++value) {
    const openvdb::CoordBBox box = value.getBoundingBox();
    setNode(fluid, box.max(), *value);
    for (auto at = box.begin(); at; ++at) setNode(fluid, *at, *value);
  }
}

}  // namespace

std::string nodeTypesToVdb(const LatticeGeometry& geometry, const std::string& writer) {
  openvdb::initialize();
  const Grid::Ptr grid = Grid::create(0);
  grid->setName("nodeType");
  const WorldUnit unit = worldUnitFor(geometry.frame.spacing);
  grid->setTransform(transformOf(geometry.frame, unit.perMetre));
  grid->insertMeta("units", openvdb::StringMetadata(unit.name));
  grid->insertMeta("values",
                   openvdb::StringMetadata("0 solid, 1 fluid, 2 at a wall, 3 at an opening"));
  grid->insertMeta("writer", openvdb::StringMetadata(writer));
  fillTree(geometry, grid->tree());
  SeekableArchive archive;
  archive.setCompression(openvdb::io::COMPRESS_ACTIVE_MASK | openvdb::io::COMPRESS_BLOSC);
  std::ostringstream stream(std::ios::binary);
  archive.writeTo(stream, {grid});
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

}  // namespace tessera
