// SPDX-License-Identifier: GPL-3.0-or-later
// Quantities over a pulsatile run's last period from the monitor; the final state alone does not
// show them.
#pragma once

#include <optional>
#include <vector>

#include "postprocess/results/results.hpp"

namespace tessera::postprocess::fields {

// A quantity over exactly one period: at its start, at every monitor row within, and at its end.
struct PeriodCourse {
  std::vector<double> time;   // s, ascending; the last is a period after the first
  std::vector<double> value;  // as the column
};

// Course of the first column that begins with `column` over the period ending at the last row; the
// start value is interpolated. Empty if the run has no period, the monitor no such column, no row
// at or before the start, or fewer than four rows after it.
PeriodCourse lastPeriod(const results::Results& results, const std::string& column);

// Mean (trapezoidal rule) and extremes of a non-empty course.
results::OverPeriod overPeriod(const PeriodCourse& course);

// The same of lastPeriod(); nullopt if that is empty.
std::optional<results::OverPeriod> overPeriod(const results::Results& results,
                                              const std::string& column);

// Openings with their mean flow rates over the last period where known, i.e. the net direction of
// flow.
std::vector<results::OpeningSummary> openingsOverPeriod(const results::Results& results);

// |sum| / largest of the openings' mean flow rates over the last period.
std::optional<double> massResidualOverPeriod(const results::Results& results);

}  // namespace tessera::postprocess::fields
