// SPDX-License-Identifier: GPL-3.0-or-later
// A sparse system of equations, solved by BiCGStab (van der Vorst 1992) with the diagonal as
// preconditioner. Sequential: the same bits every time.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace tessera::solver::boundary {

// Square, row by row.
struct SparseMatrix {
  std::vector<std::size_t> rowStart{0};  // in column and value
  std::vector<std::size_t> column;       // off the diagonal
  std::vector<double> value;
  std::vector<double> diagonal;

  void add(std::size_t c, double v) {
    column.push_back(c);
    value.push_back(v);
  }
  void endRow(double d) {
    diagonal.push_back(d);
    rowStart.push_back(column.size());
  }
};

// x of matrix x = right, until the residual is below tolerance times the right-hand side; nullopt
// when that takes more than `most` iterations or a diagonal is not positive.
std::optional<std::vector<double>> solveBiCgStab(const SparseMatrix& matrix,
                                                 const std::vector<double>& right, double tolerance,
                                                 std::size_t most);

}  // namespace tessera::solver::boundary
