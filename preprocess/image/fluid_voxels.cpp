// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/image/fluid_voxels.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <set>
#include <vector>

#include "pipelines/stage/text.hpp"

namespace tessera::preprocess::image {

using geometry::BitLattice;
using geometry::Frame;

namespace {

// Lattice of a size whose rows (y, z) are filled by visit(y, z, set), with set(x) for fluid nodes.
template <class Visit>
BitLattice latticeOf(const Int3& size, const Visit& visit) {
  BitLattice lattice(size);
  tbb::parallel_for(0, (size[2] + BitLattice::blockPlanes - 1) / BitLattice::blockPlanes,
                    [&](int layer) {
                      const int end = std::min((layer + 1) * BitLattice::blockPlanes, size[2]);
                      for (int z = layer * BitLattice::blockPlanes; z < end; ++z)
                        for (int y = 0; y < size[1]; ++y)
                          visit(y, z, [&](int x) { lattice.set(x, y, z); });
                    });
  return lattice;
}

}  // namespace

geometry::Bounds FluidVoxels::box() const {
  geometry::Bounds bounds;
  for (std::size_t a = 0; a < 3; ++a) {
    if (dimensions == 2 && a == 2) continue;
    bounds.low[a] = -0.5 * voxel[a];
    bounds.high[a] = (fluid.size[a] - 0.5) * voxel[a];
  }
  return bounds;
}

FluidVoxels fluidVoxels(const read::Image& image, std::span<const ValueRange> ranges) {
  return {image.dimensions, fluidOf(image, ranges), image.voxel, image.origin, image.axis,
          image.space,      image.lengthUnit};
}

BitLattice mirrored(const BitLattice& fluid, const std::array<bool, 3>& axes) {
  Int3 size = fluid.size;
  for (std::size_t a = 0; a < 3; ++a) size[a] *= axes[a] ? 2 : 1;
  const auto source = [&](int at, std::size_t a) {
    return at < fluid.size[a] ? at : 2 * fluid.size[a] - 1 - at;
  };
  return latticeOf(size, [&](int y, int z, const auto& set) {
    const int fromY = source(y, 1);
    const int fromZ = source(z, 2);
    for (int x = 0; x < fluid.size[0]; ++x) {
      if (!fluid.at(x, fromY, fromZ)) continue;
      set(x);
      if (axes[0]) set(size[0] - 1 - x);
    }
  });
}

std::array<std::vector<int>, 3> voxelsOfNodes(const FluidVoxels& voxels, const Frame& lattice,
                                              const Int3& nodes) {
  std::array<std::vector<int>, 3> voxelOf;
  for (std::size_t a = 0; a < 3; ++a)
    for (int i = 0; i < nodes[a]; ++i) {
      const double position = (lattice.origin[a] + i * lattice.spacing) / voxels.voxel[a];
      const int at = static_cast<int>(std::floor(position + 0.5));
      voxelOf[a].push_back(std::clamp(at, 0, voxels.fluid.size[a] - 1));
    }
  return voxelOf;
}

BitLattice resampled(const FluidVoxels& voxels, const Frame& lattice, const Int3& nodes) {
  const std::array<std::vector<int>, 3> voxelOf = voxelsOfNodes(voxels, lattice, nodes);
  return latticeOf(nodes, [&](int y, int z, const auto& set) {
    const int fromY = voxelOf[1][static_cast<std::size_t>(y)];
    const int fromZ = voxelOf[2][static_cast<std::size_t>(z)];
    for (int x = 0; x < nodes[0]; ++x)
      if (voxels.fluid.at(voxelOf[0][static_cast<std::size_t>(x)], fromY, fromZ)) set(x);
  });
}

Frame inWorld(const Frame& lattice, const FluidVoxels& voxels) {
  Frame image;
  image.origin = voxels.origin;
  image.axis = voxels.axis;
  Frame world;
  world.spacing = lattice.spacing;
  world.origin = image.toWorld(lattice.origin);
  world.space = voxels.space;
  world.lengthUnit = voxels.lengthUnit;
  for (std::size_t a = 0; a < 3; ++a) world.axis[a] = image.directionToWorld(lattice.axis[a]);
  return world;
}

namespace {

constexpr std::size_t wordBits = 64;
using Flags = std::array<std::uint8_t, wordBits>;  // 1: fluid

// Packs 64 flags into a word, eight at a time: the product moves byte i's lowest bit to bit 56 + i.
std::uint64_t packed(const Flags& flags) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < wordBits; i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, &flags[i], sizeof eight);
    word |= (eight * 0x0102040810204080U >> 56U) << i;
  }
  return word;
}

