// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/monitor.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "pipelines/stage/error.hpp"

namespace tessera {

MonitorSample reduceSamples(std::uint64_t step, const std::vector<IncomingLink>& links,
                            const std::vector<double>& areas,
                            const std::vector<LinkSample>& samples, const GlobalSample& nodes,
                            std::size_t openings, const Scales& scales, double reference) {
  MonitorSample out{step, std::vector<double>(openings, 0.0), std::vector<double>(openings, 0.0),
                    nodes};
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
                                     const Scales& scales) {
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
    sample.nodes.kineticEnergy = row[width - 1] / scales.energy();
    samples.push_back(std::move(sample));
  }
  return samples;
}

MonitorFile::MonitorFile(std::filesystem::path path, const std::vector<Opening>& openings,
                         const Scales& scales, std::vector<double> earlierRows)
    : path_(std::move(path)),
      file_(path_, std::ios::trunc),
      scales_(scales),
      table_{{"step", "time[s]"}, std::move(earlierRows)} {
  if (!file_)
    fail(ExitCode::OutputFailed, path_.string() +
                                     ": cannot be written; check the folder and its "
                                     "permissions");
  for (const Opening& opening : openings) {
    const std::string id = std::to_string(opening.id);
    table_.columns.push_back("flow_rate_" + id + "[m3/s]");
    table_.columns.push_back("pressure_" + id + "[Pa]");
  }
  for (const char* name : {"mach_max", "density_min", "density_max", "kinetic_energy[J]"})
    table_.columns.emplace_back(name);
  for (std::size_t c = 0; c < table_.columns.size(); ++c)
    file_ << (c == 0 ? "" : ",") << table_.columns[c];
  file_ << '\n' << std::flush;
  for (std::size_t r = 0; r + table_.columns.size() <= table_.rows.size();
       r += table_.columns.size())
    writeRow(std::span(table_.rows).subspan(r, table_.columns.size()));
}

void MonitorFile::writeRow(std::span<const double> row) {
  std::string line;
  for (std::size_t c = 0; c < row.size(); ++c) {
    char text[32];
    const auto end = c == 0 ? std::to_chars(text, text + sizeof(text), std::llround(row[c]))
                            : std::to_chars(text, text + sizeof(text), row[c]);
    if (c != 0) line += ',';
    line.append(text, end.ptr);
  }
  file_ << line << '\n' << std::flush;
  if (!file_) fail(ExitCode::OutputFailed, path_.string() + ": writing failed; is the disk full?");
}

void MonitorFile::add(const MonitorSample& sample) {
  const std::size_t start = table_.rows.size();
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
  writeRow(std::span(table_.rows).subspan(start));
}

}  // namespace tessera
