// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/validation/findings.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/picture/colour.hpp"
#include "pipelines/picture/ticks.hpp"

namespace tessera::validation {

using namespace tessera::picture;

double Entry::used() const {
  if (std::isinf(low)) return ours / high;
  if (std::isinf(high)) return low / ours;
  return std::abs(ours - 0.5 * (low + high)) / (0.5 * (high - low));
}

void Findings::within(std::string quantity, double ours, double reference, double margin,
                      std::string source) {
  entries.push_back({std::move(quantity), reference, std::move(source),
                     "\u00b1 " + shortNumber(margin, 3), reference - margin, reference + margin,
                     ours});
}

void Findings::relative(std::string quantity, double ours, double reference, double share,
                        std::string source) {
  within(std::move(quantity), ours, reference, share * std::abs(reference), std::move(source));
  entries.back().tolerance = shortNumber(100.0 * share, 3) + " %";
}

void Findings::between(std::string quantity, double ours, double low, double high,
                       std::string source) {
  entries.push_back({std::move(quantity), 0.5 * (low + high), std::move(source),
                     shortNumber(low, 6) + " to " + shortNumber(high, 6), low, high, ours, true});
}

void Findings::atMost(std::string quantity, double ours, double limit, std::string source) {
  Entry entry{std::move(quantity), 0.0, std::move(source), "at most " + shortNumber(limit, 3)};
  entry.bound = true;
  entry.high = limit;
  entry.ours = ours;
  entries.push_back(std::move(entry));
}

void Findings::atLeast(std::string quantity, double ours, double limit, std::string source) {
  Entry entry{std::move(quantity), limit, std::move(source), "at least " + shortNumber(limit, 3)};
  entry.bound = true;
  entry.low = limit;
  entry.ours = ours;
  entries.push_back(std::move(entry));
}

std::size_t Findings::failed() const {
  return static_cast<std::size_t>(
      std::count_if(entries.begin(), entries.end(), [](const Entry& e) { return !e.passed(); }));
}

std::string shortNumber(double value, int digits) {
  std::string text = formatNumber(value, digits);
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return text;
  const std::size_t end = std::min(text.find(' '), text.size());
  std::size_t last = end;
  while (text[last - 1] == '0') --last;
  if (text[last - 1] == '.') --last;
  return text.erase(last, end - last);
}

double orderOf(double coarse, double fine) {
  return std::log2(coarse / fine);
}

double fittedOrder(const std::vector<double>& nodes, const std::vector<double>& errors) {
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  const auto n = static_cast<double>(nodes.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const double x = std::log(nodes[k]);
    const double y = std::log(errors[k]);
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return -(n * sxy - sx * sy) / (n * sxx - sx * sx);
}

Chart chartOf(std::string title, std::string xCaption, std::string yCaption, bool logarithmic) {
  return {std::move(title), std::move(xCaption), std::move(yCaption), logarithmic, {}, {}};
}

Chart errorChart(std::string title, const std::vector<double>& nodes,
                 const std::vector<double>& errors, double order) {
  Chart chart =
      chartOf(std::move(title), "nodes across, as a power of two", "relative error", true);
  std::vector<double> x, line;
  for (const double n : nodes) {
    x.push_back(std::log2(n));
    line.push_back(errors[0] * std::pow(nodes[0] / n, order));
  }
  chart.curves = {curve("ours", x, errors, 0, true),
                  curve("order " + shortNumber(order, 2), x, line, 1)};
  return chart;
}

Curve curve(std::string name, std::vector<double> x, std::vector<double> y, int number, bool dots) {
  return {std::move(name), std::move(x), std::move(y),
          curveColour(static_cast<std::size_t>(number)), dots};
}

}  // namespace tessera::validation
