// SPDX-License-Identifier: GPL-3.0-or-later
// Tables and figures of the papers on other structures than tiles, measured here: each part writes
// CSV files, and SVG figures, with the paper's numbers next to ours.
#pragma once

#include "tests/bench/paper_parts.hpp"

namespace tessera::paper {

// Suffa et al. 2024 in `side`^3 nodes, overlapping spheres instead of their unnamed geometry:
//   suffa_figure4.csv    speed of dense storage, lists, their hybrid and tiles over porosity
//   suffa_figure5.csv    memory of these
//   suffa_crossings.csv  porosities at which lists and dense storage are equal in either
//   suffa_table2.csv     bytes moved a node, dense and lists, pull and AA
void suffaPorosity(const Folder& folder, const Effort& effort);
// Bed of spheres and river bed (Figures 12 to 15), and an artery (Figures 16 and 17): the tiles of
// effort.artery, or a bent tube. suffa_beds.csv: on one device; with several ranks on all of them
// too, divided in equal layers or by work. "kernel": parts without exchange, as theirs of the
// kernel alone, by the slowest device. "run": with exchange, whole tiles divided so, or by cost
// along the curve.
void suffaBeds(const Folder& folder, const Effort& effort);

// Habich et al. 2013:
//   habich_tables3_4.csv   copy bandwidth, on a CPU of one core and all, and the bound it gives
//   habich_figures2_3.csv  dense storage in 200^3 nodes with rows padded to 128 bytes and without
void habichDense(const Folder& folder, const Effort& effort);

// Rinaldi et al. 2011: rinaldi_table3.csv, speed of D2Q9 LBGK in single precision in their channel
// from 96 x 32 nodes on, by their kernel and other structures. Its profiles are a case of `make -C
// tests validation`.
void rinaldiExpansion(const Folder& folder, const Effort& effort);

// A cell of a table: empty for 0, which the paper does not print.
std::string numberOrNothing(double value, int digits);

// Where the curves through (x, a) and (x, b) first cross, by linear interpolation; 0: nowhere.
double crossingOf(const std::vector<double>& x, const std::vector<double>& a,
                  const std::vector<double>& b);

}  // namespace tessera::paper
