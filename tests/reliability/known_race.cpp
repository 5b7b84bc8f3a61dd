// SPDX-License-Identifier: GPL-3.0-or-later
// Races in loops by TBB under ThreadSanitizer (tbb_order.cpp): `known_race none` repeats loops
// without a race and is silent, `known_race one` has one, which is reported. On sixteen threads,
// however few cores: TBB's own memory then moves from thread to thread.
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_sort.h>

#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>

namespace {

using Range = tbb::blocked_range<std::size_t>;

void withoutRace(std::size_t size) {
  std::vector<double> a(size, 1.0);
  tbb::affinity_partitioner places;
  for (int round = 0; round < 200; ++round) {
    tbb::parallel_for(Range(0, size), [&](const Range& range) {
      for (std::size_t i = range.begin(); i != range.end(); ++i) a[i] += 1.0;
    });
    a[0] += tbb::parallel_reduce(
        Range(0, size, 64), 0.0,
        [&](const Range& range, double sum) {
          return std::accumulate(a.begin() + static_cast<std::ptrdiff_t>(range.begin()),
                                 a.begin() + static_cast<std::ptrdiff_t>(range.end()), sum);
        },
        [](double left, double right) { return left + right; });
    tbb::parallel_for(
        Range(0, size),
        [&](const Range& range) {
          for (std::size_t i = range.begin(); i != range.end(); ++i) a[i] *= 0.5;
        },
        places);
    tbb::parallel_sort(a.begin(), a.end());
  }
  std::printf("%g\n", a[0]);
}

void withRace(std::size_t size) {
  std::vector<double> sums(1, 0.0);
  for (int round = 0; round < 200; ++round)
    tbb::parallel_for(Range(0, size, 16), [&](const Range& range) {
      for (std::size_t i = range.begin(); i != range.end(); ++i) sums[0] += 1.0;
    });
  std::printf("%g\n", sums[0]);
}

}  // namespace

int main(int argc, char** argv) {
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 16);
  if (argc == 2 && std::strcmp(argv[1], "none") == 0) {
    withoutRace(5000);
    return 0;
  }
  if (argc == 2 && std::strcmp(argv[1], "one") == 0) {
    withRace(5000);
    return 0;
  }
  std::fprintf(stderr, "usage: known_race none|one\n");
  return 2;
}
