// SPDX-License-Identifier: GPL-3.0-or-later
// The flops that are declared of a step are those that it does.
#include <catch2/catch.hpp>

#include "solver/flops.hpp"
#include "solver/variant_types.hpp"

using namespace tessera;

namespace {

// A number that counts what is done with its like.
struct Counted {
  double value = 0.0;
  static inline long operations = 0;
  Counted() = default;
  Counted(double v) : value(v) {}  // NOLINT: as double itself would be taken
  static Counted counted(double v) {
    ++operations;
    return v;
  }
  friend Counted operator+(Counted a, Counted b) { return counted(a.value + b.value); }
  friend Counted operator-(Counted a, Counted b) { return counted(a.value - b.value); }
  friend Counted operator*(Counted a, Counted b) { return counted(a.value * b.value); }
  friend Counted operator/(Counted a, Counted b) { return counted(a.value / b.value); }
  Counted operator-() const { return -value; }
  Counted& operator+=(Counted b) { return *this = *this + b; }
  Counted& operator-=(Counted b) { return *this = *this - b; }
  Counted& operator*=(Counted b) { return *this = *this * b; }
};

struct CountedNode {
  using Value = Counted;
  template <int i>
  [[nodiscard]] Counted gather() const {
    return 1e-3 * i;
  }
  template <int i>
  void scatter(Counted) const {}
};

template <class Lattice, class Collision, class Equilibrium>
void check() {
  INFO(Lattice::name << " " << Collision::name << " " << Equilibrium::name);
  StepParameters<double> parameters{};
  parameters.omegaEven = parameters.omegaOdd = 1.25;
  Counted::operations = 0;
  step<Variant<Lattice, Collision, Equilibrium, ConstantViscosity, F64, OneMesh>, false>(
      CountedNode{}, parameters);
  VariantInfo info{};
  info.lattice.name = Lattice::name;
  info.lattice.velocities.resize(Lattice::q);
  info.stateValues = Lattice::q;
  info.collision = Collision::name;
  info.equilibrium = Equilibrium::name;
  CHECK(flopsPerNode(info) == static_cast<double>(Counted::operations));
}

}  // namespace

TEST_CASE("Declared flops are those that a step does", "[unit]") {
  check<D3Q19, Bgk, QuasiCompressible>();
  check<D3Q19, Bgk, Incompressible>();
  check<D3Q19, Trt, QuasiCompressible>();
  check<D3Q19, Mrt, QuasiCompressible>();
  check<D3Q19, Mrt, Incompressible>();
  check<D3Q19, Regularised, QuasiCompressible>();
  check<D2Q9, Bgk, QuasiCompressible>();
  check<D2Q9, Trt, Incompressible>();
  check<D2Q9, Mrt, QuasiCompressible>();
  check<D3Q27, Bgk, QuasiCompressible>();
  check<D3Q27, Trt, QuasiCompressible>();
  check<D3Q27, Cumulant, QuasiCompressible>();
}

TEST_CASE("Every variant declares flops", "[unit]") {
  for (const VariantInfo& variant : variants()) {
    INFO(variant.name());
    CHECK(flopsPerNode(variant) > 100.0);
  }
}
