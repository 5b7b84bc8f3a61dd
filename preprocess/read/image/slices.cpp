// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/image/slices.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <set>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "pipelines/stage/system/parallel_for.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/read/formats.hpp"
#include "preprocess/read/readers.hpp"

namespace tessera::preprocess::read {

using std::filesystem::path;

namespace {

constexpr bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

// Digits at the start of a name, and the rest of it.
std::string_view takeDigits(std::string_view& name) {
  const auto* const end = std::find_if_not(name.begin(), name.end(), isDigit);
  const std::string_view digits = name.substr(0, static_cast<std::size_t>(end - name.begin()));
  name.remove_prefix(digits.size());
  return digits;
}

std::string_view withoutZeros(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

// Negative, zero or positive, as compare().
int compareNumbers(std::string_view digits, std::string_view others) {
  digits = withoutZeros(digits);
  others = withoutZeros(others);
  if (digits.size() != others.size()) return digits.size() < others.size() ? -1 : 1;
  return digits.compare(others);
}

int compareNaturally(std::string_view name, std::string_view other) {
  while (!name.empty() && !other.empty()) {
    if (isDigit(name.front()) && isDigit(other.front())) {
      const std::string_view digits = takeDigits(name);
      const int order = compareNumbers(digits, takeDigits(other));
      if (order != 0) return order;
      continue;
    }
    if (name.front() != other.front())
      return static_cast<unsigned char>(name.front()) < static_cast<unsigned char>(other.front())
                 ? -1
                 : 1;
    name.remove_prefix(1);
    other.remove_prefix(1);
  }
  return static_cast<int>(other.empty()) - static_cast<int>(name.empty());
}

// "slice*.png" of "slice012.png", and the numbers in its place.
struct NumberedName {
  std::string pattern;
  std::vector<std::string_view> number;
};

NumberedName numbered(std::string_view name) {
  NumberedName found;
  while (!name.empty()) {
    if (isDigit(name.front())) {
      found.number.push_back(withoutZeros(takeDigits(name)));
      found.pattern += '*';
      continue;
    }
    found.pattern += name.front();
    name.remove_prefix(1);
  }
  return found;
}

void sortByName(std::vector<path>& slices) {
  std::sort(slices.begin(), slices.end(), [](const path& a, const path& b) {
    const std::string name = a.filename().string(), other = b.filename().string();
    return name == other ? a < b : isBefore(name, other);
  });
}

std::string nameOfFormat(const path& file) {
  const stage::FileFormat* const format = stage::formatOf(inputFormats(), file);
  const bool isImage = format != nullptr && std::string_view(format->kind) == "image";
  return isImage && sliceFormat(file).empty() ? format->name : sliceFormat(file);
}

// Images in a folder and the names of their formats.
std::vector<path> imagesIn(const path& folder, std::set<std::string>& formats) {
  std::vector<path> images;
  std::error_code error, unreadable;
  std::filesystem::directory_iterator at(folder, error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    const path& file = at->path();
    const std::string format = nameOfFormat(file);
    if (format.empty() || file.filename().string().starts_with('.') ||
        !at->is_regular_file(unreadable))
      continue;
    images.push_back(file);
    formats.insert(format);
  }
  if (error)
    stage::fail(stage::ExitCode::BadInput,
                fmt::format("{} cannot be listed ({}); check its permissions.", folder.string(),
                            error.message()));
  return images;
}

std::vector<std::string> patternsOf(std::span<const path> slices) {
  std::set<std::string> patterns;
  for (const path& slice : slices) patterns.insert(numbered(slice.filename().string()).pattern);
  return {patterns.begin(), patterns.end()};
}

}  // namespace

bool isBefore(std::string_view name, std::string_view other) {
  const int order = compareNaturally(name, other);
  return order != 0 ? order < 0 : name < other;
}

std::vector<path> slicesIn(const path& folder) {
  std::set<std::string> formats;
  std::vector<path> slices = imagesIn(folder, formats);
  if (std::all_of(slices.begin(), slices.end(),
                  [](const path& slice) { return sliceFormat(slice).empty(); }))
    stage::fail(stage::ExitCode::BadInput,
                folder.string() +
                    " is a folder without slices (.png, .tif, .tiff or .pgm); give a "
                    "folder of slices, or a file.");
  if (formats.size() > 1)
    stage::fail(
        stage::ExitCode::BadInput,
        fmt::format("{} has images of several formats ({}), expected slices of one; keep these "
                    "alone there, "
                    "or give the files.",
                    folder.string(),
                    stage::enumeration(std::vector<std::string>(formats.begin(), formats.end()))));
  const std::vector<std::string> patterns = patternsOf(slices);
  if (patterns.size() > 1)
    stage::fail(
        stage::ExitCode::BadInput,
        fmt::format("{} has images whose names differ in more than numbers ({}), expected one "
                    "stack of slices; keep one of them there, or give its files.",
                    folder.string(), stage::firstOf(patterns)));
  sortByName(slices);
  return slices;
}

std::vector<path> inOrder(std::vector<path> slices) {
  const std::string format = sliceFormat(slices.front());
  const auto other = std::find_if(slices.begin() + 1, slices.end(), [&](const path& slice) {
    return format.empty() || sliceFormat(slice) != format;
  });
  if (other != slices.end())
    stage::fail(stage::ExitCode::Usage,
                fmt::format("{} and {} are no slices of one format (PNG, TIFF or PGM), the only "
                            "images that are joined; give one image, or slices.",
                            slices.front().string(), other->string()));
  sortByName(slices);
  const auto twice = std::adjacent_find(slices.begin(), slices.end());
  if (twice != slices.end())
    stage::fail(stage::ExitCode::Usage,
                twice->string() + " is given twice, but slices are planes of their own; omit one.");
  return slices;
}

namespace {

constexpr std::uint64_t mostNumber = 1'000'000'000'000'000;

// Values of one number of the names; empty if one is too large.
std::vector<std::uint64_t> valuesOf(std::span<const NumberedName> names, std::size_t place) {
  std::vector<std::uint64_t> values;
  for (const NumberedName& name : names) {
    const std::string_view digits = name.number[place];
    if (digits.size() > 15) return {};
    std::uint64_t value = 0;
    for (const char c : digits) value = 10 * value + static_cast<std::uint64_t>(c - '0');
    values.push_back(value);
  }
  return values;
}

std::string gapText(std::uint64_t first, std::uint64_t last) {
  return first == last ? std::to_string(first) : fmt::format("{} to {}", first, last);
}

// Numbers that occur twice or are missing, where the others ascend in equal steps.
std::vector<std::string> gapWarnings(const std::string& pattern,
                                     std::span<const std::uint64_t> values) {
  std::uint64_t step = mostNumber;
  for (std::size_t k = 1; k < values.size(); ++k)
    if (values[k] != values[k - 1]) step = std::min(step, values[k] - values[k - 1]);
  std::vector<std::string> gaps, twice, warnings;
  std::uint64_t missing = 0;
  for (std::size_t k = 1; k < values.size(); ++k) {
    if (values[k] == values[k - 1]) twice.push_back(std::to_string(values[k]));
    if (values[k] == values[k - 1] || values[k] - values[k - 1] < 2 * step) continue;
    gaps.push_back(gapText(values[k - 1] + step, values[k] - step));
    missing += (values[k] - values[k - 1]) / step - 1;
  }
  if (!gaps.empty())
    warnings.push_back(
        fmt::format("{} of the stack {} missing ({}): the planes before and after each gap become "
                    "neighbours; add the missing slices.",
                    stage::plural(missing, "slice"), missing == 1 ? "is" : "are",
                    pattern + ", " + stage::firstOf(gaps)));
  if (!twice.empty())
    warnings.push_back(
        fmt::format("slices of the stack have the same number ({}); check that they "
                    "belong to one stack.",
                    pattern + ", " + stage::firstOf(twice)));
  return warnings;
}

}  // namespace

std::vector<std::string> orderWarnings(std::span<const path> slices) {
  std::vector<std::string> texts;
  for (const path& slice : slices) texts.push_back(slice.filename().string());
  std::vector<NumberedName> names;
  for (const std::string& text : texts) names.push_back(numbered(text));
  const std::string order =
      fmt::format("; they are stacked in the order of their names, from {} to {}.", texts.front(),
                  texts.back());
  for (const NumberedName& name : names)
    if (name.pattern != names.front().pattern)
      return {fmt::format("names of slices differ in more than numbers ({} and {})",
                          names.front().pattern, name.pattern) +
              order};
  std::vector<std::size_t> varying;
  for (std::size_t place = 0; place < names.front().number.size(); ++place)
    if (std::any_of(names.begin(), names.end(), [&](const NumberedName& name) {
          return name.number[place] != names.front().number[place];
        }))
      varying.push_back(place);
  if (varying.size() > 1)
    return {fmt::format("names of slices differ in several numbers ({})", names.front().pattern) +
            order};
  const std::size_t place = varying.empty() ? 0 : varying.front();
  if (names.front().number.empty()) return {};
  return gapWarnings(names.front().pattern, valuesOf(names, place));
}

namespace {

// "512 x 512 voxels of u16".
std::string describe(const Image& slice) {
  constexpr const char* types[] = {"u8",  "i8",  "u16", "i16", "u32",
                                   "i32", "u64", "i64", "f32", "f64"};
  return fmt::format("{} x {} voxels of {}", slice.size[0], slice.size[1],
                     types[static_cast<std::size_t>(slice.type)]);
}

void requirePlane(const Image& slice, const std::string& name) {
  if (slice.dimensions == 2) return;
  stage::fail(
      stage::ExitCode::BadInput,
      fmt::format("{} has {} planes, but the slices of a stack have one each; give it alone, "
                  "or split it.",
                  name, slice.size[2]));
}

void requireLike(const Image& slice, const std::string& name, const Image& first,
                 const std::string& firstName) {
  requirePlane(slice, name);
  if (slice.size == first.size && slice.type == first.type) return;
  stage::fail(stage::ExitCode::BadInput,
              fmt::format("{} has {}, but {} has {}; slices of a stack are alike: take out the one "
                          "that does not belong to it, or save all alike.",
                          name, describe(slice), firstName, describe(first)));
}

// In the machine's byte order, which is the stack's.
void copySlice(const Image& slice, char* target) {
  withVoxelType(slice.type, [&]<class Stored>(std::type_identity<Stored>) {
    std::vector<Stored> values(slice.voxels());
    copyStored(slice, 0, std::span<Stored>(values));
    std::memcpy(target, values.data(), values.size() * sizeof(Stored));
  });
}

}  // namespace

Image stackOf(std::span<const std::string> names, const std::function<Image(std::size_t)>& slice) {
  const Image first = slice(0);
  requirePlane(first, names.front());
  Image stack;
  const std::array<std::int64_t, 3> sizes{first.size[0], first.size[1],
                                          static_cast<std::int64_t>(names.size())};
  setImageSize(stack, sizes, names.front());
  stack.type = first.type;
  stack.bigEndian = std::endian::native == std::endian::big;
  const std::size_t plane = first.voxels() * bytesOf(first.type);
  stack.file = roomFor(plane * names.size(),
                       fmt::format("a stack of {} slices of {}", names.size(), describe(first)),
                       "give a part of the slices, or of smaller type");
  copySlice(first, stack.file.bytes.get());
  stage::parallelFor(names.size() - 1, [&](std::size_t before) {
    const std::size_t k = before + 1;
    const Image next = slice(k);
    requireLike(next, names[k], first, names.front());
    copySlice(next, stack.file.bytes.get() + k * plane);
  });
  return stack;
}

Image readStack(std::span<const path> slices) {
  std::vector<std::string> names;
  for (const path& slice : slices) names.push_back(slice.string());
  Image stack = stackOf(names, [&](std::size_t k) { return readImage(slices[k]); });
  stack.warnings = orderWarnings(slices);
  return stack;
}

}  // namespace tessera::preprocess::read
