// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/compare/at_end_names.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tessera {
namespace {

// How the names of what is of a moment begin.
constexpr std::array<std::string_view, 16> momentary{"openings[",     "planes[",
                                                     "centrelines[",  "lines[",
                                                     "mass_residual", "kinetic_energy_j",
                                                     "dissipation_w", "wss_pa.",
                                                     "wss_away_pa.",  "by_wall_label.wss[",
                                                     "forces_n.",     "force_coefficients.",
                                                     "permeability_", "darcy.",
                                                     "forchheimer.",  "run.velocity_max_m_s"};

// What of these is of the geometry or was asked for.
constexpr std::array<std::string_view, 14> lasting{
    ".area_m2",       ".radius_m",   ".centre_m", ".normal",   ".point_m",
    ".length_m",      ".stations",   ".points",   ".from_m",   ".to_m",
    ".points_inside", ".distance_m", ".porosity", ".direction"};

}  // namespace

std::string nameInPulsatileRun(const std::string& name) {
  const auto begins = [&](std::string_view start) { return name.starts_with(start); };
  // Of vectors without the axis at the end: names of quantities have more than one letter.
  const bool component = name.size() > 2 && name[name.size() - 2] == '.';
  const std::string_view whole(name.data(), component ? name.size() - 2 : name.size());
  const auto ends = [&](std::string_view last) { return whole.ends_with(last); };
  if (!std::any_of(momentary.begin(), momentary.end(), begins)) return name;
  if (std::any_of(lasting.begin(), lasting.end(), ends)) return name;
  return "at_end." + name;
}

}  // namespace tessera
