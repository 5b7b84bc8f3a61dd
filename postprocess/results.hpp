// SPDX-License-Identifier: GPL-3.0-or-later
// Everything postprocess computes from one run: what summary.json, the tables, the pictures and
// the report are made of. SI units, world axes; the same bits for any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/stage/provenance.hpp"
#include "preprocess/lattice/frame.hpp"
#include "preprocess/lattice/lattice_geometry.hpp"

namespace tessera {

struct OpeningSummary {
  int id = 0;
  std::string name;
  std::string kind;           // "velocity", "pressure"; empty when the run did not know it
  Double3 centre{};           // m
  Double3 normal{};           // unit, out of the fluid
  double area = 0.0;          // m2
  double radius = 0.0;        // m
  double flowRate = 0.0;      // m3/s, positive out of the fluid (from the solver's links)
  double meanPressure = 0.0;  // Pa, gauge
  double meanVelocity = 0.0;  // m/s, |flow rate| / area
  double reynolds = 0.0;      // mean velocity * 2 radius / kinematic viscosity (the least)
  // The same flow rate through a plane just inside, by quadrature; absent where no plane fits.
  std::optional<double> flowRateInside;  // m3/s, positive out of the fluid
};

struct PlaneSummary {
  std::string name;
  Double3 point{};            // m
  Double3 normal{};           // unit
  double area = 0.0;          // m2, of the connected cross-section that holds the point
  double flowRate = 0.0;      // m3/s, positive along the normal
  double meanVelocity = 0.0;  // m/s, along the normal
  double meanPressure = 0.0;  // Pa, gauge
};

// The wall (openings left out) with its shear stress. From the original surface; for images the
// exposed faces of the voxels, two triangles each.
struct WallShear {
  std::vector<Double3> vertex;                         // m
  std::vector<std::array<std::uint32_t, 3>> triangle;  // counter-clockwise seen from outside
  std::vector<Patch> label;                            // one a triangle, wall labels only
  std::vector<double> triangleArea;                    // m2
  std::vector<Double3> triangleTraction;  // Pa, tangential stress of the fluid on the wall
  std::vector<double> triangleShear;      // Pa, its magnitude
  std::vector<double> vertexShear;        // Pa, area-weighted mean of the triangles around
  bool fromVoxels = false;                // made from voxel faces, not from a surface
};

// Over the recorded cycle of a pulsatile run, one value a triangle of WallShear; not a number where
// it is not known, or where without any shear it is not defined.
struct CycleShear {
  std::vector<double> tawss;      // Pa, mean magnitude
  std::vector<double> osi;        // 0 ... 1/2
  std::vector<double> residence;  // 1/Pa, relative residence time
};

// Weighted by area.
struct ShearStatistics {
  double mean = 0.0, max = 0.0, p01 = 0.0, p50 = 0.0, p99 = 0.0;  // Pa
  double area = 0.0;                                              // m2
};

struct WallForce {
  Patch label = 0;
  std::string name;
  Double3 pressure{};  // N, of the fluid on the wall
  Double3 viscous{};   // N
};

struct Permeability {
  Double3 direction{};            // unit, along the driving force
  double superficial = 0.0;       // m/s, mean velocity over the whole box, along it
  double pressureGradient = 0.0;  // Pa/m, driving
  double value = 0.0;             // m2
};

// The monitor's rows as recorded while the run went on; empty when nothing was recorded.
struct Monitor {
  std::vector<std::string> columns;       // "step", "time[s]", "flow_rate_1[m3/s]", ...
  std::vector<std::vector<double>> rows;  // one value a column
};

struct Results {
  std::string fieldsName;  // base names
  std::string tilesName;
  std::string title;  // the geometry's base name without its ending

  // The run.
  std::uint64_t step = 0;
  double time = 0.0;  // s
  bool converged = false;
  double machMax = 0.0;
  double tau = 0.0;
  double density = 0.0;             // kg/m3
  double kinematicViscosity = 0.0;  // m2/s; the least where it depends on the shear rate
  double largestViscosity = 0.0;    // m2/s
  std::string fluidModel;
  std::string variant;

  // The geometry.
  Int3 nodes{};          // lattice box
  double spacing = 0.0;  // m
  std::uint64_t fluidNodes = 0;
  std::uint64_t tiles = 0;

  std::vector<OpeningSummary> openings;  // by id
  std::vector<PlaneSummary> planes;      // as asked for
  double massResidual = 0.0;
  std::optional<double> pressureDrop;  // Pa, mean inlet minus flow-weighted mean outlet
  double velocityMax = 0.0;            // m/s

  WallShear wall;
  ShearStatistics shear;
  std::optional<CycleShear> cycle;
  std::vector<WallForce> forces;  // by wall label
  std::optional<Permeability> permeability;

  Monitor monitor;
  std::vector<std::string> warnings;
  Provenance provenance;
};

}  // namespace tessera
