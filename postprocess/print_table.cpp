// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>

#include "pipelines/stage/quantity.hpp"
#include "postprocess/wall_shear.hpp"
#include "postprocess/write_tables.hpp"

namespace tessera {

namespace {

// printf into a string; lines are short.
template <class... Values>
std::string line(const char* format, Values... values) {
  char text[512];
  std::snprintf(text, sizeof text, format, values...);
  return std::string(text) + "\n";
}

std::string openingRows(const Results& results) {
  if (results.openings.empty()) return {};
  std::string text = line("%-3s %-14s %-13s %14s %14s %12s %9s", "id", "opening", "kind",
                          "flow rate", "pressure", "velocity", "Reynolds");
  for (const OpeningSummary& o : results.openings)
    text += line("%-3d %-14.14s %-13.13s %14s %14s %12s %9.1f", o.id, o.name.c_str(),
                 o.kind.c_str(), formatQuantity(o.flowRate, Dimension::FlowRate).c_str(),
                 formatQuantity(o.meanPressure, Dimension::Pressure).c_str(),
                 formatQuantity(o.meanVelocity, Dimension::Velocity).c_str(), o.reynolds);
  return text + "    (flow rates are positive out of the fluid)\n\n";
}

std::string planeRows(const Results& results) {
  if (results.planes.empty()) return {};
  std::string text =
      line("%-18s %14s %14s %12s %13s", "plane", "flow rate", "pressure", "velocity", "area");
  for (const PlaneSummary& p : results.planes)
    text += line("%-18.18s %14s %14s %12s %10.4g m2", p.name.c_str(),
                 formatQuantity(p.flowRate, Dimension::FlowRate).c_str(),
                 formatQuantity(p.meanPressure, Dimension::Pressure).c_str(),
                 formatQuantity(p.meanVelocity, Dimension::Velocity).c_str(), p.area);
  return text + "\n";
}

std::string centrelineRows(const Results& results) {
  std::string text;
  for (const Centreline& c : results.centrelines) {
    const Station& first = c.stations.front();
    const Station& last = c.stations.back();
    text += line("centreline %s: %s, %zu stations, pressure %s to %s",
                 c.name.substr(0, 100).c_str(), formatQuantity(c.length, Dimension::Length).c_str(),
                 c.stations.size(), formatQuantity(first.meanPressure, Dimension::Pressure).c_str(),
                 formatQuantity(last.meanPressure, Dimension::Pressure).c_str());
  }
  return text.empty() ? text : text + "\n";
}

std::string scalarRows(const Results& results) {
  std::string text;
  const auto row = [&](const char* name, double value, Dimension dimension) {
    text += line("%-28s %14s", name, formatQuantity(value, dimension).c_str());
  };
  const bool cycle = results.cycleFlow && results.cycleFlow->pressureDrop;
  if (cycle) {
    text += "over the last period of " + formatQuantity(*results.period, Dimension::Time) + "\n";
    row("  pressure drop, mean", results.cycleFlow->pressureDrop->mean, Dimension::Pressure);
    row("  pressure drop, largest", results.cycleFlow->pressureDrop->largest, Dimension::Pressure);
    row("  resistance", *results.cycleFlow->resistance, Dimension::Resistance);
    if (const auto residual = results.cycleFlow->massResidual)
      text += line("%-28s %14.2e", "  mass residual", *residual);
    if (results.cycle) {
      const ShearStatistics shear = areaStatistics(results.cycle->tawss, results.wall.triangleArea);
      row("  wall shear stress, mean", shear.mean, Dimension::Pressure);
      row("    99 % of the wall is below", shear.p99, Dimension::Pressure);
    }
    text += "at the end of the run\n";
  }
  if (results.pressureDrop) row("pressure drop", *results.pressureDrop, Dimension::Pressure);
  if (results.resistance) row("resistance", *results.resistance, Dimension::Resistance);
  if (!results.openings.empty() && !cycle)
    text += line("%-28s %14.2e", "mass residual", results.massResidual);
  row("largest velocity", results.velocityMax, Dimension::Velocity);
  if (results.permeability && results.permeability->blocked)
    text += line("%-28s %11s    nothing passes, porosity %.4f", "permeability", "none",
                 results.permeability->porosity);
  else if (results.permeability)
    text += line("%-28s %11.4g m2 %11.4g mD, porosity %.4f, tortuosity %.3f", "permeability",
                 results.permeability->value, results.permeability->milliDarcy(),
                 results.permeability->porosity, results.permeability->tortuosity);
  if (results.permeabilityTensor)
    text += line("%-28s %11.4g %11.4g %11.4g m2", "principal permeabilities",
                 results.permeabilityTensor->principal[0], results.permeabilityTensor->principal[1],
                 results.permeabilityTensor->principal[2]);
  if (results.forchheimer)
    text += line("%-28s %11.4g m2, Forchheimer %.4g 1/m, times sqrt(k) %.3f",
                 "permeability at rest", results.forchheimer->permeability,
                 results.forchheimer->coefficient, results.forchheimer->inertia);
  if (results.coefficients)
    text += line("%-28s %11.5g", "drag coefficient", results.coefficients->drag);
  if (results.wall.triangle.empty()) return text;
  row("wall shear stress, mean", results.shear.mean, Dimension::Pressure);
  if (results.shearAway) row("  away from openings", results.shearAway->mean, Dimension::Pressure);
  row("  1 % of the wall is below", results.shear.p01, Dimension::Pressure);
  row("  half of the wall is below", results.shear.p50, Dimension::Pressure);
  row("  99 % of the wall is below", results.shear.p99, Dimension::Pressure);
  row("  largest", results.shear.max, Dimension::Pressure);
  return text;
}

// A run without a rule of convergence that has made its steps has left no checkpoint.
std::string nextRun(const Results& results) {
  if (results.converged) return ", or halve the node spacing and compare the wall shear stress.\n";
  if (results.convergenceAsked)
    return std::string(", or continue the run (--resume with more ") +
           (results.period ? "cycles" : "steps") + "), since it has not converged.\n";
  return ", or continue the run to another output (--initial " + results.fieldsName +
         "), since its case has no rule of convergence.\n";
}

std::string filesAndNext(const Results& results, const std::filesystem::path& target) {
  const std::string folder = target.string() + "/";
  std::string text = "\nreport    " + folder + "report.html\n";
  text += "pictures  " + folder + "wall_wss.png  " + folder + "velocity_slice.png";
  if (!results.monitor.rows.empty()) text += "  " + folder + "convergence.png";
  text += "\ntables    " + folder + "summary.json  " + folder + "openings.csv\n";
  text += "ParaView ";
  for (const std::string& name : results.exports) text += " " + folder + name;
  if (!results.wall.triangle.empty()) text += "  " + folder + "wall.vtp";
  text += "\n";
  text += "\nNext: open report.html in a browser";
  return text + nextRun(results);
}

}  // namespace

std::string tableForPeople(const Results& results, const std::filesystem::path& target) {
  return openingRows(results) + planeRows(results) + centrelineRows(results) + scalarRows(results) +
         filesAndNext(results, target);
}

}  // namespace tessera
