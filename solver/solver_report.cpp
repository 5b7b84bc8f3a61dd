// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/solver_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "pipelines/stage/atomic_file.hpp"
#include "pipelines/stage/quantity.hpp"
#include "solver/device.hpp"

namespace tessera {

namespace {

template <class... Values>
std::string line(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof(text), format, values...);
  return std::string(text) + "\n";
}

double reynolds(const Setup& setup, const TiledGeometry& geometry) {
  double largest = 0.0;
  for (std::size_t k = 0; k < setup.run.openings.size(); ++k)
    largest = std::max(largest, std::abs(setup.run.openings[k].mean) * 2.0 *
                                    geometry.openings[k].radius / setup.run.kinematicViscosity);
  return largest;
}

}  // namespace

std::string planText(const Setup& setup, const TiledGeometry& geometry) {
  const bool cuda = setup.backend == BackendKind::Cuda;
  const auto device = cuda ? findDevice() : std::nullopt;
  std::string text;
  text += line("variant      %s, two copies, pull, on %s", setup.variant->name().c_str(),
               device ? device->name.c_str() : "the CPU");
  text += line("nodes        %llu fluid in %zu tiles (utilisation %.4f), %u ghost tiles",
               static_cast<unsigned long long>(geometry.fluidNodes), geometry.tiles(),
               geometry.utilisation(), setup.order.ghosts);
  text += line("memory       %.3f GB", static_cast<double>(stateBytes(setup)) / 1e9);
  text +=
      line("spacing      %s", formatQuantity(geometry.frame.spacing, Dimension::Length).c_str());
  text += line("time step    %s, tau %.5f, magic parameter %.4f",
               formatQuantity(setup.lattice.scales.timeStep, Dimension::Time).c_str(),
               setup.lattice.tau, setup.lattice.magic);
  if (setup.lattice.velocityMax > 0.0)
    text += line("expected     Reynolds %.4g, largest velocity %.4f lattice units (Mach %.3f)",
                 reynolds(setup, geometry), setup.lattice.velocityMax,
                 setup.lattice.velocityMax * std::sqrt(3.0));
  text += line("steps        at most %llu, %s of flow, inflow ramped over the first %llu",
               static_cast<unsigned long long>(setup.run.steps),
               formatQuantity(static_cast<double>(setup.run.steps) * setup.lattice.scales.timeStep,
                              Dimension::Time)
                   .c_str(),
               static_cast<unsigned long long>(setup.rampSteps));
  return text;
}

std::string resultText(const Setup& setup, const RunResult& result, const TiledGeometry& geometry) {
  std::string text;
  text += line("steps        %llu (%s), %s", static_cast<unsigned long long>(result.step),
               formatQuantity(static_cast<double>(result.step) * setup.lattice.scales.timeStep,
                              Dimension::Time)
                   .c_str(),
               result.converged ? "converged" : "not tested for or not met: convergence");
  text += line("speed        %.1f MFLUPS, %.0f %% of the copy bandwidth, %.1f s", result.mflups,
               100.0 * result.bandwidthFraction, result.seconds);
  text += line("%-12s %-14s %-12s %14s %14s", "opening", "name", "kind", "flow [m3/s]",
               "pressure [Pa]");
  for (std::size_t k = 0; k < geometry.openings.size(); ++k)
    text += line("%-12d %-14s %-12s %14.6e %14.6e", geometry.openings[k].id,
                 geometry.openings[k].name.c_str(), nameOf(setup.run.openings[k].kind),
                 result.last.flowRate[k], result.last.pressure[k]);
  if (!geometry.openings.empty())
    text += line("residual     %.2e of the largest flow rate", massResidual(result.last.flowRate));
  return text;
}

void writeSolverReport(const std::filesystem::path& path, const Setup& setup,
                       const RunResult& result, const TiledGeometry& geometry) {
  using Json = nlohmann::ordered_json;
  Json openings = Json::array();
  for (std::size_t k = 0; k < geometry.openings.size(); ++k)
    openings.push_back({{"id", geometry.openings[k].id},
                        {"name", geometry.openings[k].name},
                        {"kind", nameOf(setup.run.openings[k].kind)},
                        {"flow_rate_m3_s", result.last.flowRate[k]},
                        {"mean_pressure_pa", result.last.pressure[k]}});
  const GlobalSample& nodes = result.last.nodes;
  const Json report = {{"steps", result.step},
                       {"time_s", static_cast<double>(result.step) * setup.lattice.scales.timeStep},
                       {"time_step_s", setup.lattice.scales.timeStep},
                       {"variant", setup.variant->name()},
                       {"backend", setup.backend == BackendKind::Cuda ? "cuda" : "cpu"},
                       {"fluid_nodes", geometry.fluidNodes},
                       {"seconds", result.seconds},
                       {"mflups", result.mflups},
                       {"bandwidth_fraction", result.bandwidthFraction},
                       {"mach_max", nodes.speedMax * std::sqrt(3.0)},
                       {"density_range", {nodes.densityMin, nodes.densityMax}},
                       {"tau", setup.lattice.tau},
                       {"converged", result.converged},
                       {"openings", openings},
                       {"mass_residual", massResidual(result.last.flowRate)}};
  writeTextAtomically(path, report.dump(2) + "\n");
}

}  // namespace tessera
