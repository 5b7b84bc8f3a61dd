// SPDX-License-Identifier: GPL-3.0-or-later
// Mesh convergence from three node spacings: observed order, Richardson's extrapolation and grid
// convergence index (P. J. Roache, Perspective: a method for uniform reporting of grid refinement
// studies, J. Fluids Eng. 116 (1994) 405); unequal refinement ratios as in I. B. Celik et al., J.
// Fluids Eng. 130 (2008) 078001; oscillating values as in F. Stern et al., J. Fluids Eng. 123
// (2001) 793.
//
// With spacings h1 < h2 < h3 (finest first), f_i = f_0 + a h_i^p holds for the p that solves
//   (f3 - f2) / (f2 - f1) = (r32^p - 1) / (1 - r21^-p),   r21 = h2 / h1, r32 = h3 / h2
// and then
//   f_0 = f1 + (f1 - f2) / (r21^p - 1)            Richardson
//   GCI = 1.25 |(f1 - f2) / f1| / (r21^q - 1)     q = min(p, 2)
// q: an error bar must not rely on more than the second order of the method.
#pragma once

#include <array>
#include <optional>

namespace tessera::postprocess::compare {

enum class Approach {
  Unchanged,    // the three values agree to rounding
  Monotone,     // f_0, order and index are known
  Oscillatory,  // alternating: the uncertainty is half of the range
  Diverging     // differences grow, or shrink slower than any order: no statement possible
};
const char* nameOf(Approach approach);

struct MeshConvergence {
  Approach approach = Approach::Diverging;
  std::optional<double> order;         // p, at most 16; Monotone
  std::optional<double> extrapolated;  // f_0, unit of the value; Monotone
  std::optional<double> index;         // GCI of the finest, relative; Monotone and f1 != 0
  std::optional<double> uncertainty;   // of the finest value, in its unit; not for Diverging
};

// Finest first, spacings increasing by more than 1e-6 of themselves. scale: differences below 1e-7
// of it are rounding, because fields are stored in fp32.
MeshConvergence meshConvergence(const std::array<double, 3>& spacing,
                                const std::array<double, 3>& value, double scale);

}  // namespace tessera::postprocess::compare
