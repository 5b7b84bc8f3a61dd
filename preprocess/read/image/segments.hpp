// SPDX-License-Identifier: GPL-3.0-or-later
// Segments of 3D Slicer's .seg.nrrd: keys Segment0_Name, Segment0_LabelValue, Segment0_Layer, ...
// of the header (slicer.readthedocs.io, "Segmentation file format"). Files before Slicer 4.11 have
// neither values nor layers: each segment is the value 1 of the layer of its number.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "preprocess/read/image/image.hpp"

namespace tessera::preprocess::read {

// More than any atlas has; each may become a wall label.
constexpr int mostSegments = 4096;

class SegmentKeys {
 public:
  // file: for messages.
  explicit SegmentKeys(std::string file = {}) : file_(std::move(file)) {}
  // Stores a key of a segment and ignores all others. Throws StageError(BadInput) for a value or
  // layer that is not a whole number, and for more than mostSegments segments.
  void take(std::string_view key, std::string_view value);
  [[nodiscard]] bool empty() const { return given_.empty(); }
  // By their number, with unique names. Throws StageError(BadInput) for a layer that does not
  // exist.
  [[nodiscard]] std::vector<Segment> segments(int layers) const;

 private:
  struct Given {
    std::string name;
    std::optional<std::int64_t> value, layer;
  };
  std::int64_t wholeNumber(std::string_view key, std::string_view text) const;
  std::string file_;
  std::map<int, Given> given_;  // by number
};

// A name that options, cases and tables take: printable, without commas, quotes and =, at most 56
// bytes of whole UTF-8 characters; "segment_" before a name without letters, which would be a
// number; "segment3" for number 2 without a name.
std::string segmentName(std::string_view text, int number);

}  // namespace tessera::preprocess::read
