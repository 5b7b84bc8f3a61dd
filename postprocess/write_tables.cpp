// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/write_tables.hpp"

#include <charconv>
#include <initializer_list>

#include "pipelines/stage/atomic_file.hpp"

namespace tessera {

namespace {

std::string number(double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

// RFC 4180: names come from the user.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::string numbers(std::initializer_list<double> values) {
  std::string row;
  for (const double value : values) row += "," + number(value);
  return row;
}

std::string openingsCsv(const Results& results) {
  std::string csv =
      "id,name,kind,centre_x[m],centre_y[m],centre_z[m],normal_x,normal_y,normal_z,area[m2],"
      "radius[m],flow_rate[m3/s],mean_pressure[Pa],mean_velocity[m/s],reynolds,"
      "flow_rate_inside[m3/s]\n";
  for (const OpeningSummary& o : results.openings) {
    csv += std::to_string(o.id) + "," + quoted(o.name) + "," + quoted(o.kind);
    csv += numbers({o.centre[0], o.centre[1], o.centre[2], o.normal[0], o.normal[1], o.normal[2],
                    o.area, o.radius, o.flowRate, o.meanPressure, o.meanVelocity, o.reynolds});
    csv += "," + (o.flowRateInside ? number(*o.flowRateInside) : std::string()) + "\n";
  }
  return csv;
}

std::string planesCsv(const Results& results) {
  std::string csv =
      "name,point_x[m],point_y[m],point_z[m],normal_x,normal_y,normal_z,area[m2],"
      "flow_rate[m3/s],mean_velocity[m/s],mean_pressure[Pa]\n";
  for (const PlaneSummary& p : results.planes)
    csv += quoted(p.name) +
           numbers({p.point[0], p.point[1], p.point[2], p.normal[0], p.normal[1], p.normal[2],
                    p.area, p.flowRate, p.meanVelocity, p.meanPressure}) +
           "\n";
  return csv;
}

std::string shearCsv(const ShearStatistics& shear) {
  std::string csv = "statistic,wss[Pa]\n";
  csv += "mean" + numbers({shear.mean}) + "\np01" + numbers({shear.p01}) + "\np50" +
         numbers({shear.p50}) + "\np99" + numbers({shear.p99}) + "\nmax" + numbers({shear.max}) +
         "\n";
  return csv;
}

std::string forcesCsv(const std::vector<WallForce>& forces) {
  std::string csv =
      "label,name,pressure_x[N],pressure_y[N],pressure_z[N],viscous_x[N],viscous_y[N],"
      "viscous_z[N]\n";
  for (const WallForce& f : forces)
    csv += std::to_string(f.label) + "," + quoted(f.name) +
           numbers({f.pressure[0], f.pressure[1], f.pressure[2], f.viscous[0], f.viscous[1],
                    f.viscous[2]}) +
           "\n";
  return csv;
}

std::string monitorCsv(const Monitor& monitor) {
  std::string csv;
  for (const std::string& column : monitor.columns) csv += (csv.empty() ? "" : ",") + column;
  csv += "\n";
  for (const std::vector<double>& row : monitor.rows) {
    std::string line;
    for (const double value : row) line += "," + number(value);
    csv += line.substr(1) + "\n";
  }
  return csv;
}

}  // namespace

void writeTables(const Results& results, const std::filesystem::path& folder) {
  writeTextAtomically(folder / "openings.csv", openingsCsv(results));
  if (!results.planes.empty()) writeTextAtomically(folder / "planes.csv", planesCsv(results));
  writeTextAtomically(folder / "wss_percentiles.csv", shearCsv(results.shear));
  writeTextAtomically(folder / "forces.csv", forcesCsv(results.forces));
  if (!results.monitor.rows.empty())
    writeTextAtomically(folder / "monitor.csv", monitorCsv(results.monitor));
}

}  // namespace tessera
