// SPDX-License-Identifier: GPL-3.0-or-later
// Series of DICOM slices: from the headers of files in any order to stacks of parallel slices
// (PS3.3 C.7.6.2, Image Plane Module), without their voxels and without GDCM. A frame of a
// multi-frame file counts as a slice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/stage/vec3.hpp"

namespace tessera::preprocess::read {

// Texts of a file, shared by its frames, which may be many.
struct DicomTexts {
  std::string object;  // SOP Instance UID
  std::string series;  // Series Instance UID
  std::string description, modality, photometric;
};

struct DicomSlice {
  std::size_t file = 0;  // index into the files
  std::uint32_t frame = 0;
  std::shared_ptr<const DicomTexts> text;
  std::int64_t seriesNumber = 0;
  // Values by which a series that visits its positions several times is divided: acquisition, echo,
  // temporal position, trigger time, stack, dimension.
  static constexpr std::size_t phaseKinds = 6;
  std::array<double, phaseKinds> phase{};
  std::uint32_t columns = 0, rows = 0;
  std::uint32_t bits = 0, stored = 0, highBit = 0;  // allocated, stored, highest of the stored ones
  bool isSigned = false;
  std::uint32_t samples = 1;  // per pixel
  double slope = 1.0, intercept = 0.0;
  std::optional<Double3> position;                  // mm, LPS, centre of the first pixel
  std::optional<std::array<Double3, 2>> direction;  // of increasing column and row
  std::optional<std::array<double, 2>> spacing;     // mm, between columns and between rows
};

struct DicomSeries {
  std::string description, modality;
  std::int64_t number = 0;
  std::vector<DicomSlice> slice;
};

// Slices of one series, parallel, of one size, pixel spacing and type, each position once where the
// headers allow it: other slices of a series are series of their own. Ordered by series number and
// UID, the slices by position; the order of the input does not matter. Copies of a slice are
// dropped and counted. Throws StageError(BadInput) for more than 1000 series.
std::vector<DicomSeries> seriesOf(std::vector<DicomSlice> slices, std::size_t& copies,
                                  const std::string& name);

// The series of that number, counted from 1; the only one where none is given. Throws
// StageError(Usage) listing number, description, modality, slices and size.
const DicomSeries& chooseSeries(const std::vector<DicomSeries>& series,
                                std::optional<std::int64_t> number, const std::string& name);

// Steps between neighbouring voxels and the centre of the first one, in metres; absent for a single
// slice without position or spacing.
struct SlicePlacement {
  std::array<Double3, 3> step{};
  Double3 origin{};
};

// Throws StageError(BadInput) naming two of the files for colour, unusual bits, slices without
// position, several at one position, missing ones, uneven distances and gantry tilt. Warns about
// distances that are uneven by 1 to 5 %. files: names for messages.
std::optional<SlicePlacement> placeSlices(const DicomSeries& series,
                                          const std::vector<std::string>& files,
                                          std::vector<std::string>& warnings);

}  // namespace tessera::preprocess::read
