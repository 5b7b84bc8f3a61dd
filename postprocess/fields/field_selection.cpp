// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/field_selection.hpp"

#include <algorithm>
#include <limits>

#include "pipelines/stage/error.hpp"
#include "postprocess/results/parse_place.hpp"

namespace tessera::postprocess::fields {

std::array<Double3, 2> parseRegion(const std::string& text) {
  const std::vector<std::string_view> parts = results::partsOf(text, ',');
  if (parts.size() != 6)
    stage::fail(stage::ExitCode::Usage,
                "--region \"" + text +
                    "\" is no box; write two corners as \"x0,y0,z0,x1,y1,z1\" in metres "
                    "or with units");
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
    stage::fail(stage::ExitCode::Usage,
                "--slice \"" + text +
                    "\" is no slice; write it as \"z=0.01\" or \"x=2 mm\", in the world "
                    "frame");
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
    stage::fail(
        stage::ExitCode::Usage,
        "no fluid node is left to export by --region, --slice and --every; give places in metres "
        "or with units, in the world frame, where the fluid is");
}

bool SelectedNodes::holds(const Int3& node) const {
  for (std::size_t a = 0; a < 3; ++a)
    if (node[a] % selection_.every != 0) return false;
  if (!selection_.region && selection_.slices.empty()) return true;
  const Double3 place = frame().toWorld({1.0 * node[0], 1.0 * node[1], 1.0 * node[2]});
  if (selection_.region) {
    const auto& [low, high] = *selection_.region;
    for (std::size_t a = 0; a < 3; ++a)
      if (place[a] < low[a] || place[a] > high[a]) return false;
  }
  if (selection_.slices.empty()) return true;
  const double half = 0.5 * selection_.every * frame().spacing;
  return std::any_of(selection_.slices.begin(), selection_.slices.end(), [&](const auto& slice) {
    const double above = place[slice.axis] - slice.value;
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

}  // namespace tessera::postprocess::fields
