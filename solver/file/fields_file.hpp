// SPDX-License-Identifier: GPL-3.0-or-later
// run.fields: pressure, velocity and deviatoric stress of every non-solid node in the order of the
// .tiles file (tile by tile, within a tile by ascending local node), and metadata of the run.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipelines/stage/io/provenance.hpp"
#include "solver/file/tile_offsets.hpp"

namespace tessera::solver::file {

struct OpeningResult {
  int id = 0;
  std::string name;
  std::string kind;           // "velocity", "pressure"
  double flowRate = 0.0;      // m3/s, positive out of the fluid
  double meanPressure = 0.0;  // Pa, gauge
  // Force of the fluid on the outside, by momentum exchange, world axes; absent in older files.
  std::optional<std::array<double, 3>> force{};           // N
  std::optional<std::array<double, 3>> forcePerPascal{};  // m2: of a pressure of 1 Pa everywhere
};

// Force and torque on a wall of a pressure of 1 Pa everywhere, which a change of the reference
// adds.
struct PressureEffect {
  std::array<double, 3> force{};   // m2
  std::array<double, 3> torque{};  // m3
};

// Force and torque of the fluid on a wall by momentum exchange, world axes.
struct WallResult {
  std::string name;
  std::array<double, 3> force{};              // N
  std::array<double, 3> torque{};             // N.m, about Fields::torqueAbout
  std::optional<PressureEffect> perPascal{};  // absent in older files
};

// Reference of drag and lift coefficients, of the case.
struct CoefficientReference {
  double velocity = 0.0;           // m/s
  double area = 0.0;               // m2
  double length = 0.0;             // m; 0: unknown
  std::array<double, 3> flow{};    // unit
  std::array<double, 3> across{};  // unit; 0: no lift
  std::vector<std::size_t> walls;  // labels; empty: all
};

// Means over the recorded cycle of a pulsatile run; stored values as of the fields.
struct MeanFields {
  std::uint64_t samples = 0;    // evenly over the cycle
  std::uint64_t firstStep = 0;  // the cycle is (firstStep, lastStep]
  std::uint64_t lastStep = 0;
  // Estimated distance of the cycle from the periodic flow, relative; absent in older files.
  std::optional<double> distance{};
  double pressureReference = 0.0;              // Pa, of these means
  std::vector<float> pressure;                 // n
  std::vector<std::array<float, 3>> velocity;  // n, lattice axes
  // At each node with a wall link: index of the node, mean of the fluid's tangential traction on
  // the wall (lattice axes), mean of its magnitude; times stressFactor in Pa.
  std::vector<std::uint64_t> wallNode;
  std::vector<std::array<float, 3>> wallTraction;
  std::vector<float> wallShear;
};

struct Fields {
  std::string contentHash;  // of the file they were read from
  std::string tilesName;    // base name and content hash of the .tiles file it belongs to
  std::string tilesHash;
  std::uint64_t step = 0;
  double time = 0.0;                // s
  double timeStep = 0.0;            // s
  double density = 0.0;             // kg/m3
  double kinematicViscosity = 0.0;  // m2/s; the least where it depends on the shear rate
  double largestViscosity = 0.0;    // m2/s; the same where it is constant
  std::string fluidModel = "newtonian";
  double smagorinsky = 0.0;  // 0: none
  [[nodiscard]] bool constantViscosity() const {
    return fluidModel == "newtonian" && smagorinsky == 0.0;
  }
  double tau = 0.0;  // relaxation time, lattice
  double machMax = 0.0;
  std::array<double, 2> densityRange{1.0, 1.0};  // lattice
  bool converged = false;
  double massResidual = 0.0;
  std::array<double, 3> bodyForce{};  // N/m3
  std::string variant;                // row of solver/variants.def
  std::string wallScheme;             // scheme of the walls, as in [solver]; empty in older files
  double soundError = 0.0;            // predicted change of a swinging flow by sound, relative
  std::string recovered;              // how the run continued after it diverged; empty: it did not
  std::string caseText;               // the case file as read
  std::vector<OpeningResult> openings;
  std::vector<WallResult> walls;        // by label; empty in older files
  std::array<double, 3> torqueAbout{};  // m, world
  std::optional<CoefficientReference> forceReference;

  // SI = stored * factor; pressure: reference + stored * factor.
  double pressureReference = 0.0;  // Pa, gauge
  double pressureFactor = 1.0;     // Pa
  double velocityFactor = 1.0;     // m/s
  double stressFactor = 1.0;       // Pa
  [[nodiscard]] double pressurePa(double stored) const {
    return pressureReference + stored * pressureFactor;
  }
  std::vector<float> pressure;                 // n, gauge
  std::vector<std::array<float, 3>> velocity;  // n, lattice axes
  std::vector<std::array<float, 6>> stress;    // n, deviatoric: xx yy zz xy xz yz

  std::optional<MeanFields> means;

  // monitor.csv's content as columns, for curves: names with units and rows.
  std::vector<std::string> monitorColumns;
  std::vector<double> monitorRows;  // row after row
  stage::Provenance provenance;
};

// False if any field, mean, monitor value or metadata is NaN or infinite.
bool allNumbers(const Fields& fields);

// Throws StageError(RunFailed) for fields that are not all numbers, (OutputFailed) when the file
// cannot be written.
void writeFieldsFile(const std::filesystem::path& path, const Fields& fields);
Fields readFieldsFile(const std::filesystem::path& path);

// Without its ending: "run" for "run.fields", "tau-0.6" for "tau-0.6", so that "tau-0.7" differs.
std::filesystem::path stemOf(std::filesystem::path fields);
// Report that the solver writes beside the fields unless --report names another file.
std::filesystem::path reportBeside(const std::filesystem::path& fields);
// Content hash of a file, without reading its fields. Throws StageError(BadInput).
std::string fieldsHash(const std::filesystem::path& path);

// Which run and moment a file is of, without reading its fields.
struct FieldsHead {
  std::string tilesName, tilesHash;
  std::string caseText;
  std::uint64_t step = 0;
  double time = 0.0;      // s
  bool hasMeans = false;  // of the end of a pulsatile run
};
// Throws StageError(BadInput).
FieldsHead readFieldsHead(const std::filesystem::path& path);

// The same file written by several processes, each with the nodes of its own tiles in fields and
// means; wallNodes: offsets of the wall nodes, wallNode in the numbering of all nodes. Other
// sections are the first process's. Throws the same on all.
void writeFieldsTogether(const std::filesystem::path& path, const Fields& fields,
                         const TileOffsets& nodes, const TileOffsets& wallNodes,
                         stage::Processes& processes);
// Pressure, velocity and stress of the given nodes, without means, by one process. check, if given,
// is called first with the metadata and the number of nodes of the file. Throws
// StageError(BadInput).
using FieldsCheck = std::function<void(const Fields&, std::uint64_t)>;
Fields readFieldsPart(const std::filesystem::path& path, const TileOffsets& nodes,
                      const FieldsCheck& check = {});

}  // namespace tessera::solver::file
