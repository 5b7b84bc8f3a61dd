// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/read_image.hpp"

#include <tbb/parallel_for.h>

#include <charconv>
#include <limits>
#include <string>
#include <string_view>

#include "pipelines/stage/error.hpp"

namespace tessera {
namespace {

std::string sizeText(const Int3& size) {
  return std::to_string(size[0]) + " x " + std::to_string(size[1]) + " x " +
         std::to_string(size[2]);
}

// Numbers of a PGM, between blanks and comments.
class PgmNumbers {
 public:
  PgmNumbers(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}
  int take(const char* what, int lowest, int highest) {
    skipBlanks();
    int value = 0;
    const char* begin = text_.data() + at_;
    const auto result = std::from_chars(begin, text_.data() + text_.size(), value);
    if (result.ec != std::errc{} || value < lowest || value > highest)
      fail(ExitCode::BadInput, name_ + " has no " + what + " from " + std::to_string(lowest) +
                                   " to " + std::to_string(highest) + " at byte " +
                                   std::to_string(at_) +
                                   "; it is damaged or truncated: export it again.");
    at_ += static_cast<std::size_t>(result.ptr - begin);
    return value;
  }
  [[nodiscard]] std::size_t position() const { return at_; }

 private:
  void skipBlanks() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '#')
        at_ = std::min(text_.find('\n', at_), text_.size() - 1);
      else if (c != ' ' && (c < '\t' || c > '\r'))
        return;
    }
  }
  std::string_view text_;
  std::string name_;
  std::size_t at_ = 2;  // after "P2" or "P5"
};

std::size_t voxelsOf(const Int3& size) {
  return static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
         static_cast<std::size_t>(size[2]);
}

void readPlainLabels(Image& image, PgmNumbers& numbers, int highest) {
  WholeFile labels;
  labels.size = 2 * voxelsOf(image.size);
  labels.bytes = std::make_unique_for_overwrite<char[]>(labels.size);
  for (std::size_t i = 0; i < labels.size; i += 2) {
    const int label = numbers.take("label", 0, highest);
    labels.bytes[i] = static_cast<char>(label & 255);
    labels.bytes[i + 1] = static_cast<char>(label >> 8);
  }
  image.type = VoxelType::U16;
  image.file = std::move(labels);
}

}  // namespace

Image readRaw(const std::filesystem::path& path, const Int3& size, VoxelType type) {
  Image image;
  image.size = size;
  image.type = type;
  const std::size_t expected = voxelsOf(size) * bytesOf(type);
  std::error_code notThere;  // told by readWholeFile
  const std::uintmax_t found = std::filesystem::file_size(path, notThere);
  if (!notThere && found != expected)
    fail(ExitCode::BadInput, path.string() + " has " + std::to_string(found) +
                                 " bytes, expected are " + std::to_string(expected) + " for " +
                                 sizeText(size) + " voxels of " + std::to_string(bytesOf(type)) +
                                 " byte(s); correct --dims or --type, or export the image again.");
  image.file = readWholeFile(path);
  return image;
}

Image readPgm(const std::filesystem::path& path) {
  Image image;
  image.dimensions = 2;
  image.file = readWholeFile(path);
  const std::string_view text = image.file.text();
  const bool plain = text.starts_with("P2");
  if (!plain && !text.starts_with("P5"))
    fail(ExitCode::BadInput,
         path.string() + " does not start with P2 or P5 and is no PGM; save the image as PGM.");
  PgmNumbers numbers(text, path.string());
  const int width = numbers.take("width", 1, 1 << 20);
  const int height = numbers.take("height", 1, 1 << 20);
  const int highest = numbers.take("largest label", 1, 65535);
  image.size = {width, height, 1};
  if (plain) {
    // At least a digit and a blank each, so that no more is allocated than the file can fill.
    if (text.size() < 2 * voxelsOf(image.size))
      fail(ExitCode::BadInput, path.string() + " is too short for " + sizeText(image.size) +
                                   " labels; it is truncated: export it again.");
    readPlainLabels(image, numbers, highest);
    return image;
  }
  image.type = highest > 255 ? VoxelType::U16 : VoxelType::U8;
  image.bigEndian = true;
  image.start = numbers.position() + 1;
  const std::size_t bytes = voxelsOf(image.size) * bytesOf(image.type);
  if (text.size() < image.start + bytes)
    fail(ExitCode::BadInput, path.string() + " has " + std::to_string(text.size()) +
                                 " bytes, expected are at least " +
                                 std::to_string(image.start + bytes) + " for " +
                                 sizeText(image.size) + "; it is truncated: export it again.");
  return image;
}

BitLattice fluidOf(const Image& image, double low, double high) {
  BitLattice fluid(image.size);
  const auto width = static_cast<std::size_t>(image.size[0]);
  const auto rows = static_cast<std::size_t>(image.size[1]);
  tbb::parallel_for(
      std::size_t{0}, rows * static_cast<std::size_t>(image.size[2]), [&](std::size_t row) {
        std::uint64_t* words = &fluid.words[row * static_cast<std::size_t>(fluid.rowWords)];
        for (std::size_t x = 0; x < width; ++x) {
          const double value = image.value(row * width + x);
          const bool isFluid = value >= low && value <= high;
          words[x / 64] |= static_cast<std::uint64_t>(isFluid) << (x % 64);
        }
      });
  return fluid;
}

}  // namespace tessera
