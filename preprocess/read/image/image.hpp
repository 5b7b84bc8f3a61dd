// SPDX-License-Identifier: GPL-3.0-or-later
// Result of the image readers: voxel values of any type, and their position in the world.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "preprocess/geometry/frame.hpp"
#include "preprocess/read/whole_file.hpp"

namespace tessera::preprocess::read {

enum class VoxelType { U8, I8, U16, I16, U32, I32, U64, I64, F32, F64 };
constexpr std::size_t bytesOf(VoxelType type) {
  constexpr std::size_t bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return bytes[static_cast<std::size_t>(type)];
}

// Named label of an image, such as a segment of 3D Slicer: the voxels of a layer with that value.
struct Segment {
  std::string name;  // unique, printable, at most 64 bytes, without commas, quotes and =
  std::int64_t value = 1;
  int layer = 0;
};

// Voxels with x fastest, then y, then z. Voxel (i, j, k) has its centre at origin + i voxel[0]
// axis[0] + j voxel[1] axis[1] + k voxel[2] axis[2].
struct Image {
  int dimensions = 3;  // 2: one voxel thick on z
  Int3 size{0, 0, 0};
  VoxelType type = VoxelType::U8;
  int layers = 1;  // values per voxel, side by side: those of overlapping segments
  bool bigEndian = false;
  std::size_t start = 0;  // of the first voxel in the bytes
  WholeFile file;         // uncompressed
  double slope = 1.0;     // a voxel's value is slope * stored + intercept
  double intercept = 0.0;
  // World, in metres; voxel is zero if the file does not define the voxel size. The axes are
  // orthonormal and right-handed (see placeInWorld()).
  Double3 voxel{0.0, 0.0, 0.0};
  Double3 origin{0.0, 0.0, 0.0};
  std::array<Double3, 3> axis{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  std::string space;                                         // "LPS", "RAS", or empty if unknown
  stage::LengthUnit lengthUnit = stage::lengthUnitOf(1e-3);  // of the file's coordinates
  bool planesReversed = false;               // along z, if the file's axes are left-handed
  std::vector<Segment> segments;             // named labels, in the file's order
  std::vector<std::string> warnings;         // for the report
  std::vector<std::filesystem::path> parts;  // further files that belong to the image
  // Files that the image consists of, in the order of its planes; empty: the one that was named.
  std::vector<std::filesystem::path> slices;

  [[nodiscard]] std::size_t voxels() const {
    return static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
           static_cast<std::size_t>(size[2]);
  }
  // Sums over all layers.
  [[nodiscard]] std::size_t bytesOfVoxel() const {
    return bytesOf(type) * static_cast<std::size_t>(layers);
  }
  [[nodiscard]] bool hasVoxelSize() const { return voxel[0] > 0.0; }
  // slope * stored + intercept ; for many voxels use copyStored.
  [[nodiscard]] double value(std::size_t voxel, int layer = 0) const;
};

// Calls visit(std::type_identity<Stored>{}) with the C++ type of the stored voxels.
template <class Visit>
decltype(auto) withVoxelType(VoxelType type, const Visit& visit) {
  switch (type) {
    case VoxelType::U8:
      return visit(std::type_identity<std::uint8_t>{});
    case VoxelType::I8:
      return visit(std::type_identity<std::int8_t>{});
    case VoxelType::U16:
      return visit(std::type_identity<std::uint16_t>{});
    case VoxelType::I16:
      return visit(std::type_identity<std::int16_t>{});
    case VoxelType::U32:
      return visit(std::type_identity<std::uint32_t>{});
    case VoxelType::I32:
      return visit(std::type_identity<std::int32_t>{});
    case VoxelType::U64:
      return visit(std::type_identity<std::uint64_t>{});
    case VoxelType::I64:
      return visit(std::type_identity<std::int64_t>{});
    case VoxelType::F32:
      return visit(std::type_identity<float>{});
    case VoxelType::F64:
      break;
  }
  return visit(std::type_identity<double>{});
}

// Copies the stored values of voxels from first on, in native byte order. Stored: see
// withVoxelType.
template <class Stored>
void copyStored(const Image& image, std::size_t first, std::span<Stored> values, int layer = 0);

// sizes: of 2 or 3 axes. Throws StageError(BadInput) naming the file when one is not from 1 to
// 2^20.
void setImageSize(Image& image, std::span<const std::int64_t> sizes, const std::string& name);

// Throws StageError(BadInput) when there are fewer bytes from start on than the voxels need.
void requireVoxelBytes(const Image& image, const std::string& name);

// Position of an image in the world: the file's own coordinates in metres, so that results overlay
// it as it stands. For patients left, posterior and superior are positive ("LPS": ITK, DICOM and
// what 3D Slicer writes), or right, anterior and superior ("RAS": NIfTI, and NRRD that says so).
// Left-handed spaces are converted to LPS.

// Sets voxel, origin and axis from the steps between neighbouring voxels along x, y, z and the
// centre of voxel (0, 0, 0), in metres; in 2D the third step is ignored. The axes become the
// nearest orthonormal ones about the image's centre, and right-handed: for left-handed steps the
// planes along z are reversed in memory, so that every voxel keeps its position. Requires the
// voxels. Throws StageError(BadInput) when a step is zero or not finite, or two are not
// perpendicular within 1e-3.
void placeInWorld(Image& image, std::array<Double3, 3> step, const Double3& origin,
                  const std::string& name);

// Whether voxels can serve as nodes: sizes equal within 1e-3, and the farthest voxel displaced by
// at most a quarter of its size. Requires a voxel size.
bool hasCubicVoxels(const Image& image);

// Frame of the lattice whose nodes are the voxels; for cubic voxels.
geometry::Frame frameOfVoxels(const Image& image);

// "0.5 x 0.5 x 2 mm".
std::string voxelText(const Image& image);

}  // namespace tessera::preprocess::read
