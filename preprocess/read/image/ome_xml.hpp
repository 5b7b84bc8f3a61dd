// SPDX-License-Identifier: GPL-3.0-or-later
// OME-XML, the description of an OME-TIFF's first page (docs.openmicroscopy.org/ome-model): size of
// a voxel, and whether the pages are the planes of one stack. Only the .cpp includes pugixml.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "preprocess/geometry/frame.hpp"

namespace tessera::preprocess::read {

struct OmePixels {
  std::int64_t width = 1, height = 1, planes = 1;
  Double3 voxel{};              // m; 0 where it is not defined
  double metresPerUnit = 1e-6;  // of the size along x
  std::vector<std::string> warnings;
};

bool looksLikeOme(std::string_view description);

// Throws StageError(BadInput) for XML that is damaged or of more than half a million tags, and for
// anything but one image of one channel and one time whose planes are the pages in order.
OmePixels omePixels(std::string_view description, const std::string& name);

}  // namespace tessera::preprocess::read
