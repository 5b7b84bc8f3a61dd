// SPDX-License-Identifier: GPL-3.0-or-later
// Result of a validation case: figures with their reference and tolerance, and charts.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "pipelines/picture/chart.hpp"

namespace tessera::validation {

using namespace tessera::picture;

// The value passes when it is in [low, high]; NaN never does.
struct Entry {
  std::string quantity;
  double reference = 0.0;
  std::string source;     // of the reference
  std::string tolerance;  // as a person reads it
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  double ours = 0.0;
  bool bound = false;  // the reference is no value but a bound, which the tolerance says
  [[nodiscard]] bool passed() const { return ours >= low && ours <= high; }
  // How much of the tolerance is used: 1 at its end.
  [[nodiscard]] double used() const;
};

struct Findings {
  std::vector<Entry> entries;
  std::vector<Chart> charts;
  std::string setting;  // what was run, in a sentence or two
  double seconds = 0.0;

  // Our value within reference +- margin.
  void within(std::string quantity, double ours, double reference, double margin,
              std::string source);
  // Within a part of the reference: share = 0.01 is 1 %.
  void relative(std::string quantity, double ours, double reference, double share,
                std::string source);
  // In [low, high], which is the reference itself.
  void between(std::string quantity, double ours, double low, double high, std::string source);
  void atMost(std::string quantity, double ours, double limit, std::string source);
  void atLeast(std::string quantity, double ours, double limit, std::string source);
  [[nodiscard]] std::size_t failed() const;
};

// With as many significant digits, less zeros at the end.
std::string shortNumber(double value, int digits);

// log2 of errors on two grids, the second twice as fine.
double orderOf(double coarse, double fine);
// Slope of log(error) over log(nodes) by least squares: of errors that fall unevenly.
double fittedOrder(const std::vector<double>& nodes, const std::vector<double>& errors);

// A chart without curves yet.
Chart chartOf(std::string title, std::string xCaption, std::string yCaption,
              bool logarithmic = false);
// Errors over log2 of the nodes, so that an order is a slope; with a line of the given order.
Chart errorChart(std::string title, const std::vector<double>& nodes,
                 const std::vector<double>& errors, double order);
// Curves in paired colours; the number selects the pair.
Curve curve(std::string name, std::vector<double> x, std::vector<double> y, int number,
            bool dots = false);

}  // namespace tessera::validation
