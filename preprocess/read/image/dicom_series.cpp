// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/image/dicom_series.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::preprocess::read {

using stage::ExitCode;
using stage::fail;

namespace {

constexpr double directionTolerance = 1e-3;
constexpr double samePosition = 1e-3;  // mm
constexpr double metresPerMillimetre = 1e-3;

bool isNear(const Double3& a, const Double3& b, double tolerance) {
  return length(a - b) <= tolerance;
}

// Whether slices belong to one stack; size and type are compared before.
bool areParallel(const DicomSlice& a, const DicomSlice& b) {
  if (a.direction.has_value() != b.direction.has_value()) return false;
  if (a.spacing.has_value() != b.spacing.has_value()) return false;
  for (std::size_t k = 0; k < 2; ++k) {
    if (a.direction && !isNear((*a.direction)[k], (*b.direction)[k], directionTolerance))
      return false;
    if (a.spacing && std::abs((*a.spacing)[k] - (*b.spacing)[k]) > 1e-4 * (*a.spacing)[k])
      return false;
  }
  return true;
}

Double3 normalOf(const DicomSlice& slice) {
  return slice.direction ? cross((*slice.direction)[0], (*slice.direction)[1]) : Double3{};
}

// Distance along the normal; 0 without a position.
double distanceOf(const DicomSlice& slice) {
  return slice.position && slice.direction ? dot(*slice.position, normalOf(slice)) : 0.0;
}

void sortSlices(std::vector<DicomSlice>& slices) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t k = 0; k < slices.size(); ++k) order.emplace_back(distanceOf(slices[k]), k);
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    const DicomSlice &s = slices[a.second], &t = slices[b.second];
    return std::tie(a.first, s.text->object, s.frame) < std::tie(b.first, t.text->object, t.frame);
  });
  std::vector<DicomSlice> sorted;
  sorted.reserve(slices.size());
  for (const auto& [distance, k] : order) sorted.push_back(std::move(slices[k]));
  slices = std::move(sorted);
}

using SliceList = std::vector<DicomSlice*>;  // many slices, which are not copied

// Whether no two of the sorted slices are at one position.
bool positionsDiffer(const SliceList& sorted) {
  for (std::size_t k = 1; k < sorted.size(); ++k)
    if (distanceOf(*sorted[k]) - distanceOf(*sorted[k - 1]) < samePosition) return false;
  return true;
}

const char* const phaseNames[DicomSlice::phaseKinds] = {"acquisition",  "echo",  "phase",
                                                        "trigger time", "stack", "dimension"};

// Slices by a value, if that separates visits of positions; else empty.
std::map<double, SliceList> separatedBy(std::size_t kind, const SliceList& slices) {
  std::map<double, SliceList> byValue;
  for (DicomSlice* slice : slices) byValue[slice->phase[kind]].push_back(slice);
  const bool separates = byValue.size() > 1 &&
                         std::all_of(byValue.begin(), byValue.end(),
                                     [](const auto& part) { return positionsDiffer(part.second); });
  return separates ? byValue : std::map<double, SliceList>{};
}

// Divides a series that visits positions several times by the first value that separates the
// visits.
std::vector<DicomSeries> dividedByPhase(DicomSeries series) {
  sortSlices(series.slice);
  std::vector<DicomSeries> parts;
  SliceList all;
  for (DicomSlice& slice : series.slice) all.push_back(&slice);
  const bool isDivided = !all.empty() && all.front()->position.has_value() && !positionsDiffer(all);
  for (std::size_t kind = 0; isDivided && kind < DicomSlice::phaseKinds; ++kind) {
    for (const auto& [value, slices] : separatedBy(kind, all)) {
      DicomSeries& part = parts.emplace_back();
      part.description =
          fmt::format("{}{}{} {}", series.description, series.description.empty() ? "" : ", ",
                      phaseNames[kind], stage::number(value));
      part.modality = series.modality;
      part.number = series.number;
      for (DicomSlice* slice : slices) part.slice.push_back(std::move(*slice));
    }
    if (!parts.empty()) return parts;
  }
  parts.push_back(std::move(series));
  return parts;
}

// Removes slices that repeat an earlier one.
void dropCopies(std::vector<DicomSlice>& slices, std::size_t& copies) {
  std::vector<std::uint32_t> order(slices.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  // Not by the instance's UID alone: careless programs give one UID to all slices.
  const auto keyOf = [&](std::uint32_t k) {
    const DicomSlice& slice = slices[k];
    return std::tie(slice.text->object, slice.text->series, slice.frame, slice.position);
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return keyOf(a) == keyOf(b) ? a < b : keyOf(a) < keyOf(b);
  });
  std::vector<char> isCopy(slices.size(), 0);
  for (std::size_t k = 1; k < order.size(); ++k)
    isCopy[order[k]] =
        !slices[order[k]].text->object.empty() && keyOf(order[k]) == keyOf(order[k - 1]);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < slices.size(); ++k) {
    if (isCopy[k] != 0) continue;
    if (kept != k) slices[kept] = std::move(slices[k]);
    ++kept;
  }
  copies = slices.size() - kept;
  slices.resize(kept);
}

