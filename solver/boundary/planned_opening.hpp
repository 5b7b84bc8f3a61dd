// SPDX-License-Identifier: GPL-3.0-or-later
// One opening on the lattice, as the links of its condition are planned from, and the values that
// conditions return for these links.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "solver/boundary/link.hpp"
#include "solver/boundary/prescription.hpp"
#include "solver/boundary/profiles.hpp"
#include "solver/model/lattice_info.hpp"
#include "solver/tiles/tile_order.hpp"

namespace tessera::solver::boundary {

// The lattice that boundary conditions are planned on.
struct PlanInput {
  const tiles::TileOrder& order;
  const tiler::TiledGeometry& geometry;
  const model::LatticeInfo& info;
  const model::Scales& scales;
  double viscosity;  // lattice units
};

// Symmetry plane that an opening ends at, across an axis of the lattice.
struct MirrorPlane {
  std::size_t axis;
  double at;  // lattice coordinate
};

struct PlannedOpening {
  const PlanInput& lattice;
  const preprocess::geometry::Opening& opening;
  std::vector<std::uint32_t> links;  // in TileOrder::openingLinks, ascending
  LatticeOpening shape;
  std::string label;  // "opening 1 (inlet)"
  PressureCourse course;
  double reference;             // Pa, mean of the pressure openings at time 0
  std::vector<bool> symmetric;  // by wall label: symmetry planes
  std::vector<MirrorPlane> planes;
  LatticeOpening whole;  // with its images in the planes, which profiles in closed form are of

  [[nodiscard]] const tiles::OpeningLink& link(std::size_t n) const {
    return lattice.order.openingLinks[links[n]];
  }
  // 6 w c . n of link n: the area in squared spacings that it stands for.
  [[nodiscard]] double area(std::size_t n) const;
  // The node of link n, or the point the given part of the link beyond it.
  [[nodiscard]] Double3 position(std::size_t n, double part) const;
  // A point and its images in the planes.
  [[nodiscard]] std::vector<Double3> images(const Double3& point) const;
};

// Value of one link at amplitude 1, see IncomingLink.
struct LinkPart {
  double value = 0.0;
  double speedSquared = 0.0;
};

struct OpeningLinks {
  LinkCondition condition = LinkCondition::Pressure;
  std::vector<LinkPart> parts;  // of PlannedOpening::links, one by one
  std::vector<double> basis;    // values of all modes, link by link; empty: one mode for all links
};

// Symmetry planes that links along axes of the opening's nodes end on, which lie along its normal;
// none across an axis that has two, whose images go on for ever. symmetric: by wall label.
std::vector<MirrorPlane> planesAt(const PlannedOpening& opening);

// The opening and its images.
LatticeOpening wholeOpening(LatticeOpening opening, const std::vector<MirrorPlane>& planes);

// "opening 1 (inlet)".
std::string labelOf(const preprocess::geometry::Opening& opening);

// 6 w_i c_i . n of each of order.openingLinks, n the outward normal of its opening, at least 0: the
// area, in squared spacings, that the link stands for.
std::vector<double> linkAreas(const tiles::TileOrder& order, const tiler::TiledGeometry& geometry,
                              const model::LatticeInfo& info);

}  // namespace tessera::solver::boundary
