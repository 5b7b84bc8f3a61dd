// SPDX-License-Identifier: GPL-3.0-or-later
// Interactive view of a surface for an HTML page, offline: a decimated surface as base64 arrays and
// the script wall_view.js, which draws it by WebGL 1. The page includes wallViewStyle.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pipelines/picture/colour.hpp"
#include "pipelines/stage/vec3.hpp"

namespace tessera::picture {

// Values that the surface can be coloured by.
struct WallViewValues {
  std::string title;                          // entry of the menu
  std::string caption;                        // below the colour bar, with the unit
  std::string unit;                           // as displayed; empty for a plain number
  double factor = 1.0;                        // SI to displayed unit
  std::span<const double> vertex;             // SI, one per vertex
  ColourScale scale;                          // SI
  bool openBelow = false, openAbove = false;  // values beyond the scale exist
  // Values at several times, one list each, moved through by a slider; empty: `vertex` alone.
  std::span<const std::vector<float>> frames = {};
  std::vector<std::string> times = {};  // labels, as many
};

// Markup of the view with its data and script, at most one per page; empty without choices. The
// first choice is shown first and decides the direction of view. Little-endian arrays: positions
// 16 bits per coordinate within their box, corners 16 bits, values 32-bit floats as displayed, at
// several times 16 bits within their range.
std::string wallView(std::span<const Double3> vertex, std::span<const stage::Triangle> triangle,
                     std::span<const WallViewValues> choices);

// Needs the colours --card, --line, --ink, --page, --accent and --soft of the page.
constexpr std::string_view wallViewStyle = R"css(
.view { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 12px 16px; }
.view-bar { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; min-height: 34px; }
.view select, .view button { font: inherit; font-size: 0.9rem; color: var(--ink);
  background: var(--page); border: 1px solid var(--line); border-radius: 6px; padding: 3px 8px;
  max-width: 100%; }
.view output { margin-left: auto; font-variant-numeric: tabular-nums; font-weight: 600; }
.view canvas { display: block; width: 100%; height: min(62vh, 600px); margin: 10px 0;
  background: #fff; border-radius: 6px; touch-action: none; cursor: grab; }
.view canvas:focus-visible { outline: 2px solid var(--accent); }
.view-time { display: flex; gap: 12px; align-items: center; }
.view-time[hidden] { display: none; }
.view-time input { flex: 1; min-width: 80px; accent-color: var(--accent); }
.view-time span { font-variant-numeric: tabular-nums; min-width: 8em; text-align: right; }
.view-ramp { height: 14px; border-radius: 3px; }
.view-ticks { display: flex; justify-content: space-between; font-size: 0.85rem;
  font-variant-numeric: tabular-nums; padding-top: 2px; }
.view-caption { text-align: center; font-size: 0.9rem; }
.view-hint { color: var(--soft); font-size: 0.88rem; margin: 8px 0 0; }
)css";

}  // namespace tessera::picture
