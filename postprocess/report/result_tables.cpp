// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/report/result_tables.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "postprocess/last_period.hpp"
#include "postprocess/report/markup_pieces.hpp"

namespace tessera {

namespace {

std::string figure(const std::string& name, const std::string& value) {
  return "<div><dt>" + name + "</dt><dd>" + value + "</dd></div>\n";
}

// One unit for a whole column, that of its largest value.
class ColumnUnit {
 public:
  ColumnUnit(const char* unit, double largest) : display_(displayUnit(unit, largest)) {}
  [[nodiscard]] std::string shown(double si, int digits = 4) const {
    return text(formatNumber(si * display_.factor, digits) + ' ' + display_.name);
  }
  [[nodiscard]] std::string range(const OverPeriod& of) const {
    return text(formatNumber(of.least * display_.factor, 3) + " \u2026 " +
                formatNumber(of.largest * display_.factor, 3) + ' ' + display_.name);
  }

 private:
  DisplayUnit display_;
};

// The largest magnitude of what of() gives of each.
template <class List, class Of>
double largestOf(const List& list, Of of) {
  double largest = 0.0;
  for (const auto& entry : list) largest = std::max(largest, std::abs(of(entry)));
  return largest;
}

double swing(const OverPeriod& of) {
  return std::max(std::abs(of.least), std::abs(of.largest));
}

// R (omega / nu)^1/2, J. R. Womersley 1955.
double womersley(const OpeningSummary& opening, const Results& results) {
  return opening.radius *
         std::sqrt(2.0 * std::numbers::pi / (*results.period * results.kinematicViscosity));
}

}  // namespace

double largestReynolds(const Results& results) {
  if (results.cycleFlow)
    return largestOf(results.cycleFlow->openings, [](const auto& o) { return o.reynolds; });
  return largestOf(results.openings, [](const auto& o) { return o.reynolds; });
}

double largestVelocity(const Results& results) {
  if (!results.cycleFlow || !(results.time > 0.0)) return results.velocityMax;
  // Nodes a step of the Mach number, u / c_s with c_s = 3^-1/2, which is the largest of the period.
  const double timeStep = results.time / static_cast<double>(results.step);
  return results.machMax / std::sqrt(3.0) * results.spacing / timeStep;
}

std::string momentOf(const Results& results) {
  if (!results.period) return "";
  return results.cycleFlow ? ", of the last period" : ", at the end of the run";
}

double nodesAcross(const OpeningSummary& opening, const Results& results) {
  return 2.0 * opening.radius / results.spacing;
}

std::string nameOf(const OpeningSummary& opening) {
  const std::string id = std::to_string(opening.id);
  return opening.name.empty() ? "opening " + id
                              : text(opening.name) + " <small>id " + id + "</small>";
}

std::string keyFigures(const Results& results, const std::vector<WallValues>& wall) {
  const std::string moment = momentOf(results);
  std::string out = "<dl class=\"figures\">\n";
  if (results.cycleFlow && results.cycleFlow->pressureDrop) {
    out += figure("Pressure drop, mean over the last period",
                  withUnit(results.cycleFlow->pressureDrop->mean, "Pa"));
    out += figure("Pressure drop, largest in the last period",
                  withUnit(results.cycleFlow->pressureDrop->largest, "Pa"));
  } else if (results.pressureDrop) {
    out += figure("Pressure drop" + moment, withUnit(*results.pressureDrop, "Pa"));
  }
  for (const WallValues& values : wall) {
    if (values.key != (results.cycle ? "tawss" : "wss")) continue;
    const std::string name =
        "Wall shear stress" + std::string(results.cycle ? " over the cycle" : "");
    out += figure(name + ", mean", text(values.shown(values.statistics.mean)));
    out += figure(name + ", 99th percentile", text(values.shown(values.statistics.p99)));
  }
  out += figure("Largest velocity" + moment, withUnit(largestVelocity(results), "m/s", 3));
  if (!results.openings.empty()) {
    out += figure("Reynolds number, largest of the openings" + moment,
                  numberOf(largestReynolds(results)));
    if (const auto residual = massResidualOverPeriod(results))
      out += figure("Mass residual over the last period", numberOf(*residual, 2));
    else
      out += figure("Mass residual", numberOf(results.massResidual, 2));
  }
  if (results.permeability)
    out += figure(results.permeability->blocked ? "Permeability: none, nothing passes; left is"
                                                : "Permeability",
                  text(formatNumber(results.permeability->value, 4) + " m\u00b2"));
  if (results.forchheimer) {
    out += figure("Permeability at rest",
                  text(formatNumber(results.forchheimer->permeability, 4) + " m\u00b2"));
    out += figure("Forchheimer coefficient",
                  text(formatNumber(results.forchheimer->coefficient, 4) + " 1/m"));
  }
  return out + "</dl>\n";
}

std::string openingsTable(const Results& results) {
  const auto& openings = results.openings;
  if (openings.empty()) return "";
  const ColumnUnit flow("m3/s", largestOf(openings, [](const auto& o) { return o.flowRate; }));
  const ColumnUnit pressure("Pa",
                            largestOf(openings, [](const auto& o) { return o.meanPressure; }));
  const ColumnUnit speed("m/s", largestOf(openings, [](const auto& o) { return o.meanVelocity; }));
  const ColumnUnit width("m", largestOf(openings, [](const auto& o) { return o.radius; }));
  std::vector<Row> rows;
  for (const OpeningSummary& o : openings)
    rows.push_back({nameOf(o), o.kind.empty() ? "\u2013" : text(o.kind), flow.shown(o.flowRate),
                    pressure.shown(o.meanPressure), speed.shown(o.meanVelocity, 3),
                    numberOf(o.reynolds), numberOf(o.area * 1e6, 4), width.shown(2.0 * o.radius, 3),
                    numberOf(nodesAcross(o, results))});
  return (results.period ? "<h3>At the end of the run</h3>\n" : "") +
         table("Openings",
               {"Opening", "Condition", "Flow rate<br><small>out of the fluid</small>",
                "Pressure<br><small>mean, gauge</small>", "Velocity<br><small>mean</small>",
                "Reynolds", "Area<br><small>mm\u00b2</small>",
                "Diameter<br><small>of equal area</small>", "Nodes<br>across"},
               rows);
}

namespace {

// "mean a, from b to c, at the end d" of the whole run, below the openings' table.
std::string dropOverPeriod(const Results& results) {
  const CycleFlow& cycle = *results.cycleFlow;
  if (!cycle.pressureDrop) return "";
  std::vector<Row> rows;
  rows.push_back({"Pressure drop, inlets to outlets", withUnit(cycle.pressureDrop->mean, "Pa"),
                  ColumnUnit("Pa", swing(*cycle.pressureDrop)).range(*cycle.pressureDrop),
                  results.pressureDrop ? withUnit(*results.pressureDrop, "Pa") : "\u2013"});
  rows.push_back({"Inflow", withUnit(cycle.inflowMean, "m3/s"),
                  "up to " + withUnit(cycle.inflowPeak, "m3/s"), "\u2013"});
  rows.push_back(
      {"Resistance, mean drop over mean inflow",
       numberOf(*cycle.resistance, 4) + " Pa\u00b7s/m\u00b3", "\u2013",
       results.resistance ? numberOf(*results.resistance, 4) + " Pa\u00b7s/m\u00b3" : "\u2013"});
  return table("The whole over the last period",
               {"The whole", "Mean<br><small>over the last period</small>",
                "From \u2026 to<br><small>in the last period</small>", "At the end of the run"},
               rows);
}

}  // namespace

std::string periodTable(const Results& results) {
  if (!results.cycleFlow) return "";
  const CycleFlow& cycle = *results.cycleFlow;
  const ColumnUnit flow("m3/s",
                        largestOf(cycle.openings, [](const auto& o) { return swing(o.flowRate); }));
  const ColumnUnit pressure(
      "Pa", largestOf(cycle.openings, [](const auto& o) { return swing(o.pressure); }));
  std::vector<Row> rows;
  for (std::size_t k = 0; k < cycle.openings.size(); ++k) {
    const CycleFlow::AtOpening& o = cycle.openings[k];
    rows.push_back({nameOf(results.openings[k]), flow.shown(o.flowRate.mean),
                    flow.range(o.flowRate), pressure.shown(o.pressure.mean),
                    pressure.range(o.pressure), numberOf(o.reynolds), numberOf(o.womersley)});
  }
  return "<h3>Over the last period of " + withUnit(cycle.period, "s", 3) + "</h3>\n" +
         table(
             "Over the last period",
             {"Opening", "Flow rate<br><small>mean, out of the fluid</small>",
              "Flow rate<br><small>from \u2026 to</small>",
              "Pressure<br><small>mean, gauge</small>", "Pressure<br><small>from \u2026 to</small>",
              "Reynolds<br><small>at the peak</small>",
              "Womersley<br><small>R (\u03c9/\u03bd)<sup>1/2</sup></small>"},
             rows) +
         dropOverPeriod(results);
}

std::string planesTable(const Results& results) {
  const auto& planes = results.planes;
  if (planes.empty()) return "";
  const ColumnUnit flow("m3/s", largestOf(planes, [](const auto& p) { return p.flowRate; }));
  const ColumnUnit pressure("Pa", largestOf(planes, [](const auto& p) { return p.meanPressure; }));
  const ColumnUnit speed("m/s", largestOf(planes, [](const auto& p) { return p.meanVelocity; }));
  std::vector<Row> rows;
  for (const PlaneSummary& p : planes)
    rows.push_back({text(p.name), flow.shown(p.flowRate), pressure.shown(p.meanPressure),
                    speed.shown(p.meanVelocity, 3), numberOf(p.area * 1e6, 4),
                    vectorIn(p.point, 1e3), vectorIn(p.normal, 1.0)});
  return table("Planes",
               {"Plane", "Flow rate<br><small>along the normal</small>",
                "Pressure<br><small>mean, gauge</small>", "Velocity<br><small>mean</small>",
                "Area<br><small>mm\u00b2</small>", "Point<br><small>mm</small>", "Normal"},
               rows);
}

namespace {

Row wallRow(const std::string& name, const WallValues& values, const ShearStatistics& s) {
  return {name,
          numberOf(s.area * 1e6, 4),
          text(values.shown(s.mean)),
          text(values.shown(s.p01)),
          text(values.shown(s.p50)),
          text(values.shown(s.p99)),
          text(values.shown(s.max))};
}

}  // namespace

std::string wallTable(const std::vector<WallValues>& wall) {
  if (wall.empty()) return "";
  std::vector<Row> rows;
  for (const WallValues& w : wall) {
    const std::string remark = w.key == "osi" || w.key == "rrt" || w.remark.empty()
                                   ? ""
                                   : " <small>" + text(w.remark) + "</small>";
    rows.push_back(wallRow(text(w.title) + remark, w, w.statistics));
    if (w.away)
      rows.push_back(
          wallRow("\u2003<small>farther than its radius from every opening</small>", w, *w.away));
  }
  return table("On the wall",
               {"On the wall", "Area<br><small>mm\u00b2</small>", "Mean",
                "1st percentile<br><small>of the area</small>", "Median",
                "99th percentile<br><small>of the area</small>", "Largest"},
               rows);
}

std::string straightLineNote(const Results& results) {
  if (!results.cycle || results.openings.empty()) return "";
  const OpeningSummary* worst = nullptr;
  double error = 0.0;
  for (const OpeningSummary& o : results.openings) {
    const double part = womersley(o, results) / (0.5 * nodesAcross(o, results));
    if (part * part > error) worst = &o, error = part * part;
  }
  if (worst == nullptr) return "";
  return "<p><small>The wall shear stress at one moment is extrapolated from two places inside "
         "along "
         "a straight line, which pulsating flow bends: its swing over the cycle is off by about "
         "(\u03b1/R)\u00b2, with Womersley\u2019s number \u03b1 and R the radius in nodes; at "
         "most " +
         numberOf(100.0 * error, 2) + " % (" + nameOf(*worst) +
         "). What is over the cycle is from the tractions that the solver summed at the nodes "
         "themselves.</small></p>\n";
}

std::string forcesTable(const Results& results) {
  std::vector<Row> rows;
  for (const WallForce& force : results.forces)
    rows.push_back({text(force.name) + " <small>label " + std::to_string(force.label) + "</small>",
                    vectorIn(force.pressure, 1.0), vectorIn(force.viscous, 1.0)});
  if (rows.empty()) return "";
  return table("Forces on the walls",
               {"Wall", "Pressure x, y, z <small>N</small>", "Viscous x, y, z <small>N</small>"},
               rows);
}

}  // namespace tessera
