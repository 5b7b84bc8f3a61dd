// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/physics.hpp"

#include <algorithm>
#include <ranges>
#include <type_traits>
#include <vector>

#include "pipelines/stage/io/provenance.hpp"

namespace tessera::solver::run {

namespace {

template <class Value>
void append(const Setup& setup, const Value& value, std::vector<double>& values);

template <Tabulated Struct>
void appendMembers(const Setup& setup, const Struct& object, std::vector<double>& values) {
  forEachMember<Struct>([&](const auto& member) {
    if constexpr (!std::is_null_pointer_v<decltype(member.resolve)>)
      values.push_back(static_cast<double>(member.resolve(setup)));
    else if (member.onResume == OnResume::Hashed)
      append(setup, object.*member.pointer, values);
  });
}

// Hashes containers by their elements, pointers by the values they point to.
template <class Value>
void append(const Setup& setup, const Value& value, std::vector<double>& values) {
  if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>) {
    values.push_back(static_cast<double>(value));
  } else if constexpr (std::is_same_v<Value, model::ViscosityLaw>) {
    if (value.local()) appendMembers(setup, value, values);
  } else if constexpr (std::is_same_v<Value, cases::InitialField>) {
    append(setup, value.hash, values);
  } else if constexpr (std::is_same_v<Value, boundary::Condition>) {
    append(setup, boundary::physicsOf(value), values);
    append(setup, boundary::prescriptionOf(value).series, values);
  } else if constexpr (Tabulated<Value>) {
    appendMembers(setup, value, values);
  } else if constexpr (std::ranges::range<Value>) {
    for (const auto& each : value) append(setup, each, values);
  } else if (value) {
    append(setup, *value, values);
  }
}

// Version of the formulas of openings, of interpolated and of moving walls. Version 0.1 had none in
// its hash.
constexpr double formulasOfLinks = 2.0;

bool usesFormulasOfLinks(const cases::SolverCase& run) {
  return !run.openings.empty() || run.walls != boundary::WallScheme::Halfway ||
         std::ranges::any_of(run.wallConditions, [](const boundary::WallCondition& wall) {
           return wall.kind == boundary::WallKind::Moving;
         });
}

}  // namespace

std::string physicsHash(const Setup& setup, Formulas formulas) {
  std::vector<double> values;
  append(setup, setup.run, values);
  if (formulas == Formulas::Present && usesFormulasOfLinks(setup.run))
    values.push_back(formulasOfLinks);
  return stage::hashBytes(values.data(), values.size() * sizeof(double));
}

}  // namespace tessera::solver::run
