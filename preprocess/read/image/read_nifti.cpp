// SPDX-License-Identifier: GPL-3.0-or-later
// NIfTI-1 and NIfTI-2: .nii, .nii.gz and pairs of .hdr and .img, both compressed or neither.
// Header layout after nifti1.h and nifti2.h of the NIfTI Data Format Working Group
// (https://nifti.nimh.nih.gov).
//
// The world comes from sform if its code is positive, else from qform, else pixdim gives the voxel
// size only, with a warning; coordinates are RAS. Values are scaled by scl_slope and scl_inter.
// Without a unit mm is assumed, with a warning.
//
// niftiio is not used: it reads from paths only, allocates what a header declares before checking
// the file, and prints to stderr. Refused: shear, ANALYZE files, several volumes.
#include "preprocess/read/image/image_readers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/read/decode.hpp"
#include "preprocess/read/formats.hpp"
#include "preprocess/read/image/image.hpp"

namespace tessera::preprocess::read {

using stage::ExitCode;
using stage::fail;

namespace {

constexpr std::size_t bytesOfFirst = 348, bytesOfSecond = 540;  // headers of NIfTI-1 and -2

// Fields common to both versions.
struct NiftiHeader {
  bool bigEndian = false;
  bool pair = false;           // the voxels are in another file
  std::size_t leastStart = 0;  // of voxels in the same file
  std::array<std::int64_t, 8> dim{};
  int datatype = 0;
  std::array<double, 8> pixdim{};
  double start = 0.0;  // vox_offset
  double slope = 0.0, intercept = 0.0;
  int unit = 0;
  int qform = 0, sform = 0;
  Double3 quaternion{}, qoffset{};
  std::array<std::array<double, 4>, 3> srow{};
};

// Numbers of a header at given offsets.
class Numbers {
 public:
  Numbers(std::string_view bytes, bool bigEndian) : bytes_(bytes), bigEndian_(bigEndian) {}
  template <class Stored>
  [[nodiscard]] Stored at(std::size_t offset) const {
    std::array<char, sizeof(Stored)> stored;
    std::memcpy(stored.data(), bytes_.data() + offset, sizeof(Stored));
    if (bigEndian_ != (std::endian::native == std::endian::big))
      std::reverse(stored.begin(), stored.end());
    return std::bit_cast<Stored>(stored);
  }
  template <class Stored, class Value, std::size_t count>
  void fill(std::array<Value, count>& values, std::size_t offset) const {
    for (std::size_t i = 0; i < count; ++i)
      values[i] = static_cast<Value>(at<Stored>(offset + i * sizeof(Stored)));
  }

