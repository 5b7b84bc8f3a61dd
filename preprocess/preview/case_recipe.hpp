// SPDX-License-Identifier: GPL-3.0-or-later
// Cases to start from: a commented case file with a condition for each opening, which runs as it
// stands.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "preprocess/preview/case_geometry.hpp"

namespace tessera::preprocess::preview {

// One [[opening]]: its lines are comment, key, kind and values.
struct OpeningEntry {
  std::string comment;  // its name and measures
  std::string key;      // id = 3, or name = "face3" where an id could mean two openings
  std::string kind;
  std::vector<std::pair<std::string, std::string>> values;  // of TOML
  std::string remark;                                       // further comment lines, or empty
};

struct CaseRecipe {
  std::string name;    // "steady", "pulsatile", "rock", "2d"
  std::string title;   // for people
  std::string head;    // comment lines
  std::string fluid;   // "blood" or "water"
  std::string solver;  // tables between [fluid] and the openings
  std::vector<OpeningEntry> openings;
  std::string tail;      // tables after the openings
  std::string waveform;  // CSV that the openings name waveformName; empty: none
};

struct PresetFluid {
  const char* name;
  double density, viscosity;  // kg/m3, m2/s
};
std::span<const PresetFluid> presetFluids();

constexpr const char* waveformName = "inlet.csv";

const std::vector<std::string>& recipeNames();
// The recipe that suits a geometry.
std::string recipeFor(const CaseGeometry& geometry);
// name: one of recipeNames(). waveform: name of the CSV of a pulsatile case.
CaseRecipe caseRecipe(const CaseGeometry& geometry, const std::string& name,
                      const std::string& waveform = waveformName);
std::string caseText(const CaseRecipe& recipe);

// A text as a string of TOML; bytes that are not UTF-8 become U+FFFD.
std::string tomlString(const std::string& text);

}  // namespace tessera::preprocess::preview
