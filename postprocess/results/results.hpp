// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that postprocess computes from one run, for summary.json, tables, pictures and report.
// SI units, world axes; the same bits for any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipelines/stage/case/length_unit.hpp"
#include "pipelines/stage/io/provenance.hpp"
#include "preprocess/geometry/frame.hpp"
#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::postprocess::results {

// Expected error of a number, relative (of a vector: to its length).
struct ExpectedError {
  double total = 0.0;
  double kept = 0.0;  // part of it that a finer spacing does not reduce
};

struct ErrorPart {
  std::string source;  // "resolution"
  double share = 0.0;  // of the error of the flow's resistance, relative
};

// Weighted by area.
struct ShearStatistics {
  double mean = 0.0, max = 0.0, p01 = 0.0, p50 = 0.0, p99 = 0.0;  // Pa
  double area = 0.0;                                              // m2
  double p05 = 0.0, p25 = 0.0, p75 = 0.0, p95 = 0.0;              // Pa
};

// Expected errors of the main numbers of a run; absent: not known.
struct ExpectedErrors {
  ShearStatistics otherShear;                 // by another extrapolation to the wall
  double nodesAcross = 0.0;                   // the narrowest section; 4 V / A without openings
  std::vector<ErrorPart> parts;               // largest first
  std::optional<ExpectedError> pressureDrop;  // that of flow rates stands at the openings
  std::optional<ExpectedError> shear;         // mean and median of the wall
  std::optional<ExpectedError> highShear;     // its 95th percentile and above
  std::optional<ExpectedError> permeability;
  std::optional<ExpectedError> force;
};

struct OpeningSummary {
  int id = 0;
  std::string name;
  std::string kind;            // "velocity", "pressure"; empty if unknown
  Double3 centre{};            // m
  Double3 normal{};            // unit, out of the fluid
  double area = 0.0;           // m2
  double radius = 0.0;         // m
  double diameter = 0.0;       // m, 2 radius; in 2D the width
  double flowRate = 0.0;       // m3/s, positive out of the fluid (from the solver's links)
  double meanPressure = 0.0;   // Pa, gauge, at the opening's plane
  double nodePressure = 0.0;   // Pa, gauge, of the nodes next to it (from the solver's links)
  double planeDistance = 0.0;  // m, from these nodes to the plane
  std::optional<double> meanPressureOverPeriod;  // Pa, at the plane, of a run with means
  double meanVelocity = 0.0;                     // m/s, |flow rate| / area
  double reynolds = 0.0;  // mean velocity * diameter / kinematic viscosity (the smallest)
  std::optional<ExpectedError> flowRateError;
  double flowFraction = 0.0;  // part of the inflow of all inlets, or outflow of all outlets
  // Outlets: (mean pressure of the inlets - own mean pressure) / own flow rate.
  std::optional<double> resistance;  // Pa.s/m3
  std::optional<Double3> force;      // N, of the fluid on what is beyond; none in older fields
  // By quadrature on a plane just inside; absent if no plane fits.
  std::optional<double> flowRateInside;   // m3/s, positive out of the fluid
  std::optional<double> peakVelocity;     // m/s, the largest magnitude
  std::optional<double> peakPressure;     // Pa, gauge, the highest
  std::optional<double> pressureRatio{};  // of an outlet, see pressure_ratio.hpp
};

struct PlaneSummary {
  std::string name;
  Double3 point{};            // m
  Double3 normal{};           // unit
  double area = 0.0;          // m2, connected cross-section around the point
  double flowRate = 0.0;      // m3/s, positive along the normal
  double meanVelocity = 0.0;  // m/s, along the normal
  double meanPressure = 0.0;  // Pa, gauge
  double peakVelocity = 0.0;  // m/s, the largest magnitude
  double peakPressure = 0.0;  // Pa, gauge, the highest
};

// Cross-section on a centreline.
struct Station {
  double distance = 0.0;                          // m, along the centreline from its start
  Double3 point{};                                // m
  Double3 normal{};                               // unit, along the centreline
  double radius = 0.0;                            // m, of the circle of the same area
  double area = 0.0;                              // m2
  double flowRate = 0.0;                          // m3/s, positive along the centreline
  double meanVelocity = 0.0, peakVelocity = 0.0;  // m/s: along the normal; the largest magnitude
  double meanPressure = 0.0;                      // Pa, gauge
  std::optional<double> pressureRatio{};          // see pressure_ratio.hpp
};

