// SPDX-License-Identifier: GPL-3.0-or-later
// DICOM series by GDCM in the child process tessera-read-dicom (child/read_dicom_main.cpp), in two
// passes: the headers of all files, then the voxels of the slices that dicom_series.hpp chose and
// ordered. Values are as stored, with the slope and intercept of the modality (Hounsfield units for
// CT); where these differ between the slices they are applied, in single precision. The frame is
// that of Image Position and Image Orientation (Patient), LPS; Slice Thickness is not used.
// Refused: colours, gantry tilt, missing and uneven slices. A file that is damaged, or on which
// GDCM crashes or takes too long, is left out with a warning while the headers are read: it may
// belong to no series of interest.
#include <algorithm>
#include <bit>
#include <chrono>
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
// Files of a folder that may end the reading process.
constexpr std::size_t mostUnreadable = 10;

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

// Limits of all processes that read the headers one after the other: they share the wall time.
struct SharedLimits {
  ChildLimits limits;
  std::chrono::steady_clock::time_point deadline;
};

SharedLimits sharedLimits(const ChildLimits& limits) {
  return {limits, std::chrono::steady_clock::now() + std::chrono::seconds(limits.patience)};
}

// Limits of the process that begins with a file.
ChildLimits limitsFrom(const SharedLimits& shared, const std::string& file) {
  const auto left =
      std::chrono::ceil<std::chrono::seconds>(shared.deadline - std::chrono::steady_clock::now());
  if (left.count() <= 0)
    fail(ExitCode::BadInput,
         fmt::format("{} and the files before it took more than {} s to read, too long for files "
                     "of their size; take damaged files out of the folder, or give fewer files.",
                     file, shared.limits.patience));
  ChildLimits limits = shared.limits;
  limits.patience =
      std::min<std::uint64_t>(limits.patience, static_cast<std::uint64_t>(left.count()));
  return limits;
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

// Fields of a frame, in the order of child/read_dicom_main.cpp. Returns why it cannot be used;
// empty: it can.
std::string takeFrame(ChildReader& child, DicomSlice& slice) {
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
  for (double& value : slice.phase) value = finiteOrZero(child.real());
  if (std::isfinite(slice.slope) && std::isfinite(slice.intercept) && slice.slope != 0.0) return "";
  return fmt::format(
      "it has the rescale slope {:g} and intercept {:g}, where finite numbers, the slope not 0, "
      "are required",
      slice.slope, slice.intercept);
}

// Identifiers have at most 64 bytes, descriptions 64 characters (PS3.5 6.2); more would be repeated
// for every frame.
std::string shortText(ChildReader& child, std::size_t most) {
  return child.text().substr(0, most);
}

// Frames of the file. More than it can hold are those of a damaged message, see NoImage.
std::uint32_t takeFrameCount(ChildReader& child, const std::string& name, std::size_t slices) {
  const std::uint32_t frames = child.number();
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(name, error);
  if (error || !canHoldFrames(bytes, frames))
    child.refuseFile(fmt::format("it declares {} frames, more than its {} bytes can hold, {} each",
                                 frames, bytes, leastFrameBytes));
  if (frames > mostSlices - std::min(mostSlices, slices))
    fail(ExitCode::BadInput,
         fmt::format("{} and the files before it have more than {} slices; give fewer files.", name,
                     mostSlices));
  return frames;
}

std::string complaintAbout(const DicomSlice& slice, std::uint32_t frames) {
  if (frames < 1) return "it declares 0 frames, where 1 or more are required";
  if (slice.columns < 1 || slice.rows < 1 || slice.columns > 65535 || slice.rows > 65535)
    return fmt::format("it declares {} x {} voxels, where 1 to 65535 are required", slice.columns,
                       slice.rows);
  return "";
}

// Reads the message to its end. Returns why the file cannot be used; empty: it can, and its slices
// were added.
std::string takeImage(ChildReader& child, std::size_t file, const std::string& name,
                      std::vector<DicomSlice>& slices) {
  constexpr std::size_t identifier = 64, sentence = 256, word = 16;
  DicomTexts text;
  text.object = shortText(child, identifier);
  text.series = shortText(child, identifier);
  text.description = shortText(child, sentence);
  text.modality = shortText(child, word);
  text.photometric = shortText(child, word);
  DicomSlice slice;
  slice.file = file;
  slice.text = std::make_shared<const DicomTexts>(std::move(text));
  slice.seriesNumber =
      static_cast<std::int64_t>(finiteOrZero(std::clamp(child.real(), -1e15, 1e15)));
  for (std::uint32_t* value :
       {&slice.columns, &slice.rows, &slice.bits, &slice.stored, &slice.highBit, &slice.samples})
    *value = child.number();
  slice.isSigned = child.number() != 0;
  const std::size_t before = slices.size();
  const std::uint32_t frames = takeFrameCount(child, name, before);
  std::string complaint = complaintAbout(slice, frames);
  if (frames > before) slices.reserve(before + frames);
  for (slice.frame = 0; slice.frame < frames; ++slice.frame) {
    const std::string ofFrame = takeFrame(child, slice);
    if (complaint.empty()) complaint = ofFrame;
    if (complaint.empty()) slices.push_back(slice);
  }
  if (!complaint.empty()) slices.resize(before);
  return complaint;
}

// Headers of all files; some are left out because they have no image.
struct DicomHeaders {
  bool isOnlyFile = false;
  std::vector<DicomSlice> slice;
  std::uint64_t leftOut = 0;
  std::vector<std::string> complaints;  // about the first of them
};

void leaveOut(const std::string& file, const std::string& reason, DicomHeaders& headers) {
  constexpr std::size_t mostNamed = 3;
  if (++headers.leftOut <= mostNamed)
    headers.complaints.push_back((headers.isOnlyFile ? "it" : file) + " " + reason);
}

// "a.dcm cannot be read (...), b.dcm has no image and 5 more"
std::string leftOutList(const DicomHeaders& headers) {
  const std::uint64_t others = headers.leftOut - headers.complaints.size();
  const std::string named = headers.complaints.empty() ? "" : stage::joined(headers.complaints);
  return others > 0 ? fmt::format("{} and {} more", named, others) : named;
}

std::string cannotBeRead(const std::string& complaint) {
  return "cannot be read (" + complaint + ")";
}

void takeHeader(ChildReader& child, std::size_t file, const std::string& name,
                DicomHeaders& headers) {
  child.readingOf(name);
  const ChildMessage message = child.message();
  if (message == ChildMessage::NoImage) return leaveOut(name, child.text(), headers);
  if (message != ChildMessage::DicomImage) child.refuse("the reader's messages are damaged");
  const std::string complaint = takeImage(child, file, name, headers.slice);
  if (complaint.empty()) return;
  if (headers.isOnlyFile) child.refuse(complaint);
  leaveOut(name, cannotBeRead(complaint), headers);
}

[[noreturn]] void refuseMany(const std::vector<std::string>& unreadable) {
  const std::vector<std::string> some(unreadable.begin(), unreadable.begin() + 3);
  fail(ExitCode::BadInput,
       fmt::format("more than {} files cannot be read, such as {}; take them out of the folder, or "
                   "copy it again.",
                   mostUnreadable, stage::joined(some)));
}

// Reads the headers from the next file on. A file that ends the process is left out, unless it is
// the only one or there are too many; one that may have had little time since files came before it
// is read again. false: there are files to be read.
bool takeHeaders(const std::vector<std::string>& files, const SharedLimits& limits,
                 const OpenChild& open, std::vector<std::string>& unreadable, std::size_t& next,
                 DicomHeaders& headers) {
  const std::size_t begin = next;
  const auto first = files.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto child = open("headers", {first, files.end()}, limitsFrom(limits, *first));
  std::size_t whole = 0;
  try {
    for (; next < files.size(); ++next) {
      whole = headers.slice.size();
      takeHeader(*child, next, files[next], headers);
    }
    child->finish();
  } catch (const UnreadableFile& refused) {
    if (headers.isOnlyFile || next == files.size()) throw;
    headers.slice.resize(whole);
    if (refused.tookTooLong() && next > begin) return false;
    unreadable.push_back(fmt::format("{} ({})", files[next], refused.complaint()));
    if (unreadable.size() > mostUnreadable) refuseMany(unreadable);
    leaveOut(files[next], cannotBeRead(refused.complaint()), headers);
    ++next;
  }
  return next == files.size();
}

DicomHeaders readHeaders(const std::vector<fs::path>& paths, const std::string& name,
                         const OpenChild& open) {
  std::vector<std::string> files;
  for (const fs::path& path : paths) files.push_back(path.string());
  const SharedLimits limits = sharedLimits(limitsOf(paths));
  DicomHeaders headers;
  headers.isOnlyFile = files.size() == 1;
  std::vector<std::string> unreadable;
  std::size_t next = 0;
  while (!takeHeaders(files, limits, open, unreadable, next, headers)) continue;
  if (headers.slice.empty())
    fail(ExitCode::BadInput,
         fmt::format("{} has no DICOM image: {}; export it again, or give the folder of a series.",
                     name, leftOutList(headers)));
  return headers;
}

// Files that were left out, such as damaged slices; empty: none.
std::string leftOutText(const DicomHeaders& headers) {
  if (headers.leftOut == 0) return "";
  return fmt::format("{} left out: {}", stage::plural(headers.leftOut, "file was", "files were"),
                     leftOutList(headers));
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
  image.file = roomFor(image.voxels() * bytesOf(image.type), name, "give fewer slices");
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

void readVoxels(const DicomSeries& series, const std::vector<fs::path>& files,
                const OpenChild& open, Image& image) {
  std::vector<std::string> words;
  std::vector<fs::path> used;
  for (const DicomSlice& slice : series.slice) {
    words.push_back(std::to_string(slice.frame));
    words.push_back(files[slice.file].string());
    if (used.empty() || used.back() != files[slice.file]) used.push_back(files[slice.file]);
  }
  const auto opened = open("voxels", words, limitsOf(used));
  ChildReader& child = *opened;
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

// Where the slices lie; files that were left out may be the ones that are missing.
std::optional<SlicePlacement> placeAll(const DicomSeries& series,
                                       const std::vector<fs::path>& files,
                                       const std::string& leftOut,
                                       std::vector<std::string>& warnings) {
  std::vector<std::string> names;
  for (const fs::path& file : files) names.push_back(file.string());
  try {
    return placeSlices(series, names, warnings);
  } catch (const stage::StageError& error) {
    if (leftOut.empty()) throw;
    fail(error.code(), fmt::format("{} ({})", stage::withoutStop(error.what()), leftOut));
  }
}

std::unique_ptr<ChildReader> openDicom(const std::string& mode,
                                       const std::vector<std::string>& words,
                                       const ChildLimits& limits) {
  const std::string& first = mode == "voxels" ? words[1] : words[0];
  return std::make_unique<ChildReader>(dicomProgram, mode, words, limits, first);
}

}  // namespace

Image readDicomSeries(const std::vector<fs::path>& paths, std::optional<std::int64_t> number) {
  return readDicomSeries(paths, number, openDicom);
}

Image readDicomSeries(const std::vector<fs::path>& paths, std::optional<std::int64_t> number,
                      const OpenChild& open) {
  const std::string name =
      paths.size() == 1 ? paths.front().string()
                        : fmt::format("{} and {} more", paths.front().string(), paths.size() - 1);
  const std::vector<fs::path> files = dicomFilesOf(paths);
  if (files.empty())
    fail(ExitCode::BadInput, name + " has no DICOM file; give the folder of a series.");
  std::size_t copies = 0;
  DicomHeaders headers = readHeaders(files, name, open);
  const std::string leftOut = leftOutText(headers);
  const std::vector<DicomSeries> all = seriesOf(std::move(headers.slice), copies, name);
  const DicomSeries& series = chooseSeries(all, number, name);
  std::vector<std::string> warnings;
  const auto placement = placeAll(series, files, leftOut, warnings);
  requirePlausible(series, files);
  Image image = emptyImage(series, name);
  readVoxels(series, files, open, image);
  image.warnings = std::move(warnings);
  if (!leftOut.empty())
    image.warnings.push_back(leftOut + "; should a slice be missing, copy the series again.");
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
