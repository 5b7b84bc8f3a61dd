// SPDX-License-Identifier: GPL-3.0-or-later
// What the monitor says of a pulsatile run's last period: its state at the end of the run alone
// says little of it.
#pragma once

#include <optional>
#include <vector>

#include "postprocess/results/results.hpp"

namespace tessera::postprocess::fields {

// A quantity over exactly one period: at its start, at every row of the monitor in it and at its
// end.
struct PeriodCourse {
  std::vector<double> time;   // s, ascending; the last is a period after the first
  std::vector<double> value;  // as the column
};

// Of the first column that begins so, over the period that ends with the last row; the value at its
// start is interpolated between the rows around it. Empty when the run has no period, the monitor
// no such column, no row at or before the start, or fewer than four rows after it.
PeriodCourse lastPeriod(const results::Results& results, const std::string& column);

// Mean by trapezoids, and extremes, of a course that is not empty.
results::OverPeriod overPeriod(const PeriodCourse& course);

// Of lastPeriod; nothing where that is empty.
std::optional<results::OverPeriod> overPeriod(const results::Results& results,
                                              const std::string& column);

// The openings with their mean flow rates over the last period where those are known: which way
// fluid goes on the whole.
std::vector<results::OpeningSummary> openingsOverPeriod(const results::Results& results);

// |sum| / largest of the openings' mean flow rates over the last period.
std::optional<double> massResidualOverPeriod(const results::Results& results);

}  // namespace tessera::postprocess::fields
