// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/picture/colour_bar.hpp"

#include <algorithm>

#include "pipelines/picture/stroke_font.hpp"
#include "pipelines/picture/ticks.hpp"

namespace tessera::picture {
namespace {

constexpr double numberSize = 13.0;
constexpr double captionSize = 13.5;

void drawEnd(const ColourBar& bar, double y, double towards, double position, Drawing& drawing) {
  const double tip = y + towards * 0.8 * bar.width;
  drawing.add(
      Area{{{bar.corner.x, y}, {bar.corner.x + bar.width / 2, tip}, {bar.corner.x + bar.width, y}},
           mapColour(bar.scale.map, position)});
}

}  // namespace

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
  double widest = 0.0;
  const int wanted = static_cast<int>(bar.height / 55.0);
  for (const Tick& tick : linearTicks(bar.scale.lowest, bar.scale.highest, wanted)) {
    const double y = top + bar.height * (1.0 - bar.scale.positionOf(tick.value));
    drawing.line({right, y}, {right + 4.0, y}, softInk);
    drawing.add(Label{{right + 8.0, y + 0.35 * numberSize}, tick.text, numberSize, ink});
    widest = std::max(widest, textWidth(tick.text, false) * numberSize);
  }
  Label caption{{right + widest + 28.0, top + bar.height / 2}, bar.caption, captionSize, ink};
  caption.anchor = Anchor::Middle;
  caption.upwards = true;
  drawing.add(std::move(caption));
}

}  // namespace tessera::picture
