// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/annotate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "pipelines/picture/chart.hpp"
#include "pipelines/picture/ticks.hpp"
#include "pipelines/picture/unicode.hpp"

namespace tessera::picture {

void drawArrow(const Point& from, const Point& to, const Colour& colour, double width,
               Drawing& drawing) {
  const double dx = to.x - from.x, dy = to.y - from.y;
  const double size = std::hypot(dx, dy);
  if (size < 1.0) return;
  const double head = std::min(4.2 * width, 0.6 * size);
  const double ux = dx / size, uy = dy / size;
  const Point base{to.x - head * ux, to.y - head * uy};
  drawing.line(from, base, colour, width);
  drawing.add(Area{{to,
                    {base.x - 0.5 * head * uy, base.y + 0.5 * head * ux},
                    {base.x + 0.5 * head * uy, base.y - 0.5 * head * ux}},
                   colour});
}

void drawTitle(const std::string& title, const std::string& subtitle, Drawing& drawing) {
  constexpr double left = 36.0, width = pageWidth - 2.0 * left;
  constexpr double titleSize = 22.0, subtitleSize = 13.5, leastSize = 11.0;
  drawing.add(Label{{left, 46.0},
                    cutToWidth(title, true, width / titleSize),
                    titleSize,
                    ink,
                    Anchor::Start,
                    true});
  const double size =
      std::clamp(width / std::max(textWidth(subtitle, false), 1.0), leastSize, subtitleSize);
  drawing.add(Label{{left, 70.0}, cutToWidth(subtitle, false, width / size), size, softInk});
}

void drawScaleBar(const Camera& camera, Drawing& drawing, const Point& from, double longest) {
  const double y = from.y;
  const double wanted = longest / camera.scale;
  const double power = std::pow(10.0, std::floor(std::log10(wanted)));
  double bar = power;
  for (double m : {2.0, 5.0})
    if (m * power <= wanted) bar = m * power;
  const DisplayUnit unit = displayUnit("m", bar);
  const double left = from.x, right = left + bar * camera.scale;
  drawing.line({left, y}, {right, y}, ink, 2.0);
  drawing.line({left, y - 4.0}, {left, y + 4.0}, ink, 1.5);
  drawing.line({right, y - 4.0}, {right, y + 4.0}, ink, 1.5);
  const auto digits = linearTicks(0.0, bar * unit.factor, 1).back().text;
  drawing.add(
      Label{{(left + right) / 2, y - 9.0}, digits + ' ' + unit.name, 13.0, ink, Anchor::Middle});
}

namespace {

double distanceToArrow(const Point& place, const Point& origin, const Point& tip) {
  const double x = tip.x - origin.x, y = tip.y - origin.y;
  const double square = x * x + y * y;
  const double along = (place.x - origin.x) * x + (place.y - origin.y) * y;
  const double part = square > 0.0 ? std::clamp(along / square, 0.0, 1.0) : 0.0;
  return std::hypot(place.x - origin.x - part * x, place.y - origin.y - part * y);
}

// Shifts a label off other labels and arrows, perpendicular to its own arrow.
Point clearOfOthers(const Point& place, const Point& origin, const std::vector<Point>& labels,
                    const std::vector<Point>& tips, double fromLabel) {
  constexpr double fromArrow = 7.0;
  const auto isFree = [&](const Point& at) {
    return std::all_of(
               labels.begin(), labels.end(),
               [&](const Point& l) { return std::hypot(at.x - l.x, at.y - l.y) >= fromLabel; }) &&
           std::all_of(tips.begin(), tips.end(), [&](const Point& tip) {
             return distanceToArrow(at, origin, tip) >= fromArrow;
           });
  };
  const double x = place.x - origin.x, y = place.y - origin.y, far = std::hypot(x, y);
  if (!(far > 0.0)) return place;
  for (const double aside : {0.0, 10.0, -10.0, 14.0, -14.0, 20.0, -20.0}) {
    const Point at{place.x - aside * y / far, place.y + aside * x / far};
    if (isFree(at)) return at;
  }
  return place;
}

}  // namespace

std::array<std::string, 3> axisNames(const std::string& space) {
  std::array<std::string, 3> names{"x", "y", "z"};
  if (space == "LPS" || space == "RAS")
    for (std::size_t a = 0; a < 3; ++a) names[a] += std::string(" ") + space[a];
  return names;
}

void drawAxesTriad(const Camera& camera, Drawing& drawing, const Point& origin, double arm,
                   const std::string& space) {
  struct Axis {
    std::string name;
    Double3 seen;  // right, up, toward
  };
  std::array<Axis, 3> axes{};
  const std::array<std::string, 3> names = axisNames(space);
  for (std::size_t a = 0; a < 3; ++a)
    axes[a] = {names[a], {camera.right[a], camera.up[a], camera.toward[a]}};
  std::stable_sort(axes.begin(), axes.end(),
                   [](const Axis& a, const Axis& b) { return a.seen[2] < b.seen[2]; });
  Point all{};  // sum of the arrows
  for (const Axis& axis : axes) all = {all.x + axis.seen[0], all.y - axis.seen[1]};
  std::vector<Point> labels, tips;
  for (const Axis& axis : axes)
    tips.push_back({origin.x + arm * axis.seen[0], origin.y - arm * axis.seen[1]});
  for (std::size_t a = 0; a < 3; ++a) {
    const Axis& axis = axes[a];
    const double seen = std::hypot(axis.seen[0], axis.seen[1]);
    const Point tip = tips[a];
    const Colour colour = axis.seen[2] < -0.5 ? softInk : ink;
    if (seen > 0.15) drawArrow(origin, tip, colour, 1.8, drawing);
    // Beyond the tip, or opposite the other arrows if this one is too short.
    const double others = std::hypot(all.x, all.y);
    const bool isShort = seen < 0.5 && others > 0.0;
    // Half of a label of two letters is wider than it is high.
    const double aside = axis.name.size() > 1 ? 6.0 : 0.0;
    const double along = axis.seen[0] / seen, across = axis.seen[1] / seen;
    const Point beyond = isShort ? Point{origin.x - (13.0 + aside) * all.x / others,
                                         origin.y - 13.0 * all.y / others}
                                 : Point{tip.x + (10.0 + aside) * along, tip.y - 10.0 * across};
    const Point place = clearOfOthers(beyond, origin, labels, tips, 13.0 + 1.5 * aside);
    labels.push_back(place);
    drawing.add(Label{{place.x, place.y + 4.0}, axis.name, 12.5, colour, Anchor::Middle});
  }
}

void drawPageColourBar(const ColourScale& scale, const std::string& caption, bool openBelow,
                       bool openAbove, Drawing& drawing) {
  ColourBar bar;
  bar.scale = scale;
  bar.caption = caption;
  bar.height = 400.0;
  bar.corner = {std::min(838.0, pageWidth - 8.0 - colourBarWidth(bar)), 150.0};
  bar.openBelow = openBelow;
  bar.openAbove = openAbove;
  drawColourBar(bar, drawing);
}

Image emptyPage() {
  return {static_cast<int>(pageWidth * pageScale), static_cast<int>(pageHeight * pageScale), white};
}

void drawOpeningMarks(std::span<const OpeningMark> openings, const Camera& camera,
                      Drawing& drawing) {
  constexpr double gap = 7.0, shaft = 30.0, text = 12.5, widestName = 14.0;  // em
  for (const OpeningMark& opening : openings) {
    const Projected centre = camera.project(opening.centre);
    const double nx = dot(opening.normal, camera.right), ny = -dot(opening.normal, camera.up);
    const double seen = std::hypot(nx, ny);
    if (seen < 0.2) continue;  // too short to show a direction
    // Outside the rim's ellipse, whose semi-axis along the arrow is radius * |normal . toward|.
    const double rim = camera.scale * opening.radius * std::abs(dot(opening.normal, camera.toward));
    const double ux = nx / seen, uy = ny / seen;
    const Point near{centre.x + (rim + gap) * ux, centre.y + (rim + gap) * uy};
    const Point far{near.x + shaft * ux, near.y + shaft * uy};
    if (opening.inwards)
      drawArrow(far, near, ink, 2.2, drawing);
    else
      drawArrow(near, far, ink, 2.2, drawing);
    Label label{{far.x + 10.0 * ux, far.y + 10.0 * uy + 0.35 * text},
                cutToWidth(opening.name, false, widestName),
                text,
                ink};
    label.anchor = ux > 0.35 ? Anchor::Start : (ux < -0.35 ? Anchor::End : Anchor::Middle);
    label.halo = 2.5;
    drawing.add(std::move(label));
  }
}

}  // namespace tessera::picture
