// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/validation/report.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "pipelines/picture/markup.hpp"
#include "pipelines/picture/ticks.hpp"
#include "postprocess/report/report_style.hpp"

namespace tessera::validation {

using namespace tessera::picture;
using namespace tessera::postprocess::report;

namespace {

std::string exact(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

std::string quoted(const std::string& field) {
  std::string out = "\"";
  for (const char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

// Reference value; a bound is in the tolerance.
std::string referenceText(const Entry& entry) {
  return entry.bound ? "\u2013" : shortNumber(entry.reference, 6);
}

// Code points, the width of a column.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

using Row = std::vector<std::string>;

std::string valueText(const Entry& entry) {
  return shortNumber(entry.ours, entry.bound ? 3 : 6);
}

Row rowOf(const Entry& entry) {
  return {entry.quantity, referenceText(entry), valueText(entry), entry.tolerance,
          entry.passed() ? "within" : "OUTSIDE"};
}

std::string aligned(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows[0].size());
  for (const Row& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c]));
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < rows[r].size(); ++c)
      out += (c == 0 ? "| " : " | ") + rows[r][c] + std::string(widths[c] - width(rows[r][c]), ' ');
    out += " |\n";
    if (r != 0) continue;
    for (const std::size_t w : widths) out += "|" + std::string(w + 2, '-');
    out += "|\n";
  }
  return out;
}

std::string chartSvg(const Chart& chart) {
  constexpr double wide = 520.0, high = 340.0;
  Drawing drawing{wide, high, {}};
  drawing.rectangle({0.0, 0.0}, wide, high, white);
  // The title is below, as text.
  Chart untitled = chart;
  untitled.title.clear();
  drawChart(untitled, {10.0, 10.0}, wide - 20.0, high - 20.0, drawing);
  return toSvg(drawing, chart.title);
}

std::string entryRows(const Findings& findings) {
  std::string out;
  for (const Entry& entry : findings.entries) {
    const char* verdict =
        entry.passed() ? "<td class=\"within\">within</td>" : "<td class=\"outside\">outside</td>";
    out += "<tr><th scope=\"row\">" + escapeMarkup(entry.quantity) + "</th><td>" +
           referenceText(entry) + "</td><td>" + valueText(entry) + "</td><td>" +
           escapeMarkup(entry.tolerance) + "</td>" + verdict + "<td class=\"text\">" +
           escapeMarkup(entry.source) + "</td></tr>\n";
  }
  return out;
}

std::string section(const CaseResult& result) {
  const Findings& findings = result.findings;
  std::string out = "<section id=\"" + std::string(result.of->name) + "\">\n<h2>" +
                    escapeMarkup(result.of->title) + "</h2>\n<p>" + escapeMarkup(result.of->claim) +
                    ". " + escapeMarkup(findings.setting) + " <small>" +
                    formatNumber(findings.seconds, 3) + " s</small></p>\n";
  if (!findings.entries.empty())
    out +=
        "<div class=\"card\"><table><thead><tr><th scope=\"col\">Quantity</th>"
        "<th scope=\"col\">Reference</th><th scope=\"col\">Ours</th>"
        "<th scope=\"col\">Tolerance</th><th scope=\"col\">Verdict</th>"
        "<th scope=\"col\" class=\"text\">Source of the reference</th></tr></thead><tbody>" +
        entryRows(findings) + "</tbody></table></div>\n";
  if (!findings.charts.empty()) {
    out += "<div class=\"charts\">\n";
    for (const Chart& chart : findings.charts)
      out += "<figure>" + chartSvg(chart) + "<figcaption>" + escapeMarkup(chart.title) +
             "</figcaption></figure>\n";
    out += "</div>\n";
  }
  return out + "</section>\n";
}

