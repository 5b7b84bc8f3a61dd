// SPDX-License-Identifier: GPL-3.0-or-later
// Declared flops of each collision equal those counted in a step.
#include <catch2/catch.hpp>

#include "solver/backend/registry.hpp"
#include "solver/model/moment_step.hpp"
#include "solver/model/populations.hpp"
#include "solver/model/variant_types.hpp"

using namespace tessera;
using namespace tessera::solver::backend;
using namespace tessera::solver::boundary;
using namespace tessera::solver::model;

namespace {

// A number that counts the operations made with it.
struct Counted {
  double value = 0.0;
  static inline long operations = 0;
  Counted() = default;
  Counted(double v) : value(v) {}  // NOLINT: implicit, as from a double to a double
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

StepParameters<double> relaxing() {
  StepParameters<double> parameters{};
  parameters.omegaEven = parameters.omegaOdd = 1.25;
  return parameters;
}

template <class V>
long countedInStep() {
  Counted::operations = 0;
  step<V, false>(CountedNode{}, relaxing());
  return Counted::operations;
}

// Populations that arrive, each rebuilt from moments, then the collision.
template <class Lattice, class Equilibrium>
long countedInMomentStep() {
  Counted::operations = 0;
  const auto stored = [](int m) { return Counted(1e-3 * m); };
  const Counted rest = populationByWeight<Lattice, 0, double>(stored);
  const MomentSums<Counted> sums = sumUp<Lattice, double>(
      rest, [&](auto i) { return populationByWeight<Lattice, i, double>(stored); });
  Counted after[moment::count];
  PlainMoments<double>::pack(collideMoments<Equilibrium, false>(
                                 sums, momentRelaxation<Lattice, PlainMoments<double>>(relaxing())),
                             after);
  return Counted::operations;
}

int checked = 0;

template <class L, class C, class E, class V, class P, class M, class S>
void check() {
  ++checked;
  INFO(nameOf(L::id) << " " << nameOf(C::id) << " " << nameOf(E::id) << " " << nameOf(S::id));
  constexpr int declared = S::template flops<L, C, E>();
  if constexpr (S::id == StateId::Moments)
    CHECK(declared == countedInMomentStep<L, E>());
  else
    CHECK(declared == countedInStep<Variant<L, C, E, ConstantViscosity, F64, AlignedTiling>>());
  CHECK(findVariant({L::id, C::id, E::id, V::id, P::id, M::id, S::id}).flopsPerNode == declared);
}

}  // namespace

TEST_CASE("Flops: declared ones are those of a counted step, for every variant", "[unit]") {
  checked = 0;
#define TESSERA_VARIANT(L, C, E, V, P, M, S) check<L, C, E, V, P, M, S>();
#include TESSERA_VARIANTS
#undef TESSERA_VARIANT
  CHECK(checked == static_cast<int>(variants().size()));
}
