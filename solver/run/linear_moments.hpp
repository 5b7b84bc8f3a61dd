// SPDX-License-Identifier: GPL-3.0-or-later
// Density deviation, momentum and second moments less those of rest, as linear functions of a
// tile's stored values: all of a flow that is slow to change. Populations change with them by
//   w_i (r + 3 c_i . j + 4.5 c_i . A c_i - 1.5 tr A)
// (the regularised part of Latt & Chopard 2006), a state of moments by its own values.
#pragma once

#include <cstddef>
#include <span>

#include "solver/backend/registry.hpp"

namespace tessera::solver::run {

// r, j (3), A (xx yy zz xy xz yz) of a node; in a tile 64 of each together.
constexpr std::size_t linearMoments = 10;

// values: stored ones of a tile, as Simulation::visitState has them; moments: linearMoments x 64.
void takeLinearMoments(const backend::VariantInfo& variant, std::span<const double> values,
                       std::span<double> moments);

// Adds a difference of moments to the values.
void addLinearMoments(const backend::VariantInfo& variant, std::span<const double> moments,
                      std::span<double> values);

}  // namespace tessera::solver::run
