// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/preview/case_recipe.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numbers>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/io/json.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/opening_names.hpp"

namespace tessera::preprocess::preview {

using geometry::Opening;
using stage::Dimension;
using stage::formatQuantity;

namespace {

// As the solver's named fluids.
constexpr std::array<PresetFluid, 2> fluids{
    {{"blood", 1060.0, 3.5e-3 / 1060.0}, {"water", 998.2, 1.0016e-3 / 998.2}}};
constexpr const PresetFluid &blood = fluids[0], &water = fluids[1];

std::string lowered(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// The opening named as an inlet, otherwise the first of the largest.
std::size_t inletOf(const CaseGeometry& geometry) {
  const auto& openings = geometry.openings;
  for (std::size_t k = 0; k < openings.size(); ++k)
    if (lowered(openings[k].name).find("inlet") != std::string::npos) return k;
  std::size_t largest = 0;
  for (std::size_t k = 1; k < openings.size(); ++k)
    if (openings[k].area > 1.01 * openings[largest].area) largest = k;
  return largest;
}

double diameterIn(const CaseGeometry& geometry, const Opening& opening) {
  return diameterOf(opening, geometry.dimensions, geometry.spacing);
}

// Mean velocity that makes a calm flow, also in the narrowest throat: Reynolds numbers of at most
// 200 at the inlet, 300 in the throat, and 8 for each node across. Rounded to two digits.
double calmVelocity(const CaseGeometry& geometry, const Opening& inlet, double viscosity) {
  const double diameter = diameterIn(geometry, inlet);
  double reynolds =
      std::min(geometry.dimensions == 2 ? 50.0 : 200.0, 8.0 * diameter / geometry.spacing);
  for (const geometry::Throat& throat : geometry.throats) {
    const double width = geometry.dimensions == 2 ? throat.area / geometry.spacing
                                                  : 2.0 * std::sqrt(throat.area / std::numbers::pi);
    const double most = std::min(300.0, 8.0 * width / geometry.spacing);
    // The same flow rate: the mean velocity grows as the area shrinks.
    reynolds = std::min(reynolds, most * (throat.area / inlet.area) * (diameter / width));
  }
  return reynolds * viscosity / diameter;
}

std::string rounded(double value, const char* unit) {
  return fmt::format("\"{} {}\"", stage::number(value, 2), unit);
}

// Coordinates below a thousandth of the size there are 0.
std::string centreText(const Double3& at, double size) {
  const auto tidy = [&](std::size_t a) {
    return std::abs(at[a]) < 1e-3 * size ? 0.0 : 1e3 * at[a];
  };
  return fmt::format("({}, {}, {}) mm", stage::number(tidy(0), 4), stage::number(tidy(1), 4),
                     stage::number(tidy(2), 4));
}

OpeningEntry entryOf(const CaseGeometry& geometry, const Opening& opening) {
  OpeningEntry entry;
  const bool flat = geometry.dimensions == 2;
  entry.comment = fmt::format(
      "opening {} {}: {} {}, {:.0f} nodes across, {}centre {}", opening.id,
      tomlString(opening.name), flat ? "width" : "radius",
      formatQuantity(flat ? diameterIn(geometry, opening) : opening.radius, Dimension::Length),
      nodesAcross(opening, geometry.dimensions, geometry.spacing),
      flat ? "" : "area " + formatQuantity(opening.area, Dimension::Area) + ", ",
      centreText(opening.centre, opening.radius));
  entry.key = geometry::otherMeaningOf(opening.id, geometry.openings) == nullptr
                  ? fmt::format("id = {}", opening.id)
                  : "name = " + tomlString(opening.name);
  entry.kind = "pressure";
  entry.values = {{"value", "\"0 Pa\""}};
  return entry;
}

constexpr const char* changeText =
    "# Change what you know: the fluid, which opening is which, and the values there. Kinds:\n"
    "# velocity (mean), flow-rate (value), pressure (value), resistance, windkessel, "
    "outflow-split, "
    "wall.\n"
    "# tessera-solver --case FILE --check reads it, --plan with the tiles says what the run "
    "takes.\n";

void addInlet(const CaseGeometry& geometry, const PresetFluid& fluid, bool pulsatile,
              const std::string& waveform, CaseRecipe& recipe) {
  if (geometry.openings.size() < 2) return;
  const std::size_t k = inletOf(geometry);
  const Opening& inlet = geometry.openings[k];
  const double mean = calmVelocity(geometry, inlet, fluid.viscosity);
  OpeningEntry& entry = recipe.openings[k];
  // A face of voxels may be crossed by several channels.
  const std::string profile = geometry.fromVoxels ? "\"developed\"" : "\"parabolic\"";
  entry.kind = "velocity";
  entry.values = {{"profile", profile}, {"mean", rounded(mean, "m/s")}};
  if (pulsatile)
    entry.values = {{"profile", profile}, {"waveform", tomlString(waveform)}, {"periodic", "true"}};
  entry.remark = fmt::format(
      "inflow{}: Reynolds number {:.0f} by {}; {}",
      pulsatile
          ? ", " + rounded(mean, "m/s").substr(1, rounded(mean, "m/s").size() - 2) + " on average"
          : "",
      mean * diameterIn(geometry, inlet) / fluid.viscosity,
      geometry.dimensions == 2 ? "width" : "diameter",
      geometry.fromVoxels ? "\"developed\" is the flow of this cross-section"
                          : "\"developed\" suits any cross-section");
}

// Three-element Windkessels as comments: 100 mmHg at the mean inflow, a time constant of 1.5 s,
// shares by Murray's law.
void addWindkessels(const CaseGeometry& geometry, double inflow, CaseRecipe& recipe) {
  constexpr double mmHg = 133.322, ml = 1e-6;
  const std::size_t inlet = inletOf(geometry);
  double all = 0.0;
  for (std::size_t k = 0; k < geometry.openings.size(); ++k)
    if (k != inlet) all += std::pow(geometry.openings[k].radius, 3);
  for (std::size_t k = 0; k < geometry.openings.size(); ++k) {
    if (k == inlet) continue;
    const double share = std::pow(geometry.openings[k].radius, 3) / all;
    const double resistance = 100.0 / (inflow * share / ml);  // mmHg s/ml
    recipe.openings[k].remark = fmt::format(
        "or, with {} of the flow at a mean of 100 mmHg ({} Pa):\n"
        "kind = \"windkessel\"\nresistance_proximal = \"{} mmHg.s/ml\"\n"
        "resistance_distal = \"{} mmHg.s/ml\"\ncompliance = \"{} ml/mmHg\"\n"
        "initial_pressure = \"100 mmHg\"",
        stage::percent(share, 2), stage::number(100.0 * mmHg, 5),
        stage::number(0.09 * resistance, 3), stage::number(0.91 * resistance, 3),
        stage::number(1.5 / resistance, 3));
  }
}

// A pulse of 1 s: a systolic and a dicrotic wave on a steady flow.
std::string pulse(double mean) {
  constexpr int rows = 40;
  const auto shape = [](double t) {
    const auto wave = [&](double at, double width) {
      double sum = 0.0;
      for (const double period : {-1.0, 0.0, 1.0})
        sum += std::exp(-std::pow((t - at + period) / width, 2));
      return sum;
    };
    return 0.55 + 1.9 * wave(0.13, 0.06) + 0.35 * wave(0.42, 0.06);
  };
  double sum = 0.0;
  for (int k = 0; k < rows; ++k) sum += shape(k / double{rows});
  std::string csv =
      "# A pulse to start from; replace it by a measured one.\ntime[s],velocity[m/s]\n";
  for (int k = 0; k <= rows; ++k)
    csv += fmt::format("{:.3f},{}\n", k / double{rows},
                       stage::number(mean * rows * shape(k / double{rows}) / sum, 4));
  return csv;
}

std::string vesselTail() {
  return "[stop]\nsteps = 100000                   # at most\n"
         "converged = 1e-4                 # relative change of flow rates and pressures that ends "
         "the "
         "run\n";
}

CaseRecipe vessel(const CaseGeometry& geometry, bool pulsatile, const std::string& waveform) {
  CaseRecipe recipe;
  const bool flat = geometry.dimensions == 2;
  const PresetFluid& fluid = flat || geometry.fromVoxels ? water : blood;
  recipe.fluid = fluid.name;
  recipe.solver = "[solver]\nprecision = \"f32\"                # \"f64\": twice the memory\n";
  for (const Opening& opening : geometry.openings)
    recipe.openings.push_back(entryOf(geometry, opening));
  addInlet(geometry, fluid, pulsatile, waveform, recipe);
  recipe.tail = vesselTail();
  if (!pulsatile) return recipe;
  recipe.tail =
      "[time]                           # the period is that of the waveform\n"
      "cycles = 5                       # at most\n"
      "cycle_converged = 0.01           # relative distance from the periodic flow that ends the "
      "run\n"
      "phases = 20                      # fields of the last cycle\n";
  if (geometry.openings.size() < 2) return recipe;
  const Opening& inlet = geometry.openings[inletOf(geometry)];
  const double mean = calmVelocity(geometry, inlet, fluid.viscosity);
  recipe.waveform = pulse(mean);
  if (!flat) addWindkessels(geometry, mean * inlet.area, recipe);
  return recipe;
}

// Pressure gradient of a creeping flow, Pa/m: a Reynolds number of 1e-3 in the pores, by the
// permeability of Kozeny and Carman, porosity x diameter^2 / 80.
double creepingGradient(const CaseGeometry& geometry) {
  constexpr double reynolds = 1e-3;
  const double pore =
      geometry.poreDiameter > 0.0 ? geometry.poreDiameter : geometry.nodes[0] * geometry.spacing;
  const double velocity = reynolds * water.viscosity / pore;
  return 80.0 * water.density * water.viscosity * velocity / (pore * pore);
}

// Body force along an axis of the lattice, in the world.
std::string bodyForce(const CaseGeometry& geometry, std::size_t axis, double size) {
  std::string text;
  for (std::size_t c = 0; c < 3; ++c) {
    const double part = geometry.axis[axis][c];
    text += (c > 0 ? ", " : "") + (std::abs(part) < 1e-9 ? "0" : stage::number(size * part, 2));
  }
  return "[" + text + "]";
}

// The longest periodic axis; x without any.
std::size_t drivenAxis(const CaseGeometry& geometry) {
  std::size_t chosen = 3;
  const std::size_t axes = geometry.dimensions == 2 ? 2 : 3;
  for (std::size_t a = 0; a < axes; ++a)
    if (geometry.periodic[a] && (chosen == 3 || geometry.nodes[a] > geometry.nodes[chosen]))
      chosen = a;
  return chosen == 3 ? 0 : chosen;
}

void driveByPressure(const CaseGeometry& geometry, CaseRecipe& recipe) {
  for (const Opening& opening : geometry.openings)
    recipe.openings.push_back(entryOf(geometry, opening));
  if (recipe.openings.size() < 2) return;
  const std::size_t from = inletOf(geometry);
  const Opening& inlet = geometry.openings[from];
  double longest = 0.0;
  for (const Opening& other : geometry.openings)
    longest = std::max(longest, std::abs(dot(other.centre - inlet.centre, inlet.normal)));
  if (longest == 0.0) longest = geometry.spacing * geometry.nodes[0];
  recipe.openings[from].values = {{"value", rounded(creepingGradient(geometry) * longest, "Pa")}};
  recipe.openings[from].remark =
      "the permeability does not depend on it while the flow creeps (Reynolds number of the pores "
      "below 0.1)";
}

CaseRecipe rock(const CaseGeometry& geometry) {
  CaseRecipe recipe;
  recipe.fluid = water.name;
  recipe.solver =
      "[solver]\nprecision = \"f64\"                # creeping flow: small differences count\n"
      "tau = 1.0                        # sets the time step by the viscosity\n";
  if (geometry.openings.size() > 1)
    driveByPressure(geometry, recipe);
  else {
    for (const Opening& opening : geometry.openings)
      recipe.openings.push_back(entryOf(geometry, opening));
    const std::size_t axis = drivenAxis(geometry);
    recipe.solver += "body_force = " + bodyForce(geometry, axis, creepingGradient(geometry)) +
                     "  # N/m3, along " + "xyz"[axis] + "\n";
    if (!geometry.periodic[axis])
      recipe.head += fmt::format(
          "# The geometry has neither two openings nor a periodic axis, so nothing flows: run\n"
          "# tessera-preprocess with {} or --periodic xyz.\n",
          geometry.fromVoxels ? "--faces x-,x+" : "--open \"X,Y,Z\" or --cut at the ends,");
  }
  recipe.tail = "[stop]\nsteps = 200000                   # at most\nconverged = 1e-5\n";
  return recipe;
}

// A closed box in 2D moves by its last wall.
CaseRecipe flat(const CaseGeometry& geometry) {
  if (geometry.openings.size() > 1) return vessel(geometry, false, "");
  if (geometry.periodic[0] || geometry.periodic[1] || geometry.wallNames.size() < 2)
    return rock(geometry);
  CaseRecipe recipe = vessel(geometry, false, "");
  const double width = geometry.nodes[0] * geometry.spacing;
  recipe.tail =
      fmt::format(
          "[[wall]]\nname = {}\nkind = \"moving\"\nvelocity = [{}, 0, 0]   # Reynolds number "
          "100 by the width\n\n",
          tomlString(geometry.wallNames.back()), rounded(100.0 * water.viscosity / width, "m/s")) +
      recipe.tail;
  return recipe;
}

std::string commented(const std::string& lines) {
  std::string text = "# ";
  for (const char c : lines) text += c == '\n' ? std::string("\n# ") : std::string(1, c);
  return text + "\n";
}

}  // namespace

std::span<const PresetFluid> presetFluids() {
  return fluids;
}

const std::vector<std::string>& recipeNames() {
  static const std::vector<std::string> names{"steady", "pulsatile", "rock", "2d"};
  return names;
}

std::string recipeFor(const CaseGeometry& geometry) {
  if (geometry.dimensions == 2) return "2d";
  return geometry.fromVoxels || geometry.openings.size() < 2 ? "rock" : "steady";
}

CaseRecipe caseRecipe(const CaseGeometry& geometry, const std::string& name,
                      const std::string& waveform) {
  CaseRecipe recipe = name == "rock" ? rock(geometry)
                      : name == "2d" ? flat(geometry)
                                     : vessel(geometry, name == "pulsatile", waveform);
  recipe.name = name;
  recipe.title = name == "steady"      ? "steady flow in a vessel"
                 : name == "pulsatile" ? "pulsatile flow in a vessel"
                 : name == "rock"      ? "creeping flow through a rock"
                                       : "flow in two dimensions";
  recipe.head = fmt::format("# A case to start from: {}, for {}.\n", recipe.title,
                            tomlString(geometry.file)) +
                changeText + recipe.head;
  return recipe;
}

std::string caseText(const CaseRecipe& recipe) {
  std::string text = recipe.head +
                     fmt::format(
                         "\n[fluid]\nfluid = \"{}\"                  # or density and "
                         "viscosity, as \"1060 kg/m3\" and \"3.5e-3 Pa.s\"\n\n",
                         recipe.fluid) +
                     recipe.solver;
  for (const OpeningEntry& entry : recipe.openings) {
    text += "\n[[opening]]\n" + commented(entry.comment) + entry.key + "\nkind = \"" + entry.kind +
            "\"\n";
    for (const auto& [key, value] : entry.values) text += key + " = " + value + "\n";
    if (!entry.remark.empty()) text += commented(entry.remark);
  }
  return text + "\n" + recipe.tail;
}

std::string tomlString(const std::string& text) {
  std::string out;
  for (const char c : stage::jsonText(stage::Json(text), -1))
    if (c == '\x7f')
      out += "\\u007f";  // JSON allows it
    else
      out += c;
  return out;
}

}  // namespace tessera::preprocess::preview
