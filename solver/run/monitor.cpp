// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/run/monitor.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <system_error>
#include <thread>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::solver::run {

MonitorSample reduceSamples(std::uint64_t step, const std::vector<tiles::OpeningLink>& links,
                            const std::vector<double>& areas,
                            const std::vector<boundary::LinkSample>& samples,
                            const backend::GlobalSample& nodes, std::size_t openings,
                            const model::Scales& scales, double reference) {
  MonitorSample out{
      {}, step, std::vector<double>(openings, 0.0), std::vector<double>(openings, 0.0), nodes};
  std::vector<double> area(openings, 0.0);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const std::size_t o = links[k].opening;
    out.flowRate[o] += samples[k].outflow;
    out.pressure[o] += areas[k] * samples[k].r;
    area[o] += areas[k];
  }
  for (std::size_t o = 0; o < openings; ++o) {
    out.flowRate[o] *= scales.flowRate();
    out.pressure[o] =
        reference + (area[o] > 0.0 ? out.pressure[o] / area[o] : 0.0) / 3.0 * scales.pressure();
  }
  return out;
}

double massResidual(const std::vector<double>& flowRate) {
  double sum = 0.0;
  double largest = 0.0;
  for (double rate : flowRate) {
    sum += rate;
    largest = std::max(largest, std::abs(rate));
  }
  return largest > 0.0 ? std::abs(sum) / largest : 0.0;
}

double relativeChange(const MonitorSample& before, const MonitorSample& now) {
  const auto change = [](double a, double b, double scale) {
    return scale > 0.0 ? std::abs(a - b) / scale : 1.0;
  };
  if (now.flowRate.empty())
    return change(before.nodes.kineticEnergy, now.nodes.kineticEnergy, now.nodes.kineticEnergy);
  double largest = 0.0;
  for (double rate : now.flowRate) largest = std::max(largest, std::abs(rate));
  const auto [low, high] = std::minmax_element(now.pressure.begin(), now.pressure.end());
  const double spread = *high - *low;
  double most = 0.0;
  for (std::size_t o = 0; o < now.flowRate.size(); ++o) {
    most = std::max(most, change(before.flowRate[o], now.flowRate[o], largest));
    if (spread > 0.0) most = std::max(most, change(before.pressure[o], now.pressure[o], spread));
  }
  return most;
}

std::vector<MonitorSample> samplesOf(const MonitorTable& table, std::size_t openings,
                                     const model::Scales& scales) {
  std::vector<MonitorSample> samples;
  const std::size_t width = table.columns.size();
  for (std::size_t start = 0; start + width <= table.rows.size(); start += width) {
    const double* row = &table.rows[start];
    MonitorSample sample;
    sample.step = static_cast<std::uint64_t>(row[0]);
    for (std::size_t o = 0; o < openings; ++o) {
      sample.flowRate.push_back(row[2 + 2 * o]);
      sample.pressure.push_back(row[3 + 2 * o]);
    }
    sample.nodes.kineticEnergy = row[monitorColumns(openings, 0) - 1] / scales.energy();
    samples.push_back(std::move(sample));
  }
  return samples;
}

namespace {

std::string rowText(std::span<const double> row) {
  std::string line;
  for (std::size_t c = 0; c < row.size(); ++c) {
    char text[32];
    const auto end = c == 0 ? std::to_chars(text, text + sizeof(text), std::llround(row[c]))
                            : std::to_chars(text, text + sizeof(text), row[c]);
    line.append(text, end.ptr);
    line += c + 1 < row.size() ? ',' : '\n';
  }
  return line;
}

// Locks the file; false: another run has it. A run that was killed may take a moment to end.
bool lockedSoon(int descriptor) {
  constexpr auto patience = std::chrono::seconds(10);
  const auto start = std::chrono::steady_clock::now();
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return true;  // no locks on this file system
    if (std::chrono::steady_clock::now() - start > patience) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return true;
}

}  // namespace

OpenMonitor::OpenMonitor(std::filesystem::path path)
    : path_(std::move(path)),
      descriptor_(
          ::open(path_.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) stage::failToWrite(path_, errno);
  if (lockedSoon(descriptor_)) return;
  ::close(descriptor_);
  stage::fail(
      stage::ExitCode::OutputFailed,
      path_.string() +
          " is being written by another run to the same output; wait for its end or name another "
          "output, or, if it ran on a host that is down, remove this file");
}

OpenMonitor::~OpenMonitor() {
  ::close(descriptor_);
}

