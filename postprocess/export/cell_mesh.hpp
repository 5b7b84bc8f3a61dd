// SPDX-License-Identifier: GPL-3.0-or-later
// Selected nodes as an unstructured grid: one cell per node, shared points once, on each side of a
// wall between two nodes. Values are passed one by one, so that no array of the whole grid is in
// memory.
#pragma once

#include <array>
#include <cstdint>

#include "postprocess/export/cut_cells.hpp"
#include "postprocess/fields/field_selection.hpp"
#include "postprocess/fields/node_lookup.hpp"

namespace tessera::postprocess::exports {

class CellMesh {
 public:
  static constexpr std::uint8_t voxel = 11;       // VTK_VOXEL
  static constexpr std::uint8_t hexahedron = 12;  // VTK_HEXAHEDRON

  explicit CellMesh(const fields::SelectedNodes& nodes)
      : nodes_(nodes), numbering_(nodes.size()), split_(nodes) {
    nodes.forEach([&](const Int3& cell, const Int3&, std::uint64_t) {
      for (int c = 0; c < 8; ++c) numbering_.use(cornerOf(cell, c));
    });
    numbering_.number();
  }

  [[nodiscard]] std::uint64_t cells() const { return nodes_.count(); }
  [[nodiscard]] std::uint64_t points() const {
    return numbering_.count() + split_.further().size();
  }
  // Voxels are aligned with the axes; cells of a rotated lattice are hexahedra.
  [[nodiscard]] std::uint8_t cellType() const {
    return nodes_.frame().axis == preprocess::geometry::Frame{}.axis ? voxel : hexahedron;
  }

  // sink(float), three per point: world, in that unit.
  template <class Sink>
  void givePoints(const stage::LengthUnit& unit, Sink&& sink) const {
    const double side = nodes_.every();
    const double perMetre = unit.perMetre();
    const auto give = [&](const Int3& corner) {
      Double3 position{};
      for (std::size_t a = 0; a < 3; ++a) position[a] = side * (corner[a] - 0.5);
      for (const double x : nodes_.frame().toWorld(position))
        sink(static_cast<float>(perMetre * x));
    };
    numbering_.forEach(give);
    for (const Int3& corner : split_.further()) give(corner);
  }
  // sink(std::int64_t), eight per cell.
  template <class Sink>
  void giveConnectivity(Sink&& sink) const {
    // VTK_VOXEL: corners in x, y, z order; VTK_HEXAHEDRON: around the lower, then the upper face.
    const std::array<int, 8> order = cellType() == voxel ? std::array{0, 1, 2, 3, 4, 5, 6, 7}
                                                         : std::array{0, 1, 3, 2, 4, 5, 7, 6};
    nodes_.forEach([&](const Int3& cell, const Int3&, std::uint64_t) {
      for (const int c : order) sink(pointOf(cornerOf(cell, c), c));
    });
  }
  // sink(float), one per component of the array and cell.
  template <class Sink>
  void giveValues(const fields::FieldArray& array, Sink&& sink) const {
    nodes_.forEach([&](const Int3&, const Int3& node, std::uint64_t index) {
      std::array<float, 3> values{};
      array.valueAt(node, index, values.data());
      for (int c = 0; c < array.components; ++c) sink(values[static_cast<std::size_t>(c)]);
    });
  }

 private:
  static Int3 cornerOf(const Int3& cell, int c) {
    return {cell[0] + (c & 1), cell[1] + (c >> 1 & 1), cell[2] + (c >> 2)};
  }

  // Point of the cell whose corner c this is.
  [[nodiscard]] std::int64_t pointOf(const Int3& corner, int c) const {
    const std::int64_t further = split_.furtherOf(corner, c);
    return static_cast<std::int64_t>(further < 0 ? numbering_.numberOf(corner)
                                                 : numbering_.count() + std::uint64_t(further));
  }

  const fields::SelectedNodes& nodes_;
  fields::PointNumbering numbering_;
  SplitPoints split_;
};

}  // namespace tessera::postprocess::exports
