// SPDX-License-Identifier: GPL-3.0-or-later
// Words that a node's ten moments (solver/model/moments.hpp) are stored in, and orders of a tile's
// words in memory. A format is one of
//   PlainMoments: the values as they are, 80 bytes a node in fp64 and 40 in fp32;
//   MixedMoments: density and momentum in fp32, second moments in fp16, 28 bytes a node.
// A state of moments is stepped in the arithmetic of its format (Real); rounding is part of pack(),
// after each step, also of those that are made in one pass, so that a pass of one step and a pass
// of two give the same bits.
#pragma once

#include <cstdint>

#include "solver/model/device_arithmetic.hpp"
#include "solver/model/moments.hpp"
#include "solver/model/precision/half.hpp"
#include "solver/model/precision/precision.hpp"

namespace tessera::solver::model {

// A node after its collision: r = rho - 1, momentum, and `scale` times the second moments less
// those of rest.
template <class T>
struct RelaxedMoments {
  T r;
  T j[3];
  T a[6];  // xx yy zz xy xz yz
};

// Formats have
//   scale: of second moments in RelaxedMoments and in what scaledValue() and unpackScaled() give;
//   scaledValue(word, n): value n of a node whose words are word(0), word(1), ...; reads no more of
//     them than it needs;
//   pack(node, words), reverse(words): the latter mirrors a node at its own place, so that its
//     populations are those of the opposite directions, to the bit.

template <class RealType>
struct PlainMoments {
  using Real = RealType;
  using Word = RealType;
  static constexpr int words = moment::count;
  static constexpr int scale = 1;

  template <class Get>
  TESSERA_HOST_DEVICE static Real scaledValue(const Get& word, int n) {
    return word(n);
  }
  // T: a number or a vector of numbers.
  template <class T>
  TESSERA_HOST_DEVICE static void pack(const RelaxedMoments<T>& node, T (&to)[words]) {
    storedMoments<Real>(node.r, node.j, node.a, to);
  }
  TESSERA_HOST_DEVICE static void reverse(Word (&m)[words]) {
    forEach<3>([&](auto axis) {
      const Real plus = m[2 * axis];
      const Real minus = m[2 * axis + 1];
      m[2 * axis] = axis == 0 ? minus : -minus;
      m[2 * axis + 1] = axis == 0 ? plus : -plus;
    });
  }
};

// 32 bits: a float, or two halves, 32768 times the values as all stored halves are.
struct MixedWord {
  std::uint32_t bits;
};
static_assert(sizeof(MixedWord) == 4);

// P+ and P- are made from the rounded second moments, so density and momentum keep all digits of
// fp32.
struct MixedMoments {
  using Real = float;
  using Word = MixedWord;
  static constexpr int words = 7;
  static constexpr int scale = ScaledHalf::scale;
  // Places of words; the first of two halves is in the lower bits.
  static constexpr int p = 0;  // P+, P-
  static constexpr int jy = 2;
  static constexpr int jz = 3;
  static constexpr int xyYy = 4;
  static constexpr int xzZz = 5;
  static constexpr int xxYz = 6;

  template <class Get>
  TESSERA_HOST_DEVICE static Real scaledValue(const Get& word, int n) {
    switch (n) {
      case moment::p:
        return number(word(p));
      case moment::p + 1:
        return number(word(p + 1));
      case moment::y:
        return multiplyAdd(3.0F / scale, first(word(xyYy)), number(word(jy)));
      case moment::y + 1:
        return multiplyAdd(-3.0F / scale, first(word(xyYy)), number(word(jy)));
      case moment::z:
        return multiplyAdd(3.0F / scale, first(word(xzZz)), number(word(jz)));
      case moment::z + 1:
        return multiplyAdd(-3.0F / scale, first(word(xzZz)), number(word(jz)));
      case moment::xx:
        return first(word(xxYz));
      case moment::yy:
        return second(word(xyYy));
      case moment::zz:
        return second(word(xzZz));
      default:
        return second(word(xxYz));
    }
  }
  TESSERA_HOST_DEVICE static void pack(const RelaxedMoments<float>& node, Word (&to)[words]) {
    to[xyYy] = halves(node.a[3], node.a[1]);
    to[xzZz] = halves(node.a[4], node.a[2]);
    to[xxYz] = halves(node.a[0], node.a[5]);
    const float rounded[6] = {
        first(to[xxYz]), second(to[xyYy]), second(to[xzZz]), 0.0F, 0.0F, 0.0F};
    float values[moment::count];
    storedMoments<float, scale>(node.r, node.j, rounded, values);
    to[p].bits = bitsOfFloat(values[moment::p]);
    to[p + 1].bits = bitsOfFloat(values[moment::p + 1]);
    to[jy].bits = bitsOfFloat(node.j[1]);
    to[jz].bits = bitsOfFloat(node.j[2]);
  }
  TESSERA_HOST_DEVICE static void reverse(Word (&m)[words]) {
    const Word plus = m[p];
    m[p] = m[p + 1];
    m[p + 1] = plus;
    m[jy].bits ^= 0x80000000U;
    m[jz].bits ^= 0x80000000U;
  }