// Adds the voxels of a layer whose stored value is fluid.
template <class Stored, class IsFluid>
void fillFluid(const read::Image& image, int valueLayer, const IsFluid& isFluid,
               BitLattice& fluid) {
  const auto width = static_cast<std::size_t>(image.size[0]);
  const auto fillRow = [&](int y, int z) {
    const std::size_t start = fluid.nodeIndex(0, y, z);
    std::array<Stored, wordBits> values{};
    for (std::size_t x = 0; x < width; x += wordBits) {
      const std::size_t count = std::min(wordBits, width - x);
      read::copyStored(image, start + x, std::span<Stored>(values.data(), count), valueLayer);
      Flags flags{};
      for (std::size_t i = 0; i < wordBits; ++i) flags[i] = isFluid(values[i]);
      fluid.setWord(static_cast<int>(x / wordBits), y, z,
                    packed(flags) & (~std::uint64_t{0} >> (wordBits - count)));
    }
  };
  tbb::parallel_for(0, fluid.blocks()[2], [&](int layer) {  // layers share no words
    const int end = std::min((layer + 1) * BitLattice::blockPlanes, image.size[2]);
    for (int z = layer * BitLattice::blockPlanes; z < end; ++z)
      for (int y = 0; y < image.size[1]; ++y) fillRow(y, z);
    fluid.finishLayer(layer);
  });
}

// Integer types without scaling: compares stored values.
template <class Stored>
void fillUnscaled(const read::Image& image, int layer, std::span<const ValueRange> ranges,
                  BitLattice& fluid) {
  constexpr double least = std::numeric_limits<Stored>::min();
  constexpr double most = std::numeric_limits<Stored>::max();
  std::vector<std::pair<Stored, Stored>> stored;  // first and last
  for (const ValueRange& range : ranges) {
    const double low = std::ceil(range.low), high = std::floor(range.high);
    if (low <= high && low <= most && high >= least)
      stored.emplace_back(static_cast<Stored>(std::max(low, least)),
                          static_cast<Stored>(std::min(high, most)));
  }
  if (stored.size() == 1)
    return fillFluid<Stored>(
        image, layer,
        [first = stored[0].first, last = stored[0].second](Stored v) {
          return v >= first && v <= last;
        },
        fluid);
  fillFluid<Stored>(
      image, layer,
      [&](Stored v) {
        return std::any_of(stored.begin(), stored.end(), [v](const auto& range) {
          return v >= range.first && v <= range.second;
        });
      },
      fluid);
}

void fillLayer(const read::Image& image, int layer, std::span<const ValueRange> ranges,
               BitLattice& fluid) {
  const double slope = image.slope, intercept = image.intercept;
  read::withVoxelType(image.type, [&]<class Stored>(std::type_identity<Stored>) {
    if constexpr (std::is_integral_v<Stored> && sizeof(Stored) <= 4)
      if (slope == 1.0 && intercept == 0.0)
        return fillUnscaled<Stored>(image, layer, ranges, fluid);
    const auto isFluid = [=](Stored stored) {
      const double value = slope * static_cast<double>(stored) + intercept;
      return std::any_of(ranges.begin(), ranges.end(), [value](const ValueRange& range) {
        return value >= range.low && value <= range.high;
      });
    };
    fillFluid<Stored>(image, layer, isFluid, fluid);
  });
}

}  // namespace

BitLattice fluidOf(const read::Image& image, std::span<const ValueRange> ranges) {
  BitLattice fluid(image.size);
  for (int layer = 0; layer < image.layers; ++layer) {
    std::vector<ValueRange> ofLayer;
    std::copy_if(ranges.begin(), ranges.end(), std::back_inserter(ofLayer),
                 [layer](const ValueRange& range) { return range.layer == layer; });
    if (!ofLayer.empty()) fillLayer(image, layer, ofLayer, fluid);
  }
  return fluid;
}

namespace {

constexpr std::size_t mostListed = 10;

std::string listOf(const std::set<double>& values) {
  std::string list;
  for (const double value : values) {
    const bool isLast = value == *values.rbegin();
    list += (list.empty() ? "" : isLast ? " and " : ", ") + valueText(value);
  }
  return list.empty() ? "none" : list;
}

}  // namespace

std::string valueText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string rangesText(std::span<const ValueRange> ranges) {
  std::vector<std::string> texts;
  for (const ValueRange& range : ranges)
    texts.push_back(range.high > range.low ? valueText(range.low) + " to " + valueText(range.high)
                                           : valueText(range.low));
  return stage::enumeration(texts);
}

std::string valuesIn(const read::Image& image) {
  std::set<double> values;  // complete up to mostListed + 1 values
  double low = INFINITY;
  double high = -INFINITY;
  for (int layer = 0; layer < image.layers; ++layer)
    for (std::size_t i = 0; i < image.voxels(); ++i) {
      const double value = image.value(i, layer);
      if (std::isnan(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
      if (values.size() <= mostListed) values.insert(value);
    }
  if (values.size() <= mostListed) return listOf(values);
  return "from " + valueText(low) + " to " + valueText(high);
}

}  // namespace tessera::preprocess::image
