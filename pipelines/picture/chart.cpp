// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/chart.hpp"

#include <algorithm>
#include <cmath>

#include "pipelines/picture/ticks.hpp"
#include "pipelines/picture/unicode.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::picture {
namespace {

constexpr double numberSize = 12.0;
constexpr double captionSize = 12.5;
constexpr double titleSize = 15.0;
constexpr double leastMarginLeft = 74.0, marginRight = 18.0, marginTop = 34.0, marginBottom = 46.0;

struct Range {
  double lowest = 1e300, highest = -1e300;
  void include(double value) {
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
  [[nodiscard]] bool empty() const { return lowest > highest; }
};

// Plot rectangle and its mapping of values.
struct Plot {
  double left, top, width, height;
  Range x, y;
  bool logarithmic;
  [[nodiscard]] double atX(double value) const {
    return left + width * (value - x.lowest) / (x.highest - x.lowest);
  }
  [[nodiscard]] double atY(double value) const {
    const double part = logarithmic ? std::log(value / y.lowest) / std::log(y.highest / y.lowest)
                                    : (value - y.lowest) / (y.highest - y.lowest);
    return top + height * (1.0 - part);
  }
};

bool drawable(const Chart& chart, double y) {
  return std::isfinite(y) && (!chart.logarithmic || y > 0.0);
}

Range rangeOfX(const Chart& chart) {
  Range range;
  for (const Curve& curve : chart.curves)
    for (double x : curve.x) range.include(x);
  if (range.empty()) range = {0.0, 1.0};
  if (range.lowest > 0.0 && range.lowest < 0.25 * range.highest) range.lowest = 0.0;
  if (range.lowest == range.highest) range.highest += 1.0;
  return range;
}

// Whole decades, or a margin of 6 % around the curves.
Range rangeOfY(const Chart& chart) {
  Range range;
  for (const Curve& curve : chart.curves)
    for (double y : curve.y)
      if (drawable(chart, y)) range.include(y);
  for (const Level& level : chart.levels)
    if (drawable(chart, level.y)) range.include(level.y);
  if (chart.logarithmic) {
    if (range.empty()) return {0.1, 1.0};
    range = {std::pow(10.0, std::floor(std::log10(range.lowest))),
             std::pow(10.0, std::ceil(std::log10(range.highest)))};
    if (range.lowest == range.highest) range.highest *= 10.0;
    return range;
  }
  if (range.empty()) return {0.0, 1.0};
  const double size = std::max(std::abs(range.lowest), std::abs(range.highest));
  const double margin =
      std::max({0.06 * (range.highest - range.lowest), 1e-6 * size, size == 0.0 ? 1.0 : 0.0});
  return {range.lowest - margin, range.highest + margin};
}

std::vector<Tick> ticksOfY(bool logarithmic, const Range& y, double height) {
  return logarithmic ? decadeTicks(y.lowest, y.highest, 7)
                     : linearTicks(y.lowest, y.highest, std::max(2, static_cast<int>(height / 36)));
}

// Margin for the caption and the widest number.
double marginLeftOf(const std::vector<Tick>& ticks) {
  double widest = 0.0;
  for (const Tick& tick : ticks)
    widest = std::max(widest, textWidth(tick.text, false) * numberSize);
  return std::max(leastMarginLeft, widest + 34.0);
}

void drawAxes(const Chart& chart, const Plot& plot, double marginLeft, Drawing& drawing) {
  const double right = plot.left + plot.width, bottom = plot.top + plot.height;
  for (const Tick& tick : ticksOfY(plot.logarithmic, plot.y, plot.height)) {
    const double y = plot.atY(tick.value);
    drawing.line({plot.left, y}, {right, y}, gridInk);
    drawing.add(Label{
        {plot.left - 8.0, y + 0.35 * numberSize}, tick.text, numberSize, softInk, Anchor::End});
  }
  for (const Tick& tick : linearTicks(plot.x.lowest, plot.x.highest, 6)) {
    const double x = plot.atX(tick.value);
    drawing.line({x, bottom}, {x, bottom + 4.0}, softInk);
    drawing.add(Label{
        {x, bottom + 5.0 + 1.1 * numberSize}, tick.text, numberSize, softInk, Anchor::Middle});
  }
  drawing.line({plot.left, bottom}, {right, bottom}, softInk);
  drawing.add(Label{{plot.left + plot.width / 2, bottom + marginBottom - 8.0},
                    chart.xCaption,
                    captionSize,
                    ink,
                    Anchor::Middle});
  Label caption{{plot.left - marginLeft + 14.0, plot.top + plot.height / 2},
                chart.yCaption,
                captionSize,
                ink,
                Anchor::Middle};
  caption.upwards = true;
  drawing.add(std::move(caption));
}

constexpr double dotSize = 4.0;

void drawDots(const Chart& chart, const Curve& curve, const Plot& plot, Drawing& drawing) {
  for (std::size_t i = 0; i < curve.x.size(); ++i)
    if (drawable(chart, curve.y[i]))
      drawing.rectangle({plot.atX(curve.x[i]) - dotSize / 2, plot.atY(curve.y[i]) - dotSize / 2},
                        dotSize, dotSize, curve.colour);
}

void drawCurve(const Chart& chart, const Curve& curve, const Plot& plot, Drawing& drawing) {
  if (curve.dots) return drawDots(chart, curve, plot, drawing);
  Stroke stroke{{}, curve.colour, 1.8};
  const auto flush = [&] {
    if (stroke.points.size() > 1) drawing.add(stroke);
    stroke.points.clear();
  };
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (drawable(chart, curve.y[i]))
      stroke.points.push_back({plot.atX(curve.x[i]), plot.atY(curve.y[i])});
    else
      flush();
  }
  flush();
}

void drawLevel(const Level& level, const Plot& plot, Drawing& drawing) {
  const double y = plot.atY(level.y), right = plot.left + plot.width;
  for (double x = plot.left; x < right; x += 9.0)
    drawing.line({x, y}, {std::min(x + 5.0, right), y}, softInk, 1.2);
  Label label{{plot.left + 6.0, y - 5.0}, level.name, 11.5, softInk};
  label.halo = 2.0;
  drawing.add(std::move(label));
}

// One line above the plot, right-aligned, scaled down to fit.
void drawLegend(const Chart& chart, const Plot& plot, double marginLeft, Drawing& drawing) {
  double wide = 0.0;
  for (const Curve& curve : chart.curves)
    if (!curve.name.empty()) wide += textWidth(curve.name, false) * numberSize + 39.0;
  const double scale = std::min(1.0, (plot.width + marginLeft - 8.0) / std::max(wide, 1.0));
  const double mark = 18.0 * scale, gap = 16.0 * scale, size = numberSize * scale;
  double x = plot.left + plot.width;
  for (std::size_t i = chart.curves.size(); i-- > 0;) {
    const Curve& curve = chart.curves[i];
    if (curve.name.empty()) continue;
    x -= textWidth(curve.name, false) * size;
    drawing.add(Label{{x, plot.top - 13.0}, curve.name, size, ink});
    x -= mark + 5.0 * scale;
    if (curve.dots)
      drawing.rectangle({x + (mark - dotSize) / 2, plot.top - 17.0 - dotSize / 2}, dotSize, dotSize,
                        curve.colour);
    else
      drawing.add(Stroke{{{x, plot.top - 17.0}, {x + mark, plot.top - 17.0}}, curve.colour, 2.6});
    x -= gap;
  }
}

}  // namespace

