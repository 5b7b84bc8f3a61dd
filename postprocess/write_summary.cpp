// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/write_summary.hpp"

#include <algorithm>

#include "pipelines/stage/json.hpp"
#include "postprocess/wall_shear.hpp"
#include "preprocess/surface/mesh.hpp"

namespace tessera {

namespace {

constexpr int schemaVersion = 1;

// Values are made objects and arrays in so many words throughout: where [] and push_back make a
// null one so and there is no memory, nlohmann's JSON 3.11 leaves an object without content, and
// its destructor ends the program by a signal.

// Absent quantities are absent keys.
template <class T>
void put(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}

Json openingJson(const OpeningSummary& opening) {
  Json json{{"id", opening.id},
            {"name", opening.name},
            {"kind", opening.kind},
            {"centre_m", opening.centre},
            {"normal", opening.normal},
            {"area_m2", opening.area},
            {"radius_m", opening.radius},
            {"flow_rate_m3_s", opening.flowRate},
            {"mean_pressure_pa", opening.meanPressure},
            {"mean_velocity_m_s", opening.meanVelocity},
            {"reynolds", opening.reynolds},
            {"flow_fraction", opening.flowFraction}};
  put(json, "resistance_pa_s_m3", opening.resistance);
  put(json, "flow_rate_inside_m3_s", opening.flowRateInside);
  put(json, "peak_velocity_m_s", opening.peakVelocity);
  put(json, "peak_pressure_pa", opening.peakPressure);
  return json;
}

Json planeJson(const PlaneSummary& plane) {
  return {{"name", plane.name},
          {"point_m", plane.point},
          {"normal", plane.normal},
          {"area_m2", plane.area},
          {"flow_rate_m3_s", plane.flowRate},
          {"mean_velocity_m_s", plane.meanVelocity},
          {"mean_pressure_pa", plane.meanPressure},
          {"peak_velocity_m_s", plane.peakVelocity},
          {"peak_pressure_pa", plane.peakPressure}};
}

// The stations themselves are in stations.csv.
Json centrelineJson(const Centreline& line) {
  Json json{{"name", line.name},
            {"length_m", line.length},
            {"stations", line.stations.size()},
            {"radius_m", Json::array()},
            {"mean_pressure_pa", Json::array()},
            {"distance_m", Json::array()}};
  for (const Station& station : line.stations) {
    json["distance_m"].push_back(station.distance);
    json["radius_m"].push_back(station.radius);
    json["mean_pressure_pa"].push_back(station.meanPressure);
  }
  return json;
}

// The points themselves are in lines.csv.
Json lineJson(const LineProfile& line) {
  double fastest = 0.0;
  std::size_t inside = 0;
  for (const LinePoint& point : line.points) {
    inside += point.inside ? 1 : 0;
    fastest = std::max(fastest, length(point.velocity));
  }
  return {{"name", line.name},
          {"points", line.points.size()},
          {"points_inside", inside},
          {"from_m", line.points.front().point},
          {"to_m", line.points.back().point},
          {"peak_velocity_m_s", fastest}};
}

Json runJson(const Results& results) {
  Json json{{"fields", results.fieldsName},
            {"tiles_file", results.tilesName},
            {"steps", results.step},
            {"time_s", results.time},
            {"converged", results.converged},
            {"mach_max", results.machMax},
            {"tau", results.tau},
            {"density_kg_m3", results.density},
            {"kinematic_viscosity_m2_s", results.kinematicViscosity},
            {"largest_viscosity_m2_s", results.largestViscosity},
            {"fluid_model", results.fluidModel},
            {"variant", results.variant},
            {"nodes", results.nodes},
            {"spacing_m", results.spacing},
            {"fluid_nodes", results.fluidNodes},
            {"tiles", results.tiles},
            {"velocity_max_m_s", results.velocityMax}};
  put(json, "period_s", results.period);
  return json;
}

Json statisticsJson(const ShearStatistics& of) {
  return {{"mean", of.mean}, {"max", of.max},     {"p01", of.p01}, {"p05", of.p05},
          {"p25", of.p25},   {"p50", of.p50},     {"p75", of.p75}, {"p95", of.p95},
          {"p99", of.p99},   {"area_m2", of.area}};
}

Json forcesJson(const std::vector<WallForce>& forces) {
  Json json = Json::object();
  for (const WallForce& force : forces) {
    json[force.name] = {{"label", force.label},
                        {"total", force.pressure + force.viscous},
                        {"pressure", force.pressure},
                        {"viscous", force.viscous},
                        {"moment_n_m", force.pressureMoment + force.viscousMoment},
                        {"pressure_moment_n_m", force.pressureMoment},
                        {"viscous_moment_n_m", force.viscousMoment}};
  }
  return json;
}

Json coefficientsJson(const ForceCoefficients& of) {
  Json json{{"bodies", of.bodies},
            {"reference_velocity_m_s", of.velocity},
            {"reference_area_m2", of.area},
            {"flow_direction", of.flow},
            {"drag", of.drag},
            {"pressure_drag", of.pressureDrag},
            {"viscous_drag", of.viscousDrag}};
  put(json, "lift_direction", of.across);
  put(json, "lift", of.lift);
  return json;
}

void putPermeability(Json& json, const Permeability& of) {
  if (!of.blocked) {
    json["permeability_m2"] = of.value;
    json["permeability_md"] = of.milliDarcy();
  }
  json["darcy"] = {{"direction", of.direction},
                   {"superficial_velocity_m_s", of.superficial},
                   {"mean_velocity_m_s", of.velocity},
                   {"pressure_gradient_pa_m", of.pressureGradient},
                   {"porosity", of.porosity},
                   {"tortuosity", of.tortuosity},
                   {"pore_reynolds", of.poreReynolds},
                   {"inertial", of.inertial},
                   {"blocked", of.blocked}};
}

Json tensorJson(const PermeabilityTensor& of) {
  std::array<Double3, 3> milliDarcy = of.value;
  for (Double3& row : milliDarcy)
    for (double& value : row) value *= 1e3 / Permeability::squareMetresADarcy;
  return {{"runs", of.runs},
          {"value_m2", of.value},
          {"value_md", milliDarcy},
          {"principal_m2", of.principal},
          {"principal_direction", of.direction},
          {"asymmetry", of.asymmetry},
          {"pore_reynolds", of.poreReynolds}};
}

Json forchheimerJson(const Forchheimer& of) {
  Json json{{"permeability_m2", of.permeability},
            {"permeability_md", 1e3 * of.permeability / Permeability::squareMetresADarcy},
            {"coefficient_1_m", of.coefficient},
            {"coefficient_sqrt_k", of.inertia},
            {"largest_residual", of.residual},
            {"runs", Json::array()}};
  for (const Forchheimer::Run& run : of.runs)
    json["runs"].push_back({{"name", run.name},
                            {"pore_reynolds", run.poreReynolds},
                            {"apparent_permeability_m2", run.apparent}});
  return json;
}

Json geometryReportJson(const GeometryReport& of) {
  Json json{{"file", of.name}, {"verdict", of.verdict.empty() ? Json(nullptr) : Json(of.verdict)}};
  json["repairs"] = Json::object();
  for (const auto& [name, count] : of.repairs) json["repairs"][name] = count;
  json["warnings"] = of.warnings;
  return json;
}

Json courseJson(const OverPeriod& of) {
  return {{"mean", of.mean}, {"least", of.least}, {"largest", of.largest}};
}

Json cycleFlowJson(const CycleFlow& of) {
  Json json{{"period_s", of.period}, {"openings", Json::array()}};
  for (const CycleFlow::AtOpening& opening : of.openings)
    json["openings"].push_back({{"id", opening.id},
                                {"name", opening.name},
                                {"flow_rate_m3_s", courseJson(opening.flowRate)},
                                {"pressure_pa", courseJson(opening.pressure)},
                                {"reynolds_at_peak", opening.reynolds},
                                {"womersley", opening.womersley}});
  if (of.pressureDrop) {
    json["pressure_drop_pa"] = courseJson(*of.pressureDrop);
    json["inflow_m3_s"] = {{"mean", of.inflowMean}, {"largest", of.inflowPeak}};
  }
  put(json, "resistance_pa_s_m3", of.resistance);
  put(json, "mass_residual", of.massResidual);
  return json;
}

// Of pulsatile runs the means over the last period, and beside them what the last moment has.
void putDrop(Json& json, const Results& results) {
  const bool cycle = results.cycleFlow && results.cycleFlow->pressureDrop;
  put(json, "pressure_drop_pa",
      cycle ? std::optional(results.cycleFlow->pressureDrop->mean) : results.pressureDrop);
  put(json, "resistance_pa_s_m3", cycle ? results.cycleFlow->resistance : results.resistance);
  if (results.period) {
    json["pressure_drop_of"] = cycle ? "mean over the last period" : "end of the run";
    if (cycle) json["pressure_drop_peak_pa"] = results.cycleFlow->pressureDrop->largest;
    put(json, "pressure_drop_at_end_pa", results.pressureDrop);
    put(json, "resistance_at_end_pa_s_m3", results.resistance);
  }
  if (results.cycleFlow) json["over_last_period"] = cycleFlowJson(*results.cycleFlow);
}

// By quantity and wall label.
Json labelsJson(const std::vector<LabelStatistics>& all) {
  Json json = Json::object();
  for (const LabelStatistics& of : all) {
    Json statistics = statisticsJson(of.statistics);
    statistics["label"] = of.label;
    if (!json.contains(of.quantity)) json[of.quantity] = Json::object();
    json[of.quantity][of.name] = statistics;
  }
  return json;
}

void putAsked(Json& json, const Results& results) {
  json["planes"] = Json::array();
  for (const PlaneSummary& plane : results.planes) json["planes"].push_back(planeJson(plane));
  if (!results.centrelines.empty()) json["centrelines"] = Json::array();
  for (const Centreline& line : results.centrelines)
    json["centrelines"].push_back(centrelineJson(line));
  if (!results.lines.empty()) json["lines"] = Json::array();
  for (const LineProfile& line : results.lines) json["lines"].push_back(lineJson(line));
}

}  // namespace

std::string summaryJson(const Results& results) {
  Json json{{"schema_version", schemaVersion}, {"run", runJson(results)}};
  json["openings"] = Json::array();
  for (const OpeningSummary& opening : results.openings)
    json["openings"].push_back(openingJson(opening));
  putAsked(json, results);
  putDrop(json, results);
  json["mass_residual"] = results.massResidual;
  json["kinetic_energy_j"] = results.kineticEnergy;
  put(json, "dissipation_w", results.dissipation);
  json["wss_pa"] = statisticsJson(results.shear);
  if (results.shearAway) json["wss_away_pa"] = statisticsJson(*results.shearAway);
  if (results.cycle) {
    const std::vector<double>& area = results.wall.triangleArea;
    json["tawss_pa"] = statisticsJson(areaStatistics(results.cycle->tawss, area));
    if (results.tawssAway) json["tawss_away_pa"] = statisticsJson(*results.tawssAway);
    json["osi"] = statisticsJson(areaStatistics(results.cycle->osi, area));
    json["relative_residence_time_1_pa"] =
        statisticsJson(areaStatistics(results.cycle->residence, area));
  }
  json["by_wall_label"] = labelsJson(results.labelStatistics);
  json["forces_n"] = forcesJson(results.forces);
  json["moments_about_m"] = results.momentsAbout;
  if (results.coefficients) json["force_coefficients"] = coefficientsJson(*results.coefficients);
  if (results.permeability) putPermeability(json, *results.permeability);
  if (results.permeabilityTensor)
    json["permeability_tensor"] = tensorJson(*results.permeabilityTensor);
  if (results.forchheimer) json["forchheimer"] = forchheimerJson(*results.forchheimer);
  if (results.geometryReport) json["geometry_report"] = geometryReportJson(*results.geometryReport);
  json["warnings"] = results.warnings;
  json["provenance"] = Json::parse(results.provenance.toJson());
  return jsonText(json, 1) + "\n";
}

}  // namespace tessera