MonitorFile::MonitorFile(std::shared_ptr<const OpenMonitor> file,
                         const std::vector<preprocess::geometry::Opening>& openings,
                         std::size_t walls, const model::Scales& scales,
                         std::vector<double> earlierRows, std::size_t recoveries,
                         const std::vector<cases::Probe>& probes,
                         const std::vector<cases::Station>& stations)
    : file_(std::move(file)),
      walls_(walls),
      recoveries_(recoveries),
      scales_(scales),
      table_{{"step", "time[s]"}, std::move(earlierRows)} {
  if (file_ && ::ftruncate(file_->descriptor(), 0) != 0) stage::failToWrite(file_->path(), errno);
  for (const preprocess::geometry::Opening& opening : openings) {
    const std::string id = std::to_string(opening.id);
    table_.columns.push_back("flow_rate_" + id + "[m3/s]");
    table_.columns.push_back("pressure_" + id + "[Pa]");
  }
  for (const char* name : {"mach_max", "density_min", "density_max", "kinetic_energy[J]"})
    table_.columns.emplace_back(name);
  for (std::size_t k = 0; k < walls; ++k) {
    for (const char axis : {'x', 'y', 'z'})
      table_.columns.push_back(fmt::format("force_{}_{}[N]", k, axis));
    for (const char axis : {'x', 'y', 'z'})
      table_.columns.push_back(fmt::format("torque_{}_{}[N.m]", k, axis));
  }
  for (std::size_t o = 0; walls > 0 && o < openings.size(); ++o)
    for (const char axis : {'x', 'y', 'z'})
      table_.columns.push_back(fmt::format("force_opening_{}_{}[N]", openings[o].id, axis));
  for (const cases::Probe& probe : probes) {
    table_.columns.push_back(fmt::format("probe_{}_pressure[Pa]", probe.name));
    for (const char axis : {'x', 'y', 'z'})
      table_.columns.push_back(fmt::format("probe_{}_velocity_{}[m/s]", probe.name, axis));
  }
  for (const cases::Station& station : stations)
    for (const char* quantity : {"flow_rate[m3/s]", "pressure[Pa]", "velocity[m/s]"})
      table_.columns.push_back(fmt::format("station_{}_{}", station.name, quantity));
  if (recoveries_ > 0) table_.columns.emplace_back("recoveries");
  writeMissing();
}

// From the end of the last whole row on, so that a row that was cut is written over.
void MonitorFile::writeMissing() {
  if (!file_) return;
  std::string text;
  if (!headerWritten_)
    for (std::size_t c = 0; c < table_.columns.size(); ++c)
      text += table_.columns[c] + (c + 1 < table_.columns.size() ? "," : "\n");
  for (std::size_t r = written_; r < table_.rows.size(); r += table_.columns.size())
    text += rowText(std::span(table_.rows).subspan(r, table_.columns.size()));
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::pwrite(file_->descriptor(), text.data() + done, text.size() - done,
                                   static_cast<off_t>(bytes_ + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int error = count < 0 ? errno : ENOSPC;
      if (!behind_)
        stage::logWarning(file_->path().string() + " cannot be written (" +
                          std::generic_category().message(error) +
                          "); the run continues, and its rows are written once space is available");
      behind_ = true;
      if (::ftruncate(file_->descriptor(), static_cast<off_t>(bytes_)) != 0)
        return;  // the next try does
      return;
    }
    done += static_cast<std::size_t>(count);
  }
  bytes_ += text.size();
  written_ = table_.rows.size();
  headerWritten_ = true;
  if (behind_) stage::logInfo(file_->path().string() + " has all its rows again");
  behind_ = false;
}

void MonitorFile::add(const MonitorSample& sample) {
  table_.rows.push_back(static_cast<double>(sample.step));
  table_.rows.push_back(static_cast<double>(sample.step) * scales_.timeStep);
  for (std::size_t o = 0; o < sample.flowRate.size(); ++o) {
    table_.rows.push_back(sample.flowRate[o]);
    table_.rows.push_back(sample.pressure[o]);
  }
  table_.rows.push_back(sample.nodes.speedMax * std::sqrt(3.0));
  table_.rows.push_back(sample.nodes.densityMin);
  table_.rows.push_back(sample.nodes.densityMax);
  table_.rows.push_back(sample.nodes.kineticEnergy * scales_.energy());
  for (std::size_t k = 0; k < walls_; ++k) {
    const boundary::ForceOnWall& wall = sample.walls[k];
    table_.rows.insert(table_.rows.end(), wall.force.begin(), wall.force.end());
    table_.rows.insert(table_.rows.end(), wall.torque.begin(), wall.torque.end());
  }
  for (std::size_t o = 0; walls_ > 0 && o < sample.openings.size(); ++o)
    table_.rows.insert(table_.rows.end(), sample.openings[o].force.begin(),
                       sample.openings[o].force.end());
  for (const ProbeValues& probe : sample.probes) {
    table_.rows.push_back(probe.pressure);
    table_.rows.insert(table_.rows.end(), probe.velocity.begin(), probe.velocity.end());
  }
  for (const StationValues& station : sample.stations)
    table_.rows.insert(table_.rows.end(), {station.flowRate, station.pressure, station.velocity});
  if (recoveries_ > 0) table_.rows.push_back(static_cast<double>(recoveries_));
  writeMissing();
}

}  // namespace tessera::solver::run
