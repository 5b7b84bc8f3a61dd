// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/write_tables.hpp"

#include <charconv>
#include <initializer_list>

#include "pipelines/stage/atomic_file.hpp"
#include "postprocess/csv_field.hpp"
#include "preprocess/surface/mesh.hpp"

namespace tessera {

namespace {

std::string number(double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

std::string numbers(std::initializer_list<double> values) {
  std::string row;
  for (const double value : values) row += "," + number(value);
  return row;
}

std::string maybe(const std::optional<double>& value) {
  return "," + (value ? number(*value) : std::string());
}

std::string openingsCsv(const Results& results) {
  std::string csv =
      "id,name,kind,centre_x[m],centre_y[m],centre_z[m],normal_x,normal_y,normal_z,area[m2],"
      "radius[m],flow_rate[m3/s],mean_pressure[Pa],mean_velocity[m/s],reynolds,"
      "flow_rate_inside[m3/s],flow_fraction,resistance[Pa.s/m3],peak_velocity[m/s],"
      "peak_pressure[Pa]\n";
  for (const OpeningSummary& o : results.openings) {
    csv += std::to_string(o.id) + "," + csvField(o.name) + "," + csvField(o.kind);
    csv += numbers({o.centre[0], o.centre[1], o.centre[2], o.normal[0], o.normal[1], o.normal[2],
                    o.area, o.radius, o.flowRate, o.meanPressure, o.meanVelocity, o.reynolds});
    csv += maybe(o.flowRateInside) + numbers({o.flowFraction}) + maybe(o.resistance) +
           maybe(o.peakVelocity) + maybe(o.peakPressure) + "\n";
  }
  return csv;
}

std::string cycleCsv(const CycleFlow& cycle) {
  std::string csv =
      "id,name,flow_rate_mean[m3/s],flow_rate_least[m3/s],flow_rate_largest[m3/s],"
      "pressure_mean[Pa],pressure_least[Pa],pressure_largest[Pa],reynolds_at_peak,womersley\n";
  for (const CycleFlow::AtOpening& o : cycle.openings)
    csv += std::to_string(o.id) + "," + csvField(o.name) +
           numbers({o.flowRate.mean, o.flowRate.least, o.flowRate.largest, o.pressure.mean,
                    o.pressure.least, o.pressure.largest, o.reynolds, o.womersley}) +
           "\n";
  return csv;
}

std::string planesCsv(const Results& results) {
  std::string csv =
      "name,point_x[m],point_y[m],point_z[m],normal_x,normal_y,normal_z,area[m2],"
      "flow_rate[m3/s],mean_velocity[m/s],mean_pressure[Pa],peak_velocity[m/s],"
      "peak_pressure[Pa]\n";
  for (const PlaneSummary& p : results.planes)
    csv +=
        csvField(p.name) +
        numbers({p.point[0], p.point[1], p.point[2], p.normal[0], p.normal[1], p.normal[2], p.area,
                 p.flowRate, p.meanVelocity, p.meanPressure, p.peakVelocity, p.peakPressure}) +
        "\n";
  return csv;
}

std::string stationsCsv(const std::vector<Centreline>& lines) {
  std::string csv =
      "centreline,distance[m],x[m],y[m],z[m],normal_x,normal_y,normal_z,radius[m],area[m2],"
      "flow_rate[m3/s],mean_velocity[m/s],peak_velocity[m/s],mean_pressure[Pa]\n";
  for (const Centreline& line : lines)
    for (const Station& s : line.stations)
      csv += csvField(line.name) +
             numbers({s.distance, s.point[0], s.point[1], s.point[2], s.normal[0], s.normal[1],
                      s.normal[2], s.radius, s.area, s.flowRate, s.meanVelocity, s.peakVelocity,
                      s.meanPressure}) +
             "\n";
  return csv;
}

std::string linesCsv(const std::vector<LineProfile>& lines) {
  std::string csv =
      "line,distance[m],x[m],y[m],z[m],velocity_x[m/s],velocity_y[m/s],velocity_z[m/s],"
      "pressure[Pa]\n";
  for (const LineProfile& line : lines)
    for (const LinePoint& p : line.points) {
      csv += csvField(line.name) + numbers({p.distance, p.point[0], p.point[1], p.point[2]});
      csv += p.inside ? numbers({p.velocity[0], p.velocity[1], p.velocity[2], p.pressure})
                      : std::string(",,,,");
      csv += "\n";
    }
  return csv;
}

std::string labelsCsv(const std::vector<LabelStatistics>& all) {
  std::string csv = "quantity,label,name,area[m2],mean,p01,p05,p25,p50,p75,p95,p99,max\n";
  for (const LabelStatistics& of : all) {
    const ShearStatistics& s = of.statistics;
    csv += of.quantity + "," + std::to_string(of.label) + "," + csvField(of.name) +
           numbers({s.area, s.mean, s.p01, s.p05, s.p25, s.p50, s.p75, s.p95, s.p99, s.max}) + "\n";
  }
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
      "viscous_z[N],moment_x[N.m],moment_y[N.m],moment_z[N.m]\n";
  for (const WallForce& f : forces) {
    const Double3 moment = f.pressureMoment + f.viscousMoment;
    csv += std::to_string(f.label) + "," + csvField(f.name) +
           numbers({f.pressure[0], f.pressure[1], f.pressure[2], f.viscous[0], f.viscous[1],
                    f.viscous[2], moment[0], moment[1], moment[2]}) +
           "\n";
  }
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
  if (results.cycleFlow)
    writeTextAtomically(folder / "openings_over_period.csv", cycleCsv(*results.cycleFlow));
  if (!results.planes.empty()) writeTextAtomically(folder / "planes.csv", planesCsv(results));
  if (!results.centrelines.empty())
    writeTextAtomically(folder / "stations.csv", stationsCsv(results.centrelines));
  if (!results.lines.empty()) writeTextAtomically(folder / "lines.csv", linesCsv(results.lines));
  writeTextAtomically(folder / "wss_percentiles.csv", shearCsv(results.shear));
  writeTextAtomically(folder / "wall_statistics.csv", labelsCsv(results.labelStatistics));
  writeTextAtomically(folder / "forces.csv", forcesCsv(results.forces));
  if (!results.monitor.rows.empty())
    writeTextAtomically(folder / "monitor.csv", monitorCsv(results.monitor));
}

}  // namespace tessera
