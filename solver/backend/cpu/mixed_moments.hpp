// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles of mixed moments (model::MixedMoments) on the CPU. The rows of nodes that a step of a tile
// reads are unpacked into tiles of floats first, from which the step goes on as with plain moments;
// its results are packed again.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "solver/backend/cpu/vectors.hpp"
#include "solver/model/moment_format.hpp"

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace tessera::solver::backend {

// The halves of a row of four nodes, the first of each pair and the second, as values.
struct HalvesOfRow {
  using Row = Vector<float, 16>::type;
  Row first;
  Row second;
};
inline HalvesOfRow halvesOfRow(const model::MixedWord* words) {
  HalvesOfRow row;
  constexpr float unit = 1.0F / model::MixedMoments::scale;
#if defined(__F16C__)
  const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(words));
  // Words of 16 bits: the first halves of the four nodes, then the second.
  const __m128i apart =
      _mm_shuffle_epi8(bits, _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15));
  row.first = unit * _mm_cvtph_ps(apart);
  row.second = unit * _mm_cvtph_ps(_mm_unpackhi_epi64(apart, apart));
#else
  for (int k = 0; k < 4; ++k) {
    row.first[k] = unit * model::MixedMoments::first(words[k]);
    row.second[k] = unit * model::MixedMoments::second(words[k]);
  }
#endif
  return row;
}

// A tile of ten values, as MomentsByValue<PlainMoments<float>>.
using UnpackedTile = std::array<float, model::moment::count * 64>;

// Unpacks row r = y + 4 z.
inline void unpackRow(const model::MixedWord* tile, int r, UnpackedTile& to) {
  using Mixed = model::MixedMoments;
  using Row = HalvesOfRow::Row;
  namespace moment = model::moment;
  const auto number = [&](int k) {
    Row row;
    std::memcpy(&row, tile + 64 * k + 4 * r, sizeof(row));
    return row;
  };
  const auto put = [&](int n, const Row& row) {
    std::memcpy(&to[static_cast<std::size_t>(64 * n + 4 * r)], &row, sizeof(row));
  };
  const HalvesOfRow xyYy = halvesOfRow(tile + 64 * Mixed::xyYy + 4 * r);
  const HalvesOfRow xzZz = halvesOfRow(tile + 64 * Mixed::xzZz + 4 * r);
  const HalvesOfRow xxYz = halvesOfRow(tile + 64 * Mixed::xxYz + 4 * r);
  const Row jy = number(Mixed::jy);
  const Row jz = number(Mixed::jz);
  put(moment::p, number(Mixed::p));
  put(moment::p + 1, number(Mixed::p + 1));
  put(moment::y, model::multiplyAdd(3.0F, xyYy.first, jy));
  put(moment::y + 1, model::multiplyAdd(-3.0F, xyYy.first, jy));
  put(moment::z, model::multiplyAdd(3.0F, xzZz.first, jz));
  put(moment::z + 1, model::multiplyAdd(-3.0F, xzZz.first, jz));
  put(moment::xx, xxYz.first);
  put(moment::yy, xyYy.second);
  put(moment::zz, xzZz.second);
  put(moment::yz, xxYz.second);
}

// A tile and its neighbours, as far as a step of D3Q19 reads them: the whole tile, the nearest rows
// of its neighbours at faces and edges.
class UnpackedNeighbours {
 public:
  // state: of all slots; row: of the neighbour table.
  void unpack(const model::MixedWord* state, const std::int32_t* row) {
    using Order = model::MomentsByValue<model::MixedMoments>;
    for (int n = 0; n < 27; ++n) {
      const int x = n % 3 - 1;
      const int y = n / 3 % 3 - 1;
      const int z = n / 9 - 1;
      if (x * y * z != 0) continue;
      const model::MixedWord* tile =
          state + model::momentTile<Order>(static_cast<std::uint32_t>(row[n]));
      UnpackedTile& to = tiles_[static_cast<std::size_t>(n)];
      for (int rz = nearest(z); rz <= farthest(z); ++rz)
        for (int ry = nearest(y); ry <= farthest(y); ++ry) unpackRow(tile, ry + 4 * rz, to);
    }
  }
  [[nodiscard]] std::array<const float*, 27> around() const {
    std::array<const float*, 27> all;
    for (std::size_t n = 0; n < 27; ++n) all[n] = tiles_[n].data();
    return all;
  }

 private:
  // Rows of a neighbour on this side that meet the tile.
  static int nearest(int side) { return side < 0 ? 3 : 0; }
  static int farthest(int side) { return side > 0 ? 0 : 3; }

  alignas(64) std::array<UnpackedTile, 27> tiles_;
};

// As TilePacker (cpu/moment_tile.hpp). Halves of a word come from different vectors, so words are
// made of them when all nodes are there. words: of the tile, word after word.
class MixedPacker {
 public:
  using Value = Vector<float>::type;

  void put(const model::RelaxedMoments<Value>& node, int l, model::MixedWord (*words)[64]) {
    using Mixed = model::MixedMoments;
    constexpr int order[6] = {3, 1, 4, 2, 0, 5};
    Value rounded[6] = {};
    for (int h = 0; h < 6; ++h) {
      storeVector<model::F16>(node.a[order[h]], &halves_[h][l]);
      rounded[order[h]] = loadVector<model::F16>(&halves_[h][l]);
    }
    Value values[model::moment::count];
    model::storedMoments<float, Mixed::scale>(node.r, node.j, rounded, values);
    const Value* const numbers[4] = {&values[model::moment::p], &values[model::moment::p + 1],
                                     &node.j[1], &node.j[2]};
    for (int k = 0; k < Mixed::xyYy; ++k) std::memcpy(&words[k][l], numbers[k], sizeof(Value));
  }
  void finish(model::MixedWord (*words)[64]) const {
    for (int pair = 0; pair < 3; ++pair)
      for (int l = 0; l < 64; ++l)
        words[model::MixedMoments::xyYy + pair][l].bits =
            std::uint32_t{halves_[2 * pair][l].bits} | std::uint32_t{halves_[2 * pair + 1][l].bits}
                                                           << 16U;
  }

 private:
  alignas(64) model::ScaledHalf halves_[6][64];  // xy, yy, xz, zz, xx, yz
};

}  // namespace tessera::solver::backend
