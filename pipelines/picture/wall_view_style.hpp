// SPDX-License-Identifier: GPL-3.0-or-later
// Style sheet of the interactive view of wall_view.hpp.
#pragma once

#include <string_view>

namespace tessera::picture {

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
.view-ramp { height: 14px; border-radius: 3px; }
.view-ticks { display: flex; justify-content: space-between; font-size: 0.85rem;
  font-variant-numeric: tabular-nums; padding-top: 2px; }
.view-caption { text-align: center; font-size: 0.9rem; }
.view-hint { color: var(--soft); font-size: 0.88rem; margin: 8px 0 0; }
)css";

}  // namespace tessera::picture
