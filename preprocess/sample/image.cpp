// SPDX-License-Identifier: GPL-3.0-or-later
// Sample images: boxes, the plane channel and the plane expansion.
#include "preprocess/sample/image.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "pipelines/stage/error.hpp"

namespace tessera::preprocess::sample {

std::size_t SampleImage::index(int x, int y, int z) const {
  return static_cast<std::size_t>(x) +
         static_cast<std::size_t>(size[0]) *
             (static_cast<std::size_t>(y) +
              static_cast<std::size_t>(size[1]) * static_cast<std::size_t>(z));
}

double SampleImage::porosity() const {
  const auto pore = std::count(value.begin(), value.end(), poreValue);
  return static_cast<double>(pore) / static_cast<double>(value.size());
}

SampleImage sampleBoxImage(const Int3& size) {
  double product = 1.0;
  for (int s : size) product *= s;
  if (std::min({size[0], size[1], size[2]}) < 1 || product > 1e11)
    stage::fail(stage::ExitCode::Usage,
                "--size must be at least 1 voxel each way and 10^11 in all.");
  SampleImage image{size, {}};
  image.value.assign(image.index(0, 0, size[2]), poreValue);
  return image;
}

SampleImage sampleChannelImage(int length, int height) {
  if (height < 3)
    stage::fail(stage::ExitCode::Usage, "--size must give at least 3 rows: two walls and a pore.");
  SampleImage image = sampleBoxImage({length, height, 1});
  const auto wall = static_cast<std::ptrdiff_t>(length);
  std::fill(image.value.begin(), image.value.begin() + wall, solidValue);
  std::fill(image.value.end() - wall, image.value.end(), solidValue);
  return image;
}

SampleImage sampleExpansionImage(const ExpansionPicture& shape) {
  SampleImage image = sampleChannelImage(shape.size[0], shape.size[1]);
  const int open = shape.size[1] - 2;
  int narrow = static_cast<int>(std::lround(open / shape.ratio));
  if (!shape.oneSided && (open - narrow) % 2 != 0) --narrow;  // in the middle of whole pixels
  if (narrow < 1 || narrow >= open || shape.step < 1 || shape.step >= shape.size[0])
    stage::fail(stage::ExitCode::Usage,
                "the expansion does not fit: --size gives " + std::to_string(open) +
                    " open rows, of which --ratio leaves " + std::to_string(narrow) +
                    " before the step, and --step must be from 1 to " +
                    std::to_string(shape.size[0] - 1) + ".");
  const int first = shape.oneSided ? 1 : 1 + (open - narrow) / 2;
  for (int y = 1; y <= open; ++y)
    for (int x = 0; x < shape.step; ++x)
      if (y < first || y >= first + narrow) image.value[image.index(x, y, 0)] = solidValue;
  return image;
}

}  // namespace tessera::preprocess::sample
