// SPDX-License-Identifier: GPL-3.0-or-later
// One step and two steps of a column of tiles in a march along z (gpu/columns_march.cuh). Traffic
// per node of one step: 10 reads and 10 writes (160 B in fp64, 80 B in fp32, 56 B mixed), and reads
// from the L2 cache of one node around the column: for 16x16 nodes 24 B a node in fp64 and 14 B in
// fp32. Two steps in a pass move the same for both, with two nodes around: the plane that the first
// step has finished is rebuilt at once and met by the second step one plane later.
#pragma once

#include "solver/backend/gpu/columns_march.cuh"
#include "solver/backend/gpu/intrinsics.hpp"
#include "solver/backend/gpu/runtime.hpp"

namespace tessera::solver::backend {

// Threads of a block: one for each node of the column in a plane, a team for two tiles side by side
// on y; then for the rows beside it on y and the columns beside it on x (and the corners), in
// wavefronts of their own; for two steps those of the corners as well.
template <class Real, int tilesX, int tilesY>
struct ColumnShape {
  static constexpr int tx = tilesX;
  static constexpr int ty = tilesY;
  static constexpr int nx = 4 * tilesX;
  static constexpr int ny = 4 * tilesY;
  static constexpr int rowWidth = tx + 2;
  static constexpr int row = rowWidth * (ty + 2);  // entries of a row of the table
  static constexpr int inside = nx * ny;
  static constexpr int besideY = wholeWaves(2 * nx);
  static constexpr int besideX = wholeWaves(2 * ny);
  static constexpr int corners = wholeWaves(16);
  static constexpr int threadsOfOne = inside + besideY + besideX;
  static constexpr int threadsOfTwo = threadsOfOne + corners;
  using Near = PlaneBuffer<nx, ny, 1>;
  using Far = PlaneBuffer<nx, ny, 2>;
  static constexpr unsigned barriers = 2 * splitBarrierBytes;
  static constexpr unsigned sharedOfOne = barriers + 2 * Near::values * sizeof(Real);
  static constexpr unsigned sharedOfTwo =
      barriers + 2 * (Near::values + Far::values) * sizeof(Real);
  // Entry of the tile of a node, coordinates from -4.
  __device__ static __forceinline__ int entryAt(int x, int y) {
    return ((y + 4) >> 2) * rowWidth + ((x + 4) >> 2);
  }
};

__device__ __forceinline__ int nodeOfPlane(int x, int y) {
  return (x & 3) + 4 * (y & 3);
}

// Tiles of a thread's column of nodes in three layers, as the march moves up, and what its team
// knows of them. The layer after those is loaded while the march is in them.
template <int row>  // entries of a row of the table
class MarchedTiles {
 public:
  // rows: of the table; at: this thread's entry of the layer below the piece.
  __device__ __forceinline__ MarchedTiles(const domain::ColumnTile* rows, unsigned at)
      : at_(at + 3 * row),
        now(loadTile(rows + at)),
        above(loadTile(rows + at + row)),
        next_(loadTile(rows + at + 2 * row)) {
    nowAny = any(now);
    aboveAny = any(above);
    clean = allClean(now) && allClean(above);
  }
  // Tile of the state to read next, for plane z + 1 of the march.
  __device__ __forceinline__ domain::ColumnTile tileAfter(int z) const {
    return {z == 3 ? above.slot : now.slot, z == 3 ? above.masks : now.masks};
  }
  __device__ __forceinline__ bool anyAfter(int z) const { return z == 3 ? aboveAny : nowAny; }
  // One layer up. left: layers from the new one on, including the one above the piece.
  __device__ __forceinline__ void moveUp(const domain::ColumnTile* rows, int left) {
    const bool cleanBelow = allClean(now);
    belowAny = nowAny;
    writtenBelow = writtenNow;
    now = above;
    nowAny = aboveAny;
    aboveAny = false;
    if (left > 1) {
      above = next_;
      aboveAny = any(above);
    }
    if (left > 2) {
      next_ = loadTile(rows + at_);
      at_ += row;
    }
    writtenNow =
        left <= 1 || (now.slot & (domain::ColumnTile::foreign | signBit)) != 0 ? -1 : now.slot;
    clean = cleanBelow && allClean(now) && allClean(above);
  }

