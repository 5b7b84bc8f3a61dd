// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/label_names.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/name_openings.hpp"
#include "preprocess/read/surface/triangle_soup.hpp"

namespace tessera::preprocess {

using geometry::Opening;
using geometry::Patch;
using image::NamedLabel;
using image::ValueRange;
using stage::ExitCode;
using stage::fail;

namespace {

std::vector<NamedLabel> namedLabels(const std::vector<LabelName>& requests, const char* option,
                                    const read::Image& image, const std::string& file) {
  std::vector<NamedLabel> labels;
  for (const LabelName& request : requests) {
    const std::string given = fmt::format("{} {}", option, request.text);
    labels.push_back({request.name, image::rangesOf(request.labels, image, given, file)});
  }
  return labels;
}

void requireSides(const std::vector<NamedLabel>& walls, const std::vector<NamedLabel>& branches,
                  std::span<const ValueRange> fluid, const PreprocessOptions& options) {
  for (std::size_t k = 0; k < walls.size(); ++k)
    if (image::overlap(walls[k].ranges, fluid))
      fail(ExitCode::Usage, fmt::format("--wall-label {}: these voxels are fluid by --pore or "
                                        "--threshold, but a wall is solid; omit one of the two.",
                                        options.wallLabels[k].text));
  for (std::size_t k = 0; k < branches.size(); ++k)
    if (!image::overlap(branches[k].ranges, fluid))
      fail(ExitCode::Usage, fmt::format("--branch {}: these voxels are not fluid, but an opening "
                                        "lies in fluid; add them to --pore.",
                                        options.branches[k].text));
}

// Name of the first of the earlier labels that takes values of the k-th; empty: none does.
std::string takenBy(const std::vector<NamedLabel>& labels, std::size_t k) {
  for (std::size_t earlier = 0; earlier < k; ++earlier)
    if (image::overlap(labels[earlier].ranges, labels[k].ranges)) return labels[earlier].name;
  return "";
}

// Refuses a name of an option that lies nowhere, as its labels have one by an earlier option.
void refuseTaken(const char* option, const std::vector<NamedLabel>& labels, std::size_t k) {
  const std::string name = takenBy(labels, k);
  if (!name.empty())
    fail(ExitCode::Usage,
         fmt::format("{}: nothing is left for \"{}\", as voxels of label {} are \"{}\" by an "
                     "earlier {}; give each label one name.",
                     option, labels[k].name, image::rangesText(labels[k].ranges), name, option));
}

bool isNamed(const std::vector<NamedLabel>& labels, const ValueRange& value) {
  return std::any_of(labels.begin(), labels.end(), [&](const NamedLabel& label) {
    return image::overlap(label.ranges, {&value, 1});
  });
}

// Segments that are not named by options, where each voxel has one.
void addSegments(const read::Image& image, std::span<const ValueRange> fluid, LabelNames& names) {
  if (image.layers > 1) return;
  std::vector<NamedLabel> branches;
  for (const read::Segment& segment : image.segments) {
    const auto value = static_cast<double>(segment.value);
    const ValueRange range{value, value, segment.layer};
    const bool isFluid = image::overlap({&range, 1}, fluid);
    if (isNamed(isFluid ? names.branches : names.walls, range)) continue;
    (isFluid ? branches : names.walls).push_back({segment.name, {range}});
  }
  if (branches.size() + names.branches.size() > 1)
    names.branches.insert(names.branches.end(), branches.begin(), branches.end());
}

}  // namespace

void warnAboutAbsentLabels(const read::Image& image, std::span<const ValueRange> fluid,
                           const PreprocessOptions& options, std::vector<std::string>& warnings) {
  std::vector<ValueRange> ranges;
  std::vector<std::string> texts;  // of each
  const auto add = [&](const char* option, const image::LabelSet& labels,
                       std::span<const ValueRange> added) {
    for (std::size_t k = 0; k < added.size(); ++k) {
      ranges.push_back(added[k]);
      texts.push_back(fmt::format("{} ({})",
                                  k < labels.ranges.size()
                                      ? image::rangesText({&labels.ranges[k], 1})
                                      : labels.names[k - labels.ranges.size()],
                                  option));
    }
  };
  const std::string file = options.inputs.front().string();
  add("--pore", options.fluidLabels, fluid);
  for (const LabelName& wall : options.wallLabels)
    add("--wall-label", wall.labels, image::rangesOf(wall.labels, image, "--wall-label", file));
  for (const LabelName& branch : options.branches)
    add("--branch", branch.labels, image::rangesOf(branch.labels, image, "--branch", file));
  std::vector<std::string> absent;
  for (const std::size_t k : image::rangesWithoutVoxel(image, ranges)) absent.push_back(texts[k]);
  if (absent.empty()) return;
  warnings.push_back(fmt::format("no voxel has the label{} {}, without effect; the image{} has {}.",
                                 absent.size() > 1 ? "s" : "", stage::enumeration(absent),
                                 options.crop ? ", cropped," : "", image::valuesIn(image)));
}

std::optional<LabelNames> labelNamesOf(read::Image& image, std::span<const ValueRange> fluid,
                                       const PreprocessOptions& options) {
  const std::string file = options.inputs.front().string();
  LabelNames names{{{}, options.mirror},
                   namedLabels(options.wallLabels, "--wall-label", image, file),
                   namedLabels(options.branches, "--branch", image, file),
                   0,
                   0,
                   {}};
  names.givenWalls = names.walls.size();
  names.givenBranches = names.branches.size();
  requireSides(names.walls, names.branches, fluid, options);
  addSegments(image, fluid, names);
  if (names.walls.empty() && names.branches.empty()) return std::nullopt;
  names.voxels = {std::move(image), options.mirror};
  return names;
}

namespace {

// Share of an opening that lies in each branch; openings in turn.
using Shares = std::vector<std::vector<double>>;

constexpr double mostly = 0.9;

void nameByShares(const LabelNames& names, const Shares& shares, std::vector<Opening>& openings) {
  std::vector<std::optional<std::size_t>> branchOf(openings.size());
  std::unordered_set<std::string> taken;
  for (std::size_t k = 0; k < openings.size(); ++k) {
    const std::vector<double>& share = shares[k];
    const auto lies =
        std::find_if(share.begin(), share.end(), [](double s) { return s >= mostly; });
    if (lies != share.end())
      branchOf[k] = static_cast<std::size_t>(lies - share.begin());
    else
      taken.insert(openings[k].name);
  }
  for (std::size_t b = 0; b < names.givenBranches; ++b)
    if (std::find(branchOf.begin(), branchOf.end(), b) == branchOf.end()) {
      refuseTaken("--branch", names.branches, b);
      fail(ExitCode::Usage,
           fmt::format(
               "--branch: no opening lies in the voxels of \"{}\" with {:.0f} % of its area; "
               "{}; omit it, or correct its labels.",
               names.branches[b].name, 100.0 * mostly, listOf(openings)));
    }
  for (std::size_t k = 0; k < openings.size(); ++k)
    if (branchOf[k]) openings[k].name = read::takeName(taken, names.branches[*branchOf[k]].name);
}

}  // namespace

void nameBranches(const LabelNames& names, const geometry::BitLattice& fluid,
                  const std::vector<std::vector<std::uint64_t>>& touching,
                  std::vector<Opening>& openings) {
  if (names.branches.empty()) return;
  Shares shares;
  for (const std::vector<std::uint64_t>& nodes : touching) {
    std::vector<double> share(names.branches.size(), 0.0);
    for (const std::uint64_t node : nodes)
      if (const auto branch = names.voxels.find(names.branches, names.voxelAt(fluid.nodeAt(node))))
        share[*branch] += 1.0 / static_cast<double>(nodes.size());
    shares.push_back(std::move(share));
  }
  nameByShares(names, shares, openings);
}

Patch wallAt(const LabelNames& names, const Int3& node, std::size_t first) {
  const auto wall = names.voxels.find(names.walls, names.voxelAt(node));
  return wall ? static_cast<Patch>(first + *wall) : Patch{0};
}

void keepUsedWalls(const LabelNames& names, std::vector<Patch>& patches,
                   std::vector<std::string>& wallNames) {
  const std::size_t first = wallNames.size();
  std::vector<bool> used(names.walls.size(), false);
  for (const Patch patch : patches)
    if (!geometry::isOpening(patch) && patch >= first) used[patch - first] = true;
  std::vector<Patch> kept(names.walls.size(), 0);
  for (std::size_t k = 0; k < names.walls.size(); ++k) {
    if (!used[k] && k < names.givenWalls) {
      refuseTaken("--wall-label", names.walls, k);
      fail(ExitCode::Usage, fmt::format("--wall-label: no wall next to the fluid has the label of "
                                        "\"{}\"; omit it, or correct its labels.",
                                        names.walls[k].name));
    }
    if (!used[k]) continue;
    auto known = std::find(wallNames.begin(), wallNames.end(), names.walls[k].name);
    if (known == wallNames.end()) known = wallNames.insert(known, names.walls[k].name);
    kept[k] = static_cast<Patch>(known - wallNames.begin());
  }
  for (Patch& patch : patches)
    if (!geometry::isOpening(patch) && patch >= first) patch = kept[patch - first];
}

namespace {

// Voxel at a position of the world after wrapping on periodic axes.
class VoxelAt {
 public:
  VoxelAt(const image::FluidVoxels& voxels, const std::array<bool, 3>& periodic)
      : voxels_(voxels), periodic_(periodic) {
    image_.origin = voxels.origin;
    image_.axis = voxels.axis;
  }
  [[nodiscard]] Int3 operator()(const Double3& world) const {
    const Double3 at = image_.toLattice(world);
    Int3 voxel{};
    for (std::size_t a = 0; a < 3; ++a) {
      const int size = voxels_.fluid.size[a];
      const double nearest = std::floor(at[a] / voxels_.voxel[a] + 0.5);
      voxel[a] = static_cast<int>(std::clamp(nearest, -1.0, static_cast<double>(size)));
      if (periodic_[a]) voxel[a] = (voxel[a] + size) % size;
    }
    return voxel;
  }
  [[nodiscard]] bool isFluid(const Int3& at) const {
    return voxels_.fluid.inside(at[0], at[1], at[2]) && voxels_.fluid.at(at[0], at[1], at[2]);
  }
  [[nodiscard]] double smallestSide() const {
    return *std::min_element(voxels_.voxel.begin(), voxels_.voxel.end());
  }