void drawChart(const Chart& chart, const Point& corner, double width, double height,
               Drawing& drawing) {
  const Range y = rangeOfY(chart);
  const double plotHeight = height - marginTop - marginBottom;
  const double marginLeft = marginLeftOf(ticksOfY(chart.logarithmic, y, plotHeight));
  const Plot plot{corner.x + marginLeft,
                  corner.y + marginTop,
                  width - marginLeft - marginRight,
                  plotHeight,
                  rangeOfX(chart),
                  y,
                  chart.logarithmic};
  drawing.add(
      Label{{plot.left, plot.top - 12.0}, chart.title, titleSize, ink, Anchor::Start, true});
  drawAxes(chart, plot, marginLeft, drawing);
  for (const Level& level : chart.levels)
    if (drawable(chart, level.y)) drawLevel(level, plot, drawing);
  for (const Curve& curve : chart.curves) drawCurve(chart, curve, plot, drawing);
  drawLegend(chart, plot, marginLeft, drawing);
}

namespace {

constexpr double barNumberSize = 13.0;
constexpr double barCaptionSize = 13.5;

void drawEnd(const ColourBar& bar, double y, double towards, double position, Drawing& drawing) {
  const double tip = y + towards * 0.8 * bar.width;
  drawing.add(
      Area{{{bar.corner.x, y}, {bar.corner.x + bar.width / 2, tip}, {bar.corner.x + bar.width, y}},
           mapColour(bar.scale.map, position)});
}

// A small number without a power of ten, to a thousandth of a large one next to it.
std::string fixedNextTo(double value, double largest) {
  const int decimals = std::clamp(3 - static_cast<int>(std::floor(std::log10(largest))), 0, 6);
  const std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
  const bool isZero = text.find_first_not_of("0.") == std::string::npos;
  return isZero ? "0" : (value < 0.0 ? "\u2212" : "") + text;
}

// Round numbers, and those of both ends, which replace round ones that they would touch.
std::vector<Tick> ticksOfBar(const ColourBar& bar) {
  const ColourScale& scale = bar.scale;
  const double range = scale.highest - scale.lowest;
  const double largest = std::max(std::abs(scale.lowest), std::abs(scale.highest));
  const auto round = linearTicks(scale.lowest, scale.highest, static_cast<int>(bar.height / 55.0));
  if (!(range > 0.0)) return round;
  const auto endAt = [&](double value) {
    for (const Tick& tick : round)
      if (std::abs(tick.value - value) < 1e-9 * range) return tick;
    if (value >= 1e4 && value < 1e5)  // grouped as round numbers are
      return Tick{value, formatCount(static_cast<unsigned long long>(value + 0.5))};
    if (std::abs(value) < 1e-3 && largest >= 1e-3 && largest < 1e5)
      return Tick{value, fixedNextTo(value, largest)};
    return Tick{value, formatNumber(value, 3)};
  };
  const double apart = 1.4 * barNumberSize / bar.height;
  std::vector<Tick> ticks{endAt(scale.lowest)};
  for (const Tick& tick : round)
    if (const double at = scale.positionOf(tick.value); at >= apart && at <= 1.0 - apart)
      ticks.push_back(tick);
  ticks.push_back(endAt(scale.highest));
  return ticks;
}

constexpr double fromBarToNumber = 8.0, fromNumberToCaption = 20.0;

double widestNumber(const std::vector<Tick>& ticks) {
  double widest = 0.0;
  for (const Tick& tick : ticks)
    widest = std::max(widest, textWidth(tick.text, false) * barNumberSize);
  return widest;
}

}  // namespace

