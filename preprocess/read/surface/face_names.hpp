// SPDX-License-Identifier: GPL-3.0-or-later
// Names of faces, numbered in order of first use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "preprocess/read/surface/polygon_soup.hpp"

namespace tessera::preprocess::read {

class FaceNames {
 public:
  // After maxFaceNames names all further ones share a number; nothing is told then.
  std::uint16_t numberOf(std::string_view name) {
    if (name_.size() > maxFaceNames) return static_cast<std::uint16_t>(maxFaceNames);
    const auto [at, isNew] =
        number_.try_emplace(std::string(name), static_cast<std::uint16_t>(name_.size()));
    if (isNew) name_.emplace_back(name);
    return at->second;
  }
  [[nodiscard]] bool areSeveral() const { return name_.size() > 1 && !areTooMany(); }
  [[nodiscard]] bool areTooMany() const { return name_.size() > maxFaceNames; }
  [[nodiscard]] const std::vector<std::string>& names() const { return name_; }

 private:
  std::unordered_map<std::string, std::uint16_t> number_;
  std::vector<std::string> name_;
};

}  // namespace tessera::preprocess::read
