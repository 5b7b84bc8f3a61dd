// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/field_arrays.hpp"

#include <algorithm>

#include "pipelines/stage/cli/nearest.hpp"
#include "pipelines/stage/error.hpp"
#include "postprocess/fields/velocity_gradient.hpp"
#include "postprocess/results/descriptors.hpp"
#include "postprocess/results/parse_place.hpp"

namespace tessera::postprocess::fields {

using solver::file::Fields;

namespace {

void put(const Double3& vector, float* values) {
  for (std::size_t a = 0; a < 3; ++a) values[a] = static_cast<float>(vector[a]);
}

using ValueAt = std::function<void(const Int3& node, std::uint64_t index, float* values)>;

ValueAt velocityAt(const NodeLookup& lookup, const Fields& fields) {
  return [&](const Int3&, std::uint64_t index, float* values) {
    const auto& u = fields.velocity[index];
    const Double3 world = lookup.geometry.frame.directionToWorld({u[0], u[1], u[2]});
    for (std::size_t a = 0; a < 3; ++a)
      values[a] = static_cast<float>(fields.velocityFactor * world[a]);
  };
}

ValueAt pressureAt(const NodeLookup&, const Fields& fields) {
  return [&](const Int3&, std::uint64_t index, float* values) {
    *values = static_cast<float>(fields.pressurePa(fields.pressure[index]));
  };
}

ValueAt vorticityAt(const NodeLookup& lookup, const Fields& fields) {
  return [&](const Int3& node, std::uint64_t index, float* values) {
    const Double3 curl = vorticity(velocityGradient(lookup, fields, node, index));
    put(lookup.geometry.frame.directionToWorld(curl), values);
  };
}

ValueAt qAt(const NodeLookup& lookup, const Fields& fields) {
  return [&](const Int3& node, std::uint64_t index, float* values) {
    *values = static_cast<float>(qCriterion(velocityGradient(lookup, fields, node, index)));
  };
}

// List of all arrays; --fields and its help know the derived ones by their quantity.
struct ExportedArray {
  const char* quantity;
  const char* unit;
  int components;
  bool derived;  // exported on request only
  ValueAt (*valueAt)(const NodeLookup&, const Fields&);
};
constexpr ExportedArray exportedArrays[] = {{"velocity", "m/s", 3, false, velocityAt},
                                            {"pressure", "Pa", 1, false, pressureAt},
                                            {"vorticity", "1/s", 3, true, vorticityAt},
                                            {"q", "1/s2", 1, true, qAt}};

FieldArray arrayOf(const ExportedArray& array, const NodeLookup& lookup, const Fields& fields) {
  return {array.quantity, array.unit, results::keyOf(array.quantity, array.unit), array.components,
          array.valueAt(lookup, fields)};
}

}  // namespace

const std::vector<std::string>& derivedFields() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> derived;
    for (const ExportedArray& array : exportedArrays)
      if (array.derived) derived.emplace_back(array.quantity);
    return derived;
  }();
  return names;
}

std::vector<std::string> parseFieldNames(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string_view part : results::partsOf(text, ',')) {
    const std::string name(part);
    const auto& known = derivedFields();
    if (std::find(known.begin(), known.end(), name) == known.end())
      stage::fail(stage::ExitCode::Usage, "--fields \"" + name +
                                              "\" is no field; beside velocity and pressure " +
                                              "there are " + stage::listOfWords(known));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::vector<FieldArray> fieldArrays(const NodeLookup& lookup, const Fields& fields,
                                    const std::vector<std::string>& derived) {
  std::vector<FieldArray> arrays;
  for (const ExportedArray& array : exportedArrays)
    if (!array.derived) arrays.push_back(arrayOf(array, lookup, fields));
  for (const std::string& name : derived)
    for (const ExportedArray& array : exportedArrays)
      if (name == array.quantity) arrays.push_back(arrayOf(array, lookup, fields));
  return arrays;
}

}  // namespace tessera::postprocess::fields