 private:
  std::string_view bytes_;
  bool bigEndian_;
};

NiftiHeader firstVersion(const Numbers& numbers) {
  NiftiHeader header;
  header.leastStart = bytesOfFirst + 4;
  numbers.fill<std::int16_t>(header.dim, 40);
  header.datatype = numbers.at<std::int16_t>(70);
  numbers.fill<float>(header.pixdim, 76);
  header.start = numbers.at<float>(108);
  header.slope = numbers.at<float>(112);
  header.intercept = numbers.at<float>(116);
  header.unit = numbers.at<std::uint8_t>(123) & 7;
  header.qform = numbers.at<std::int16_t>(252);
  header.sform = numbers.at<std::int16_t>(254);
  numbers.fill<float>(header.quaternion, 256);
  numbers.fill<float>(header.qoffset, 268);
  for (std::size_t c = 0; c < 3; ++c) numbers.fill<float>(header.srow[c], 280 + 16 * c);
  return header;
}

NiftiHeader secondVersion(const Numbers& numbers) {
  NiftiHeader header;
  header.leastStart = bytesOfSecond + 4;
  numbers.fill<std::int64_t>(header.dim, 16);
  header.datatype = numbers.at<std::int16_t>(12);
  numbers.fill<double>(header.pixdim, 104);
  header.start = static_cast<double>(numbers.at<std::int64_t>(168));
  header.slope = numbers.at<double>(176);
  header.intercept = numbers.at<double>(184);
  header.unit = numbers.at<std::int32_t>(500) & 7;
  header.qform = numbers.at<std::int32_t>(344);
  header.sform = numbers.at<std::int32_t>(348);
  numbers.fill<double>(header.quaternion, 352);
  numbers.fill<double>(header.qoffset, 376);
  for (std::size_t c = 0; c < 3; ++c) numbers.fill<double>(header.srow[c], 400 + 32 * c);
  return header;
}

NiftiHeader niftiHeaderOf(std::string_view bytes, const std::string& name) {
  if (bytes.size() >= bytesOfFirst)
    for (const bool bigEndian : {false, true}) {
      const Numbers numbers(bytes, bigEndian);
      const auto size = static_cast<std::size_t>(numbers.at<std::uint32_t>(0));
      const bool second = size == bytesOfSecond && bytes.size() >= bytesOfSecond;
      if (size != bytesOfFirst && !second) continue;
      const std::string_view magic = bytes.substr(second ? 4 : 344, second ? 8 : 4);
      const bool single =
          magic == (second ? std::string_view("n+2\0\r\n\x1a\n", 8) : std::string_view("n+1\0", 4));
      const bool pair =
          magic == (second ? std::string_view("ni2\0\r\n\x1a\n", 8) : std::string_view("ni1\0", 4));
      if (!single && !pair)
        fail(ExitCode::BadInput,
             name +
                 " has no NIfTI magic in its header: it is damaged, or an ANALYZE file, which does "
                 "not define left and right; convert it to NIfTI.");
      NiftiHeader header = second ? secondVersion(numbers) : firstVersion(numbers);
      header.bigEndian = bigEndian;
      header.pair = pair;
      return header;
    }
  fail(ExitCode::BadInput, name +
                               " does not begin with a NIfTI header (348 or 540 bytes); it "
                               "is damaged, truncated or of another format: export it again.");
}

VoxelType typeOf(int datatype, const std::string& name) {
  constexpr std::pair<int, VoxelType> known[] = {
      {2, VoxelType::U8},    {256, VoxelType::I8}, {512, VoxelType::U16},  {4, VoxelType::I16},
      {768, VoxelType::U32}, {8, VoxelType::I32},  {1280, VoxelType::U64}, {1024, VoxelType::I64},
      {16, VoxelType::F32},  {64, VoxelType::F64}};
  for (const auto& [code, type] : known)
    if (code == datatype) return type;
  constexpr std::pair<int, const char*> others[] = {{1, "bits"},
                                                    {32, "complex numbers"},
                                                    {128, "colours (RGB24)"},
                                                    {1536, "float128"},
                                                    {1792, "complex numbers"},
                                                    {2048, "complex numbers"},
                                                    {2304, "colours (RGBA32)"}};
  std::string found = fmt::format("voxels of an unknown type (code {})", datatype);
  for (const auto& [code, type] : others)
    if (code == datatype) found = std::string("voxels that are ") + type;
  fail(ExitCode::BadInput, name + " has " + found +
                               ", expected integers of 8 to 64 bits, float or double; export it as "
                               "labels or grey values.");
}

void setSize(Image& image, const NiftiHeader& header, const std::string& name) {
  const std::int64_t axes = header.dim[0];
  const bool possible = axes >= 2 && axes <= 7;
  const std::size_t beyond = possible ? static_cast<std::size_t>(axes) : 0;
  for (std::size_t a = 4; a <= beyond; ++a)
    if (header.dim[a] != 1)
      fail(ExitCode::BadInput,
           fmt::format("{} has {}{}, expected one; export a single one.", name, header.dim[a],
                       a == 4 ? " volumes" : " values per voxel"));
  if (!possible)
    fail(ExitCode::BadInput,
         fmt::format("{} declares {} axes, expected 2 or 3; it is damaged: export it again.", name,
                     axes));
  const std::size_t count = axes == 2 ? 2 : 3;
  setImageSize(image, std::span(header.dim).subspan(1, count), name);
}

// A slope of 0, or none (NaN, as nibabel writes), means that values are not scaled.
void setValues(Image& image, const NiftiHeader& header, const std::string& name) {
  if (header.slope == 0.0 || std::isnan(header.slope)) return;
  if (std::isinf(header.slope) || std::isinf(header.intercept))
    fail(ExitCode::BadInput,
         fmt::format("{} scales its values by {} and {} (scl_slope, scl_inter), expected finite "
                     "numbers; it is damaged: export it again.",
                     name, header.slope, header.intercept));
  image.slope = header.slope;
  image.intercept = std::isnan(header.intercept) ? 0.0 : header.intercept;
}

double metresPerUnit(Image& image, const NiftiHeader& header) {
  constexpr double metres[] = {0.0, 1.0, 1e-3, 1e-6};
  if (header.unit >= 1 && header.unit <= 3) return metres[header.unit];
  image.warnings.emplace_back("the NIfTI file does not define its unit of length; mm assumed.");
  return 1e-3;
}

// Columns of the rotation of a unit quaternion, each times the voxel size.
std::array<Double3, 3> stepsOfQform(const NiftiHeader& header) {
  auto [b, c, d] = header.quaternion;
  double a = 1.0 - (b * b + c * c + d * d);
  if (a < 1e-7) {  // half turn; normalised against rounding
    const double size = std::sqrt(b * b + c * c + d * d);
    b /= size;
    c /= size;
    d /= size;
    a = 0.0;
  } else {
    a = std::sqrt(a);
  }
  const double flip = header.pixdim[0] < 0.0 ? -1.0 : 1.0;
  const std::array<Double3, 3> column{
      {{a * a + b * b - c * c - d * d, 2 * (b * c + a * d), 2 * (b * d - a * c)},
       {2 * (b * c - a * d), a * a + c * c - b * b - d * d, 2 * (c * d + a * b)},
       {2 * (b * d + a * c), 2 * (c * d - a * b), a * a + d * d - b * b - c * c}}};
  return {header.pixdim[1] * column[0], header.pixdim[2] * column[1],
          (flip * header.pixdim[3]) * column[2]};
}

void place(Image& image, const NiftiHeader& header, const std::string& name) {
  const double metres = metresPerUnit(image, header);
  std::array<Double3, 3> step{};
  Double3 origin{};
  image.space = "RAS";
  image.lengthUnit = stage::lengthUnitOf(metres);
  if (header.sform > 0) {
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t a = 0; a < 3; ++a) step[a][c] = header.srow[c][a];
      origin[c] = header.srow[c][3];
    }
  } else if (header.qform > 0) {
    step = stepsOfQform(header);
    origin = header.qoffset;
  } else {
    image.space = "";
    image.warnings.emplace_back(
        "the NIfTI file has neither sform nor qform, so its position is unknown.");
    for (std::size_t a = 0; a < 3; ++a) step[a][a] = std::abs(header.pixdim[a + 1]);
    for (std::size_t a = 0; a < static_cast<std::size_t>(image.dimensions); ++a)
      if (!(step[a][a] > 0.0)) return;  // voxel size undefined
  }
  for (Double3& s : step) s = metres * s;
  placeInWorld(image, step, metres * origin, name);
}