struct Centreline {
  std::string name;     // "1-2": from opening 1 to opening 2; otherwise the file's base name
  double length = 0.0;  // m
  std::vector<Station> stations;  // stations with fluid at their point
};

struct LinePoint {
  double distance = 0.0;  // m, from the line's start
  Double3 point{};        // m
  Double3 velocity{};     // m/s
  double pressure = 0.0;  // Pa, gauge
  bool inside = false;    // false: solid, no values
};

struct LineProfile {
  std::string name;
  std::vector<LinePoint> points;
};

// The wall (without openings) with its shear stress: the original surface, or for images the
// exposed voxel faces, two triangles each.
struct WallShear {
  std::vector<Double3> vertex;                         // m
  std::vector<std::array<std::uint32_t, 3>> triangle;  // counter-clockwise seen from outside
  std::vector<preprocess::geometry::Patch> label;      // one per triangle, wall labels only
  std::vector<double> triangleArea;                    // m2
  std::vector<Double3> triangleTraction;  // Pa, tangential stress of the fluid on the wall
  std::vector<double> triangleShear;      // Pa, its magnitude
  std::vector<double> trianglePressure;   // Pa, gauge
  std::vector<double> vertexShear;        // Pa, area-weighted mean of the triangles around
  bool fromVoxels = false;                // made from voxel faces, not from a surface
};

// Quantities over the recorded cycle of a pulsatile run, one value per triangle of WallShear; NaN
// where unknown or (without shear) undefined.
struct CycleShear {
  std::vector<double> tawss;      // Pa, mean magnitude
  std::vector<double> osi;        // 0 ... 1/2
  std::vector<double> residence;  // 1/Pa, relative residence time
};

struct LabelStatistics {
  std::string quantity;  // "wss[Pa]", "tawss[Pa]", "osi", "relative_residence_time[1/Pa]"
  preprocess::geometry::Patch label = 0;
  std::string name;
  ShearStatistics statistics;
};

struct WallForce {
  preprocess::geometry::Patch label = 0;
  std::string name;
  // By momentum exchange in the solver; none in fields of older versions.
  std::optional<Double3> exchanged;        // N, of the fluid on the wall
  std::optional<Double3> exchangedTorque;  // N.m
  // Integrals of the stress.
  Double3 pressure{};  // N
  Double3 viscous{};   // N
  // About Results::momentsAbout.
  Double3 pressureMoment{};  // N.m
  Double3 viscousMoment{};   // N.m
  [[nodiscard]] Double3 total() const { return exchanged.value_or(pressure + viscous); }
};

// Force over 1/2 rho U^2 A.
struct ForceCoefficients {
  std::vector<std::string> bodies;                           // wall labels whose forces are summed
  double velocity = 0.0;                                     // m/s, U
  double area = 0.0;                                         // m2, A
  Double3 flow{};                                            // unit
  double drag = 0.0, pressureDrag = 0.0, viscousDrag = 0.0;  // along flow
  std::optional<Double3> across;                             // unit, perpendicular to flow
  std::optional<double> lift;                                // along across
};

// The same in time, a row of the monitor each.
struct CoefficientMoment {
  double time = 0.0;  // s
  double drag = 0.0;
  std::optional<double> lift;
};

struct CourseOfCoefficient {
  double mean = 0.0, amplitude = 0.0, least = 0.0, largest = 0.0;  // amplitude: half of the range
};

// Over whole periods of the flow, or, where it does not oscillate, over the last rows.
struct CoefficientCourse {
  double from = 0.0, to = 0.0;     // s
  std::size_t periods = 0;         // between these; 0: steady
  std::optional<double> period;    // s
  std::optional<double> strouhal;  // length / (velocity period)
  CourseOfCoefficient drag;
  std::optional<CourseOfCoefficient> lift;
};

struct Permeability {
  Double3 direction{};            // unit, along the driving force
  double superficial = 0.0;       // m/s, mean velocity over the whole box, along it
  double pressureGradient = 0.0;  // Pa/m, driving
  double value = 0.0;             // m2
  Double3 velocity{};             // m/s, mean over the whole box, world axes
  double porosity = 0.0;          // non-solid nodes in the box
  double tortuosity = 0.0;        // mean |u| over mean u along the force
  double poreReynolds = 0.0;      // superficial * sqrt(value) / kinematic viscosity
  bool inertial = false;          // beyond Darcy's law
  bool blocked = false;           // no flow along the direction: the value is not a permeability
  bool medium = false;            // pores are small beside the box; otherwise it is a channel