  // Second moments are scaled.
  TESSERA_HOST_DEVICE static float number(Word word) { return floatOfBits(word.bits); }
  TESSERA_HOST_DEVICE static float first(Word word) {
    return floatOfHalfBits(static_cast<std::uint16_t>(word.bits & 0xffffU));
  }
  TESSERA_HOST_DEVICE static float second(Word word) {
    return floatOfHalfBits(static_cast<std::uint16_t>(word.bits >> 16U));
  }
  TESSERA_HOST_DEVICE static Word halves(float one, float two) { return {halfBitsOfTwo(one, two)}; }
};

// The format of a state of moments by its precision.
template <class Precision>
struct FormatOfMoments {
  using type = PlainMoments<typename Precision::Storage>;
};
template <>
struct FormatOfMoments<M32F16> {
  using type = MixedMoments;
};
template <class Variant>
using MomentFormat = typename FormatOfMoments<typename Variant::Precision>::type;

// Value n of a node.
template <class Format, class Get>
TESSERA_HOST_DEVICE typename Format::Real valueOf(const Get& word, int n) {
  const typename Format::Real value = Format::scaledValue(word, n);
  if constexpr (Format::scale == 1)
    return value;
  else
    return n < moment::xx ? value : value * (typename Format::Real{1} / Format::scale);
}

// The ten values of a node from its words.
template <class Format>
TESSERA_HOST_DEVICE AllMoments<typename Format::Real> unpackScaled(
    const typename Format::Word (&words)[Format::words]) {
  AllMoments<typename Format::Real> all;
  forEach<moment::count>(
      [&](auto n) { all.of[n] = Format::scaledValue([&](int k) { return words[k]; }, n); });
  return all;
}
template <class Format>
TESSERA_HOST_DEVICE AllMoments<typename Format::Real> unpack(
    const typename Format::Word (&words)[Format::words]) {
  AllMoments<typename Format::Real> all;
  forEach<moment::count>(
      [&](auto n) { all.of[n] = valueOf<Format>([&](int k) { return words[k]; }, n); });
  return all;
}

// Orders of the words of a tile: at(k, l) is the position of word k of local node l; value() and
// load() read one and all of the ten values of a node, store() writes its words.

template <class OrderType, class FormatType>
struct MomentOrder {
  using Format = FormatType;
  using Real = typename Format::Real;
  using Word = typename Format::Word;
  static constexpr std::uint64_t tileWords = std::uint64_t{Format::words} * 64;

