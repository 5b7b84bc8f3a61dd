// SPDX-License-Identifier: GPL-3.0-or-later
// Style sheet of HTML reports: follows the reader's light or dark scheme, prints on A4.
#pragma once

#include <string>

#include "pipelines/picture/wall_view.hpp"

namespace tessera::postprocess::report {

inline std::string reportStyle() {
  std::string style = R"css(
:root { color-scheme: light dark; --page: #f6f7f9; --card: #ffffff; --ink: #1d232b;
  --soft: #5b6571; --line: #e3e7ec; --accent: #0b6e8a; --warn: #8a4b00; --warn-back: #fff6e5;
  --warn-line: #f0c36d; --good: #17693b; --good-back: #eaf7ef; --good-line: #9ed3b3; --edge: #1d232b55; }
@media (prefers-color-scheme: dark) { :root { --page: #14181d; --card: #1c2229; --ink: #e8ecf1;
  --soft: #9aa6b4; --line: #303843; --accent: #5cc3de; --warn: #ffd08a; --warn-back: #33270f;
  --warn-line: #7a5a1c; --good: #8fdcaf; --good-back: #14291d; --good-line: #2f6a47; --edge: #e8ecf155; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); line-height: 1.5;
  font: 16px/1.5 Inter, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 40px 24px 64px; }
header p { margin: 4px 0 0; color: var(--soft); }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; letter-spacing: -0.015em;
  overflow-wrap: anywhere; }
h2 { margin: 44px 0 14px; font-size: 1.25rem; letter-spacing: -0.01em; }
h3 { margin: 0 0 8px; font-size: 1rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(165px, 1fr)); gap: 12px;
  margin: 28px 0 0; padding: 0; }
.figures div { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 14px 16px; }
.figures dt { color: var(--soft); font-size: 0.85rem; }
.figures dd { margin: 2px 0 0; font-size: 1.3rem; font-weight: 600; letter-spacing: -0.01em;
  font-variant-numeric: tabular-nums; }
.note { border: 1px solid var(--good-line); background: var(--good-back); color: var(--good);
  border-radius: 10px; padding: 12px 16px; margin: 20px 0 0; }
.note.warn { border-color: var(--warn-line); background: var(--warn-back); color: var(--warn); }
.note ul { margin: 4px 0 0; padding-left: 20px; }
/* A shadow at the edge behind which a table goes on; the first two layers move with it. */
.card { border: 1px solid var(--line); border-radius: 10px; overflow-x: auto; margin-bottom: 16px;
  background: linear-gradient(90deg, var(--card) 16px, transparent) left/40px 100% no-repeat local,
    linear-gradient(270deg, var(--card) 16px, transparent) right/40px 100% no-repeat local,
    linear-gradient(90deg, var(--edge), transparent) left/16px 100% no-repeat scroll,
    linear-gradient(270deg, var(--edge), transparent) right/16px 100% no-repeat scroll, var(--card); }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: 9px 8px; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
th:first-child, td:first-child { text-align: left; white-space: normal; }
.pair td { white-space: normal; }
thead th { color: var(--soft); font-weight: 500; vertical-align: bottom; }
tbody th { font-weight: 500; }
tbody tr:last-child > * { border-bottom: 0; }
td.text { text-align: left; white-space: normal; overflow-wrap: anywhere; }
td small, th small, dd small { color: var(--soft); font-weight: 400; font-size: 0.85em; }
dd small { white-space: nowrap; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(400px, 1fr)); gap: 16px;
  align-items: start; }
figure { margin: 0 0 16px; }
figure input { display: none; }
@media screen and (max-width: 560px) { figure { overflow-x: auto; }
  figure input { display: block; position: absolute; opacity: 0; }
  figure input:checked + img { width: 1000px; }
  figure input:focus-visible + img { outline: 3px solid var(--accent); }
  figcaption::after { content: " Tap the picture to enlarge it."; }
  figure:has(:checked) figcaption::after { content: " Scroll sideways; tap to reduce it."; } }
figure img { display: block; width: 100%; height: auto; background: #fff; border-radius: 10px;
  border: 1px solid var(--line); }
figcaption { color: var(--soft); font-size: 0.88rem; padding: 8px 4px 0; }
ol.chain { list-style: none; margin: 0; padding: 0; }
ol.chain > li { background: var(--card); border: 1px solid var(--line);
  border-left: 4px solid var(--accent); border-radius: 10px; padding: 12px 16px; margin: 0 0 10px; }
ol.chain p { margin: 2px 0; font-size: 0.9rem; overflow-wrap: anywhere; }
code, pre { font-family: ui-monospace, "JetBrains Mono", Menlo, Consolas, monospace;
  font-size: 0.85rem; }
pre { margin: 0; padding: 14px 16px; white-space: pre-wrap; overflow-wrap: anywhere; }
h3 { margin-top: 22px; } .pair h3 { margin-top: 0; } .pair .note { margin-top: 0; }
details { margin: 0 0 16px; } summary { cursor: pointer; color: var(--accent); padding: 4px; }
)css";
  style += tessera::picture::wallViewStyle.substr(1);  // without its first line feed
  return style + R"css(footer { margin-top: 48px; color: var(--soft); font-size: 0.88rem; }
@media (max-width: 960px), print { table { font-size: 0.84rem; } th, td { padding: 7px 6px; }
  th:first-child, td:first-child { padding-left: 12px; }
  th:last-child, td:last-child { padding-right: 12px; } thead th { white-space: normal; } }
@media (max-width: 620px) { .pair { grid-template-columns: 1fr; }
  main { padding: 24px 14px 40px; } }
@media print { :root { --page: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #ccc;
    --accent: #0b6e8a; --warn: #8a4b00; --warn-back: #fff; --good: #17693b; --good-back: #fff;
    --edge: transparent; }
  body { font-size: 10.5pt; } main { max-width: none; padding: 0; }
  h2, h3 { break-after: avoid; } .screen, details:not([open]) { display: none; } .card { overflow: visible; }
  figure img { width: auto; max-width: 100%; max-height: 106mm; }
  table { font-size: 8.5pt; } .pair { grid-template-columns: 1fr 1fr; } figure, tr, .figures div, ol.chain > li { break-inside: avoid; }
  @page { size: A4; margin: 16mm; } }
)css";
}

}  // namespace tessera::postprocess::report