 private:
  static constexpr std::int32_t signBit = std::int32_t{1} << 31;
  __device__ static __forceinline__ bool any(const domain::ColumnTile& tile) {
    return anyLane(tile.slot >= 0);
  }
  __device__ static __forceinline__ bool allClean(const domain::ColumnTile& tile) {
    return allLanes(tile.slot >= 0 && tile.masks < 0);
  }
  unsigned at_;

 public:
  domain::ColumnTile now, above;

 private:
  domain::ColumnTile next_;

 public:
  std::int32_t writtenNow = -1, writtenBelow = -1;  // slots of tiles to write; -1: none
  bool nowAny, aboveAny, belowAny = false;          // a tile of the team is there
  bool clean;                                       // no wall and no missing tile in three layers
};

// One step. March of planes from the top one of the layer below to the bottom one above.
template <class Variant, class Shape, bool forced, int blocksPerProcessor>
__global__ void TESSERA_LAUNCH_BOUNDS(Shape::threadsOfOne, blocksPerProcessor)
    columnKernel(const DeviceColumns<model::MomentFormat<Variant>> columns,
                 const model::MomentRelaxation<typename Variant::Real> relaxation) {
  using L = typename Variant::Lattice;
  using Real = typename Variant::Real;
  using Format = model::MomentFormat<Variant>;
  using Buffer = typename Shape::Near;
  using Move = Exchange<L, Buffer, Format>;
  using Word = typename Format::Word;
  using Planes = MomentPlanes<Format>;
  letNextBegin();
  TESSERA_DYNAMIC_SHARED(sharedBytes);
  Real* const buffers = reinterpret_cast<Real*>(sharedBytes + Shape::barriers);
  const SplitBarrier barrier(sharedBytes, Shape::threadsOfOne, 1);
  const auto thread = static_cast<int>(threadIdx.x);
  const domain::ColumnPiece piece = columns.pieces[blockIdx.x];
  const unsigned rows = piece.firstRow * Shape::row;
  const int last = 4 * static_cast<int>(piece.layers) + 1;
  if (thread == 0) barrier.init();
  __syncthreads();
  waitForEarlier();
  if (thread < Shape::inside) {
    const int tile = thread >> 4;
    const int l = thread & 15;
    const int x = 4 * (tile / Shape::ty) + (l & 3);
    const int y = 4 * (tile % Shape::ty) + (l >> 2);
    Real* const place = buffers + Buffer::at(x, y);
    MarchedTiles<Shape::row> tiles(columns.rows, rows + Shape::entryAt(x, y));
    int active = (tiles.nowAny ? 15 : 0) | (tiles.aboveAny ? 8 : 0);  // planes with work, by bits
    Word m[Format::words] = {};
    if (tiles.now.slot >= 0) Planes::load(columns.now + columns.plane(tiles.now.slot, 3), l, m);
    MarchingNode<L, Buffer, Format> node;
    std::uint32_t mask = 0;
    std::uint32_t maskBelow = 0;
#pragma unroll 1
    for (int k = 0; k <= last; ++k) {
      const int z = (k + 3) & 3;
      Real* const own = place + (k & 1) * Buffer::values;
      const Real* const ownBelow = place + ((k + 1) & 1) * Buffer::values;
      OwnPopulations<Real> populations{};
      if (tiles.nowAny) populations = Move::leaveAll(m, own);
      std::uint32_t maskAbove = 0;
      if (k < last && tiles.anyAfter(z)) {
        const domain::ColumnTile tile = tiles.tileAfter(z);
        if (tile.slot >= 0) Planes::load(columns.now + columns.plane(tile.slot, (z + 1) & 3), l, m);
        if (!tiles.clean) maskAbove = columns.mask(tile, (z + 1) & 3, l);
      }
      barrier.arrive();
      barrier.wait(k);
      if ((active >> z & 1) != 0) {
        const std::int32_t written = z == 0 ? tiles.writtenBelow : tiles.writtenNow;
        storeNode<Variant, forced, model::separateBit>(
            node.finish(own, ownBelow, populations.down, maskBelow), relaxation,
            columns.next + columns.plane(written, (z + 3) & 3), l, written >= 0, tiles.clean,
            maskBelow);
        node.begin(own, populations, mask);
      }
      maskBelow = mask;
      mask = maskAbove;
      if (z == 3) {
        tiles.moveUp(columns.rows, (last - k + 3) / 4);
        active = (tiles.nowAny ? 15 : 0) | (tiles.belowAny ? 1 : 0) | (tiles.aboveAny ? 8 : 0);
      }
    }
  } else if (thread < Shape::inside + Shape::besideY) {
    const int k0 = (thread - Shape::inside) % (2 * Shape::nx);
    const bool high = k0 >= Shape::nx;
    const int x = high ? k0 - Shape::nx : k0;
    const int y = high ? Shape::ny : -1;
    const int l = nodeOfPlane(x, y);
    Real* const place = buffers + Buffer::at(x, y);
    const domain::ColumnTile* tiles = columns.rows + rows + Shape::entryAt(x, y);
    std::int32_t slot = tiles[0].slot;
    std::int32_t above = tiles[Shape::row].slot;
    tiles += 2 * Shape::row;
    Word m[Format::words] = {};
    if (slot >= 0) Planes::load(columns.now + columns.plane(slot, 3), l, m);
#pragma unroll 1
    for (int k = 0; k <= last; ++k) {
      if (high) Format::reverse(m);
      Move::leaveAlongY(m, high, place + (k & 1) * Buffer::values);
      if ((k & 3) == 0) {
        slot = above;
        if (k + 4 <= last) {
          above = tiles->slot;
          tiles += Shape::row;
        }
      }
      if (k < last && slot >= 0) Planes::load(columns.now + columns.plane(slot, k & 3), l, m);
      barrier.arrive();
      barrier.wait(k);
    }
  } else {
    const int k0 = (thread - Shape::inside - Shape::besideY) % (2 * Shape::ny);
    const bool high = k0 >= Shape::ny;
    const int x = high ? Shape::nx : -1;
    const int y = high ? k0 - Shape::ny : k0;
    const int l = nodeOfPlane(x, y);
    const bool corner = y == 0 || y == Shape::ny - 1;
    const int yCorner = y == 0 ? -1 : Shape::ny;
    const int lCorner = nodeOfPlane(x, yCorner);
    Real* const place = buffers + Buffer::at(x, y);
    Real* const placeCorner = buffers + Buffer::at(x, yCorner);
    const domain::ColumnTile* tiles = columns.rows + rows + Shape::entryAt(x, y);
    const domain::ColumnTile* tilesCorner = columns.rows + rows + Shape::entryAt(x, yCorner);
    std::int32_t slot = tiles[0].slot;
    std::int32_t above = tiles[Shape::row].slot;
    std::int32_t slotCorner = corner ? tilesCorner[0].slot : -1;
    std::int32_t aboveCorner = corner ? tilesCorner[Shape::row].slot : -1;
    tiles += 2 * Shape::row;
    tilesCorner += 2 * Shape::row;
    typename Planes::FaceX m{};
    typename Planes::FaceX mCorner{};
    const auto read = [&](int z) {
      if (slot >= 0) Planes::loadFaceX(columns.now + columns.plane(slot, z), l, high, m);
      if (slotCorner >= 0)
        Planes::loadFaceX(columns.now + columns.plane(slotCorner, z), lCorner, high, mCorner);
    };
    read(3);
#pragma unroll 1
    for (int k = 0; k <= last; ++k) {
      const int buffer = (k & 1) * Buffer::values;
      Move::leaveAlongX(Planes::faceX(m, high), high, place + buffer);
      if (corner)
        Move::leaveDiagonal(Planes::faceX(mCorner, high), high, y == 0, placeCorner + buffer);
      if ((k & 3) == 0) {
        slot = above;
        slotCorner = aboveCorner;
        if (k + 4 <= last) {
          above = tiles->slot;
          tiles += Shape::row;
          if (corner) {
            aboveCorner = tilesCorner->slot;
            tilesCorner += Shape::row;
          }
        }
      }
      if (k < last) read(k & 3);
      barrier.arrive();
      barrier.wait(k);
    }
  }
}

// A thread of two steps beside the column: whose node it is, and of which node two away it leaves
// the populations too.
enum class Beside { Y, X, Corner };

// Two steps. inside: of the column's own nodes; otherwise of those around it, which make the first
// step and leave its populations for the second (steps: not those at corners that are two away).
template <class Variant, class Shape, bool forced, bool inside>
__device__ __forceinline__ void marchTwice(
    const DeviceColumns<model::MomentFormat<Variant>>& columns,
    const model::MomentRelaxation<typename Variant::Real>& relaxation,
    const domain::ColumnPiece& piece, typename Variant::Real* buffers, const SplitBarrier& first,
    const SplitBarrier& second, int x, int y, Beside beside, bool high, bool steps) {
  using L = typename Variant::Lattice;
  using Real = typename Variant::Real;
  using Format = model::MomentFormat<Variant>;
  using MoveOne = Exchange<L, typename Shape::Far, Format>;
  using MoveTwo = Exchange<L, typename Shape::Near, Format>;
  using Word = typename Format::Word;
  using Planes = MomentPlanes<Format>;
  const int last = 4 * static_cast<int>(piece.layers) + 4;
  const int l = nodeOfPlane(x, y);
  Real* const placeOne = buffers + Shape::Far::at(x, y);
  Real* const placeTwo = buffers + 2 * Shape::Far::values + Shape::Near::at(x, y);
  const int farX = !inside && beside == Beside::X ? (high ? x + 1 : x - 1) : x;
  const int farY = !inside && beside == Beside::Y ? (high ? y + 1 : y - 1) : y;
  const int lFar = nodeOfPlane(farX, farY);
  const int toFar = (farY - y) * Shape::Far::pitch + farX - x;
  MarchedTiles<Shape::row> tiles(columns.rows, piece.firstRow * Shape::row + Shape::entryAt(x, y));
  int activeOne = (tiles.nowAny ? 15 : 0) | (tiles.aboveAny ? 8 : 0);
  int activeTwo = tiles.nowAny ? 14 : 0;
  Word m[Format::words] = {};
  Word far[Format::words] = {};
  typename Planes::FaceX farFace{};
  const auto read = [&](std::int32_t slot, int z) {
    if (slot < 0) return;
    const Word* plane = columns.now + columns.plane(slot, z);
    Planes::load(plane, l, m);
    if constexpr (!inside) {
      if (beside == Beside::Y) Planes::load(plane, lFar, far);
      if (beside == Beside::X) Planes::loadFaceX(plane, lFar, high, farFace);
    }
  };
  std::uint32_t mask = tiles.clean ? 0 : columns.mask(tiles.now, 2, l);
  std::uint32_t maskBelow = tiles.clean ? 0 : 1U << model::solidBit;  // of step one
  std::uint32_t maskOfTwo = maskBelow;
  std::uint32_t maskBelowOfTwo = maskBelow;
  read(tiles.now.slot, 2);
  MarchingNode<L, typename Shape::Far, Format> one;
  MarchingNode<L, typename Shape::Near, Format> two;
  OwnPopulations<Real> populationsOfTwo{};
#pragma unroll 1
  for (int k = 0; k <= last; ++k) {
    const int z = (k + 2) & 3;
    Real* const ownOne = placeOne + (k & 1) * Shape::Far::values;
    const Real* const ownBelowOne = placeOne + ((k + 1) & 1) * Shape::Far::values;
    Real* const ownTwo = placeTwo + (k & 1) * Shape::Near::values;
    const Real* const ownTwoBefore = placeTwo + ((k + 1) & 1) * Shape::Near::values;
    OwnPopulations<Real> populations{};
    std::uint32_t maskAbove = 0;
    const bool reads = k < last;
    if (reads) {
      if (tiles.nowAny) {
        populations = MoveOne::leaveAll(m, ownOne);
        if constexpr (!inside) {
          if (beside == Beside::Y) {
            if (high) Format::reverse(far);
            MoveOne::leaveAlongY(far, high, ownOne + toFar);
          } else if (beside == Beside::X) {
            MoveOne::leaveAlongX(Planes::faceX(farFace, high), high, ownOne + toFar);
          }
        }
      }
      if (k + 1 < last) {
        if (tiles.anyAfter(z)) {
          const domain::ColumnTile tile = tiles.tileAfter(z);
          read(tile.slot, (z + 1) & 3);
          if (!tiles.clean) maskAbove = columns.mask(tile, (z + 1) & 3, l);
        } else {
          maskAbove = 1U << model::solidBit;
        }
      }
      first.arrive();
    }
    // Step two of the plane below, whose populations were left in the turn before.
    if constexpr (inside) {
      if (k > 0) second.wait(k - 1);
      if ((activeTwo >> z & 1) != 0) {
        const std::int32_t written = z == 3 ? tiles.writtenNow : tiles.writtenBelow;
        storeNode<Variant, forced, model::separateOfTwoBit>(
            two.finish(ownTwoBefore, ownTwo, populationsOfTwo.down, maskBelowOfTwo), relaxation,
            columns.next + columns.plane(written, (z + 1) & 3), l, written >= 0, tiles.clean,
            maskBelowOfTwo);
        two.begin(ownTwoBefore, populationsOfTwo, maskOfTwo);
      }
    }
    if (reads) {
      first.wait(k);
      if ((activeOne >> z & 1) != 0 && steps) {
        Word words[Format::words];
        model::collideToWords<Format, typename Variant::Equilibrium, forced>(
            one.finish(ownOne, ownBelowOne, populations.down, maskBelow), relaxation, words);
        one.begin(ownOne, populations, mask);
        populationsOfTwo = MoveTwo::leaveAll(words, ownTwo);
      }
      if constexpr (inside)
        second.arrive();
      else
        second.arriveOnly();
    }
    maskBelowOfTwo = maskOfTwo;
    maskOfTwo = maskBelow;
    maskBelow = mask;
    mask = maskAbove;
    if (z == 3) {
      tiles.moveUp(columns.rows, (last - k + 1) / 4);
      activeOne = (tiles.nowAny ? 15 : 0) | (tiles.belowAny ? 1 : 0) | (tiles.aboveAny ? 8 : 0);
      activeTwo = (tiles.belowAny ? 7 : 0) | (tiles.nowAny ? 14 : 0);
    }
  }
}

template <class Variant, class Shape, bool forced>
__global__ void TESSERA_LAUNCH_BOUNDS(Shape::threadsOfTwo, 1)
    columnTwiceKernel(const DeviceColumns<model::MomentFormat<Variant>> columns,
                      const model::MomentRelaxation<typename Variant::Real> relaxation) {
  using Real = typename Variant::Real;
  letNextBegin();
  TESSERA_DYNAMIC_SHARED(sharedBytes);
  Real* const buffers = reinterpret_cast<Real*>(sharedBytes + Shape::barriers);
  const SplitBarrier first(sharedBytes, Shape::threadsOfTwo, 1);
  const SplitBarrier second(sharedBytes + splitBarrierBytes, Shape::threadsOfTwo, 2);
  const auto thread = static_cast<int>(threadIdx.x);
  const domain::ColumnPiece piece = columns.pieces[blockIdx.x];
  if (thread == 0) {
    first.init();
    second.init();
  }
  __syncthreads();
  waitForEarlier();
  if (thread < Shape::inside) {
    const int tile = thread >> 4;
    marchTwice<Variant, Shape, forced, true>(
        columns, relaxation, piece, buffers, first, second, 4 * (tile / Shape::ty) + (thread & 3),
        4 * (tile % Shape::ty) + (thread >> 2 & 3), Beside::Y, false, true);
    return;
  }
  const int around = thread - Shape::inside;
  Beside beside = Beside::Corner;
  bool high = false;
  bool steps = true;
  int x;
  int y;
  if (around < Shape::besideY) {
    const int k = around % (2 * Shape::nx);
    beside = Beside::Y;
    high = k >= Shape::nx;
    x = high ? k - Shape::nx : k;
    y = high ? Shape::ny : -1;
  } else if (around < Shape::besideY + Shape::besideX) {
    const int k = (around - Shape::besideY) % (2 * Shape::ny);
    beside = Beside::X;
    high = k >= Shape::ny;
    x = high ? Shape::nx : -1;
    y = high ? k - Shape::ny : k;
  } else {
    // Four corners of 2 x 2 nodes, of which the nearest makes the first step.
    const int k = around & 15;
    const int far = k & 3;
    x = (k & 4) != 0 ? Shape::nx + (far & 1) : -1 - (far & 1);
    y = (k & 8) != 0 ? Shape::ny + (far >> 1) : -1 - (far >> 1);
    steps = far == 0 && around - Shape::besideY - Shape::besideX < 16;
  }
  marchTwice<Variant, Shape, forced, false>(columns, relaxation, piece, buffers, first, second, x,
                                            y, beside, high, steps);
}

}  // namespace tessera::solver::backend
