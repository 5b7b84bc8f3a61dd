// SPDX-License-Identifier: GPL-3.0-or-later
// DICOM series by GDCM in the child process tessera-read-dicom (child/read_dicom_main.cpp), in two
// passes: the headers of all files, then the voxels of the slices that dicom_series.hpp chose and
// ordered. Values are as stored, with the slope and intercept of the modality (Hounsfield units for
// CT); where these differ between the slices they are applied, in single precision. The frame is
// that of Image Position and Image Orientation (Patient), LPS; Slice Thickness is not used.
// Refused: colours, gantry tilt, missing and uneven slices.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/read/child/child_reader.hpp"
#include "preprocess/read/image/dicom_files.hpp"
#include "preprocess/read/image/dicom_series.hpp"
#include "preprocess/read/image/image_readers.hpp"

namespace tessera::preprocess::read {

namespace fs = std::filesystem;

using stage::ExitCode;
using stage::fail;

namespace {

const ChildProgram dicomProgram{"tessera-read-dicom", "GDCM", "libgdcm-dev"};

constexpr std::size_t mostSlices = 200'000;

ChildLimits limitsOf(const std::vector<fs::path>& files) {
  std::uint64_t largest = 0, all = 0;
  for (const fs::path& file : files) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(file, error);
    if (error) continue;
    largest = std::max<std::uint64_t>(largest, size);
    all += size;
  }
  return limitsOfFiles(largest, all);
}

template <class Values>
std::optional<Values> finiteValues(ChildReader& child) {
  Values values{};
  const bool isThere = child.number() != 0;
  bool areFinite = true;
  for (double& value : values) {
    value = child.real();
    areFinite = areFinite && std::abs(value) < 1e9;
  }
  return isThere && areFinite ? std::optional(values) : std::nullopt;
}

double finiteOrZero(double value) {
  return std::isfinite(value) ? value : 0.0;
}

// Fields of a frame, in the order of child/read_dicom_main.cpp.
void takeFrame(ChildReader& child, DicomSlice& slice, const std::string& name) {
  slice.position = finiteValues<Double3>(child);
  const auto directions = finiteValues<std::array<double, 6>>(child);
  slice.direction.reset();
  if (directions) {
    const auto& d = *directions;
    slice.direction = {Double3{d[0], d[1], d[2]}, Double3{d[3], d[4], d[5]}};
  }
  slice.spacing = finiteValues<std::array<double, 2>>(child);
  slice.slope = child.real();
  slice.intercept = child.real();
  if (!std::isfinite(slice.slope) || !std::isfinite(slice.intercept) || slice.slope == 0.0)
    fail(ExitCode::BadInput,
         fmt::format("{} has the rescale slope {:g} and intercept {:g}, "
                     "expected finite numbers, the slope not 0; export it again.",
                     name, slice.slope, slice.intercept));
  for (double& value : slice.phase) value = finiteOrZero(child.real());
}

void takeImage(ChildReader& child, std::size_t file, const std::string& name,
               std::vector<DicomSlice>& slices) {
  DicomSlice slice;
  slice.file = file;
  slice.object = child.text();
  slice.series = child.text();
  slice.description = child.text();
  slice.modality = child.text();
  slice.photometric = child.text();
  slice.seriesNumber =
      static_cast<std::int64_t>(finiteOrZero(std::clamp(child.real(), -1e15, 1e15)));
  for (std::uint32_t* value :
       {&slice.columns, &slice.rows, &slice.bits, &slice.stored, &slice.highBit, &slice.samples})
    *value = child.number();
  slice.isSigned = child.number() != 0;
  const std::uint32_t frames = child.number();
  std::error_code error;
  const std::uintmax_t bytes =
      fs::file_size(name, error);  // of a frame's header alone more than one
  if (frames > mostSlices - std::min(mostSlices, slices.size()) || (frames > 1 && frames > bytes))
    fail(ExitCode::BadInput,
         fmt::format("{} declares {} frames, with the files before it more than {} or more than it "
                     "can hold; it is damaged, or give fewer files.",
                     name, frames, mostSlices));
  if (slice.columns < 1 || slice.rows < 1 || slice.columns > 65535 || slice.rows > 65535)
    fail(ExitCode::BadInput, fmt::format("{} declares {} x {} voxels, expected from 1 to 65535; it "
                                         "is damaged: export it again.",
                                         name, slice.columns, slice.rows));
  for (slice.frame = 0; slice.frame < frames; ++slice.frame) {
    takeFrame(child, slice, name);
    slices.push_back(slice);
  }
}

// leftOut: a warning about files that have no image, such as damaged slices; empty: none.
std::vector<DicomSlice> readHeaders(const std::vector<fs::path>& files, const std::string& name,
                                    std::string& leftOut) {
  std::vector<std::string> words;
  for (const fs::path& file : files) words.push_back(file.string());
  ChildReader child(dicomProgram, "headers", words, limitsOf(files), words.front());
  std::vector<DicomSlice> slices;
  std::string complaint;
  std::uint64_t withoutImage = 0;
  for (std::size_t k = 0; k < files.size(); ++k) {
    child.readingOf(words[k]);
    const ChildMessage message = child.message();
    if (message == ChildMessage::NoImage) {
      const std::string reason = child.text();
      ++withoutImage;
      if (complaint.empty()) complaint = (files.size() > 1 ? words[k] : "it") + " " + reason;
    } else if (message == ChildMessage::DicomImage) {
      takeImage(child, k, words[k], slices);
    } else {
      child.refuse("the reader's messages are damaged");
    }
  }
  child.finish();
  if (slices.empty())
    fail(ExitCode::BadInput,
         fmt::format("{} has no DICOM image: {}; export it again, or give the folder of a series.",
                     name, complaint));
  if (withoutImage > 0)
    leftOut = fmt::format(
        "{} left out, the first because {}; should a slice be missing, copy the "
        "series again.",
        stage::plural(withoutImage, "file was", "files were"), complaint);
  return slices;
}

VoxelType typeOf(const DicomSlice& slice) {
  switch (slice.bits) {
    case 8:
      return slice.isSigned ? VoxelType::I8 : VoxelType::U8;
    case 16:
      return slice.isSigned ? VoxelType::I16 : VoxelType::U16;
    default:
      return slice.isSigned ? VoxelType::I32 : VoxelType::U32;
  }
}

// Refuses a file that declares more voxels than it can hold: the ratio of JPEG 2000 and JPEG-LS is
// some hundreds on constant slices.
void requirePlausible(const DicomSeries& series, const std::vector<fs::path>& files) {
  constexpr std::uint64_t mostRatio = 4096;
  std::vector<std::uint64_t> bytes(files.size(), 0);
  for (const DicomSlice& slice : series.slice)
    bytes[slice.file] += std::uint64_t{slice.columns} * slice.rows * (slice.bits / 8);
  for (std::size_t k = 0; k < files.size(); ++k) {
    std::error_code error;
    const std::uintmax_t size = bytes[k] > 0 ? fs::file_size(files[k], error) : 0;
    if (!error && bytes[k] > mostRatio * size)
      fail(ExitCode::BadInput,
           fmt::format("{} declares {} bytes of voxels, more than its {} bytes can hold; it is "
                       "damaged: export it again.",
                       files[k].string(), bytes[k], size));
  }
}

bool isRescaledAlike(const DicomSeries& series) {
  return std::all_of(series.slice.begin(), series.slice.end(), [&](const DicomSlice& slice) {
    return slice.slope == series.slice.front().slope &&
           slice.intercept == series.slice.front().intercept;
  });
}

Image emptyImage(const DicomSeries& series, const std::string& name) {
  const DicomSlice& first = series.slice.front();
  Image image;
  const std::array<std::int64_t, 3> sizes{first.columns, first.rows,
                                          static_cast<std::int64_t>(series.slice.size())};
  setImageSize(image, std::span(sizes).first(series.slice.size() > 1 ? 3 : 2), name);
  image.bigEndian = std::endian::native == std::endian::big;
  image.type = typeOf(first);
  if (isRescaledAlike(series)) {
    image.slope = first.slope;
    image.intercept = first.intercept;
  } else {
    image.type = VoxelType::F32;
  }
  image.file.size = image.voxels() * bytesOf(image.type);
  stage::requireMemory(static_cast<double>(image.file.size), name, "give fewer slices");
  image.file.bytes = std::make_unique_for_overwrite<char[]>(image.file.size + 1);
  image.file.bytes[image.file.size] = '\0';
  return image;
}

// Values of a slice as single-precision numbers, rescaled.
void rescale(const char* stored, const DicomSlice& slice, std::span<char> target) {
  withVoxelType(typeOf(slice), [&]<class Stored>(std::type_identity<Stored>) {
    for (std::size_t i = 0; i < target.size() / sizeof(float); ++i) {
      Stored value{};
      std::memcpy(&value, stored + i * sizeof(Stored), sizeof value);
      const auto real =
          static_cast<float>(slice.slope * static_cast<double>(value) + slice.intercept);
      std::memcpy(target.data() + i * sizeof real, &real, sizeof real);
    }
  });
}

void readVoxels(const DicomSeries& series, const std::vector<fs::path>& files, Image& image) {
  std::vector<std::string> words;
  std::vector<fs::path> used;
  for (const DicomSlice& slice : series.slice) {
    words.push_back(std::to_string(slice.frame));
    words.push_back(files[slice.file].string());
    if (used.empty() || used.back() != files[slice.file]) used.push_back(files[slice.file]);
  }
  ChildReader child(dicomProgram, "voxels", words, limitsOf(used), words[1]);
  const std::size_t plane = image.file.size / series.slice.size();
  std::vector<char> stored;
  for (std::size_t k = 0; k < series.slice.size(); ++k) {
    const DicomSlice& slice = series.slice[k];
    child.readingOf(words[2 * k + 1]);
    if (child.message() != ChildMessage::Voxels) child.refuse("the reader's messages are damaged");
    const bool hasSize = child.number() == slice.columns && child.number() == slice.rows;
    const bool hasType =
        hasSize && child.number() == slice.bits && (child.number() != 0) == slice.isSigned;
    if (!hasType) child.refuse("its voxels are not of the size and type in its header");
    const std::span<char> target(image.file.bytes.get() + k * plane, plane);
    if (image.type == typeOf(slice)) {
      child.bytes(target.data(), target.size());
    } else {
      stored.resize(plane / sizeof(float) * bytesOf(typeOf(slice)));
      child.bytes(stored.data(), stored.size());
      rescale(stored.data(), slice, target);
    }
  }
  child.finish();
}

std::vector<fs::path> filesOf(const DicomSeries& series, const std::vector<fs::path>& files) {
  std::vector<fs::path> used;
  std::vector<bool> isUsed(files.size(), false);
  for (const DicomSlice& slice : series.slice)
    if (!isUsed[slice.file]) {
      isUsed[slice.file] = true;
      used.push_back(files[slice.file]);
    }
  return used;
}

}  // namespace

