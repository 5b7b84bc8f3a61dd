// SPDX-License-Identifier: GPL-3.0-or-later
// A geometry before a run, for pictures and pages: its surface with a label for each wall and
// opening, numbered marks of the openings and of what resembles one, layers of its lattice.
#pragma once

#include <string>
#include <vector>

#include "pipelines/picture/view_parts.hpp"
#include "preprocess/geometry/lattice_geometry.hpp"

namespace tessera::preprocess::preview {

// A place that is no opening: a candidate, or an end that the lattice does not resolve.
struct OtherPlace {
  picture::MarkKind kind = picture::MarkKind::Candidate;
  std::string number;  // "C1"
  std::string name;    // of an unresolved opening
  std::string reason;
  std::string option;          // of tessera-preprocess, that makes it an opening or a wall for good
  Double3 centre{}, normal{};  // m, unit
  double radius = 0.0;         // m
};

// Parts that a lattice does not hold.
struct PreviewNotes {
  std::string title;  // base name of the file
  std::vector<OtherPlace> others;
  std::vector<std::string> origins;  // of each opening, such as "flat cap"; or empty
  std::vector<std::string> warnings;
  std::vector<Int3> tiles;  // first node of each tile; empty: none are shown
  Int3 tileEdge{};          // nodes
};

struct Preview {
  PreviewNotes notes;
  int dimensions = 3;
  geometry::Frame frame;
  Int3 nodes{};
  std::array<bool, 3> periodic{};
  std::uint64_t fluidNodes = 0;
  double wallArea = 0.0;  // m2; of voxels that of their faces
  bool fromVoxels = false;
  std::vector<geometry::Opening> openings;
  std::vector<geometry::Throat> throats;  // narrower than the openings on either side
  std::vector<std::string> wallNames;
  std::size_t sheetTriangles = 0;
  // Surface in the world, m; its labels are those of `parts`.
  std::vector<Double3> vertex;
  std::vector<stage::Triangle> triangle;
  std::vector<std::uint16_t> label;
  std::vector<bool> isPeriodic;  // of voxels: triangles of periodic sides; otherwise empty
  picture::ViewParts parts;

  [[nodiscard]] double porosity() const;
  [[nodiscard]] double fluidVolume() const;  // m3
};

Preview makePreview(const geometry::LatticeGeometry& geometry, PreviewNotes notes);

}  // namespace tessera::preprocess::preview
