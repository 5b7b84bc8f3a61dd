// SPDX-License-Identifier: GPL-3.0-or-later
// The monitor's columns by what they hold.
#pragma once

#include <string>
#include <vector>

#include "postprocess/results/results.hpp"

namespace tessera::postprocess::picture {

struct MonitorSeries {
  std::string name;           // of the opening, or of the quantity
  std::vector<double> value;  // SI, one a row
};

// Column c of every row.
std::vector<double> columnOf(const results::Monitor& monitor, std::size_t c);

// "flow_rate_", "pressure_": one series an opening, under its name.
std::vector<MonitorSeries> openingSeries(const results::Results& results,
                                         const std::string& prefix);

// The first column that begins so, under `name`; none where there is none.
std::vector<MonitorSeries> oneSeries(const results::Results& results, const std::string& beginning,
                                     const std::string& name);

}  // namespace tessera::postprocess::picture
