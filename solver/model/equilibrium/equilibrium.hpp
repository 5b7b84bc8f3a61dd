// SPDX-License-Identifier: GPL-3.0-or-later
// The two equilibria of Tomczak & Szafran 2017, section 2: they differ only in the density that
// multiplies the velocity terms. r is the deviation of the density from 1.
#pragma once

#include "solver/model/axes.hpp"
#include "solver/model/platform.hpp"

namespace tessera::solver::model {

struct QuasiCompressible {
  static constexpr EquilibriumId id = EquilibriumId::QuasiCompressible;
  static constexpr int flops = 1;  // of inertialDensity
  template <class T>
  TESSERA_HOST_DEVICE static T inertialDensity(const T& r, const T& one) {
    return one + r;
  }
};

// He & Luo 1997.
struct Incompressible {
  static constexpr EquilibriumId id = EquilibriumId::Incompressible;
  static constexpr int flops = 0;
  template <class T>
  TESSERA_HOST_DEVICE static T inertialDensity(const T&, const T& one) {
    return one;
  }
};

}  // namespace tessera::solver::model
