// SPDX-License-Identifier: GPL-3.0-or-later
// The header of an NRRD file, and where in the world it puts its voxels.
// Source: the format's definition, teem.sourceforge.net/nrrd/format.html.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "preprocess/read/image/image.hpp"

namespace tessera::preprocess::read {

struct NrrdHeader {
  std::map<std::string, std::string, std::less<>> field;  // names in lower case, no blanks
  std::size_t end = 0;                                    // of the first byte after it
  std::string name;

  [[nodiscard]] std::string_view of(std::string_view key) const {
    const auto found = field.find(key);
    return found == field.end() ? std::string_view{} : std::string_view(found->second);
  }
  [[nodiscard]] bool has(std::string_view key) const { return field.contains(key); }
};

// StageError(BadInput): the file's name, what was found, what to do.
[[noreturn]] void refuse(const NrrdHeader& header, const std::string& found,
                         const std::string& remedy);
// The same of a field, from what stands in it and what was expected.
[[noreturn]] void refuseField(const NrrdHeader& header, const std::string& field,
                              const std::string& expected);

// "spacedirections" of "Space Directions".
std::string nrrdKey(std::string_view name);

// From the file's text, which goes on with voxels. name: of the file, for sentences.
NrrdHeader nrrdHeader(std::string_view text, const std::string& name);

// Sets image.space, steps and origin from the header, where it says them; warns where it names an
// unknown unit or none. The image's dimensions and nodes are known.
void placeNrrd(Image& image, const NrrdHeader& header);

}  // namespace tessera::preprocess::read
