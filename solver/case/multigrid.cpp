// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/case/multigrid.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::solver::cases {

namespace {

constexpr std::size_t nodesTogether = 8;  // of an aggregate
constexpr std::size_t fewest = 40;        // nodes of the last level
constexpr int sweepsOfLast = 20;          // there, forwards and backwards each
constexpr double overcorrection = 1.6;    // of piecewise constant corrections (Braess 1995)

}  // namespace

Multigrid::Multigrid(std::span<const Conductor> conductors, std::span<const double> leak,
                     std::span<const char> fixed)
    : levels_(1), entries_(2 * conductors.size()), fixed_(fixed.begin(), fixed.end()) {
  Level& first = levels_[0];
  const std::size_t n = leak.size();
  first.start.assign(n + 1, 0);
  first.middle.assign(n, 0);
  for (const Conductor& c : conductors) {
    ++first.start[static_cast<std::size_t>(c.from) + 1];
    ++first.start[static_cast<std::size_t>(c.to) + 1];
    ++first.middle[static_cast<std::size_t>(std::max(c.from, c.to))];
  }
  std::partial_sum(first.start.begin(), first.start.end(), first.start.begin());
  for (std::size_t k = 0; k < n; ++k) first.middle[k] += first.start[k];
  first.column.resize(entries_.size());
  first.weight.resize(entries_.size());
  std::vector<std::uint32_t> below(first.start.begin(), first.start.end() - 1);
  std::vector<std::uint32_t> beyond = first.middle;
  for (std::size_t c = 0; c < conductors.size(); ++c) {
    const auto from = static_cast<std::uint32_t>(conductors[c].from);
    const auto to = static_cast<std::uint32_t>(conductors[c].to);
    entries_[2 * c] = to < from ? below[from]++ : beyond[from]++;
    entries_[2 * c + 1] = from < to ? below[to]++ : beyond[to]++;
    first.column[entries_[2 * c]] = to;
    first.column[entries_[2 * c + 1]] = from;
  }
  first.diagonal.resize(n);
  first.r.resize(n);
  setConductances(conductors, leak);
  while (levels_.back().size() > fewest) {
    aggregate(levels_.back());
    Level above = levelAbove(levels_.back());
    if (2 * above.size() > levels_.back().size()) break;
    sumWeights(levels_.back(), above);
    levels_.push_back(std::move(above));
  }
}

void Multigrid::setConductances(std::span<const Conductor> conductors,
                                std::span<const double> leak) {
  Level& first = levels_[0];
  std::copy(leak.begin(), leak.end(), first.diagonal.begin());
  for (std::size_t c = 0; c < conductors.size(); ++c) {
    const double conductance = conductors[c].conductance;
    first.weight[entries_[2 * c]] = first.weight[entries_[2 * c + 1]] = conductance;
    first.diagonal[static_cast<std::size_t>(conductors[c].from)] += conductance;
    first.diagonal[static_cast<std::size_t>(conductors[c].to)] += conductance;
  }
  for (std::size_t k = 0; k < fixed_.size(); ++k)
    if (fixed_[k] != 0) first.diagonal[k] = 0.0;
  invert(first);
  for (std::size_t k = 0; k + 1 < levels_.size(); ++k) sumWeights(levels_[k], levels_[k + 1]);
}

// Aggregates grow from one node by the neighbour that is joined to them most; a node whose
// neighbours are all taken joins the nearest.
void Multigrid::aggregate(Level& level) {
  constexpr std::int32_t none = -2;
  level.above.assign(level.size(), none);
  std::int32_t count = 0;
  std::vector<std::uint32_t> members;
  for (std::uint32_t k = 0; k < level.size(); ++k) {
    if (level.diagonal[k] <= 0.0) level.above[k] = -1;
    if (level.above[k] != none) continue;
    members.assign(1, k);
    level.above[k] = count;
    std::int32_t beside = -1;
    while (members.size() < nodesTogether) {
      double most = 0.0, mostBeside = 0.0;
      std::uint32_t best = 0;
      for (const std::uint32_t member : members)
        for (std::uint32_t e = level.start[member]; e < level.start[member + 1]; ++e) {
          const std::uint32_t other = level.column[e];
          if (level.diagonal[other] <= 0.0 || level.above[other] == count) continue;
          double joined = 0.0;
          for (std::uint32_t back = level.start[other]; back < level.start[other + 1]; ++back)
            if (level.above[level.column[back]] == count) joined += level.weight[back];
          if (level.above[other] == none) {
            if (joined > most) most = joined, best = other;
          } else if (joined > mostBeside) {
            mostBeside = joined, beside = level.above[other];
          }
        }
      if (most <= 0.0) break;
      level.above[best] = count;
      members.push_back(best);
    }
    if (members.size() == 1 && beside >= 0)
      level.above[k] = beside;
    else
      ++count;
  }
}

