// SPDX-License-Identifier: GPL-3.0-or-later
// Sums over the nodes in parallel with the same bits for any number of threads: chunks of a fixed
// size, each summed in order, their sums added in order.
#pragma once

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tessera::postprocess::results {

// term(begin, end) gives the sum over [begin, end), term(0, 0) the zero; join(sum, part) adds a
// part. Nothing may throw.
template <class Term, class Join>
auto orderedSum(std::size_t count, const Term& term, const Join& join) {
  constexpr std::size_t chunk = std::size_t{1} << 15U;
  std::vector<decltype(term(count, count))> parts((count + chunk - 1) / chunk);
  tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t k) {
    parts[k] = term(k * chunk, std::min(count, (k + 1) * chunk));
  });
  auto sum = term(0, 0);
  for (const auto& part : parts) join(sum, part);
  return sum;
}

}  // namespace tessera::postprocess::results
