// SPDX-License-Identifier: GPL-3.0-or-later
// Chart as a separate PNG picture, two pixels per unit of the drawing.
#pragma once

#include <filesystem>

#include "pipelines/picture/chart.hpp"
#include "pipelines/picture/image.hpp"

namespace tessera {

using namespace tessera::picture;

inline void writeChartPicture(const Chart& chart, double width, double height,
                              const std::filesystem::path& path) {
  constexpr double scale = 2.0;
  Drawing drawing{width, height, {}};
  drawing.rectangle({0.0, 0.0}, width, height, white);
  drawChart(chart, {16.0, 12.0}, width - 32.0, height - 24.0, drawing);
  Image image(static_cast<int>(scale * width), static_cast<int>(scale * height), white);
  paint(drawing, scale, image);
  writePng(path, image);
}

}  // namespace tessera
