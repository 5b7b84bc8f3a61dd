// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/image/image.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/mesh.hpp"

namespace tessera::preprocess::read {

namespace {

template <class Stored>
Stored byteSwapped(Stored value) {
  if constexpr (sizeof(Stored) == 2)
    return std::bit_cast<Stored>(__builtin_bswap16(std::bit_cast<std::uint16_t>(value)));
  if constexpr (sizeof(Stored) == 4)
    return std::bit_cast<Stored>(__builtin_bswap32(std::bit_cast<std::uint32_t>(value)));
  if constexpr (sizeof(Stored) == 8)
    return std::bit_cast<Stored>(__builtin_bswap64(std::bit_cast<std::uint64_t>(value)));
  return value;
}

}  // namespace

template <class Stored>
void copyStored(const Image& image, std::size_t first, std::span<Stored> values, int layer) {
  const std::size_t stride = image.bytesOfVoxel();
  const char* at = image.file.bytes.get() + image.start + first * stride +
                   static_cast<std::size_t>(layer) * sizeof(Stored);
  if (image.layers == 1)
    std::memcpy(values.data(), at, values.size_bytes());
  else
    for (std::size_t i = 0; i < values.size(); ++i, at += stride)
      std::memcpy(&values[i], at, sizeof(Stored));
  if (image.bigEndian == (std::endian::native == std::endian::big)) return;
  for (Stored& value : values) value = byteSwapped(value);
}

template void copyStored(const Image&, std::size_t, std::span<std::uint8_t>, int);
template void copyStored(const Image&, std::size_t, std::span<std::int8_t>, int);
template void copyStored(const Image&, std::size_t, std::span<std::uint16_t>, int);
template void copyStored(const Image&, std::size_t, std::span<std::int16_t>, int);
template void copyStored(const Image&, std::size_t, std::span<std::uint32_t>, int);
template void copyStored(const Image&, std::size_t, std::span<std::int32_t>, int);
template void copyStored(const Image&, std::size_t, std::span<std::uint64_t>, int);
template void copyStored(const Image&, std::size_t, std::span<std::int64_t>, int);
template void copyStored(const Image&, std::size_t, std::span<float>, int);
template void copyStored(const Image&, std::size_t, std::span<double>, int);

double Image::value(std::size_t voxel, int layer) const {
  return withVoxelType(type, [&]<class Stored>(std::type_identity<Stored>) {
    Stored stored{};
    copyStored(*this, voxel, std::span<Stored>(&stored, 1), layer);
    return slope * static_cast<double>(stored) + intercept;
  });
}

void setImageSize(Image& image, std::span<const std::int64_t> sizes, const std::string& name) {
  constexpr std::int64_t largest = 1 << 20;
  image.dimensions = static_cast<int>(sizes.size());
  image.size = {1, 1, 1};
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    if (sizes[a] < 1 || sizes[a] > largest)
      stage::fail(
          stage::ExitCode::BadInput,
          fmt::format(
              "{} declares {} voxels on {}, expected from 1 to {}; it is damaged: export it again.",
              name, sizes[a], "xyz"[a], largest));
    image.size[a] = static_cast<int>(sizes[a]);
  }
}

void requireVoxelBytes(const Image& image, const std::string& name) {
  const std::size_t bytes = image.voxels() * image.bytesOfVoxel();
  const std::size_t available = image.file.size > image.start ? image.file.size - image.start : 0;
  if (available >= bytes) return;
  const auto& n = image.size;
  stage::fail(stage::ExitCode::BadInput,
              fmt::format("{} has {} bytes of voxels, expected {} for {} x {} x {} voxels of {} "
                          "byte(s); it is truncated or damaged: export it again.",
                          name, available, bytes, n[0], n[1], n[2], image.bytesOfVoxel()));
}