  static constexpr double squareMetresADarcy = 9.869233e-13;
  [[nodiscard]] double milliDarcy() const { return 1e3 * value / squareMetresADarcy; }
};

// Part of the fluid's nodes with a velocity along the driving force in a bin, in units of the mean.
struct VelocityBin {
  double velocity = 0.0;  // middle of the bin, over the mean velocity in the pores
  double share = 0.0;     // of the nodes
  double density = 0.0;   // share over the width of the bin
};

// A layer of nodes across the axis of the box that is nearest to the driving force.
struct SampleLayer {
  double distance = 0.0;   // m, of its middle from the face where the flow enters
  double porosity = 0.0;   // non-solid nodes
  double pressure = 0.0;   // Pa, gauge, mean over them
  double potential = 0.0;  // Pa, pressure less the work of the body force from the first face
  double velocity = 0.0;   // m/s, superficial, along the axis
};

// From runs driven along each axis of the geometry: velocity = -K grad p / mu.
struct PermeabilityTensor {
  std::array<Double3, 3> value{};      // m2, rows, world axes
  Double3 principal{};                 // m2, of the symmetric part, descending
  std::array<Double3, 3> direction{};  // unit, one per principal value
  double asymmetry = 0.0;              // largest |K_ij - K_ji| / 2 over the largest principal value
  double poreReynolds = 0.0;           // the largest of the runs
  std::vector<std::string> runs;       // base names
};

// Forchheimer's law from runs at several forces along one direction, see permeability.hpp.
struct Forchheimer {
  struct Run {
    std::string name;           // base name
    double poreReynolds = 0.0;  // as Permeability's
    double apparent = 0.0;      // m2, apparent permeability by Darcy's law
  };
  double permeability = 0.0;  // m2, at rest
  double coefficient = 0.0;   // 1/m, beta
  double inertia = 0.0;       // beta sqrt(k)
  double residual = 0.0;      // largest difference from the law, relative; 0 for two runs
  std::vector<Run> runs;
};

// Report of tessera-preprocess about the geometry.
struct GeometryReport {
  struct Health {
    std::string name, asRead, repaired;  // empty if not counted
  };
  std::string name;                                            // base name of the file
  std::string hash;                                            // hash of the file
  std::string verdict;                                         // empty for images
  std::vector<std::pair<std::string, std::uint64_t>> repairs;  // as preprocess names them
  std::vector<std::string> warnings;
  std::vector<Health> health;
  // Whether fluid percolates along the axes of the box that are periodic or open at both ends.
  std::array<std::optional<bool>, 3> percolates;
};

// Where, when and how fast the run was computed, from the report of tessera-solver. In the page
// alone: summary and tables depend on files and options only.
struct RunRecord {
  double seconds = 0.0;
  double mflups = 0.0;   // million lattice updates a second
  std::string machine;   // processor or device; empty in older reports
  std::string finished;  // UTC, "2026-11-25 22:51"; empty in older reports
};

struct OverPeriod {
  double mean = 0.0, least = 0.0, largest = 0.0;  // SI
};

// Over the last period of a pulsatile run, from the monitor: not visible in its last moment.
struct CycleFlow {
  struct AtOpening {
    int id = 0;
    std::string name;
    OverPeriod flowRate;                    // m3/s, positive out of the fluid
    OverPeriod pressure;                    // Pa, gauge, at the opening's plane
    double reynolds = 0.0;                  // at the largest flow rate in either direction
    double womersley = 0.0;                 // R (omega / nu)^1/2, J. R. Womersley 1955
    std::optional<double> pressureRatio{};  // of mean pressures, see pressure_ratio.hpp
  };
  double period = 0.0;                     // s
  std::vector<AtOpening> openings;         // as Results::openings
  std::optional<OverPeriod> pressureDrop;  // Pa, inlets minus outlets, those of the mean flow
  double inflowMean = 0.0;                 // m3/s, into the fluid through the inlets
  double inflowPeak = 0.0;                 // m3/s
  std::optional<double> resistance;        // Pa.s/m3, mean pressure drop over mean inflow
  std::optional<double> massResidual;      // |sum| / largest of the mean flow rates
};

