// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/case/pressure_tap.hpp"

#include <cmath>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::stage {

std::array<double, 3> parsePoint(const std::string& text, const std::string& where) {
  std::array<double, 3> point{};
  std::string_view rest = text;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t comma = rest.find(',');
    if ((comma == std::string_view::npos) != (a == 2))
      fail(ExitCode::Usage,
           fmt::format("{}: \"{}\" is no point; expected \"x,y,z\" in metres or with units", where,
                       text));
    try {
      point[a] = parseQuantity(rest.substr(0, comma), Dimension::Length);
    } catch (const StageError& error) {
      fail(ExitCode::Usage, fmt::format("{}: {}", where, error.what()));
    }
    if (comma != std::string_view::npos) rest.remove_prefix(comma + 1);
  }
  return point;
}

std::optional<std::array<double, 3>> readPressureTap(const CaseFile& file) {
  CaseTable table = file.table("reference");
  std::optional<std::array<double, 3>> point;
  if (table.isText("pressure_at"))
    point = parsePoint(*table.text("pressure_at"), table.where("pressure_at"));
  else
    point = table.vector("pressure_at", Dimension::Length);
  table.rejectUnknown();
  return point;
}

}  // namespace tessera::stage
