// SPDX-License-Identifier: GPL-3.0-or-later
// Style sheet of the page of a geometry: follows the reader's light or dark scheme.
#pragma once

#include <string>

#include "pipelines/picture/wall_view.hpp"

namespace tessera::preprocess::preview {

inline std::string previewStyle() {
  return R"css(
:root { color-scheme: light dark; --page: #f6f7f9; --card: #ffffff; --ink: #1d232b;
  --soft: #5b6571; --line: #e3e7ec; --accent: #0b6e8a; --warn: #8a4b00; --warn-back: #fff6e5;
  --warn-line: #f0c36d; --bad: #b3123c; }
@media (prefers-color-scheme: dark) { :root { --page: #14181d; --card: #1c2229; --ink: #e8ecf1;
  --soft: #9aa6b4; --line: #303843; --accent: #5cc3de; --warn: #ffd08a; --warn-back: #33270f;
  --warn-line: #7a5a1c; --bad: #ff8fa8; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 Inter, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 32px 24px 64px; }
header p { margin: 4px 0 20px; color: var(--soft); }
h1 { margin: 0; font-size: 1.9rem; line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin: 36px 0 12px; font-size: 1.25rem; }
.note { border: 1px solid var(--warn-line); background: var(--warn-back); color: var(--warn);
  border-radius: 10px; padding: 12px 16px; margin: 0 0 20px; overflow-wrap: anywhere; }
.note ul { margin: 4px 0 0; padding-left: 20px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.93rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: 8px 12px; text-align: right; border-bottom: 1px solid var(--line); }
td { white-space: nowrap; }
th { font-weight: 500; overflow-wrap: anywhere; }
thead th { color: var(--soft); vertical-align: bottom; overflow-wrap: normal; }
tbody tr:last-child > * { border-bottom: 0; }
tbody th { text-align: left; min-width: 96px; }
.text { text-align: left; white-space: normal; }
small { color: var(--soft); font-weight: 400; }
tr[data-mark] { cursor: pointer; }
tr.chosen > * { background: color-mix(in srgb, var(--accent) 14%, transparent); }
.badge { display: inline-block; min-width: 26px; padding: 1px 7px; border-radius: 13px; color: #fff;
  text-align: center; font-size: 0.86rem; }
select, input, .button { font: inherit; font-size: 0.9rem; color: var(--ink);
  background: var(--page); border: 1px solid var(--line); border-radius: 6px; padding: 3px 8px; }
input:invalid, input.bad { border-color: var(--bad); outline: 1px solid var(--bad); }
.condition { min-width: 330px; } .condition label { margin-right: 10px; white-space: nowrap; }
.condition small { display: block; }
.buttons { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; }
.button { text-decoration: none; background: var(--accent); color: #fff; border: 0;
  padding: 8px 16px; font-weight: 600; }
@media (prefers-color-scheme: dark) { .button { color: #06222b; } }
.button.bad { opacity: 0.45; pointer-events: none; }
#case-state { color: var(--bad); font-size: 0.9rem; }
code, pre { font-family: ui-monospace, "JetBrains Mono", Menlo, Consolas, monospace;
  font-size: 0.85rem; }
pre { margin: 0; padding: 14px 16px; background: var(--card); border: 1px solid var(--line);
  border-radius: 10px; white-space: pre-wrap; overflow-wrap: anywhere; }
footer { margin-top: 48px; color: var(--soft); font-size: 0.88rem; }
@media (max-width: 760px) { main { padding: 20px 12px 40px; } th, td { padding: 6px; }
  table { font-size: 0.86rem; } .condition { min-width: 220px; }
  #openings, #openings tbody { display: block; } #openings thead { display: none; }
  #openings tr { display: flex; flex-wrap: wrap; align-items: center;
    border-bottom: 1px solid var(--line); }
  #openings th, #openings td { border: 0; } #openings td.condition { flex-basis: 100%; }
  #openings td[data-name]::before { content: attr(data-name) " "; color: var(--soft); } }
)css" + std::string(picture::wallViewStyle.substr(1));
}

}  // namespace tessera::preprocess::preview
