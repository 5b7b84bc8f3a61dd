// SPDX-License-Identifier: GPL-3.0-or-later
// Labels of walls and openings, the measures of openings and of throats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipelines/stage/vec3.hpp"

namespace tessera::preprocess::geometry {

// Label of a link's end and of a surface triangle: wall labels count from 0; an opening with id k
// (from 1) is openingBit | k.
using Patch = std::uint16_t;
constexpr Patch openingBit = 0x8000;
constexpr bool isOpening(Patch patch) {
  return (patch & openingBit) != 0;
}
constexpr int openingId(Patch patch) {
  return patch & 0x7fff;
}
constexpr Patch openingPatch(int id) {
  return static_cast<Patch>(openingBit | id);
}

// Ids count from 1 by descending area; areas within 1 % of each other are ordered by centre z, then
// y, then x (coordinates closer than 0.001 radii count as equal). Where all names are numbered
// alike (face2, face10), ids follow these numbers. World axes, metres.
struct Opening {
  int id = 0;
  std::string name;     // "opening1" unless named
  Double3 centre{};     // m, area centroid of the cap
  Double3 normal{};     // unit, out of the fluid
  double area = 0.0;    // m2; in 2D width times one spacing
  double radius = 0.0;  // m, of the circle of the same area
  int part = 1;         // of the fluid, from 1: openings of one number are connected
};

// Narrowest cross-section between an opening, or several, and all others. World axes, metres.
struct Throat {
  std::vector<int> openings;  // ids on one side of it, ascending
  Double3 centre{};           // m, of the largest of parallel passages
  Double3 normal{};           // unit, towards these openings
  double area = 0.0;          // m2, of all passages; in 2D width times one spacing
  int passages = 1;           // sections in parallel, such as an orifice and a slit at its rim
};

}  // namespace tessera::preprocess::geometry
