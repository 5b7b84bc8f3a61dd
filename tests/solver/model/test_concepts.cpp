// SPDX-License-Identifier: GPL-3.0-or-later
// Concepts of solver/model/concepts.hpp: each shipped type models its own, and a type that lacks
// one requirement does not. Compiled is passed, but for names, which are looked up.
#include <catch2/catch.hpp>

#include <set>

#include "solver/backend/cpu/populations.hpp"
#include "solver/backend/registry.hpp"
#include "solver/bench/trial_types.hpp"
#include "solver/model/moment_step.hpp"
#include "solver/model/populations.hpp"
#include "solver/model/variant_types.hpp"

using namespace tessera;
using namespace tessera::solver::backend;
using namespace tessera::solver::bench;
using namespace tessera::solver::boundary;
using namespace tessera::solver::model;
using namespace tessera::stage;

namespace {

// Every line of this build's list.
#define TESSERA_VARIANT(L, C, E, V, P, M, S)              \
  static_assert(VariantModel<Variant<L, C, E, V, P, M>>); \
  static_assert(StateModel<S, L, C, E, P>);
#include TESSERA_VARIANTS
#undef TESSERA_VARIANT

using Plain = Variant<D3Q19, Bgk, QuasiCompressible, ConstantViscosity, F64, AlignedTiling>;
static_assert(StepNodes<PulledNodes<Plain>, D3Q19> && GatherNodes<PulledNodes<Plain>>);
static_assert(VariantModel<TrialVariant<D3Q19InPlace, F16>>);

// Lattices.
struct OddTable : D3Q19 {
  static constexpr int q = 18;
};
struct ShortTable : D3Q19 {
  static constexpr int q = 17;
};
struct FourDimensions : D3Q19 {
  static constexpr int dimensions = 4;
};
static_assert(LatticeModel<D2Q9> && LatticeModel<D3Q19> && LatticeModel<D3Q27>);
static_assert(!LatticeModel<OddTable> && !LatticeModel<ShortTable>);
static_assert(!LatticeModel<FourDimensions> && !LatticeModel<int>);

// Equilibria.
struct WithoutFlops {
  template <class T>
  static T inertialDensity(const T&, const T& one) {
    return one;
  }
};
static_assert(EquilibriumModel<QuasiCompressible> && EquilibriumModel<Incompressible>);
static_assert(!EquilibriumModel<WithoutFlops> && !EquilibriumModel<F64>);

// Collisions, and the lattices and equilibria that they are made for.
struct WithoutWeight {
  static double omegaOdd(double tau, double) { return 1.0 / tau; }
  template <LatticeModel, EquilibriumModel>
  static constexpr int flops() {
    return 0;
  }
  template <class Lattice, class, bool, class T, class Real, class Rate>
  static void collide(T (&)[Lattice::q], const StepParameters<Real, Rate>&) {}
};
struct WithoutCollide {
  static double omegaOdd(double tau, double) { return 1.0 / tau; }
  template <LatticeModel, EquilibriumModel>
  static constexpr int flops() {
    return 0;
  }
  template <LatticeModel>
  static constexpr LaunchWeight launchWeight() {
    return LaunchWeight::Light;
  }
};
struct Relaxing : WithoutCollide {
  template <class Lattice, class, bool, class T, class Real, class Rate>
  static void collide(T (&)[Lattice::q], const StepParameters<Real, Rate>&) {}
};
static_assert(CollisionModel<Relaxing, D3Q19, QuasiCompressible>);
static_assert(!CollisionModel<WithoutWeight, D3Q19, QuasiCompressible>);
static_assert(!CollisionModel<WithoutCollide, D3Q19, QuasiCompressible>);
static_assert(CollisionModel<Mrt, D2Q9, Incompressible>);
static_assert(CollisionModel<Mrt, D3Q27, QuasiCompressible>);
static_assert(!CollisionModel<Cumulant, D3Q19, QuasiCompressible>);
static_assert(!CollisionModel<Cumulant, D3Q27, Incompressible>);
static_assert(!CollisionModel<Bgk, D3Q19, WithoutFlops>);
static_assert(Mrt::launchWeight<D3Q19>() == LaunchWeight::Heavy);
static_assert(Mrt::launchWeight<D2Q9>() == LaunchWeight::Light);
static_assert(Mrt::launchWeight<D3Q27>() == LaunchWeight::Light);

// Viscosities: a local one needs a collision with a rate of its own at each node.
using LocalTrt = Variant<D3Q19, Trt, QuasiCompressible, LocalViscosity, F64, AlignedTiling>;
using LocalBgk = Variant<D3Q19, Bgk, QuasiCompressible, LocalViscosity, F64, AlignedTiling>;
struct WithoutRates {
  static constexpr bool local = false;
};
static_assert(VariantModel<LocalTrt> && !VariantModel<LocalBgk>);
static_assert(!ViscosityModel<WithoutRates, Plain>);

// Precisions and tilings.
struct Thirds : F64 {
  static constexpr int scale = 3;
};
struct WithoutNarrow {
  using Storage = float;
  using Arithmetic = float;
  static constexpr int scale = 1;
  static float widen(float f) { return f; }
};
static_assert(PrecisionModel<F64> && PrecisionModel<F32> && PrecisionModel<F32F64>);
static_assert(PrecisionModel<M32F16>);
static_assert(PrecisionModel<F16> && !PrecisionModel<Thirds> && !PrecisionModel<WithoutNarrow>);
static_assert(TilingModel<AlignedTiling> && TilingModel<ShiftedTiling> && !TilingModel<F64>);

// States: moments are closed under the regularised collision on D3Q19 alone.
static_assert(StateModel<PopulationState, D3Q19, Regularised, QuasiCompressible, F64>);
static_assert(!StateModel<MomentState, D3Q19, Bgk, QuasiCompressible, F64>);
static_assert(!StateModel<AlignedTiling, D3Q19, Bgk, QuasiCompressible, F64>);
static_assert(!StateModel<PopulationState, D3Q19, Regularised, QuasiCompressible, M32F16>);
static_assert(MomentState::words<D3Q19, F32>() == MomentState::values<D3Q19>());
static_assert(MomentState::words<D3Q19, M32F16>() * sizeof(M32F16::Storage) == 28);
static_assert(PopulationState::index<D3Q19>(1, 0, 0) == 64 * PopulationState::values<D3Q19>());
static_assert(MomentState::index<D3Q19>(1, 0, 0) == 64 * MomentState::values<D3Q19>());

// Nodes.
struct ReadOnly {
  using Value = double;
  template <int i>
  [[nodiscard]] double gather() const {
    return i;
  }
};
struct AllAtOnce {
  using Value = double;
  void gatherAll(double (&f)[19]) const { f[0] = 0.0; }
  template <int i>
  void scatter(double) const {}
};
static_assert(GatherNodes<ReadOnly> && !StepNodes<ReadOnly, D3Q19>);
static_assert(StepNodes<AllAtOnce, D3Q19> && !StepNodes<AllAtOnce, D3Q27>);
static_assert(!GatherNodes<AllAtOnce>);

template <class Id>
void checkNames() {
  std::set<std::string> names;
  for (const NamedId<Id>& entry : Axis<Id>::names) {
    CHECK(nameOf(entry.id) == std::string(entry.name));
    CHECK(idNamed<Id>(entry.name) == entry.id);
    names.insert(entry.name);
  }
  CHECK(names.size() == Axis<Id>::names.size());
  CHECK_FALSE(idNamed<Id>("no such name").has_value());
}

}  // namespace

TEST_CASE("Axes: names lead back to their enumerators", "[unit]") {
  checkNames<LatticeId>();
  checkNames<CollisionId>();
  checkNames<EquilibriumId>();
  checkNames<ViscosityId>();
  checkNames<PrecisionId>();
  checkNames<TilingId>();
  checkNames<StateId>();
}

TEST_CASE("Axes: variants are found by their axes, and named by all of them", "[unit]") {
  std::set<std::string> names;
  for (const VariantInfo& variant : variants()) {
    CHECK(&findVariant(variant.axes) == &variant);
    names.insert(variant.name());
  }
  CHECK(names.size() == variants().size());
}
