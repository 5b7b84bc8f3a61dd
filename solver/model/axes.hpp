// SPDX-License-Identifier: GPL-3.0-or-later
// Axes of a variant: lattice, collision, equilibrium, viscosity, precision, tiling and state, each
// an enum with one table of names. Names are for the case file, reports and --help alone;
// everything else compares enumerators. A new choice is one enumerator and its name here, and `id`
// in its type.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::solver::model {

enum class LatticeId { D2Q9, D3Q19, D3Q27 };
enum class CollisionId { Bgk, Trt, Mrt, Regularised, Cumulant };
enum class EquilibriumId { QuasiCompressible, Incompressible };
enum class ViscosityId { Constant, Local };
enum class PrecisionId { F64, F32, F32F64, F16, M32F16 };
enum class TilingId { Aligned, Shifted };
enum class StateId { Populations, Moments };

// One choice on each axis, by default the solver's. Not every combination is built
// (solver/backend/registry.hpp).
struct VariantAxes {
  LatticeId lattice = LatticeId::D3Q19;
  CollisionId collision = CollisionId::Trt;
  EquilibriumId equilibrium = EquilibriumId::QuasiCompressible;
  ViscosityId viscosity = ViscosityId::Constant;
  PrecisionId precision = PrecisionId::F32;
  TilingId tiling = TilingId::Aligned;
  StateId state = StateId::Populations;

  friend constexpr bool operator==(const VariantAxes&, const VariantAxes&) = default;
};

template <class Id>
struct NamedId {
  Id id;
  const char* name;
};

// Word for the axis in messages and in the case file, its member of VariantAxes, its names.
template <class Id>
struct Axis;
template <>
struct Axis<LatticeId> {
  static constexpr const char* word = "lattice";
  static constexpr auto member = &VariantAxes::lattice;
  static constexpr auto names = std::to_array<NamedId<LatticeId>>(
      {{LatticeId::D2Q9, "D2Q9"}, {LatticeId::D3Q19, "D3Q19"}, {LatticeId::D3Q27, "D3Q27"}});
};
template <>
struct Axis<CollisionId> {
  static constexpr const char* word = "collision";
  static constexpr auto member = &VariantAxes::collision;
  static constexpr auto names =
      std::to_array<NamedId<CollisionId>>({{CollisionId::Bgk, "bgk"},
                                           {CollisionId::Trt, "trt"},
                                           {CollisionId::Mrt, "mrt"},
                                           {CollisionId::Regularised, "regularised"},
                                           {CollisionId::Cumulant, "cumulant"}});
};
template <>
struct Axis<EquilibriumId> {
  static constexpr const char* word = "equilibrium";
  static constexpr auto member = &VariantAxes::equilibrium;
  static constexpr auto names = std::to_array<NamedId<EquilibriumId>>(
      {{EquilibriumId::QuasiCompressible, "quasi-compressible"},
       {EquilibriumId::Incompressible, "incompressible"}});
};
template <>
struct Axis<ViscosityId> {
  static constexpr const char* word = "viscosity";
  static constexpr auto member = &VariantAxes::viscosity;
  static constexpr auto names = std::to_array<NamedId<ViscosityId>>(
      {{ViscosityId::Constant, "constant"}, {ViscosityId::Local, "local"}});
};
template <>
struct Axis<PrecisionId> {
  static constexpr const char* word = "precision";
  static constexpr auto member = &VariantAxes::precision;
  static constexpr auto names =
      std::to_array<NamedId<PrecisionId>>({{PrecisionId::F64, "f64"},
                                           {PrecisionId::F32, "f32"},
                                           {PrecisionId::F32F64, "f32/f64"},
                                           {PrecisionId::F16, "f16"},
                                           {PrecisionId::M32F16, "m32/16"}});
};
template <>
struct Axis<TilingId> {
  static constexpr const char* word = "placement";
  static constexpr auto member = &VariantAxes::tiling;
  static constexpr auto names = std::to_array<NamedId<TilingId>>(
      {{TilingId::Aligned, "global"}, {TilingId::Shifted, "rows"}});
};
template <>
struct Axis<StateId> {
  static constexpr const char* word = "state";
  static constexpr auto member = &VariantAxes::state;
  static constexpr auto names = std::to_array<NamedId<StateId>>(
      {{StateId::Populations, "populations"}, {StateId::Moments, "moments"}});
};

template <class Id>
concept AxisId = requires {
  Axis<Id>::names;
};

// Null for an enumerator that its table lacks.
template <AxisId Id>
constexpr const char* nameOf(Id id) {
  for (const NamedId<Id>& entry : Axis<Id>::names)
    if (entry.id == id) return entry.name;
  return nullptr;
}

template <AxisId Id>
constexpr std::optional<Id> idNamed(std::string_view name) {
  for (const NamedId<Id>& entry : Axis<Id>::names)
    if (entry.name == name) return entry.id;
  return std::nullopt;
}

// "D3Q19 trt quasi-compressible f32"; with " local viscosity", " rows" and " moments" for these.
inline std::string nameOf(const VariantAxes& axes) {
  return std::string(nameOf(axes.lattice)) + " " + nameOf(axes.collision) + " " +
         nameOf(axes.equilibrium) + " " + nameOf(axes.precision) +
         (axes.viscosity == ViscosityId::Local ? " local viscosity" : "") +
         (axes.tiling == TilingId::Shifted ? " rows" : "") +
         (axes.state == StateId::Moments ? " moments" : "");
}

// All names of an axis, in the order of its table.
template <AxisId Id>
std::vector<std::string> allNames() {
  std::vector<std::string> all;
  for (const NamedId<Id>& entry : Axis<Id>::names) all.emplace_back(entry.name);
  return all;
}

}  // namespace tessera::solver::model
