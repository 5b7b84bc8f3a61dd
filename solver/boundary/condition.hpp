// SPDX-License-Identifier: GPL-3.0-or-later
// Boundary conditions of openings: the list of kinds, and the questions that each kind answers. A
// new kind is a file of its own and one line in the list; a missing answer does not compile.
#pragma once

#include <algorithm>
#include <concepts>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "solver/boundary/outflow_split.hpp"
#include "solver/boundary/pressure.hpp"
#include "solver/boundary/resistance.hpp"
#include "solver/boundary/velocity.hpp"
#include "solver/boundary/wall_opening.hpp"
#include "solver/boundary/windkessel.hpp"

namespace tessera::solver::boundary {

// At one opening the value of a link in a step is that of links() times the modes of amplitudes()
// (link.hpp): both stand in the file of the kind.
template <class Kind>
concept OpeningCondition = std::copyable<Kind> &&
    requires(const Kind& kind, OpeningTable& table, const model::Scales& scales,
             const PlannedOpening& opening) {
  { Kind::name } -> std::convertible_to<const char*>;  // kind = "..." of the case file
  { Kind::fromCase(table) } -> std::same_as<Kind>;     // StageError(Usage) with file and line
  { kind.prescription() } -> std::same_as<Prescription>;
  { kind.outlet(scales) } -> std::same_as<std::optional<Outlet>>;  // of Prescribed::Relation
  { kind.links(opening) } -> std::same_as<OpeningLinks>;
  { kind.amplitudes() } -> std::same_as<Amplitudes>;
  { kind.physics() } -> std::same_as<OpeningPhysics>;
};

// In the order of the case file's documentation. The index is part of the physics hash of
// checkpoints: new kinds come last.
using Condition =
    std::variant<Velocity, FlowRate, Pressure, Resistance, Windkessel, OutflowSplit, WallOpening>;

// The visits below take any variant of conditions.
template <OpeningCondition... Kinds>
const char* nameOf(const std::variant<Kinds...>& condition) {
  return std::visit([]<class Kind>(const Kind&) -> const char* { return Kind::name; }, condition);
}

template <OpeningCondition... Kinds>
Prescription prescriptionOf(const std::variant<Kinds...>& condition) {
  return std::visit([](const auto& kind) { return kind.prescription(); }, condition);
}

template <OpeningCondition... Kinds>
std::optional<Outlet> outletOf(const std::variant<Kinds...>& condition,
                               const model::Scales& scales) {
  return std::visit([&](const auto& kind) { return kind.outlet(scales); }, condition);
}

template <OpeningCondition... Kinds>
OpeningLinks linksOf(const std::variant<Kinds...>& condition, const PlannedOpening& opening) {
  return std::visit([&](const auto& kind) { return kind.links(opening); }, condition);
}

template <OpeningCondition... Kinds>
Amplitudes amplitudesOf(const std::variant<Kinds...>& condition) {
  return std::visit([](const auto& kind) { return kind.amplitudes(); }, condition);
}

// Values of a condition in the physics hash: its kind and physics(), in the order of version 0.1;
// followed there by those of its series.
template <OpeningCondition... Kinds>
std::vector<double> physicsOf(const std::variant<Kinds...>& condition) {
  const OpeningPhysics of = std::visit([](const auto& kind) { return kind.physics(); }, condition);
  std::vector<double> values{static_cast<double>(condition.index()),
                             of.profile,
                             of.mean,
                             of.pressure,
                             of.resistance,
                             of.proximal,
                             of.compliance,
                             of.distal,
                             of.fraction,
                             of.zouHe ? 1.0 : 0.0};
  values.insert(values.end(), of.others.begin(), of.others.end());
  return values;
}

// Names of all kinds, and the condition of the kind with a given name, read from its table.
template <class AnyCondition>
struct ConditionReader;

template <OpeningCondition... Kinds>
struct ConditionReader<std::variant<Kinds...>> {
  static std::vector<std::string> names() { return {Kinds::name...}; }

  // name: one of names().
  static std::variant<Kinds...> read(const std::string& name, OpeningTable& from) {
    std::optional<std::variant<Kinds...>> out;
    const bool known = ((name == Kinds::name && (out.emplace(Kinds::fromCase(from)), true)) || ...);
    return known ? std::move(*out) : throw std::invalid_argument("no condition " + name);
  }
};

inline bool prescribesVelocity(const Condition& condition) {
  return prescriptionOf(condition).prescribed == Prescribed::Velocity;
}
inline bool prescribesPressure(const Condition& condition) {
  return prescriptionOf(condition).prescribed == Prescribed::Pressure;
}
inline bool isCoupled(const Condition& condition) {
  return prescriptionOf(condition).prescribed == Prescribed::Relation;
}

inline bool isWall(const Condition& condition) {
  return prescriptionOf(condition).prescribed == Prescribed::Nothing;
}

inline bool anyCoupled(const std::vector<Condition>& conditions) {
  return std::any_of(conditions.begin(), conditions.end(), isCoupled);
}

inline PressureCourse pressureCourse(const std::vector<Condition>& conditions) {
  if (anyCoupled(conditions)) return PressureCourse::Coupled;
  const bool varies = std::any_of(conditions.begin(), conditions.end(), [](const Condition& c) {
    return prescribesPressure(c) && prescriptionOf(c).series != nullptr;
  });
  return varies ? PressureCourse::Varying : PressureCourse::Constant;
}

// Mean pressure of all openings with one at time t, Pa; of relations the initial one; 0 without
// any.
inline double meanPressure(const std::vector<Condition>& conditions, double t) {
  double sum = 0.0;
  int count = 0;
  for (const Condition& condition : conditions) {
    const Prescription given = prescriptionOf(condition);
    if (given.prescribed == Prescribed::Velocity || given.prescribed == Prescribed::Nothing)
      continue;
    sum += given.pressureAt(t);
    ++count;
  }
  return count == 0 ? 0.0 : sum / count;
}

}  // namespace tessera::solver::boundary
