// SPDX-License-Identifier: GPL-3.0-or-later
// PGM (P2, P5): a 2D geometry, first row at y = 0.
#include "preprocess/read/image/image_readers.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/read/decode.hpp"

namespace tessera::preprocess::read {
namespace {

// Numbers of a PGM, separated by blanks and comments.
class PgmNumbers {
 public:
  PgmNumbers(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}
  int take(const char* title, int lowest, int highest) {
    skipBlanks();
    int value = 0;
    const char* begin = text_.data() + at_;
    const auto result = std::from_chars(begin, text_.data() + text_.size(), value);
    if (result.ec != std::errc{} || value < lowest || value > highest)
      stage::fail(
          stage::ExitCode::BadInput,
          fmt::format(
              "{} has no {} from {} to {} at byte {}; it is damaged or truncated: export it again.",
              name_, title, lowest, highest, at_));
    at_ += static_cast<std::size_t>(result.ptr - begin);
    return value;
  }
  [[nodiscard]] std::size_t position() const { return at_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  // Refuses more labels than the rest of the text can hold.
  void require(std::size_t labels) const {
    if (labels / 2 > text_.size() - at_)
      stage::fail(stage::ExitCode::BadInput,
                  fmt::format("{} declares {} labels, more than its {} bytes can hold; it is "
                              "truncated or damaged: export it again.",
                              name_, labels, text_.size()));
  }

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

void readPlainLabels(Image& image, PgmNumbers& numbers, int highest) {
  numbers.require(image.voxels());
  WholeFile labels = roomFor(2 * image.voxels(), numbers.name(), "give a part of it");
  for (std::size_t i = 0; i < labels.size; i += 2) {
    const int label = numbers.take("label", 0, highest);
    labels.bytes[i] = static_cast<char>(label & 255);
    labels.bytes[i + 1] = static_cast<char>(label >> 8);
  }
  image.type = VoxelType::U16;
  image.file = std::move(labels);
}

}  // namespace

Image parsePgm(WholeFile file, const std::string& name) {
  Image image;
  const std::string_view text = file.text();
  const bool plain = text.starts_with("P2");
  if (!plain && !text.starts_with("P5"))
    stage::fail(stage::ExitCode::BadInput,
                name + " does not start with P2 or P5 and is not a PGM; save the image as PGM.");
  PgmNumbers numbers(text, name);
  const std::int64_t width = numbers.take("width", 1, 1 << 20);
  const std::int64_t height = numbers.take("height", 1, 1 << 20);
  const int highest = numbers.take("largest label", 1, 65535);
  setImageSize(image, std::array{width, height}, name);
  if (plain) {
    // At least a digit and a blank per label: bounds the allocation by the file size.
    if (text.size() / 2 < image.voxels())
      stage::fail(stage::ExitCode::BadInput,
                  fmt::format("{} is too short for {} labels; it is truncated: export it again.",
                              name, image.voxels()));
    readPlainLabels(image, numbers, highest);
    return image;
  }
  image.type = highest > 255 ? VoxelType::U16 : VoxelType::U8;
  image.bigEndian = true;
  image.start = numbers.position() + 1;
  image.file = std::move(file);
  requireVoxelBytes(image, name);
  return image;
}

Image readPgm(const std::filesystem::path& path) {
  return parsePgm(readUncompressed(path), path.string());
}

}  // namespace tessera::preprocess::read
