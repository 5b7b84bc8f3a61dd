// SPDX-License-Identifier: GPL-3.0-or-later
// Labels of an image that name walls and openings: --wall-label, --branch, and by default the
// segments of a file: solid ones name walls, two or more fluid ones openings.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "preprocess/geometry/lattice_geometry.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/image/labels.hpp"
#include "preprocess/preprocess_options.hpp"

namespace tessera::preprocess {

struct LabelNames {
  image::VoxelLabels voxels;
  std::vector<image::NamedLabel> walls, branches;  // those of options first
  std::size_t givenWalls = 0, givenBranches = 0;   // by options
  std::array<std::vector<int>, 3> voxelOf;  // voxel of each node by axis; empty: one node per voxel

  [[nodiscard]] Int3 voxelAt(Int3 node) const {
    for (std::size_t a = 0; a < 3; ++a)
      if (!voxelOf[a].empty()) node[a] = voxelOf[a][static_cast<std::size_t>(node[a])];
    return node;
  }
};

// Takes the image where labels name something; absent otherwise. fluid: values of fluid voxels.
// Throws StageError(Usage) for a wall whose label is fluid, a branch whose label is not, and as
// image::rangesOf() does.
std::optional<LabelNames> labelNamesOf(read::Image& image, std::span<const image::ValueRange> fluid,
                                       const PreprocessOptions& options);

// Warns about labels of --pore, --wall-label and --branch that no voxel has. ranges: of --pore.
void warnAboutAbsentLabels(const read::Image& image, std::span<const image::ValueRange> ranges,
                           const PreprocessOptions& options, std::vector<std::string>& warnings);

// Names openings that lie in one branch with at least 90 % of their nodes; several of one branch
// become aorta, aorta_2, .... touching: fluid nodes by opening. Throws StageError(Usage) for a
// branch of --branch without an opening.
void nameBranches(const LabelNames& names, const geometry::BitLattice& fluid,
                  const std::vector<std::vector<std::uint64_t>>& touching,
                  std::vector<geometry::Opening>& openings);

// Label of the wall at a solid node next to the fluid: 0, or from `first` on in the order of
// names.walls.
geometry::Patch wallAt(const LabelNames& names, const Int3& node, std::size_t first);

// Numbers the walls that patches really have, from `first` on, and appends their names; a name that
// is there already is that wall. Throws StageError(Usage) for a wall of --wall-label that has none.
void keepUsedWalls(const LabelNames& names, std::vector<geometry::Patch>& patches,
                   std::vector<std::string>& wallNames);

// The same on a smoothed surface (m, world), whose triangles have the label of the voxels next to
// them: openings that of the fluid, walls that of the solid.
void nameSurface(const LabelNames& names, const image::FluidVoxels& voxels,
                 const std::array<bool, 3>& periodic, geometry::TriangleMesh& mesh,
                 std::vector<geometry::Opening>& openings, std::vector<std::string>& wallNames);

}  // namespace tessera::preprocess
