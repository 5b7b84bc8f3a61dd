// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/image/labels.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::preprocess::image {

using read::Image;
using read::Segment;

std::string labelsText(const LabelSet& labels) {
  std::vector<std::string> texts;
  for (const ValueRange& range : labels.ranges) texts.push_back(rangesText({&range, 1}));
  texts.insert(texts.end(), labels.names.begin(), labels.names.end());
  return stage::enumeration(texts);
}

namespace {

[[noreturn]] void refuseLabel(const Image& image, const std::string& found,
                              const std::string& file) {
  constexpr std::size_t mostListed = 200;
  std::vector<std::string> names;
  for (const Segment& segment : image.segments)
    names.push_back(fmt::format("{} ({})", segment.name, segment.value));
  stage::fail(
      stage::ExitCode::Usage,
      fmt::format("{}; {} {}.", found, file,
                  names.empty() ? "has no segments with names: give labels as numbers, as 1,3,5-8"
                                : "has the segments " + stage::firstOf(names, mostListed)));
}

ValueRange valueOf(const Segment& segment) {
  const auto value = static_cast<double>(segment.value);
  return {value, value, segment.layer};
}

// Layer of a value in an image of several layers.
ValueRange inLayer(const ValueRange& range, const Image& image, const std::string& option,
                   const std::string& file) {
  std::vector<ValueRange> found;
  for (const Segment& segment : image.segments)
    if (static_cast<double>(segment.value) == range.low) found.push_back(valueOf(segment));
  if (range.low < range.high || found.size() != 1)
    refuseLabel(image,
                fmt::format("{}: {} is not the value of one segment, and segments overlap in {} "
                            "layers, so names are required",
                            option, rangesText({&range, 1}), image.layers),
                file);
  return found.front();
}

}  // namespace

std::vector<ValueRange> rangesOf(const LabelSet& labels, const Image& image,
                                 const std::string& option, const std::string& file) {
  std::vector<ValueRange> ranges;
  for (const ValueRange& range : labels.ranges)
    ranges.push_back(image.layers == 1 ? range : inLayer(range, image, option, file));
  for (const std::string& name : labels.names) {
    const auto found = std::find_if(image.segments.begin(), image.segments.end(),
                                    [&](const Segment& segment) { return segment.name == name; });
    if (found == image.segments.end())
      refuseLabel(image, fmt::format("{}: there is no segment \"{}\"", option, name), file);
    ranges.push_back(valueOf(*found));
  }
  return ranges;
}

std::vector<std::size_t> rangesWithoutVoxel(const Image& image,
                                            std::span<const ValueRange> ranges) {
  constexpr std::size_t block = 1 << 14;  // voxels
  std::vector<std::uint8_t> found(ranges.size(), 0);
  const auto isFound = [&](std::size_t k) {
    return std::atomic_ref(found[k]).load(std::memory_order_relaxed) != 0;
  };
  read::withVoxelType(image.type, [&]<class Stored>(std::type_identity<Stored>) {
    const auto examine = [&](std::size_t first, std::size_t k) {
      std::vector<Stored> stored(std::min(block, image.voxels() - first));
      read::copyStored(image, first, std::span<Stored>(stored), ranges[k].layer);
      if (std::any_of(stored.begin(), stored.end(), [&](Stored each) {
            const double value = image.slope * static_cast<double>(each) + image.intercept;
            return value >= ranges[k].low && value <= ranges[k].high;
          }))
        std::atomic_ref(found[k]).store(1, std::memory_order_relaxed);
    };
    tbb::parallel_for(std::size_t{0}, (image.voxels() + block - 1) / block, [&](std::size_t b) {
      for (std::size_t k = 0; k < ranges.size(); ++k)
        if (!isFound(k)) examine(b * block, k);
    });
  });
  std::vector<std::size_t> without;
  for (std::size_t k = 0; k < ranges.size(); ++k)
    if (found[k] == 0) without.push_back(k);
  return without;
}

bool overlap(std::span<const ValueRange> ranges, std::span<const ValueRange> others) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const ValueRange& range) {
    return std::any_of(others.begin(), others.end(), [&](const ValueRange& other) {
      return range.layer == other.layer && range.low <= other.high && other.low <= range.high;
    });
  });
}

std::optional<std::size_t> VoxelLabels::find(std::span<const NamedLabel> labels, Int3 voxel) const {
  for (std::size_t a = 0; a < 3; ++a) {
    const int size = image_.size[a];
    if (mirror_[a] && voxel[a] >= size) voxel[a] = 2 * size - 1 - voxel[a];
    if (voxel[a] < 0 || voxel[a] >= size) return std::nullopt;
  }
  const auto row = static_cast<std::size_t>(voxel[2]) * static_cast<std::size_t>(image_.size[1]) +
                   static_cast<std::size_t>(voxel[1]);
  const std::size_t at =
      row * static_cast<std::size_t>(image_.size[0]) + static_cast<std::size_t>(voxel[0]);
  for (int layer = 0; layer < image_.layers; ++layer) {
    const double value = image_.value(at, layer);
    for (std::size_t k = 0; k < labels.size(); ++k)
      for (const ValueRange& range : labels[k].ranges)
        if (range.layer == layer && value >= range.low && value <= range.high) return k;
  }
  return std::nullopt;
}

}  // namespace tessera::preprocess::image
