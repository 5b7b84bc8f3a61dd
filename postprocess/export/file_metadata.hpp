// SPDX-License-Identifier: GPL-3.0-or-later
// Field data of exported files: unit and space of the coordinates, time, units of the arrays.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pipelines/stage/case/length_unit.hpp"
#include "postprocess/fields/field_selection.hpp"

namespace tessera::postprocess::exports {

struct FileMetadata {
  stage::LengthUnit unit{};  // of the coordinates
  std::string space;         // "LPS", "RAS": field data SPACE, which 3D Slicer heeds; or empty
  double time = 0.0;         // s: field data TimeValue, which ParaView and VTK heed
};

// Name and unit of arrays.
using ArrayUnits = std::vector<std::pair<std::string, std::string>>;

inline ArrayUnits unitsOf(const std::vector<fields::FieldArray>& arrays) {
  ArrayUnits units;
  for (const fields::FieldArray& array : arrays) units.emplace_back(array.quantity, array.unit);
  return units;
}

// Texts of the field data by name: length_unit, SPACE, velocity_unit, pressure_unit, ...
inline std::vector<std::pair<std::string, std::string>> fieldTexts(const FileMetadata& metadata,
                                                                   const ArrayUnits& units) {
  std::vector<std::pair<std::string, std::string>> texts{{"length_unit", metadata.unit.name}};
  if (!metadata.space.empty()) texts.emplace_back("SPACE", metadata.space);
  for (const auto& [array, unit] : units)
    texts.emplace_back(array + "_unit", unit.empty() ? "1" : unit);
  return texts;
}

}  // namespace tessera::postprocess::exports