std::string sizeText(const DicomSlice& slice) {
  return fmt::format("{} x {}", slice.columns, slice.rows);
}

std::string describe(const DicomSeries& series, std::size_t number) {
  return fmt::format("{} \"{}\" {}, {} of {}", number, series.description, series.modality,
                     stage::plural(series.slice.size(), "slice"), sizeText(series.slice.front()));
}

}  // namespace

std::vector<DicomSeries> seriesOf(std::vector<DicomSlice> slices, std::size_t& copies,
                                  const std::string& name) {
  constexpr std::size_t most = 1000;
  dropCopies(slices, copies);
  using Key = std::tuple<std::int64_t, std::string, std::uint32_t, std::uint32_t, std::uint32_t,
                         bool, std::uint32_t>;
  std::map<Key, std::vector<DicomSeries>> groups;
  std::size_t count = 0;
  for (DicomSlice& slice : slices) {
    std::vector<DicomSeries>& stacks =
        groups[{slice.seriesNumber, slice.text->series, slice.columns, slice.rows, slice.bits,
                slice.isSigned, slice.samples}];
    auto stack = std::find_if(stacks.begin(), stacks.end(), [&](const DicomSeries& other) {
      return areParallel(other.slice.front(), slice);
    });
    if (stack == stacks.end()) {
      if (++count > most)
        fail(ExitCode::BadInput,
             fmt::format("{} has more than {} series; give the files of one.", name, most));
      stack = stacks.insert(
          stacks.end(), {slice.text->description, slice.text->modality, slice.seriesNumber, {}});
    }
    stack->slice.push_back(std::move(slice));
  }
  slices = {};  // they are many
  std::vector<DicomSeries> series;
  for (auto& [key, stacks] : groups) {
    for (DicomSeries& stack : stacks) sortSlices(stack.slice);
    std::sort(stacks.begin(), stacks.end(), [](const DicomSeries& a, const DicomSeries& b) {
      return a.slice.front().text->object < b.slice.front().text->object;
    });
    for (DicomSeries& stack : stacks)
      for (DicomSeries& part : dividedByPhase(std::move(stack))) series.push_back(std::move(part));
  }
  return series;
}

const DicomSeries& chooseSeries(const std::vector<DicomSeries>& series,
                                std::optional<std::int64_t> number, const std::string& name) {
  const auto count = static_cast<std::int64_t>(series.size());
  if (!number && count == 1) return series.front();
  if (number && *number >= 1 && *number <= count)
    return series[static_cast<std::size_t>(*number - 1)];
  constexpr std::size_t most = 40;
  std::string list;
  for (std::size_t k = 0; k < std::min(most, series.size()); ++k)
    list += (k > 0 ? "; " : "") + describe(series[k], k + 1);
  if (series.size() > most) list += fmt::format("; and {} more", series.size() - most);
  fail(ExitCode::Usage,
       number
           ? fmt::format("--series {} is not one of the {} in {}: {}; choose one of these.",
                         *number, count, name, list)
           : fmt::format("{} has {} series: {}; choose one with --series K.", name, count, list));
}