// Its rows, without weights; the entries of the level below learn theirs.
Multigrid::Level Multigrid::levelAbove(Level& level) {
  const std::int32_t last = *std::max_element(level.above.begin(), level.above.end());
  const auto n = static_cast<std::size_t>(last + 1);
  std::vector<std::vector<std::uint32_t>> members(n);
  for (std::uint32_t k = 0; k < level.size(); ++k)
    if (level.above[k] >= 0) members[static_cast<std::size_t>(level.above[k])].push_back(k);
  Level above;
  above.start.assign(1, 0);
  level.entryAbove.assign(level.column.size(), -1);
  std::vector<std::int32_t> entryOf(n, -1);  // of the row, by column
  std::vector<std::uint32_t> columns;        // of the row
  for (std::uint32_t row = 0; row < n; ++row) {
    const auto forEntries = [&](const auto& visit) {
      for (const std::uint32_t k : members[row])
        for (std::uint32_t e = level.start[k]; e < level.start[k + 1]; ++e) {
          const std::int32_t column = level.above[level.column[e]];
          if (column >= 0 && column != static_cast<std::int32_t>(row))
            visit(e, static_cast<std::uint32_t>(column));
        }
    };
    columns.clear();
    forEntries([&](std::uint32_t, std::uint32_t column) { columns.push_back(column); });
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    above.middle.push_back(above.start.back());
    for (const std::uint32_t column : columns) {
      entryOf[column] = static_cast<std::int32_t>(above.column.size());
      above.column.push_back(column);
      if (column < row) ++above.middle.back();
    }
    forEntries(
        [&](std::uint32_t e, std::uint32_t column) { level.entryAbove[e] = entryOf[column]; });
    above.start.push_back(static_cast<std::uint32_t>(above.column.size()));
  }
  above.weight.resize(above.column.size());
  for (auto* values : {&above.diagonal, &above.x, &above.b, &above.r}) values->resize(n);
  return above;
}

void Multigrid::invert(Level& level) {
  level.inverse.resize(level.size());
  for (std::size_t k = 0; k < level.size(); ++k)
    level.inverse[k] = level.diagonal[k] > 0.0 ? 1.0 / level.diagonal[k] : 0.0;
}

void Multigrid::sumWeights(const Level& level, Level& above) {
  std::fill(above.weight.begin(), above.weight.end(), 0.0);
  std::fill(above.diagonal.begin(), above.diagonal.end(), 0.0);
  for (std::size_t k = 0; k < level.size(); ++k) {
    if (level.above[k] < 0) continue;
    double& diagonal = above.diagonal[static_cast<std::size_t>(level.above[k])];
    diagonal += level.diagonal[k];
    for (std::uint32_t e = level.start[k]; e < level.start[k + 1]; ++e) {
      if (level.entryAbove[e] >= 0)
        above.weight[static_cast<std::size_t>(level.entryAbove[e])] += level.weight[e];
      else if (level.above[level.column[e]] >= 0)
        diagonal -= level.weight[e];
    }
  }
  invert(above);
}