double colourBarWidth(const ColourBar& bar) {
  return bar.width + fromBarToNumber + widestNumber(ticksOfBar(bar)) + fromNumberToCaption +
         0.3 * barCaptionSize;
}

void drawColourBar(const ColourBar& bar, Drawing& drawing) {
  constexpr int steps = 256;
  const double top = bar.corner.y, right = bar.corner.x + bar.width;
  for (int i = 0; i < steps; ++i) {
    const double y = top + bar.height * (steps - 1 - i) / steps;
    drawing.rectangle({bar.corner.x, y}, bar.width, bar.height / steps + (i > 0 ? 0.5 : 0.0),
                      mapColour(bar.scale.map, i / (steps - 1.0)));
  }
  if (bar.openAbove) drawEnd(bar, top, -1.0, 1.0, drawing);
  if (bar.openBelow) drawEnd(bar, top + bar.height, 1.0, 0.0, drawing);
  const std::vector<Tick> ticks = ticksOfBar(bar);
  for (const Tick& tick : ticks) {
    const double y = top + bar.height * (1.0 - bar.scale.positionOf(tick.value));
    drawing.line({right, y}, {right + 4.0, y}, softInk);
    drawing.add(
        Label{{right + fromBarToNumber, y + 0.35 * barNumberSize}, tick.text, barNumberSize, ink});
  }
  Label caption{
      {right + fromBarToNumber + widestNumber(ticks) + fromNumberToCaption, top + bar.height / 2},
      bar.caption,
      barCaptionSize,
      ink};
  caption.anchor = Anchor::Middle;
  caption.upwards = true;
  drawing.add(std::move(caption));
}

}  // namespace tessera::picture
