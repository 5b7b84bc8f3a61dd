// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of the members of the structs that make up a case, one entry per member: whether a run may
// be resumed with another value of it. A table that leaves a member out does not compile.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tessera::solver::run {

enum class OnResume {
  Hashed,    // part of the physics hash; a struct with a table by its members
  Resolved,  // part of the physics hash, by the value that set-up chose, e.g. the ramp in steps
  Compared,  // compared by name in checkpoints: variant, relaxation time, time step
  Derived,   // follows from other members
  Free       // may change: stop rules, output, names
};

// resolve: of Resolved members, the value of a Setup.
template <class Owner, class Value, class Resolve = std::nullptr_t>
struct Member {
  using Type = Value;
  const char* name;
  Value Owner::*pointer;
  OnResume onResume;
  Resolve resolve;
};

template <class Owner, class Value>
constexpr Member<Owner, Value> hashed(const char* name, Value Owner::*pointer) {
  return {name, pointer, OnResume::Hashed, nullptr};
}
template <class Owner, class Value, class Resolve>
constexpr Member<Owner, Value, Resolve> resolved(const char* name, Value Owner::*pointer,
                                                 Resolve resolve) {
  return {name, pointer, OnResume::Resolved, resolve};
}
template <class Owner, class Value>
constexpr Member<Owner, Value> compared(const char* name, Value Owner::*pointer) {
  return {name, pointer, OnResume::Compared, nullptr};
}
template <class Owner, class Value>
constexpr Member<Owner, Value> derived(const char* name, Value Owner::*pointer) {
  return {name, pointer, OnResume::Derived, nullptr};
}
template <class Owner, class Value>
constexpr Member<Owner, Value> freeToChange(const char* name, Value Owner::*pointer) {
  return {name, pointer, OnResume::Free, nullptr};
}

// The table of a struct: a std::tuple of its members.
template <class Struct>
inline constexpr std::nullptr_t memberTable{};

template <class Struct>
concept Tabulated = requires {
  std::tuple_size<std::decay_t<decltype(memberTable<Struct>)>>::value;
};

// visit(member) in the order of the table.
template <Tabulated Struct, class Visit>
void forEachMember(Visit&& visit) {
  std::apply([&](const auto&... member) { (visit(member), ...); }, memberTable<Struct>);
}

namespace member_count {

struct Anything {
  template <class Value>
  operator Value() const;  // NOLINT(google-explicit-constructor): what it is for
};

template <class Struct, std::size_t... k>
consteval bool initialises(std::index_sequence<k...>) {
  return requires {
    Struct{(static_cast<void>(k), Anything{})...};
  };
}

}  // namespace member_count

// Members of an aggregate: the largest number of initialisers that it takes.
template <class Struct, std::size_t known = 0>
consteval std::size_t memberCount() {
  static_assert(std::is_aggregate_v<Struct>);
  if constexpr (member_count::initialises<Struct>(std::make_index_sequence<known + 1>{}))
    return memberCount<Struct, known + 1>();
  else
    return known;
}

// Every member is in the table, none twice.
template <Tabulated Struct>
consteval bool listsEveryMember() {
  const auto timesListed = [](const auto& wanted) {
    const auto same = [&](const auto& other) {
      if constexpr (std::same_as<decltype(other.pointer), decltype(wanted.pointer)>)
        return std::size_t{other.pointer == wanted.pointer};
      else
        return std::size_t{0};
    };
    return std::apply([&](const auto&... other) { return (same(other) + ...); },
                      memberTable<Struct>);
  };
  return std::tuple_size_v<std::decay_t<decltype(memberTable<Struct>)>> == memberCount<Struct>() &&
         std::apply([&](const auto&... member) { return ((timesListed(member) == 1) && ...); },
                    memberTable<Struct>);
}

}  // namespace tessera::solver::run
