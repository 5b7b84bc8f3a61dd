// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/bench/certify.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/json.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/run/divergence.hpp"
#include "solver/run/memory_needs.hpp"
#include "solver/run/output.hpp"

namespace tessera::solver::bench {

using cases::SolverCase;

namespace {

constexpr std::uint64_t sampleEvery = 100;

struct State {
  std::string variant;
  run::MonitorSample sample;
  file::Fields fields;
};

State stateAfter(const tiler::file::TilesFile& tiles, const SolverCase& run,
                 const std::string& backend, std::uint64_t steps, const file::Fields* initial) {
  run::Setup setup = run::prepare(tiles.geometry, run, backend);
  run::checkMemory(setup);
  run::Simulation simulation(tiles, std::move(setup));
  if (initial != nullptr) simulation.startFrom(*initial);
  State state;
  state.variant = simulation.setup().variant->name();
  stage::Progress progress("step in " + std::string(model::nameOf(run.precision)), steps);
  for (std::uint64_t done = 0; done < steps;) {
    const std::uint64_t next = std::min(sampleEvery, steps - done);
    simulation.advance(next);
    done += next;
    state.sample = simulation.sample();
    if (run::hasDiverged(state.sample.nodes))
      stage::fail(
          stage::ExitCode::RunFailed,
          fmt::format("in {} the run diverged before step {}, so there is nothing to certify; a "
                      "run without --certify says where and why",
                      model::nameOf(run.precision), done));
    progress.update(done);
  }
  progress.finish();
  run::RunResult result;
  result.step = steps;
  result.last = state.sample;
  state.fields = run::fieldsOf(simulation, result);
  return state;
}

// Relative difference; 0 for equal values on any scale.
double relative(double difference, double scale) {
  if (difference == 0.0) return 0.0;
  return scale > 0.0 ? difference / scale : 1.0;
}

double largestMagnitude(const std::vector<double>& values) {
  double largest = 0.0;
  for (double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

double spread(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return values.empty() ? 0.0 : *high - *low;
}

// max |a - b| / max |a| over `count` numbers.
double fieldDifference(const float* exact, const float* found, std::size_t count) {
  double difference = 0.0;
  double largest = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    const double a = exact[k];
    difference = std::max(difference, std::abs(a - static_cast<double>(found[k])));
    largest = std::max(largest, std::abs(a));
  }
  return relative(difference, largest);
}

std::vector<CertifiedQuantity> compare(const State& exact, const State& found,
                                       const tiler::TiledGeometry& geometry,
                                       const model::Scales& scales) {
  std::vector<CertifiedQuantity> all;
  const auto add = [&](const std::string& name, double a, double b, double scale) {
    all.push_back({name, a, b, relative(std::abs(a - b), scale)});
  };
  const double flow = largestMagnitude(exact.sample.flowRate);
  const double drop = spread(exact.sample.pressure);
  for (std::size_t k = 0; k < geometry.openings.size(); ++k) {
    const std::string id = std::to_string(geometry.openings[k].id);
    add("flow_rate_" + id + "[m3/s]", exact.sample.flowRate[k], found.sample.flowRate[k], flow);
    add("pressure_" + id + "[Pa]", exact.sample.pressure[k], found.sample.pressure[k], drop);
  }
  if (geometry.openings.size() > 1)
    add("pressure_drop[Pa]", drop, spread(found.sample.pressure), drop);
  const double energy = exact.sample.nodes.kineticEnergy * scales.energy();
  add("kinetic_energy[J]", energy, found.sample.nodes.kineticEnergy * scales.energy(), energy);
  const double fastest = exact.sample.nodes.speedMax * scales.velocity();
  add("velocity_max[m/s]", fastest, found.sample.nodes.speedMax * scales.velocity(), fastest);
  return all;
}

}  // namespace

double Certificate::largest() const {
  double most = std::max(velocity, pressure);
  for (const CertifiedQuantity& quantity : quantities) most = std::max(most, quantity.difference);
  return most;
}

Certificate certify(const tiler::file::TilesFile& tiles, const SolverCase& run,
                    const std::string& backend, std::uint64_t steps, const file::Fields* initial) {
  if (run.precision == model::PrecisionId::F64)
    stage::fail(
        stage::ExitCode::Usage,
        "--certify compares a precision with f64, and f64 is what was chosen; choose f32, f32/f64, "
        "f16 or m32/16 by --precision");
  SolverCase inDouble = run;
  cases::followPrecision(inDouble);
  inDouble.precision = model::PrecisionId::F64;
  inDouble.steps = std::max(run.steps, steps);
  SolverCase chosen = run;
  chosen.steps = inDouble.steps;
  run::prepare(tiles.geometry, chosen, backend);  // reports impossible settings before the long run
  const model::Scales scales = cases::latticeRun(inDouble, tiles.geometry).scales;
  const State exact = stateAfter(tiles, inDouble, backend, steps, initial);
  const State found = stateAfter(tiles, chosen, backend, steps, initial);
  Certificate out;
  out.steps = steps;
  out.time = static_cast<double>(steps) * scales.timeStep;
  out.exactVariant = exact.variant;
  out.foundVariant = found.variant;
  out.quantities = compare(exact, found, tiles.geometry, scales);
  const std::size_t nodes = tiles.geometry.fluidNodes;
  out.velocity = fieldDifference(exact.fields.velocity.front().data(),
                                 found.fields.velocity.front().data(), 3 * nodes);
  out.pressure = fieldDifference(exact.fields.pressure.data(), found.fields.pressure.data(), nodes);
  return out;
}

std::string certificateText(const Certificate& certificate) {
  std::string text =
      fmt::format("certificate  {} against {}\nsteps        {}, {}\n", certificate.foundVariant,
                  certificate.exactVariant, certificate.steps,
                  stage::formatQuantity(certificate.time, stage::Dimension::Time));
  text += fmt::format("{:<24} {:>15} {:>15} {:>11}\n", "quantity", "f64", "chosen", "difference");
  for (const CertifiedQuantity& quantity : certificate.quantities)
    text += fmt::format("{:<24} {:>15.7e} {:>15.7e} {:>11.1e}\n", quantity.name, quantity.exact,
                        quantity.found, quantity.difference);
  for (const auto& [name, value] : {std::pair{"velocity field", certificate.velocity},
                                    std::pair{"pressure field", certificate.pressure}})
    text += fmt::format("{:<24} {:>43.1e}\n", name, value);
  return text + fmt::format("largest difference {:.1e}\n", certificate.largest());
}

void writeCertificate(const std::filesystem::path& path, const Certificate& certificate) {
  stage::Json quantities = stage::Json::array();
  for (const CertifiedQuantity& quantity : certificate.quantities)
    quantities.push_back({{"name", quantity.name},
                          {"f64", quantity.exact},
                          {"chosen", quantity.found},
                          {"difference", quantity.difference}});
  const stage::Json report = {{"steps", certificate.steps},
                              {"time_s", certificate.time},
                              {"variant", certificate.foundVariant},
                              {"against", certificate.exactVariant},
                              {"quantities", quantities},
                              {"velocity_difference", certificate.velocity},
                              {"pressure_difference", certificate.pressure},
                              {"largest_difference", certificate.largest()}};
  stage::writeTextAtomically(path, report.dump(2) + "\n");
}

}  // namespace tessera::solver::bench
