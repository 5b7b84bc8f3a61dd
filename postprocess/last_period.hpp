// SPDX-License-Identifier: GPL-3.0-or-later
// What the monitor says of a pulsatile run's last period: its state at the end of the run alone
// says little of it.
#pragma once

#include <optional>
#include <vector>

#include "postprocess/results.hpp"

namespace tessera {

// The rows of the last period, of the first column that begins so, evenly spaced. None when the run
// has no period, the monitor no such column, or fewer than four rows a period.
std::vector<double> lastPeriod(const Results& results, const std::string& column);

// Of those rows; nothing where there are none.
std::optional<OverPeriod> overPeriod(const Results& results, const std::string& column);

// The openings with their mean flow rates over the last period where those are known: which way
// fluid goes on the whole.
std::vector<OpeningSummary> openingsOverPeriod(const Results& results);

// |sum| / largest of the openings' mean flow rates over the last period.
std::optional<double> massResidualOverPeriod(const Results& results);

}  // namespace tessera