  TESSERA_HOST_DEVICE static Real value(const Word* tile, int n, int l) {
    return valueOf<Format>([&](int k) { return tile[OrderType::at(k, l)]; }, n);
  }
  TESSERA_HOST_DEVICE static void store(const Word (&words)[Format::words], Word* tile, int l) {
    forEach<Format::words>([&](auto k) { tile[OrderType::at(k, l)] = words[k]; });
  }
};

// Word after word, each of the 64 nodes: on the CPU, whose vectors are of nodes, and in files.
template <class Format = PlainMoments<double>>
struct MomentsByValue : MomentOrder<MomentsByValue<Format>, Format> {
  TESSERA_HOST_DEVICE static constexpr unsigned at(int k, int l) {
    return static_cast<unsigned>(k) * 64U + static_cast<unsigned>(l);
  }
  TESSERA_HOST_DEVICE static AllMoments<typename Format::Real> load(
      const typename Format::Word* tile, int l) {
    typename Format::Word words[Format::words];
    for (int k = 0; k < Format::words; ++k) words[k] = tile[at(k, l)];
    return unpack<Format>(words);
  }
};

// Plane after plane on z, as columns of tiles are marched on a GPU; in a plane group after group of
// words, in a group the 16 bytes of node after node, two values in fp64 and four in fp32. A node
// is read by five or three loads; of what crosses a face on x, P, Y, Z of one sign and yy, zz, all
// lies in three or two groups.
template <class Format>
struct MomentsByPlane : MomentOrder<MomentsByPlane<Format>, Format> {
  using Real = typename Format::Real;
  static constexpr int group = 16 / static_cast<int>(sizeof(Real));
  static constexpr int plane = 16 * moment::count;
  // P+ Y+ Z+ zz, P- Y- Z- yy, xx yz in pairs; P+ Y+ Z+ yy, P- Y- Z- zz, xx yz in fours: both with
  // values of a sign together.
  TESSERA_HOST_DEVICE static constexpr int rank(int m) {
    // Digits of the ranks of values 9, 8, ... 0: an array, indexed at run time, would lie in local
    // memory.
    constexpr std::uint64_t pairs = 0x9378625140;
    constexpr std::uint64_t fours = 0x9738625140;
    return static_cast<int>((group == 2 ? pairs : fours) >> (4 * m) & 15U);
  }
  // Values of a node in the group of a rank.
  TESSERA_HOST_DEVICE static constexpr int width(int rank) {
    const int left = moment::count - rank / group * group;
    return left < group ? left : group;
  }
  TESSERA_HOST_DEVICE static constexpr unsigned at(int m, int l) {
    const int r = rank(m);
    return static_cast<unsigned>((l >> 4) * plane + r / group * group * 16 + (l & 15) * width(r) +
                                 r % group);
  }
  // By groups, whose loads the compiler leaves out where none of their values is used.
  TESSERA_HOST_DEVICE static AllMoments<Real> load(const Real* tile, int l) {
    AllMoments<Real> all;
    forEach<(moment::count + group - 1) / group>([&](auto g) {
      constexpr int first = g * group;
      struct alignas(sizeof(Real) * width(first)) Group {
        Real of[width(first)];
      };
      const Real* from = tile + (l >> 4) * plane + first * 16 + (l & 15) * width(first);
      const Group values = *reinterpret_cast<const Group*>(from);
      forEach<moment::count>([&](auto m) {
        constexpr int r = rank(m);
        if constexpr (r / group == g) all.of[m] = values.of[r % group];
      });
    });
    return all;
  }
};

// Groups of four words, of two and of one: P+ P- jy jz, then xy yy xz zz, then xx yz.
template <>
struct MomentsByPlane<MixedMoments> : MomentOrder<MomentsByPlane<MixedMoments>, MixedMoments> {
  static constexpr int plane = 16 * MixedMoments::words;
  static constexpr int pairs = 16 * 4;  // in a plane
  static constexpr int last = 16 * 6;
  TESSERA_HOST_DEVICE static constexpr unsigned at(int k, int l) {
    const int in = l & 15;
    const int inPlane = k < 4 ? 4 * in + k : k < 6 ? pairs + 2 * in + k - 4 : last + in;
    return static_cast<unsigned>((l >> 4) * plane + inPlane);
  }
  TESSERA_HOST_DEVICE static AllMoments<float> load(const MixedWord* tile, int l) {
    struct alignas(16) Four {
      MixedWord of[4];
    };
    struct alignas(8) Two {
      MixedWord of[2];
    };
    const MixedWord* from = tile + (l >> 4) * plane;
    const int in = l & 15;
    const Four four = reinterpret_cast<const Four*>(from)[in];
    const Two two = reinterpret_cast<const Two*>(from + pairs)[in];
    const MixedWord words[MixedMoments::words] = {
        four.of[0], four.of[1], four.of[2], four.of[3], two.of[0], two.of[1], from[last + in]};
    return unpack<MixedMoments>(words);
  }
};

// Start of the words of the tile in a slot; 64-bit, so right beyond 2^32 elements.
template <class Order = MomentsByValue<>>
TESSERA_HOST_DEVICE constexpr std::uint64_t momentTile(std::uint32_t slot) {
  return slot * Order::tileWords;
}
// Index of word k of local node l of the tile in a slot.
template <class Order = MomentsByValue<>>
TESSERA_HOST_DEVICE constexpr std::uint64_t momentIndex(std::uint32_t slot, int k, int l) {
  return momentTile<Order>(slot) + Order::at(k, l);
}

}  // namespace tessera::solver::model
