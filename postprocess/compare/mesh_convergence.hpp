// SPDX-License-Identifier: GPL-3.0-or-later
// Mesh convergence from two to four node spacings: observed order, Richardson's extrapolation and
// an error bar of the finest value.
//
// With the three finest spacings h1 < h2 < h3, f_i = f_0 + a h_i^p holds for the p that solves
//   (f3 - f2) / (f2 - f1) = (r32^p - 1) / (1 - r21^-p),   r21 = h2 / h1, r32 = h3 / h2
// (I. B. Celik et al., J. Fluids Eng. 130 (2008) 078001), and then
//   f_0 = f1 + (f1 - f2) / (r21^p - 1)                    Richardson
// The error bar, by how the values behave (L. Eca & M. Hoekstra, J. Comput. Phys. 262 (2014) 104):
//   0.5 <= p <= 2.1     U = 1.25 |f1 - f2| / (r21^q - 1), q = min(p, 2)
//                       (P. J. Roache, J. Fluids Eng. 116 (1994) 405)
//   otherwise           U = 2 |f1 - f_2|, f_2 the limit of the least-squares fit f_2 + a h^2 to all
//                       spacings; 3 |f1 - f_2| for two spacings (Roache) or without an expected
//                       error
//                       and at least that of p = 1/2 where p is less
// Values of a lattice scatter by how walls cut the links, so that two of them may agree by chance.
// The error that the finest run expects by its resolution, E (quantity/expected_error.hpp),
// therefore bounds U: at least 0.8 E, for two spacings, orders below 0.5 and growing
// differences 1.25 E; where no order was observed at most 1.5 E or |f1 - f2|, whichever is larger.
// Errors that refinement does not reduce (Mach number, distance from the steady state, precision)
// is added. Without an expected error growing differences have no bar.
#pragma once

#include <optional>
#include <span>

namespace tessera::postprocess::compare {

enum class Approach {
  Unchanged,    // the values agree to rounding
  Monotone,     // f_0 and order are known
  Oscillatory,  // alternating
  Diverging,    // differences grow, or shrink slower than any order
  TwoSpacings   // no order
};
const char* nameOf(Approach approach);

// Expected errors of the finest value, in its unit.
struct FinestError {
  std::optional<double> resolution;  // that refinement reduces; absent: not known
  double kept = 0.0;                 // the rest
};

struct MeshConvergence {
  Approach approach = Approach::Diverging;
  std::optional<double> order;         // p, at most 16; Monotone
  std::optional<double> extrapolated;  // f_0, unit of the value; Monotone
  std::optional<double> index;         // uncertainty, relative; f1 != 0
  std::optional<double> uncertainty;   // of the finest value, in its unit
};

// Two to four values, finest first, spacings increasing by more than 1e-6 of themselves. scale:
// differences below 1e-7 of it are rounding, because fields are stored in fp32.
MeshConvergence meshConvergence(std::span<const double> spacing, std::span<const double> value,
                                double scale, const FinestError& expected = {});

}  // namespace tessera::postprocess::compare
