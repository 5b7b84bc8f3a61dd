// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/field_arrays.hpp"

#include <algorithm>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/nearest.hpp"
#include "postprocess/parse_place.hpp"
#include "postprocess/velocity_gradient.hpp"

namespace tessera {

namespace {

void put(const Double3& vector, float* values) {
  for (std::size_t a = 0; a < 3; ++a) values[a] = static_cast<float>(vector[a]);
}

FieldArray velocityArray(const Frame& frame, const Fields& fields) {
  return {"velocity", "m/s", "velocity_m_s", 3,
          [&](const Int3&, std::uint64_t index, float* values) {
            const auto& u = fields.velocity[index];
            const Double3 world = frame.directionToWorld({u[0], u[1], u[2]});
            for (std::size_t a = 0; a < 3; ++a)
              values[a] = static_cast<float>(fields.velocityFactor * world[a]);
          }};
}

FieldArray pressureArray(const Fields& fields) {
  return {"pressure", "Pa", "pressure_pa", 1, [&](const Int3&, std::uint64_t index, float* values) {
            *values = static_cast<float>(fields.pressurePa(fields.pressure[index]));
          }};
}

FieldArray vorticityArray(const NodeLookup& lookup, const Fields& fields) {
  return {"vorticity", "1/s", "vorticity_1_s", 3,
          [&](const Int3& node, std::uint64_t index, float* values) {
            const Double3 curl = vorticity(velocityGradient(lookup, fields, node, index));
            put(lookup.geometry.frame.directionToWorld(curl), values);
          }};
}

FieldArray qArray(const NodeLookup& lookup, const Fields& fields) {
  return {"q", "1/s2", "q_1_s2", 1, [&](const Int3& node, std::uint64_t index, float* values) {
            *values = static_cast<float>(qCriterion(velocityGradient(lookup, fields, node, index)));
          }};
}

}  // namespace

const std::vector<std::string>& derivedFields() {
  static const std::vector<std::string> names{"vorticity", "q"};
  return names;
}

std::vector<std::string> parseFieldNames(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string_view part : partsOf(text, ',')) {
    const std::string name(part);
    const auto& known = derivedFields();
    if (std::find(known.begin(), known.end(), name) == known.end())
      fail(ExitCode::Usage, "--fields \"" + name + "\" is no field; beside velocity and pressure " +
                                "there are " + listOfWords(known));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::vector<FieldArray> fieldArrays(const NodeLookup& lookup, const Fields& fields,
                                    const std::vector<std::string>& derived) {
  std::vector<FieldArray> arrays{velocityArray(lookup.geometry.frame, fields),
                                 pressureArray(fields)};
  for (const std::string& name : derived)
    arrays.push_back(name == "q" ? qArray(lookup, fields) : vorticityArray(lookup, fields));
  return arrays;
}

}  // namespace tessera
