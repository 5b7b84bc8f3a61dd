// SPDX-License-Identifier: GPL-3.0-or-later
// Profile of fully developed flow through an opening of any cross-section and orientation: the
// solution of Poisson's equation, -laplacian w = 1, w = 0 at the wall, on the opening's own nodes.
// Nodes at the opening lie in a layer of a few spacings; w is taken as constant along the normal,
// so they and the places where their links meet the wall are points of the opening's plane. At each
// node a quadratic is fitted to its neighbours by weighted least squares (generalised finite
// differences, Liszka & Orkisz 1980), second order on any set of points. Beyond a
// symmetry plane lie the images of nodes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "solver/boundary/profiles.hpp"
#include "solver/tiles/tile_order.hpp"

namespace tessera::solver::boundary {

constexpr double developedTolerance = 1e-10;  // of the residual, relative to the right-hand side

// w, in squared spacings, at a position for each of the given links, all of one opening; below 0
// beyond the wall. symmetric: wall labels that are symmetry planes. Throws StageError(Usage) when
// the equations cannot be solved.
std::vector<double> developedProfile(const tiler::TiledGeometry& geometry,
                                     const tiles::TileOrder& order, const LatticeOpening& opening,
                                     std::span<const std::uint32_t> links,
                                     const std::vector<Double3>& positions,
                                     const std::vector<bool>& symmetric = {});

// A sparse system of equations, solved by BiCGStab (van der Vorst 1992) with the diagonal as
// preconditioner. Sequential: the same bits every time.

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