// A row waits for the one before: its value comes last, and no division is in between.
void Multigrid::smooth(const Level& level, std::span<const double> b, std::span<double> x,
                       bool forwards) {
  const auto n = static_cast<std::uint32_t>(level.size());
  for (std::uint32_t step = 0; step < n; ++step) {
    const std::uint32_t k = forwards ? step : n - 1 - step;
    const std::uint32_t start = level.start[k], middle = level.middle[k], end = level.start[k + 1];
    double sum = b[k];
    const auto add = [&](std::uint32_t e) { sum += level.weight[e] * x[level.column[e]]; };
    if (forwards) {
      for (std::uint32_t e = middle; e < end; ++e) add(e);
      for (std::uint32_t e = start; e < middle; ++e) add(e);
    } else {
      for (std::uint32_t e = start; e < middle; ++e) add(e);
      for (std::uint32_t e = end; e-- > middle;) add(e);
    }
    x[k] = sum * level.inverse[k];
  }
}

void Multigrid::smoothFromZero(const Level& level, std::span<const double> b, std::span<double> x) {
  for (std::size_t k = 0; k < level.size(); ++k) {
    double sum = b[k];
    for (std::uint32_t e = level.start[k]; e < level.middle[k]; ++e)
      sum += level.weight[e] * x[level.column[e]];
    x[k] = sum * level.inverse[k];
  }
}

void Multigrid::residualAfter(const Level& level, std::span<const double> x, std::span<double> r) {
  for (std::size_t k = 0; k < level.size(); ++k) {
    double sum = 0.0;
    if (level.diagonal[k] > 0.0)
      for (std::uint32_t e = level.middle[k]; e < level.start[k + 1]; ++e)
        sum += level.weight[e] * x[level.column[e]];
    r[k] = sum;
  }
}

void Multigrid::residual(const Level& level, std::span<const double> b, std::span<const double> x,
                         std::span<double> r) {
  for (std::size_t k = 0; k < level.size(); ++k) {
    double sum = level.diagonal[k] > 0.0 ? b[k] - level.diagonal[k] * x[k] : 0.0;
    if (level.diagonal[k] > 0.0)
      for (std::uint32_t e = level.start[k]; e < level.start[k + 1]; ++e)
        sum += level.weight[e] * x[level.column[e]];
    r[k] = sum;
  }
}

// Corrects x, 0 on entry, once by each level; those above the first twice.
void Multigrid::cycle(std::size_t k, std::span<const double> b, std::span<double> x) {
  Level& level = levels_[k];
  if (k + 1 == levels_.size()) {
    for (int sweep = 0; sweep < sweepsOfLast; ++sweep) smooth(level, b, x, true);
    for (int sweep = 0; sweep < sweepsOfLast; ++sweep) smooth(level, b, x, false);
    return;
  }
  smoothFromZero(level, b, x);
  Level& above = levels_[k + 1];
  const int times = k == 0 ? 1 : 2;
  for (int time = 0; time < times; ++time) {
    if (time == 0)
      residualAfter(level, x, level.r);
    else
      residual(level, b, x, level.r);
    std::fill(above.b.begin(), above.b.end(), 0.0);
    std::fill(above.x.begin(), above.x.end(), 0.0);
    for (std::size_t n = 0; n < level.size(); ++n)
      if (level.above[n] >= 0) above.b[static_cast<std::size_t>(level.above[n])] += level.r[n];
    cycle(k + 1, above.b, above.x);
    for (std::size_t n = 0; n < level.size(); ++n)
      if (level.above[n] >= 0)
        x[n] += overcorrection * above.x[static_cast<std::size_t>(level.above[n])];
    if (time + 1 < times) {
      smooth(level, b, x, false);
      smooth(level, b, x, true);
    }
  }
  smooth(level, b, x, false);
}

void Multigrid::multiply(std::span<const double> x, std::span<double> y) const {
  const Level& level = levels_[0];
  for (std::size_t k = 0; k < level.size(); ++k) {
    double sum = level.diagonal[k] * x[k];
    if (level.diagonal[k] > 0.0)
      for (std::uint32_t e = level.start[k]; e < level.start[k + 1]; ++e)
        sum -= level.weight[e] * x[level.column[e]];
    y[k] = sum;
  }
}

void Multigrid::solve(std::span<const double> b, std::span<double> x) {
  std::fill(x.begin(), x.end(), 0.0);
  cycle(0, b, x);
}

}  // namespace tessera::solver::cases
