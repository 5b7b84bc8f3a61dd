// SPDX-License-Identifier: GPL-3.0-or-later
// Monitored quantities of a run: flow rate and pressure of each opening, extremes, energy,
// force and torque on each wall, force on each opening; and run.monitor.csv.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "solver/backend/backend.hpp"
#include "solver/boundary/plan_wall_force.hpp"
#include "solver/case/probes.hpp"
#include "solver/case/time_step.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::solver::run {

// Forces and torques of the fluid, mean of the last and the next step.
struct BoundaryForces {
  std::vector<boundary::ForceOnWall> walls;     // by label
  std::vector<boundary::ForceOnWall> openings;  // on what is beyond each
};

struct ProbeValues {
  double pressure = 0.0;  // Pa gauge
  Double3 velocity{};     // m/s, world
};

struct StationValues {
  double flowRate = 0.0;  // m3/s, along its normal
  double pressure = 0.0;  // Pa gauge, mean over the area
  double velocity = 0.0;  // m/s along its normal, mean over the area
};

struct MonitorSample : BoundaryForces {
  std::uint64_t step = 0;
  std::vector<double> flowRate;  // m3/s out of the fluid, per opening
  std::vector<double> pressure;  // Pa gauge, mean over the opening's nodes by the area of links
  backend::GlobalSample nodes;
  std::vector<ProbeValues> probes{};
  std::vector<StationValues> stations{};
};

// links[k], areas[k] and samples[k] belong together (domain.hpp).
MonitorSample reduceSamples(std::uint64_t step, const std::vector<tiles::OpeningLink>& links,
                            const std::vector<double>& areas,
                            const std::vector<boundary::LinkSample>& samples,
                            const backend::GlobalSample& nodes, std::size_t openings,
                            const model::Scales& scales, double reference);

// |sum of flow rates| / largest; 0 without flow.
double massResidual(const std::vector<double>& flowRate);

// Largest relative change of the monitored quantities: flow rates to the largest of them, pressures
// to their spread; kinetic energy where there are no openings.
double relativeChange(const MonitorSample& before, const MonitorSample& now);

// Column names with units, and rows one after the other.
struct MonitorTable {
  std::vector<std::string> columns;
  std::vector<double> rows;
};

// Columns of a table; walls: with columns of their forces, without any there are none of openings
// either. A run that recovered from divergence has one for the number of recoveries. places:
// columns of probes and stations (cases::columnsOf).
constexpr std::size_t monitorColumns(std::size_t openings, std::size_t walls,
                                     std::size_t recoveries = 0, std::size_t places = 0) {
  return 2 + 2 * openings + 4 + 6 * walls + (walls > 0 ? 3 * openings : 0) + places +
         (recoveries > 0 ? 1 : 0);
}

// The samples the rows were made of, but for their Mach number, extremes of density and forces.
std::vector<MonitorSample> samplesOf(const MonitorTable& table, std::size_t openings,
                                     const model::Scales& scales);

// run.monitor.csv opened for writing, its content kept. Meanwhile no other run can open it, on this
// host or another, where the file system has locks (flock); they end with their process.
class OpenMonitor {
 public:
  // Throws StageError(OutputFailed) when the file cannot be opened, or when another run still has
  // it after some seconds.
  explicit OpenMonitor(std::filesystem::path path);
  OpenMonitor(const OpenMonitor&) = delete;
  OpenMonitor& operator=(const OpenMonitor&) = delete;
  ~OpenMonitor();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

// run.monitor.csv, a row at a time, readable while the run goes on; and the rows for run.fields. A
// row that does not fit on a full disk is reported once and written, with those after it, as soon
// as there is room.
class MonitorFile {
 public:
  // file: null where another rank writes it. earlierRows: of the checkpoint a run resumes from; the
  // file begins with them anew, so that it has no gap and no row twice. Throws
  // StageError(OutputFailed) when the file cannot be emptied. recoveries: so far.
  MonitorFile(std::shared_ptr<const OpenMonitor> file,
              const std::vector<preprocess::geometry::Opening>& openings, std::size_t walls,
              const model::Scales& scales, std::vector<double> earlierRows,
              std::size_t recoveries = 0, const std::vector<cases::Probe>& probes = {},
              const std::vector<cases::Station>& stations = {});
  void add(const MonitorSample& sample);
  [[nodiscard]] const MonitorTable& table() const { return table_; }

 private:
  void writeMissing();
  std::shared_ptr<const OpenMonitor> file_;
  std::uint64_t bytes_ = 0;  // of whole rows in the file
  std::size_t written_ = 0;  // numbers of table_.rows that are in it
  bool headerWritten_ = false;
  bool behind_ = false;  // reported as missing rows
  std::size_t walls_;    // with columns of their forces
  std::size_t recoveries_;
  model::Scales scales_;
  MonitorTable table_;
};

}  // namespace tessera::solver::run