// Image without voxels.
Image described(const NiftiHeader& header, const std::string& name) {
  Image image;
  image.type = typeOf(header.datatype, name);
  image.bigEndian = header.bigEndian;
  setSize(image, header, name);
  setValues(image, header, name);
  constexpr double most = 1e15;
  if (!(header.start >= 0.0 && header.start < most))
    fail(ExitCode::BadInput,
         name + " gives an impossible offset of its voxels; it is damaged: export it again.");
  image.start = static_cast<std::size_t>(header.start);
  return image;
}

Image withVoxels(Image image, WholeFile file, const NiftiHeader& header, const std::string& name) {
  image.file = std::move(file);
  requireVoxelBytes(image, name);
  place(image, header, name);
  return image;
}

WholeFile readExisting(const std::filesystem::path& path, const std::filesystem::path& other) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    fail(ExitCode::BadInput, other.string() + " is one of a pair of files; " + path.string() +
                                 " does not exist; put both into one folder.");
  return readUncompressed(path);
}

}  // namespace

Image parseNifti(WholeFile file, const std::string& name) {
  const bool compressed = looksGzipped(file.text());
  const std::string start = compressed ? inflateStart(file.text(), bytesOfSecond, name) : "";
  const NiftiHeader header =
      niftiHeaderOf(compressed ? std::string_view(start) : file.text(), name);
  if (header.pair)
    fail(ExitCode::BadInput, name +
                                 " is the header of a pair of files; give the .hdr file, with its "
                                 ".img in the same folder.");
  Image image = described(header, name);
  image.start = std::max(image.start, header.leastStart);
  if (compressed)
    file = inflateBytes(file.text(), image.start + image.voxels() * bytesOf(image.type), name);
  return withVoxels(std::move(image), std::move(file), header, name);
}

Image parseNiftiPair(const WholeFile& header, WholeFile voxels, const std::string& name) {
  const NiftiHeader known = niftiHeaderOf(header.text(), name);
  return withVoxels(described(known, name), std::move(voxels), known, name);
}

Image readNifti(const std::filesystem::path& path) {
  const std::string extension = extensionOf(path);
  if (extension != "hdr" && extension != "img")
    return parseNifti(readWholeFile(path), path.string());
  const bool isHeader = extension == "hdr";
  const std::filesystem::path compression = isCompressed(path) ? path.extension() : "";
  std::filesystem::path other = isCompressed(path) ? path.parent_path() / path.stem() : path;
  other.replace_extension(isHeader ? ".img" : ".hdr");
  other += compression;
  WholeFile named = readUncompressed(path), beside = readExisting(other, path);
  if (!isHeader) std::swap(named, beside);
  Image image = parseNiftiPair(named, std::move(beside), path.string());
  image.parts.push_back(other);
  return image;
}

}  // namespace tessera::preprocess::read
