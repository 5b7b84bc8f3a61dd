// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/write_summary.hpp"

#include <nlohmann/json.hpp>

#include "postprocess/wall_shear.hpp"

namespace tessera {

namespace {

using Json = nlohmann::ordered_json;
constexpr int schemaVersion = 1;

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
            {"reynolds", opening.reynolds}};
  put(json, "flow_rate_inside_m3_s", opening.flowRateInside);
  return json;
}

Json planeJson(const PlaneSummary& plane) {
  return {{"name", plane.name},
          {"point_m", plane.point},
          {"normal", plane.normal},
          {"area_m2", plane.area},
          {"flow_rate_m3_s", plane.flowRate},
          {"mean_velocity_m_s", plane.meanVelocity},
          {"mean_pressure_pa", plane.meanPressure}};
}

Json runJson(const Results& results) {
  return {{"fields", results.fieldsName},
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
}

Json statisticsJson(const ShearStatistics& of) {
  return {{"mean", of.mean}, {"max", of.max}, {"p01", of.p01},
          {"p50", of.p50},   {"p99", of.p99}, {"area_m2", of.area}};
}

Json forcesJson(const std::vector<WallForce>& forces) {
  Json json = Json::object();
  for (const WallForce& force : forces) {
    Double3 total{};
    for (std::size_t a = 0; a < 3; ++a) total[a] = force.pressure[a] + force.viscous[a];
    json[force.name] = {{"label", force.label},
                        {"total", total},
                        {"pressure", force.pressure},
                        {"viscous", force.viscous}};
  }
  return json;
}

}  // namespace

std::string summaryJson(const Results& results) {
  Json json{{"schema_version", schemaVersion}, {"run", runJson(results)}};
  json["openings"] = Json::array();
  for (const OpeningSummary& opening : results.openings)
    json["openings"].push_back(openingJson(opening));
  json["planes"] = Json::array();
  for (const PlaneSummary& plane : results.planes) json["planes"].push_back(planeJson(plane));
  put(json, "pressure_drop_pa", results.pressureDrop);
  json["mass_residual"] = results.massResidual;
  json["wss_pa"] = statisticsJson(results.shear);
  if (results.cycle) {
    const std::vector<double>& area = results.wall.triangleArea;
    json["tawss_pa"] = statisticsJson(areaStatistics(results.cycle->tawss, area));
    json["osi"] = statisticsJson(areaStatistics(results.cycle->osi, area));
    json["relative_residence_time_1_pa"] =
        statisticsJson(areaStatistics(results.cycle->residence, area));
  }
  json["forces_n"] = forcesJson(results.forces);
  if (results.permeability) {
    json["permeability_m2"] = results.permeability->value;
    json["darcy"] = {{"direction", results.permeability->direction},
                     {"superficial_velocity_m_s", results.permeability->superficial},
                     {"pressure_gradient_pa_m", results.permeability->pressureGradient}};
  }
  json["warnings"] = results.warnings;
  json["provenance"] = Json::parse(results.provenance.toJson());
  return json.dump(1) + "\n";
}

}  // namespace tessera
