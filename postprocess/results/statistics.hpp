// SPDX-License-Identifier: GPL-3.0-or-later
// Parallel sums in a fixed order; area-weighted statistics of values per triangle.
#pragma once

#include <tbb/parallel_for.h>
#include <algorithm>
#include <cstddef>
#include <vector>

#include "postprocess/results/results.hpp"

namespace tessera::postprocess::results {

// Statistics of a value per triangle, weighted by area: p50 is exceeded on half of the area. NaN
// values are left out; all zero without values.
ShearStatistics areaStatistics(const std::vector<double>& values, const std::vector<double>& area);

// term(begin, end) returns the sum over [begin, end), term(0, 0) zero; join(sum, part) adds a part.
// They must not throw.
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