namespace {

using Axes = std::array<Double3, 3>;

double determinant(const Axes& axis) {
  return dot(axis[0], cross(axis[1], axis[2]));
}

void reversePlanes(Image& image) {
  const auto planes = static_cast<std::size_t>(image.size[2]);
  const std::size_t plane = image.voxels() / planes * image.bytesOfVoxel();
  char* first = image.file.bytes.get() + image.start;
  stage::parallelFor(planes / 2, [&](std::size_t k) {
    char* low = first + k * plane;
    std::swap_ranges(low, low + plane, first + (planes - 1 - k) * plane);
  });
}

// Newton's iteration to the orthogonal factor of the polar decomposition (Higham, SIAM J. Sci.
// Stat. Comput. 7, 1986): the mean of a matrix and the inverse of its transpose, whose rows are the
// cross products of the others over the determinant.
Axes nearestOrthonormal(Axes axis) {
  for (int pass = 0; pass < 4; ++pass) {
    const double scale = 1.0 / determinant(axis);
    const Axes inverse{scale * cross(axis[1], axis[2]), scale * cross(axis[2], axis[0]),
                       scale * cross(axis[0], axis[1])};
    for (std::size_t a = 0; a < 3; ++a) axis[a] = 0.5 * (axis[a] + inverse[a]);
  }
  return axis;
}

Axes directionsOf(Image& image, const Axes& step, const std::string& name) {
  Axes axis{};
  for (std::size_t a = 0; a < 3; ++a) {
    image.voxel[a] = length(step[a]);
    if (!(image.voxel[a] > 0.0) || !std::isfinite(image.voxel[a]))
      stage::fail(stage::ExitCode::BadInput,
                  fmt::format("{} gives neighbouring voxels along {} no distance; its orientation "
                              "is damaged: export it again.",
                              name, "xyz"[a]));
    axis[a] = (1.0 / image.voxel[a]) * step[a];
  }
  constexpr double tolerance = 1e-3;
  for (std::size_t a = 0; a < 3; ++a)
    if (std::abs(dot(axis[a], axis[(a + 1) % 3])) > tolerance)
      stage::fail(stage::ExitCode::BadInput,
                  fmt::format("{} has axes {} and {} that are not perpendicular within {:g} (a "
                              "sheared image); resample it onto an orthogonal grid first.",
                              name, "xyz"[a], "xyz"[(a + 1) % 3], tolerance));
  return axis;
}

double meanVoxel(const Image& image) {
  const Double3& v = image.voxel;
  if (v[0] == v[1] && v[1] == v[2]) return v[0];
  return image.dimensions == 2 ? 0.5 * (v[0] + v[1]) : (v[0] + v[1] + v[2]) / 3.0;
}

}  // namespace

void placeInWorld(Image& image, std::array<Double3, 3> step, const Double3& origin,
                  const std::string& name) {
  if (!std::isfinite(length(origin)))
    stage::fail(
        stage::ExitCode::BadInput,
        name + " has an origin that is not a finite number; it is damaged: export it again.");
  image.origin = origin;
  if (image.dimensions == 2) {
    step[2] = cross(step[0], step[1]);
    const double size = length(step[2]);
    if (size > 0.0) step[2] = (length(step[0]) / size) * step[2];
  }
  Axes axis = directionsOf(image, step, name);
  if (determinant(axis) < 0.0) {
    reversePlanes(image);
    image.planesReversed = true;
    image.origin = image.origin + (image.size[2] - 1.0) * step[2];
    step[2] = -1.0 * step[2];
    axis[2] = -1.0 * axis[2];
  }
  image.axis = nearestOrthonormal(axis);
  for (std::size_t a = 0; a < 3; ++a)  // keeps the image's centre
    image.origin =
        image.origin + 0.5 * (image.size[a] - 1.0) * (step[a] - image.voxel[a] * image.axis[a]);
}

bool hasCubicVoxels(const Image& image) {
  const double mean = meanVoxel(image);
  for (std::size_t a = 0; a < static_cast<std::size_t>(image.dimensions); ++a) {
    const double difference = std::abs(image.voxel[a] - mean);
    if (difference > 1e-3 * mean || difference * 0.5 * image.size[a] > 0.25 * mean) return false;
  }
  return true;
}

geometry::Frame frameOfVoxels(const Image& image) {
  geometry::Frame frame;
  frame.spacing = meanVoxel(image);
  frame.axis = image.axis;
  frame.origin = image.origin;
  frame.space = image.space;
  frame.lengthUnit = image.lengthUnit;
  for (std::size_t a = 0; a < 3; ++a)
    frame.origin = frame.origin +
                   0.5 * (image.size[a] - 1.0) * (image.voxel[a] - frame.spacing) * frame.axis[a];
  return frame;
}

std::string voxelText(const Image& image) {
  const Double3& v = image.voxel;
  if (image.dimensions == 2) return fmt::format("{:.6g} x {:.6g} mm", 1e3 * v[0], 1e3 * v[1]);
  return fmt::format("{:.6g} x {:.6g} x {:.6g} mm", 1e3 * v[0], 1e3 * v[1], 1e3 * v[2]);
}

}  // namespace tessera::preprocess::read