 private:
  const image::FluidVoxels& voxels_;
  std::array<bool, 3> periodic_;
  geometry::Frame image_;
};

struct FacePoint {
  Double3 centre{};
  Double3 normal{};  // unit, out of the fluid
  double area = 0.0;
};

FacePoint faceOf(const geometry::TriangleMesh& mesh, std::size_t t) {
  const auto& [a, b, c] = mesh.triangle[t];
  const Double3 &p = mesh.vertex[a], &q = mesh.vertex[b], &r = mesh.vertex[c];
  const Double3 area = 0.5 * cross(q - p, r - p);
  const double size = length(area);
  return {(1.0 / 3.0) * (p + q + r), size > 0.0 ? (1.0 / size) * area : Double3{}, size};
}

// Wall of the first solid voxel out of a triangle, within 1.5 voxels.
std::optional<std::size_t> wallBehind(const LabelNames& names, const VoxelAt& voxelAt,
                                      const FacePoint& face) {
  for (int quarter = 1; quarter <= 6; ++quarter) {
    const Int3 voxel = voxelAt(face.centre + 0.25 * quarter * voxelAt.smallestSide() * face.normal);
    if (!voxelAt.isFluid(voxel)) return names.voxels.find(names.walls, voxel);
  }
  return std::nullopt;
}

}  // namespace

void nameSurface(const LabelNames& names, const image::FluidVoxels& voxels,
                 const std::array<bool, 3>& periodic, geometry::TriangleMesh& mesh,
                 std::vector<Opening>& openings, std::vector<std::string>& wallNames) {
  const VoxelAt voxelAt(voxels, periodic);
  Shares shares(openings.size(), std::vector<double>(names.branches.size(), 0.0));
  std::vector<double> area(openings.size(), 0.0);
  for (std::size_t t = 0; t < mesh.triangle.size(); ++t) {
    const FacePoint face = faceOf(mesh, t);
    Patch& label = mesh.label[t];
    if (!geometry::isOpening(label)) {
      const auto wall = label == 0 ? wallBehind(names, voxelAt, face) : std::nullopt;
      if (wall) label = static_cast<Patch>(wallNames.size() + *wall);
      continue;
    }
    const auto k = static_cast<std::size_t>(geometry::openingId(label)) - 1;
    area[k] += face.area;
    const Int3 voxel = voxelAt(face.centre - 0.5 * voxelAt.smallestSide() * face.normal);
    if (const auto branch = names.voxels.find(names.branches, voxel))
      shares[k][*branch] += face.area;
  }
  for (std::size_t k = 0; k < shares.size(); ++k)
    for (double& share : shares[k]) share /= area[k];
  if (!names.branches.empty()) nameByShares(names, shares, openings);
  keepUsedWalls(names, mesh.label, wallNames);
}

}  // namespace tessera::preprocess
