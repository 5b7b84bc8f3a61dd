// SPDX-License-Identifier: GPL-3.0-or-later
// Charts of measurements: lines are ours, dots of the same colour the paper's.
#pragma once

#include <filesystem>

#include "pipelines/picture/chart.hpp"

namespace tessera::paper {

using namespace tessera::picture;

Chart newChart(const std::string& title, const std::string& x, const std::string& y);
// The curve of kernel k; ours is named, the paper's is dots without a name.
Curve& curveOf(Chart& chart, std::size_t kernel, const std::string& name, bool dots);
void writeChart(const Chart& chart, const std::filesystem::path& path);

}  // namespace tessera::paper