namespace {

using Names = std::vector<std::string>;

// The file of a slice, and its frame.
std::string nameOf(const DicomSlice& slice, const Names& files) {
  const std::string& file = files[slice.file];
  return slice.frame == 0 ? file : fmt::format("{}, frame {},", file, slice.frame + 1);
}

void requireGrey(const DicomSlice& slice, const std::string& name) {
  if (slice.samples != 1 || slice.text->photometric == "PALETTE COLOR")
    fail(ExitCode::BadInput,
         fmt::format("{} has colours ({}), expected grey values as of CT and MR; choose another "
                     "series, or save it as grey.",
                     name, slice.text->photometric));
  const bool areWhole = slice.bits == 8 || slice.bits == 16 || slice.bits == 32;
  if (!areWhole || slice.stored < 1 || slice.stored > slice.bits ||
      slice.highBit + 1 != slice.stored)
    fail(
        ExitCode::BadInput,
        fmt::format("{} has voxels of {} bits in {}, the highest of them bit {}, expected 8, 16 or "
                    "32 bits with the value in the lowest; convert it to NRRD or NIfTI.",
                    name, slice.stored, slice.bits, slice.highBit));
}

void requireDirections(const DicomSlice& slice, const std::string& name) {
  const auto& [x, y] = *slice.direction;
  const bool areUnit = std::abs(length(x) - 1.0) < directionTolerance &&
                       std::abs(length(y) - 1.0) < directionTolerance &&
                       std::abs(dot(x, y)) < directionTolerance;
  const auto& [width, height] = *slice.spacing;
  if (!areUnit || !(width > 0.0) || !(height > 0.0) || !std::isfinite(width + height))
    fail(ExitCode::BadInput,
         fmt::format("{} has damaged directions or pixel spacing (directions of length {:g} and "
                     "{:g}, spacing {:g} x {:g} mm); export it again.",
                     name, length(x), length(y), width, height));
}

double medianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Checks the distances along the normal.
void requireEven(const DicomSeries& series, const Names& files, Names& warnings) {
  std::vector<double> gaps;
  for (std::size_t k = 1; k < series.slice.size(); ++k)
    gaps.push_back(distanceOf(series.slice[k]) - distanceOf(series.slice[k - 1]));
  const double usual = medianOf(gaps);
  std::size_t worst = 0, missing = 0;
  for (std::size_t k = 0; k < gaps.size(); ++k) {
    const DicomSlice &before = series.slice[k], &after = series.slice[k + 1];
    if (!(gaps[k] >= samePosition))
      fail(ExitCode::BadInput,
           fmt::format("{} and {} are at one position (phases, echoes or copies that their headers "
                       "do not tell apart); give the files of one volume.",
                       nameOf(before, files), nameOf(after, files)));
    if (std::abs(gaps[k] - usual) > std::abs(gaps[worst] - usual)) worst = k;
    if (gaps[k] > 1.5 * usual)
      missing += static_cast<std::size_t>(std::lround(std::min(gaps[k] / usual, 1e6)) - 1);
  }
  const double uneven = std::abs(gaps[worst] - usual) / usual;
  const std::string where = fmt::format("{:.4g} mm between {} and {}, {:.4g} mm elsewhere",
                                        gaps[worst], nameOf(series.slice[worst], files),
                                        nameOf(series.slice[worst + 1], files), usual);
  if (missing > 0)
    fail(ExitCode::BadInput, fmt::format("{} of the series seem to be missing: {}; copy all of its "
                                         "files.",
                                         stage::plural(missing, "slice"), where));
  if (uneven > 0.05)
    fail(ExitCode::BadInput, fmt::format("the slices are unevenly spaced: {}; resample the series "
                                         "to even slices, e.g. in 3D Slicer.",
                                         where));
  if (uneven > 0.01)
    warnings.push_back(
        fmt::format("the slices are unevenly spaced: {}; even ones are used.", where));
}

// Checks that the slices lie above one another: not sheared, and each on the line of the others.
void requireStraight(const DicomSeries& series, const Double3& step, const Names& files) {
  const DicomSlice& first = series.slice.front();
  const Double3 normal = unit(normalOf(first));
  const double along = dot(step, normal);
  const double across = length(step - along * normal);
  if (across > directionTolerance * along)
    fail(ExitCode::BadInput,
         fmt::format("the slices of {} to {} are sheared by {:.3g} degrees (gantry tilt); resample "
                     "them upright, e.g. dcm2niix -o out FOLDER.",
                     nameOf(first, files), nameOf(series.slice.back(), files),
                     std::atan2(across, along) * 57.29577951308232));
  const double most = 0.1 * std::min((*first.spacing)[0], (*first.spacing)[1]);
  for (std::size_t k = 0; k < series.slice.size(); ++k) {
    const Double3 away =
        *series.slice[k].position - (*first.position + static_cast<double>(k) * step);
    if (length(away - dot(away, normal) * normal) > most)
      fail(ExitCode::BadInput,
           fmt::format("{} is displaced sideways by {:.3g} mm against the other slices; resample "
                       "the series, e.g. in 3D Slicer.",
                       nameOf(series.slice[k], files), length(away - dot(away, normal) * normal)));
  }
}

}  // namespace

std::optional<SlicePlacement> placeSlices(const DicomSeries& series, const Names& files,
                                          Names& warnings) {
  const DicomSlice& first = series.slice.front();
  for (const DicomSlice& slice : series.slice) {
    requireGrey(slice, nameOf(slice, files));
    const bool isPlaced = slice.position && slice.direction && slice.spacing;
    if (isPlaced) requireDirections(slice, nameOf(slice, files));
    if (isPlaced || series.slice.size() == 1) continue;
    fail(
        ExitCode::BadInput,
        fmt::format("{} has no position, orientation or pixel spacing, so that {} slices cannot be "
                    "ordered; export the series again, or give one slice.",
                    nameOf(slice, files), series.slice.size()));
  }
  if (!first.position || !first.direction || !first.spacing) return std::nullopt;
  SlicePlacement placement;
  Double3 step = normalOf(first);
  if (series.slice.size() > 1) {
    requireEven(series, files, warnings);
    step = (1.0 / static_cast<double>(series.slice.size() - 1)) *
           (*series.slice.back().position - *first.position);
    requireStraight(series, step, files);
  }
  for (std::size_t a = 0; a < 2; ++a)
    placement.step[a] = (metresPerMillimetre * (*first.spacing)[a]) * (*first.direction)[a];
  placement.step[2] = metresPerMillimetre * step;
  placement.origin = metresPerMillimetre * *first.position;
  return placement;
}

}  // namespace tessera::preprocess::read
