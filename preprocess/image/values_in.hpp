// SPDX-License-Identifier: GPL-3.0-or-later
// What an image holds, for the sentence that tells why nothing in it is fluid.
#pragma once

#include <string>

#include "preprocess/read/image/image.hpp"

namespace tessera::preprocess::image {

// With up to nine digits, "%.9g".
std::string valueText(double value);

// "0, 64 and 255" where there are few values, else "from -1024 to 3071". What is not a number is
// passed over; "none" when nothing else is there.
std::string valuesIn(const read::Image& image);

}  // namespace tessera::preprocess::image
