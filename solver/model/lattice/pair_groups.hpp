// SPDX-License-Identifier: GPL-3.0-or-later
// Sums over pairs of opposite directions that give a node and its mirror image the same bits. The
// mirror exchanges only pairs that go along the same axes: one along an axis, two in a plane, four
// across the corners, which stand together in the tables. So each such group is summed first, two
// by two: the sum of two does not depend on their order, nor does that of two such sums.
#pragma once

#include "solver/model/lattice/lattice.hpp"

namespace tessera::solver::model {

// Pair k is the directions 2 k + 1 and 2 k + 2. How many pairs from `first` on go along its axes.
template <LatticeModel Lattice>
constexpr int pairsAlike(int first) {
  const auto alike = [](int k, int l) {
    for (std::size_t a = 0; a < 3; ++a)
      if ((Lattice::c[static_cast<std::size_t>(2 * k + 1)][a] == 0) !=
          (Lattice::c[static_cast<std::size_t>(2 * l + 1)][a] == 0))
        return false;
    return true;
  };
  int count = 1;
  while (first + count < (Lattice::q - 1) / 2 && alike(first, first + count)) ++count;
  return count;
}

// Component of the first direction of pair k along an axis.
template <LatticeModel Lattice>
constexpr int componentOfPair(int k, std::size_t axis) {
  return Lattice::c[static_cast<std::size_t>(2 * k + 1)][axis];
}

// The first pair that goes along both axes.
template <LatticeModel Lattice>
constexpr int firstPairAlong(std::size_t a, std::size_t b) {
  for (int k = 0; k < (Lattice::q - 1) / 2; ++k)
    if (componentOfPair<Lattice>(k, a) * componentOfPair<Lattice>(k, b) != 0) return k;
  return -1;
}
template <LatticeModel Lattice>
constexpr int firstPairAlong(std::size_t axis) {
  return firstPairAlong<Lattice>(axis, axis);
}

// visit(first pair, number of pairs) as integral constants, group by group.
template <LatticeModel Lattice, int first = 0, class Visit>
TESSERA_HOST_DEVICE constexpr void forPairGroups(Visit&& visit) {
  if constexpr (first < (Lattice::q - 1) / 2) {
    constexpr int count = pairsAlike<Lattice>(first);
    static_assert(count == 1 || count == 2 || count == 4,
                  "a group of the lattice's table is broken");
    visit(std::integral_constant<int, first>{}, std::integral_constant<int, count>{});
    forPairGroups<Lattice, first + count>(visit);
  }
}

// term(k) for integral constants k = first .. first + count - 1, two by two.
template <int first, int count, class Term>
TESSERA_HOST_DEVICE constexpr auto sumTwoByTwo(const Term& term) {
  if constexpr (count == 1)
    return term(std::integral_constant<int, first>{});
  else
    return sumTwoByTwo<first, count / 2>(term) + sumTwoByTwo<first + count / 2, count / 2>(term);
}

template <int sign, class T>
TESSERA_HOST_DEVICE constexpr T withSign(const T& x) {
  static_assert(sign == 1 || sign == -1);
  if constexpr (sign == 1)
    return x;
  else
    return -x;
}

}  // namespace tessera::solver::model
