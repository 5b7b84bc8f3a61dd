// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/image/values_in.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

namespace tessera::preprocess::image {
namespace {

constexpr std::size_t mostListed = 8;

std::string listOf(const std::set<double>& values) {
  std::string list;
  for (const double value : values) {
    const bool isLast = value == *values.rbegin();
    list += (list.empty() ? "" : isLast ? " and " : ", ") + valueText(value);
  }
  return list.empty() ? "none" : list;
}

}  // namespace

std::string valueText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string valuesIn(const read::Image& image) {
  std::set<double> values;  // all of them while they are few, then the ends
  double low = INFINITY;
  double high = -INFINITY;
  for (std::size_t i = 0; i < image.voxels(); ++i) {
    const double value = image.value(i);
    if (std::isnan(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
    if (values.size() <= mostListed) values.insert(value);
  }
  if (values.size() <= mostListed) return listOf(values);
  return "from " + valueText(low) + " to " + valueText(high);
}

}  // namespace tessera::preprocess::image
