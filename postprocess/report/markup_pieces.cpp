// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/report/markup_pieces.hpp"

#include <fstream>
#include <iterator>

#include "pipelines/picture/markup.hpp"
#include "pipelines/picture/ticks.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::postprocess::report {

namespace {

std::string readPicture(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file.good() && !file.eof())
    stage::fail(stage::ExitCode::BadInput,
                fmt::format("The picture {} cannot be read back.", path.string()));
  return bytes;
}

}  // namespace

std::string text(std::string_view plain) {
  return tessera::picture::escapeMarkup(plain);
}

std::string table(const std::string& caption, const Row& head, const std::vector<Row>& rows) {
  std::string out = "<div class=\"card\"><table aria-label=\"" + caption + "\">";
  if (!head.empty()) {
    out += "<thead><tr>";
    for (const std::string& cell : head) out += "<th scope=\"col\">" + cell + "</th>";
    out += "</tr></thead>";
  }
  out += "<tbody>";
  for (const Row& row : rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c)
      out += c == 0 ? "<th scope=\"row\">" + row[c] + "</th>" : "<td>" + row[c] + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string section(const std::string& title, const std::string& body) {
  return body.empty() ? "" : "<section>\n<h2>" + title + "</h2>\n" + body + "</section>\n";
}

std::string titledTable(const std::string& title, const Row& head, const std::vector<Row>& rows) {
  return rows.empty() ? "" : "<div><h3>" + title + "</h3>" + table(title, head, rows) + "</div>\n";
}

std::string picture(const std::filesystem::path& path, const std::string& plainAlternative,
                    const std::string& caption) {
  if (!std::filesystem::exists(path)) return "";
  const std::string type = path.extension() == ".svg" ? "svg+xml" : "png";
  return "<figure><label><input type=\"checkbox\"><img alt=\"" + text(plainAlternative) +
         "\" src=\"data:image/" + type + ";base64," + tessera::picture::base64(readPicture(path)) +
         "\"></label><figcaption>" + caption + "</figcaption></figure>\n";
}

std::string foldedPicture(const std::string& summary, const std::filesystem::path& path,
                          const std::string& plainAlternative, const std::string& caption) {
  const std::string shown = picture(path, plainAlternative, caption);
  return shown.empty() ? ""
                       : "<details><summary>" + summary + "</summary>" + shown + "</details>\n";
}

std::string withUnit(double si, const char* unit, int digits) {
  const tessera::picture::DisplayUnit display = tessera::picture::displayUnit(unit, si);
  return text(tessera::picture::formatNumber(si * display.factor, digits) + ' ' + display.name);
}

std::string vectorIn(const Double3& si, double factor, int digits) {
  std::string out;
  for (double component : si)
    out += (out.empty() ? "" : ", ") +
           text(tessera::picture::formatNumber(component * factor, digits));
  return out;
}

std::string numberOf(double value, int digits) {
  return text(tessera::picture::formatNumber(value, digits));
}

}  // namespace tessera::postprocess::report
