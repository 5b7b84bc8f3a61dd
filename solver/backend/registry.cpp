// SPDX-License-Identifier: GPL-3.0-or-later
// TESSERA_VARIANTS: the list of this build; shorter than variants.def in presets for tests alone.
#include "solver/backend/registry.hpp"

#include "pipelines/stage/error.hpp"
#include "solver/model/built_variants.hpp"
#include "solver/model/moment_step.hpp"
#include "solver/model/populations.hpp"
#include "solver/model/variant_types.hpp"

namespace tessera::solver::backend {

using namespace model;  // variants.def names its types
using domain::Domain;
using model::nameOf;
using model::VariantAxes;
using stage::ExitCode;
using stage::fail;

#define TESSERA_VARIANT(L, C, E, V, P, M, S)                                        \
  std::unique_ptr<Backend> makeCpu##L##C##E##V##P##M##S(Domain, const Relaxation&); \
  std::unique_ptr<Backend> makeCuda##L##C##E##V##P##M##S(Domain, const Relaxation&);
#include TESSERA_VARIANTS
#undef TESSERA_VARIANT

namespace {

template <model::LatticeModel Lattice>
model::LatticeInfo latticeInfo() {
  model::LatticeInfo info{Lattice::dimensions, {}, {}};
  for (int i = 0; i < Lattice::q; ++i) {
    info.velocities.push_back(Lattice::c[static_cast<std::size_t>(i)]);
    info.weights.push_back(model::weight<Lattice>(i));
  }
  return info;
}

template <class L, class C, class E, class V, class P, class M, class S>
VariantInfo infoOf(BackendMaker makeCpu, BackendMaker makeCuda) {
  static_assert(model::VariantModel<Variant<L, C, E, V, P, M>> && model::StateModel<S, L, C, E, P>);
  return {{L::id, C::id, E::id, V::id, P::id, M::id, S::id},
          latticeInfo<L>(),
          S::template values<L>(),
          S::template words<L, P>(),
          sizeof(typename P::Storage),
          S::template flops<L, C, E>(),
          makeCpu,
          makeCuda};
}

#if defined(TESSERA_HAS_GPU)
#define TESSERA_CUDA_MAKER(maker) &maker
#else
#define TESSERA_CUDA_MAKER(maker) nullptr
#endif

std::vector<VariantInfo> listVariants() {
  std::vector<VariantInfo> list;
#define TESSERA_VARIANT(L, C, E, V, P, M, S)                                \
  list.push_back(infoOf<L, C, E, V, P, M, S>(&makeCpu##L##C##E##V##P##M##S, \
                                             TESSERA_CUDA_MAKER(makeCuda##L##C##E##V##P##M##S)));
#include TESSERA_VARIANTS
#undef TESSERA_VARIANT
  return list;
}

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

// Combinations with the same tiling, viscosity and state.
std::string similarVariants(const VariantAxes& axes) {
  std::vector<std::string> names;
  for (const VariantInfo& variant : variants())
    if (variant.axes.tiling == axes.tiling && variant.axes.viscosity == axes.viscosity &&
        variant.axes.state == axes.state)
      names.push_back(variant.name());
  return joined(names, "; ");
}

[[noreturn]] void refuseCombination(const VariantAxes& axes) {
  VariantAxes plain = axes;
  plain.tiling = model::TilingId::Aligned;
  plain.state = model::StateId::Populations;
  const bool shifted = axes.tiling == model::TilingId::Shifted;
  const std::string wanted = "the combination " + nameOf(plain);
  const std::string built = similarVariants(axes);
  if (axes.state == model::StateId::Moments)
    fail(ExitCode::Usage, wanted + (shifted ? " rows" : "") +
                              " is not built with a state of moments; available: " +
                              (built.empty() ? "none" : built) +
                              (builtVariant(plain) != nullptr ? "; or use --state populations"
                                                              : "; or use another precision"));
  if (shifted)
    fail(ExitCode::Usage, wanted + " is not built for the shifted tiling; available: " + built +
                              "; or run tessera-tiler with --placement global");
  fail(ExitCode::Usage, wanted + " is not built; available: " + built + model::remedyOfFewRows());
}

}  // namespace

std::string VariantInfo::name() const {
  return nameOf(axes);
}

const std::vector<VariantInfo>& variants() {
  static const std::vector<VariantInfo> list = listVariants();
  return list;
}

const VariantInfo* builtVariant(const VariantAxes& axes) {
  for (const VariantInfo& variant : variants())
    if (variant.axes == axes) return &variant;
  return nullptr;
}

const VariantInfo* variantNamed(const std::string& name) {
  for (const VariantInfo& variant : variants())
    if (variant.name() == name) return &variant;
  return nullptr;
}

const VariantInfo& findVariant(const VariantAxes& axes) {
  if (const VariantInfo* const built = builtVariant(axes)) return *built;
  model::builtId<model::LatticeId>(nameOf(axes.lattice));
  model::builtId<model::CollisionId>(nameOf(axes.collision));
  model::builtId<model::EquilibriumId>(nameOf(axes.equilibrium));
  model::builtId<model::PrecisionId>(nameOf(axes.precision));
  refuseCombination(axes);
}

}  // namespace tessera::solver::backend