// Monitor rows recorded during the run; empty if none.
struct Monitor {
  std::vector<std::string> columns;       // "step", "time[s]", "flow_rate_1[m3/s]", ...
  std::vector<std::vector<double>> rows;  // one value per column
};

// Main numbers of one of several fields of a run.
struct SeriesMoment {
  std::string fieldsName;  // base name
  std::uint64_t step = 0;
  double time = 0.0;                     // s
  std::vector<double> flowRate;          // m3/s out of the fluid, per opening
  std::vector<double> pressure;          // Pa, gauge, per opening
  std::optional<double> pressureDrop;    // Pa
  double velocityMax = 0.0;              // m/s
  std::optional<ShearStatistics> shear;  // without a wall: none
};

struct Results {
  std::string fieldsName;  // base names
  std::string tilesName;
  std::string title;  // the geometry's base name without its ending

  // The run.
  std::uint64_t step = 0;
  double time = 0.0;              // s
  bool convergenceAsked = false;  // the case has a convergence rule
  bool converged = false;
  double machMax = 0.0;
  double tau = 0.0;
  std::optional<double> period;         // s, of a pulsatile run
  std::optional<double> cycleDistance;  // from the periodic flow; absent in older files
  double density = 0.0;                 // kg/m3
  double kinematicViscosity = 0.0;      // m2/s; the smallest where it depends on the shear rate
  double largestViscosity = 0.0;        // m2/s
  std::string fluidModel;
  std::string variant;
  std::string recovered;  // how the run continued after it diverged; empty: it did not
  bool usesMmHg = false;  // the case states pressures in mmHg

  // The geometry.
  Int3 nodes{};                  // lattice box
  double spacing = 0.0;          // m
  std::string space;             // anatomical space of the world, "LPS" or "RAS"; empty: unknown
  stage::LengthUnit lengthUnit;  // of VTK files: the input's, unless asked for otherwise
  stage::LengthUnit tableUnit;   // of CSV tables: m, unless asked for otherwise
  std::uint64_t fluidNodes = 0;
  std::uint64_t tiles = 0;
  [[nodiscard]] bool flat() const { return nodes[2] == 1; }  // 2D

  std::vector<OpeningSummary> openings;  // by id
  std::vector<PlaneSummary> planes;      // as requested
  std::vector<Centreline> centrelines;   // as requested
  std::vector<LineProfile> lines;        // as requested
  double massResidual = 0.0;
  // At the end of the run; cycleFlow has them over a period.
  std::optional<double> referencePressure;  // Pa that all pressures are relative to
  std::optional<double> pressureDrop;       // Pa, mean inlet minus flow-weighted mean outlet
  std::optional<double> resistance;         // Pa.s/m3, pressure drop / inflow
  std::optional<CycleFlow> cycleFlow;
  double velocityMax = 0.0;  // m/s
  // SI, by name: results of RESULT_FUNCTION in descriptors.def that the run has.
  std::map<std::string, double, std::less<>> computed;

  WallShear wall;
  ShearStatistics shear;
  std::optional<ShearStatistics> shearAway;  // farther than its radius from every opening
  std::optional<ShearStatistics> tawssAway;  // the same of TAWSS
  std::optional<CycleShear> cycle;
  std::vector<LabelStatistics> labelStatistics;  // by quantity, then label
  std::vector<WallForce> forces;                 // by wall label
  Double3 momentsAbout{};                        // m
  std::optional<ForceCoefficients> coefficients;
  std::vector<CoefficientMoment> coefficientSeries;
  std::optional<CoefficientCourse> coefficientCourse;
  std::optional<Permeability> permeability;
  std::vector<VelocityBin> velocityHistogram;  // of a medium, by ascending velocity
  std::vector<SampleLayer> layers;             // of a medium, along the flow
  std::optional<PermeabilityTensor> permeabilityTensor;
  std::optional<Forchheimer> forchheimer;
  std::optional<GeometryReport> geometryReport;
  std::optional<RunRecord> runRecord;
  ExpectedErrors expected;

  Monitor monitor;
  std::vector<SeriesMoment> series;     // by time, if there are several fields
  std::vector<std::string> exports;     // file names of the fields in the folder
  std::vector<std::string> animations;  // of a series
  bool hasPictures = true;              // drawn into the folder
  std::vector<std::string> warnings;
  stage::Provenance provenance;
};

}  // namespace tessera::postprocess::results
