// SPDX-License-Identifier: GPL-3.0-or-later
// Interactive view of a surface for an HTML page, offline: a decimated surface as base64 arrays and
// the scripts wall_view*.js, which draw it by WebGL 1. The page includes wallViewStyle.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pipelines/picture/colour.hpp"
#include "pipelines/picture/view_parts.hpp"
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

// Markup of the view with its data and scripts, at most one per page; empty without choices, labels
// and lattice. Labels are the first choice. Its first view is from the side of the parts.
// Little-endian arrays: positions 16 bits per coordinate within their box, corners 16 or 32 bits,
// values 32-bit floats as displayed, at
// several times 16 bits within their range. On the element "wall-view" an event "view-mark" with
// the index of a mark says that it was chosen there, and an event "view-select" shows one.
std::string wallView(std::span<const Double3> vertex, std::span<const stage::Triangle> triangle,
                     std::span<const WallViewValues> choices, const ViewParts& parts = {});

// Needs the colours --card, --line, --ink, --page, --accent and --soft of the page.
constexpr std::string_view wallViewStyle = R"css(
.view { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 12px 16px; }
.view-bar { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; min-height: 34px; }
.view select, .view button { font: inherit; font-size: 0.9rem; color: var(--ink);
  background: var(--page); border: 1px solid var(--line); border-radius: 6px; padding: 3px 8px;
  max-width: 100%; }
.view output { margin-left: auto; font-variant-numeric: tabular-nums; font-weight: 600; }
.view [hidden] { display: none; }
.view label { white-space: nowrap; }
.view-bar > label { display: flex; align-items: center; gap: 6px; max-width: 100%; }
.view-bar select { min-width: 0; }
.view input[type=range] { width: 110px; vertical-align: middle; accent-color: var(--accent); }
.view-stage { position: relative; margin: 10px 0; overflow: hidden; border-radius: 6px; }
.view canvas { display: block; width: 100%; height: min(62vh, 600px);
  background: #fff; border-radius: 6px; touch-action: none; cursor: grab; }
.view canvas:focus-visible { outline: 2px solid var(--accent); }
.view-marks { position: absolute; inset: 0; width: 100%; height: 100%; pointer-events: none; }
.view-marks .behind { opacity: 0.5; }
.view-stage button { position: absolute; left: 0; top: 0; padding: 1px 2px; border: 0;
  background: rgba(255, 255, 255, 0.86); color: #1d232b; border-radius: 13px; font-size: 0.82rem;
  line-height: 1.5; white-space: nowrap; cursor: pointer; max-width: 240px; overflow: hidden;
  text-overflow: ellipsis; }
.view-stage button b { display: inline-block; min-width: 22px; padding: 0 5px; border-radius: 11px;
  color: #fff; text-align: center; font-size: 0.86rem; }
.view-stage button span { padding: 0 8px 0 6px; }
@media (max-width: 560px) { .view-stage button:not(.chosen) span { display: none; } }
.view-stage button.behind { opacity: 0.75; }
.view-stage button.chosen { outline: 3px solid #0b6e8a; z-index: 1; }
.view-keys { display: flex; flex-wrap: wrap; gap: 4px 16px; font-size: 0.88rem; }
.view-keys i { display: inline-block; width: 12px; height: 12px; border-radius: 3px;
  margin-right: 6px; vertical-align: -1px; border: 1px solid rgba(0, 0, 0, 0.25); }
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
