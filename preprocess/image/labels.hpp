// SPDX-License-Identifier: GPL-3.0-or-later
// Labels of an image as options give them, and named labels of the voxels at a lattice's nodes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "preprocess/image/fluid_voxels.hpp"
#include "preprocess/read/image/image.hpp"

namespace tessera::preprocess::image {

// Values and ranges, and names of segments.
struct LabelSet {
  std::vector<ValueRange> ranges;
  std::vector<std::string> names;
};

// "1, 5 to 8 and artery".
std::string labelsText(const LabelSet& labels);

// The labels as values of the image's layers. option: with its value, file: for messages. Throws
// StageError(Usage) listing the segments for a name that none has, and, in an image of several
// layers, for a range or a value that is not that of one segment.
std::vector<ValueRange> rangesOf(const LabelSet& labels, const read::Image& image,
                                 const std::string& option, const std::string& file);

// Those of the ranges without a voxel, as indices. Parallel; ends once each has one.
std::vector<std::size_t> rangesWithoutVoxel(const read::Image& image,
                                            std::span<const ValueRange> ranges);

// Whether a value of one is a value of the other.
bool overlap(std::span<const ValueRange> ranges, std::span<const ValueRange> others);

struct NamedLabel {
  std::string name;
  std::vector<ValueRange> ranges;
};

// Values of an image's voxels, kept for names.
class VoxelLabels {
 public:
  // mirror: axes along which the mirror image is appended, as by mirrored().
  VoxelLabels(read::Image image, const std::array<bool, 3>& mirror)
      : image_(std::move(image)), mirror_(mirror) {}

  // Number of the first of the labels that has a voxel (after mirroring); absent if none has it or
  // it is not in the image.
  [[nodiscard]] std::optional<std::size_t> find(std::span<const NamedLabel> labels,
                                                Int3 voxel) const;
  [[nodiscard]] bool has(const NamedLabel& label, Int3 voxel) const {
    return find({&label, 1}, voxel).has_value();
  }
  [[nodiscard]] std::size_t bytes() const { return image_.file.size; }

 private:
  read::Image image_;
  std::array<bool, 3> mirror_;
};

}  // namespace tessera::preprocess::image
