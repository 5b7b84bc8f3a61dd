// SPDX-License-Identifier: GPL-3.0-or-later
// TESSERA_VARIANTS: the rows of this build; fewer than variants.def in presets for tests alone.
#include "solver/registry.hpp"

#include <algorithm>
#include <set>

#include "pipelines/stage/error.hpp"
#include "solver/state/moments.hpp"
#include "solver/variant_types.hpp"

namespace tessera {

#define TESSERA_VARIANT(L, C, E, V, P, M)                                        \
  std::unique_ptr<Backend> makeCpu##L##C##E##V##P##M(Domain, const Relaxation&); \
  std::unique_ptr<Backend> makeCuda##L##C##E##V##P##M(Domain, const Relaxation&);
#define TESSERA_MOMENTS(L, C, E, V, P)                                                 \
  std::unique_ptr<Backend> makeCpu##L##C##E##V##P##Moments(Domain, const Relaxation&); \
  std::unique_ptr<Backend> makeCuda##L##C##E##V##P##Moments(Domain, const Relaxation&);
#include TESSERA_VARIANTS
#undef TESSERA_VARIANT
#undef TESSERA_MOMENTS

namespace {

template <class Lattice>
LatticeInfo latticeInfo() {
  LatticeInfo info{Lattice::name, Lattice::dimensions, {}, {}};
  for (int i = 0; i < Lattice::q; ++i) {
    info.velocities.push_back(Lattice::c[static_cast<std::size_t>(i)]);
    info.weights.push_back(weight<Lattice>(i));
  }
  return info;
}

#if defined(TESSERA_HAS_CUDA)
#define TESSERA_CUDA_MAKER(maker) maker
#else
#define TESSERA_CUDA_MAKER(maker) nullptr
#endif

std::vector<VariantInfo> listVariants() {
  std::vector<VariantInfo> rows;
#define TESSERA_VARIANT(L, C, E, V, P, M)                                                       \
  rows.push_back({latticeInfo<L>(), C::name, E::name, V::name, P::name, M::name, "populations", \
                  L::q, sizeof(P::Storage), &makeCpu##L##C##E##V##P##M,                         \
                  TESSERA_CUDA_MAKER(&makeCuda##L##C##E##V##P##M)});
#define TESSERA_MOMENTS(L, C, E, V, P)                                                            \
  rows.push_back({latticeInfo<L>(), C::name, E::name, V::name, P::name, OneMesh::name, "moments", \
                  moment::count, sizeof(P::Storage), &makeCpu##L##C##E##V##P##Moments,            \
                  TESSERA_CUDA_MAKER(&makeCuda##L##C##E##V##P##Moments)});
#include TESSERA_VARIANTS
#undef TESSERA_VARIANT
#undef TESSERA_MOMENTS
  return rows;
}

void checkName(const std::string& what, const std::string& name, NameOf of) {
  const std::vector<std::string> known = namesOf(of);
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  std::string list;
  for (const std::string& word : known) list += (list.empty() ? "" : ", ") + word;
  fail(ExitCode::Usage, what + " \"" + name + "\" is not known; this build has: " + list);
}

}  // namespace

std::string VariantInfo::name() const {
  return std::string(lattice.name) + " " + collision + " " + equilibrium + " " + precision +
         (viscosity == std::string("local") ? " local viscosity" : "") +
         (placement == std::string("rows") ? " rows" : "") + (storesMoments() ? " moments" : "");
}

const std::vector<VariantInfo>& variants() {
  static const std::vector<VariantInfo> rows = listVariants();
  return rows;
}

std::vector<std::string> namesOf(NameOf of) {
  std::set<std::string> names;
  for (const VariantInfo& row : variants()) names.insert(of(row));
  return {names.begin(), names.end()};
}

const VariantInfo& findVariant(const std::string& lattice, const std::string& collision,
                               const std::string& equilibrium, const std::string& viscosity,
                               const std::string& precision, const std::string& placement,
                               const std::string& state) {
  for (const VariantInfo& row : variants())
    if (lattice == row.lattice.name && collision == row.collision &&
        equilibrium == row.equilibrium && viscosity == row.viscosity &&
        precision == row.precision && placement == row.placement && state == row.state)
      return row;
  checkName("lattice", lattice, [](const VariantInfo& row) { return row.lattice.name; });
  checkName("collision", collision, [](const VariantInfo& row) { return row.collision; });
  checkName("equilibrium", equilibrium, [](const VariantInfo& row) { return row.equilibrium; });
  checkName("precision", precision, [](const VariantInfo& row) { return row.precision; });
  std::string list;
  for (const VariantInfo& row : variants())
    if (placement == row.placement && viscosity == row.viscosity && state == row.state)
      list += (list.empty() ? "" : "; ") + row.name();
  const std::string wanted = lattice + " " + collision + " " + equilibrium + " " + precision +
                             (viscosity == "local" ? " local viscosity" : "");
  if (state == "moments")
    fail(ExitCode::Usage, "the combination " + wanted + (placement == "rows" ? " rows" : "") +
                              " is not built with moments as its state; there is: " +
                              (list.empty() ? "none" : list) + "; or use --state populations");
  if (placement == "rows")
    fail(ExitCode::Usage, "the combination " + wanted +
                              " is not built for tiles in rows; there is: " + list +
                              "; or make the tiles with --placement global");
  fail(ExitCode::Usage, "the combination " + wanted + " is not built; there is: " + list);
}

}  // namespace tessera
