// SPDX-License-Identifier: GPL-3.0-or-later
// Preconditioner of conjugate gradients on a network of conductances: a cycle of multigrid by
// aggregation of its nodes (Notay, Electron. Trans. Numer. Anal. 37 (2010) 123), smoothed by
// Gauss-Seidel forwards, then backwards, so that it is symmetric. Which nodes are put together
// follows from the first conductances; later ones change the weights alone. All is summed in one
// order, so the bits do not depend on threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::solver::cases {

// Conductance between two nodes.
struct Conductor {
  std::int32_t from = 0;
  std::int32_t to = 0;
  double conductance = 0.0;
};

class Multigrid {
 public:
  // leak: conductance of each node to beyond the network. fixed: nodes whose value is given, which
  // are not corrected.
  Multigrid(std::span<const Conductor> conductors, std::span<const double> leak,
            std::span<const char> fixed);

  // Other conductances of the same conductors.
  void setConductances(std::span<const Conductor> conductors, std::span<const double> leak);
  // y = (diagonal - conductances) x, 0 at fixed nodes.
  void multiply(std::span<const double> x, std::span<double> y) const;
  // x, with about (diagonal - conductances) x = b; 0 at fixed nodes.
  void solve(std::span<const double> b, std::span<double> x);

 private:
  // Matrix of a level by rows, without the diagonal, and the level above it.
  struct Level {
    std::vector<std::uint32_t> start;   // of each row, and the end
    std::vector<std::uint32_t> middle;  // of each row: columns below the row are before it
    std::vector<std::uint32_t> column;
    std::vector<double> weight;            // conductance
    std::vector<double> diagonal;          // 0: left out
    std::vector<double> inverse;           // of the diagonal; 0: left out
    std::vector<std::int32_t> above;       // aggregate of each node; -1: left out
    std::vector<std::int32_t> entryAbove;  // entry between the aggregates; -1: within one
    std::vector<double> x, b, r;
    [[nodiscard]] std::size_t size() const { return diagonal.size(); }
  };

  static void aggregate(Level& level);
  static Level levelAbove(Level& level);
  static void invert(Level& level);
  static void sumWeights(const Level& level, Level& above);
  static void smooth(const Level& level, std::span<const double> b, std::span<double> x,
                     bool forwards);
  // The first sweep, forwards from x = 0, and the residual that it leaves: each takes half of the
  // entries.
  static void smoothFromZero(const Level& level, std::span<const double> b, std::span<double> x);
  static void residualAfter(const Level& level, std::span<const double> x, std::span<double> r);
  static void residual(const Level& level, std::span<const double> b, std::span<const double> x,
                       std::span<double> r);
  void cycle(std::size_t k, std::span<const double> b, std::span<double> x);

  std::vector<Level> levels_;
  std::vector<std::uint32_t> entries_;  // of the first level: two for each conductor
  std::vector<char> fixed_;
};

}  // namespace tessera::solver::cases
