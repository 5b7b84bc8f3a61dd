// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/field_selection.hpp"

#include <algorithm>
#include <limits>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/fields/velocity_gradient.hpp"
#include "postprocess/results/text.hpp"

namespace tessera::postprocess::fields {

std::array<Double3, 2> parseRegion(const std::string& text) {
  const std::vector<std::string_view> parts = results::partsOf(text, ',');
  if (parts.size() != 6)
    stage::fail(
        stage::ExitCode::Usage,
        fmt::format("--region is \"{}\"; expected two corners \"x0,y0,z0,x1,y1,z1\" in metres "
                    "or with units",
                    text));
  std::array<Double3, 2> corner{};
  for (std::size_t a = 0; a < 3; ++a) {
    const double one = stage::parseQuantity(parts[a], stage::Dimension::Length);
    const double other = stage::parseQuantity(parts[a + 3], stage::Dimension::Length);
    corner[0][a] = std::min(one, other);
    corner[1][a] = std::max(one, other);
  }
  return corner;
}

FieldSlice parseSlice(const std::string& text) {
  const std::vector<std::string_view> parts = results::partsOf(text, '=');
  const std::size_t axis = parts[0].size() == 1 ? std::string_view("xyz").find(parts[0][0]) : 3;
  if (parts.size() != 2 || axis > 2)
    stage::fail(
        stage::ExitCode::Usage,
        fmt::format("--slice is \"{}\"; expected a slice such as \"z=0.01\" or \"x=2 mm\" in "
                    "the world frame",
                    text));
  return {axis, stage::parseQuantity(parts[1], stage::Dimension::Length)};
}

SelectedNodes::SelectedNodes(const NodeLookup& lookup, const FieldSelection& selection)
    : lookup_(lookup), selection_(selection) {
  low_.fill(std::numeric_limits<int>::max());
  high_.fill(-1);
  for (std::size_t a = 0; a < 3; ++a) size_[a] = (lookup.geometry.nodes[a] + every() - 1) / every();
  forEach([&](const Int3& cell, const Int3&, std::uint64_t) {
    ++count_;
    for (std::size_t a = 0; a < 3; ++a) {
      low_[a] = std::min(low_[a], cell[a]);
      high_[a] = std::max(high_[a], cell[a]);
    }
  });
  if (count_ == 0)
    stage::fail(stage::ExitCode::Usage,
                "no fluid node is left to export by --region, --slice and --every; give positions "
                "inside the "
                "fluid in the world frame, in metres or with units");
}

bool SelectedNodes::holds(const Int3& node) const {
  for (std::size_t a = 0; a < 3; ++a)
    if (node[a] % selection_.every != 0) return false;
  if (!selection_.region && selection_.slices.empty()) return true;
  const Double3 position = frame().toWorld({1.0 * node[0], 1.0 * node[1], 1.0 * node[2]});
  if (selection_.region) {
    const auto& [low, high] = *selection_.region;
    for (std::size_t a = 0; a < 3; ++a)
      if (position[a] < low[a] || position[a] > high[a]) return false;
  }
  if (selection_.slices.empty()) return true;
  const double half = 0.5 * selection_.every * frame().spacing;
  return std::any_of(selection_.slices.begin(), selection_.slices.end(), [&](const auto& slice) {
    const double above = position[slice.axis] - slice.value;
    return above >= -half && above < half;
  });
}

Int3 SelectedNodes::nodeOf(const Int3& cell) const {
  return {every() * cell[0], every() * cell[1], every() * cell[2]};
}

std::int64_t SelectedNodes::indexOf(const Int3& cell) const {
  const Int3 node = nodeOf(cell);
  return holds(node) ? lookup_.indexOf(node) : -1;
}

bool SelectedNodes::isCut(const Int3& cell, const Int3& step) const {
  if (!lookup_.hasCutLinks()) return false;
  Int3 node = nodeOf(cell);
  for (int k = 0; k < every(); ++k) {
    if (!lookup_.connected(node, step)) return true;
    node = node + step;
    if (lookup_.indexOf(node) < 0) return true;
  }
  return false;
}

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
  return {array.quantity, array.unit, array.components, array.valueAt(lookup, fields)};
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
      stage::fail(stage::ExitCode::Usage,
                  fmt::format("--fields \"{}\" is not a field; expected, besides velocity and "
                              "pressure, {}",
                              name, stage::enumeration(known)));
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