Image readDicomSeries(const std::vector<fs::path>& paths, std::optional<std::int64_t> number) {
  const std::string name =
      paths.size() == 1 ? paths.front().string()
                        : fmt::format("{} and {} more", paths.front().string(), paths.size() - 1);
  const std::vector<fs::path> files = dicomFilesOf(paths);
  if (files.empty())
    fail(ExitCode::BadInput, name + " has no DICOM file; give the folder of a series.");
  std::size_t copies = 0;
  std::string leftOut;
  const std::vector<DicomSeries> all = seriesOf(readHeaders(files, name, leftOut), copies, name);
  const DicomSeries& series = chooseSeries(all, number, name);
  std::vector<std::string> names;
  for (const fs::path& file : files) names.push_back(file.string());
  std::vector<std::string> warnings;
  const auto placement = placeSlices(series, names, warnings);
  requirePlausible(series, files);
  Image image = emptyImage(series, name);
  readVoxels(series, files, image);
  image.warnings = std::move(warnings);
  if (!leftOut.empty()) image.warnings.push_back(leftOut);
  if (copies > 0)
    image.warnings.push_back(fmt::format("{} of slices already read were ignored.",
                                         stage::plural(copies, "copy", "copies")));
  image.slices = filesOf(series, files);
  if (!placement) return image;
  placeInWorld(image, placement->step, placement->origin, name);
  image.space = "LPS";
  return image;
}

Image readDicom(const fs::path& path) {
  return readDicomSeries({path}, std::nullopt);
}

}  // namespace tessera::preprocess::read