std::string contents(const std::vector<CaseResult>& results) {
  std::string out =
      "<div class=\"card\"><table><thead><tr><th scope=\"col\">Case</th>"
      "<th scope=\"col\">Entries</th><th scope=\"col\">Outside</th>"
      "<th scope=\"col\">Time</th></tr></thead><tbody>";
  for (const CaseResult& result : results) {
    const std::size_t failed = result.findings.failed();
    out += "<tr><th scope=\"row\"><a href=\"#" + std::string(result.of->name) + "\">" +
           escapeMarkup(result.of->title) + "</a></th><td>" +
           std::to_string(result.findings.entries.size()) + "</td><td class=\"" +
           (failed == 0 ? "within" : "outside") + "\">" + std::to_string(failed) + "</td><td>" +
           formatNumber(result.findings.seconds, 3) + " s</td></tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

constexpr const char* ownStyle =
    ".within { color: var(--good); } .outside { color: var(--warn); font-weight: 700; }\n"
    ".charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(420px, 1fr)); gap: "
    "16px; margin: 16px 0 0; }\n.charts svg { width: 100%; height: auto; border: 1px solid "
    "var(--line); border-radius: 10px; background: #fff; }\na { color: var(--accent); }\n"
    "th.text { text-align: left; }\n";

}  // namespace

std::string entryTable(const std::vector<CaseResult>& results) {
  std::vector<Row> rows{{"case", "quantity", "reference", "ours", "tolerance", "verdict"}};
  for (const CaseResult& result : results)
    for (const Entry& entry : result.findings.entries) {
      Row row = rowOf(entry);
      row.insert(row.begin(), result.of->title);
      rows.push_back(std::move(row));
    }
  return aligned(rows);
}

std::string summaryTable(const std::vector<CaseResult>& results) {
  std::vector<Row> rows{
      {"case", "entries", "closest to its tolerance", "reference", "ours", "tolerance", "all"}};
  for (const CaseResult& result : results) {
    const std::vector<Entry>& entries = result.findings.entries;
    if (entries.empty()) continue;
    const Entry& closest =
        *std::max_element(entries.begin(), entries.end(),
                          [](const Entry& a, const Entry& b) { return a.used() < b.used(); });
    Row row = rowOf(closest);
    row.insert(row.begin(), {result.of->title, std::to_string(entries.size())});
    row.back() = result.findings.failed() == 0
                     ? "within"
                     : std::to_string(result.findings.failed()) + " OUTSIDE";
    rows.push_back(std::move(row));
  }
  return aligned(rows);
}

std::string csvTable(const std::vector<CaseResult>& results) {
  std::string out = "case,quantity,reference,low,high,tolerance,value,passed,source\n";
  for (const CaseResult& result : results)
    for (const Entry& e : result.findings.entries)
      out += std::string(result.of->name) + ',' + quoted(e.quantity) + ',' + exact(e.reference) +
             ',' + exact(e.low) + ',' + exact(e.high) + ',' + quoted(e.tolerance) + ',' +
             exact(e.ours) + ',' + (e.passed() ? "true" : "false") + ',' + quoted(e.source) + '\n';
  return out;
}

std::string reportHtml(const std::vector<CaseResult>& results, const std::string& about) {
  std::size_t entries = 0, failed = 0;
  for (const CaseResult& result : results) {
    entries += result.findings.entries.size();
    failed += result.findings.failed();
  }
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en-GB\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Validation \u00b7 Tessera</title>\n<style>" +
      reportStyle() + ownStyle +
      "</style>\n</head>\n<body>\n<main>\n<header><h1>Validation</h1>\n<p>" + escapeMarkup(about) +
      "</p></header>\n";
  out += failed == 0 ? "<p class=\"note\" role=\"status\">All " + std::to_string(entries) +
                           " entries lie within their tolerance.</p>\n"
                     : "<p class=\"note warn\" role=\"alert\">" + std::to_string(failed) + " of " +
                           std::to_string(entries) + " entries lie outside their tolerance.</p>\n";
  out += "<section><h2>Cases</h2>\n" + contents(results) + "</section>\n";
  for (const CaseResult& result : results) out += section(result);
  return out +
         "<footer>Everything is in this file: nothing is fetched.</footer>\n</main>\n"
         "</body>\n</html>\n";
}

}  // namespace tessera::validation
