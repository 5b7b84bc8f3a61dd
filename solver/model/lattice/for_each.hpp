// SPDX-License-Identifier: GPL-3.0-or-later
// Compile-time loops: a constexpr lattice table must not be indexed by a run-time variable in
// device code, so every loop over directions goes through here.
#pragma once

#include <type_traits>
#include <utility>

#include "solver/model/platform.hpp"

namespace tessera::solver::model {

template <class Function, int... i>
TESSERA_HOST_DEVICE constexpr void forEachOf(Function&& function,
                                             std::integer_sequence<int, i...>) {
  (function(std::integral_constant<int, i>{}), ...);
}

// function(integral_constant<int, 0>), ..., function(integral_constant<int, count - 1>).
template <int count, class Function>
TESSERA_HOST_DEVICE constexpr void forEach(Function&& function) {
  forEachOf(function, std::make_integer_sequence<int, count>{});
}

}  // namespace tessera::solver::model
