// SPDX-License-Identifier: GPL-3.0-or-later
// Extrapolation of a sequence of states to its limit, mode by mode. Changes d_k = s_(k+1) - s_k at
// equal intervals of a linear process are d_k = A^k d_0; the combination of d_0 ... d_(n-1) nearest
// to d_n is a polynomial of degree n whose roots approximate eigenvalues of A (Arnoldi; dynamic
// mode decomposition with the companion matrix, Rowley et al. 2009, J. Fluid Mech. 641:115). A mode
// of eigenvalue z that is in d_n still has to change by z / (1 - z) times its part there. Modes
// that decay are taken to their limit, as by reduced rank extrapolation (Smith, Ford & Sidi 1987,
// SIAM Review 29:199); modes that grow or swing without decay are left as they are, so that a flow
// that leaves an unstable state is not brought back to it.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace tessera::solver::run {

// Weights w_1 ... w_n of the changes d_1 ... d_n whose sum leads from the last state to the limit:
//   s = s_(n+1) + w_1 d_1 + ... + w_n d_n.
// gram: inner products of d_0 ... d_n, (n + 1) x (n + 1), row by row; n >= 1. nullopt: a change is
// zero, or no finite weights follow.
std::optional<std::vector<double>> extrapolationWeights(std::span<const double> gram);

}  // namespace tessera::solver::run
