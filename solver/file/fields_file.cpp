// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/file/fields_file.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/container.hpp"
#include "pipelines/stage/io/json.hpp"
#include "pipelines/stage/io/shared_file.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::solver::file {

using stage::ContainerWriter;
using stage::ExitCode;
using stage::fail;
using stage::Json;

namespace {

constexpr std::uint16_t majorVersion = 1;
constexpr std::uint16_t minorVersion =
    3;  // 1: means over a cycle, the fluid's model; 2: forces on walls; 3: distance of the cycle

Json wallsOf(const Fields& fields) {
  Json walls = Json::array();
  for (const WallResult& wall : fields.walls) {
    walls.push_back({{"name", wall.name}, {"force_n", wall.force}, {"torque_n_m", wall.torque}});
    if (!wall.perPascal) continue;
    walls.back()["force_per_pressure_m2"] = wall.perPascal->force;
    walls.back()["torque_per_pressure_m3"] = wall.perPascal->torque;
  }
  return walls;
}

Json referenceOf(const CoefficientReference& of) {
  return {{"velocity_m_s", of.velocity}, {"area_m2", of.area},          {"length_m", of.length},
          {"flow_direction", of.flow},   {"lift_direction", of.across}, {"walls", of.walls}};
}

// Forces on walls, which older files lack.
void readWalls(const Json& meta, Fields& fields) {
  if (!meta.contains("walls")) return;
  for (const Json& entry : meta.at("walls")) {
    fields.walls.push_back({entry.at("name"), entry.at("force_n"), entry.at("torque_n_m"), {}});
    if (entry.contains("force_per_pressure_m2"))
      fields.walls.back().perPascal = {entry.at("force_per_pressure_m2"),
                                       entry.at("torque_per_pressure_m3")};
  }
  meta.at("torque_about_m").get_to(fields.torqueAbout);
  if (!meta.contains("force_reference")) return;
  const Json& entry = meta.at("force_reference");
  CoefficientReference of;
  entry.at("velocity_m_s").get_to(of.velocity);
  entry.at("area_m2").get_to(of.area);
  entry.at("length_m").get_to(of.length);
  entry.at("flow_direction").get_to(of.flow);
  entry.at("lift_direction").get_to(of.across);
  entry.at("walls").get_to(of.walls);
  fields.forceReference = std::move(of);
}

// nodes, wallNodes: numbers over all processes.
Json metaOf(const Fields& fields, std::uint64_t nodes, std::uint64_t wallNodes) {
  Json openings = Json::array();
  for (const OpeningResult& opening : fields.openings) {
    openings.push_back({{"id", opening.id},
                        {"name", opening.name},
                        {"kind", opening.kind},
                        {"flow_rate_m3_s", opening.flowRate},
                        {"mean_pressure_pa", opening.meanPressure}});
    if (opening.force) openings.back()["force_n"] = *opening.force;
    if (opening.forcePerPascal) openings.back()["force_per_pressure_m2"] = *opening.forcePerPascal;
  }
  Json meta = {{"tiles_name", fields.tilesName},
               {"tiles_hash", fields.tilesHash},
               {"nodes", nodes},
               {"step", fields.step},
               {"time_s", fields.time},
               {"time_step_s", fields.timeStep},
               {"density_kg_m3", fields.density},
               {"kinematic_viscosity_m2_s", fields.kinematicViscosity},
               {"largest_viscosity_m2_s", fields.largestViscosity},
               {"fluid_model", fields.fluidModel},
               {"smagorinsky", fields.smagorinsky},
               {"tau", fields.tau},
               {"mach_max", fields.machMax},
               {"density_range", fields.densityRange},
               {"converged", fields.converged},
               {"mass_residual", fields.massResidual},
               {"body_force_n_m3", fields.bodyForce},
               {"variant", fields.variant},
               {"wall_scheme", fields.wallScheme},
               {"sound_error", fields.soundError},
               {"openings", openings},
               {"walls", wallsOf(fields)},
               {"torque_about_m", fields.torqueAbout},
               {"pressure_reference_pa", fields.pressureReference},
               {"pressure_factor_pa", fields.pressureFactor},
               {"velocity_factor_m_s", fields.velocityFactor},
               {"stress_factor_pa", fields.stressFactor},
               {"monitor_columns", fields.monitorColumns}};
  if (!fields.recovered.empty()) meta["recovered"] = fields.recovered;
  if (fields.forceReference) meta["force_reference"] = referenceOf(*fields.forceReference);
  if (fields.means) {
    meta["cycle_means"] = {{"samples", fields.means->samples},
                           {"first_step", fields.means->firstStep},
                           {"last_step", fields.means->lastStep},
                           {"pressure_reference_pa", fields.means->pressureReference},
                           {"wall_nodes", wallNodes}};
    if (fields.means->distance) meta["cycle_means"]["distance"] = *fields.means->distance;
  }
  return meta;
}

void addMeans(ContainerWriter& writer, const MeanFields& means) {
  writer.add("mean_pressure", means.pressure);
  writer.add("mean_velocity", means.velocity);
  writer.add("wall_node", means.wallNode);
  writer.add("wall_traction", means.wallTraction);
  writer.add("wall_shear", means.wallShear);
}

// Sections that minor version 1 added.
void readMeans(const std::filesystem::path& path, const stage::ContainerReader& reader,
               const Json& meta, std::uint64_t nodes, Fields& fields) {
  if (!meta.contains("cycle_means")) return;
  const Json& entry = meta.at("cycle_means");
  MeanFields means;
  entry.at("samples").get_to(means.samples);
  entry.at("first_step").get_to(means.firstStep);
  entry.at("last_step").get_to(means.lastStep);
  if (entry.contains("distance")) means.distance = entry.at("distance").get<double>();
  entry.at("pressure_reference_pa").get_to(means.pressureReference);
  const auto wallNodes = entry.at("wall_nodes").get<std::uint64_t>();
  means.pressure = reader.read<float>("mean_pressure", nodes);
  means.velocity = reader.read<std::array<float, 3>>("mean_velocity", nodes);
  means.wallNode = reader.read<std::uint64_t>("wall_node", wallNodes);
  means.wallTraction = reader.read<std::array<float, 3>>("wall_traction", wallNodes);
  means.wallShear = reader.read<float>("wall_shear", wallNodes);
  for (const std::uint64_t node : means.wallNode)
    if (node >= nodes)
      fail(ExitCode::BadInput,
           fmt::format("{}: section wall_node names node {} of {}; run the solver again",
                       path.string(), node, nodes));
  fields.means = std::move(means);
}

std::optional<std::array<double, 3>> vectorOf(const Json& entry, const char* key) {
  if (!entry.contains(key)) return std::nullopt;
  return entry.at(key).get<std::array<double, 3>>();
}

void readMeta(const Json& meta, Fields& fields) {
  meta.at("tiles_name").get_to(fields.tilesName);
  meta.at("tiles_hash").get_to(fields.tilesHash);
  meta.at("step").get_to(fields.step);
  meta.at("time_s").get_to(fields.time);
  meta.at("time_step_s").get_to(fields.timeStep);
  meta.at("density_kg_m3").get_to(fields.density);
  meta.at("kinematic_viscosity_m2_s").get_to(fields.kinematicViscosity);
  // Older files have Newtonian fluids only.
  fields.largestViscosity = meta.value("largest_viscosity_m2_s", fields.kinematicViscosity);
  fields.fluidModel = meta.value("fluid_model", "newtonian");
  fields.smagorinsky = meta.value("smagorinsky", 0.0);
  meta.at("tau").get_to(fields.tau);
  meta.at("mach_max").get_to(fields.machMax);
  meta.at("density_range").get_to(fields.densityRange);
  meta.at("converged").get_to(fields.converged);
  meta.at("mass_residual").get_to(fields.massResidual);
  meta.at("body_force_n_m3").get_to(fields.bodyForce);
  meta.at("variant").get_to(fields.variant);
  fields.wallScheme = meta.value("wall_scheme", "");
  fields.soundError = meta.value("sound_error", 0.0);
  fields.recovered = meta.value("recovered", "");
  meta.at("pressure_reference_pa").get_to(fields.pressureReference);
  meta.at("pressure_factor_pa").get_to(fields.pressureFactor);
  meta.at("velocity_factor_m_s").get_to(fields.velocityFactor);
  meta.at("stress_factor_pa").get_to(fields.stressFactor);
  meta.at("monitor_columns").get_to(fields.monitorColumns);
  for (const Json& entry : meta.at("openings")) {
    fields.openings.push_back({entry.at("id"), entry.at("name"), entry.at("kind"),
                               entry.at("flow_rate_m3_s"), entry.at("mean_pressure_pa"),
                               vectorOf(entry, "force_n"),
                               vectorOf(entry, "force_per_pressure_m2")});
  }
  readWalls(meta, fields);
}

}  // namespace

namespace {

// Whether no value has an exponent of ones, which is infinity or not a number; without a sum, for
// whose additions a loop would wait one after the other.
template <class Bits, class Value>
bool finite(std::span<const Value> values) {
  constexpr auto ones = std::bit_cast<Bits>(std::numeric_limits<Value>::infinity());
  Bits found = 0;
  for (const Value value : values) found |= (std::bit_cast<Bits>(value) & ones) == ones ? 1 : 0;
  return found == 0;
}
bool allNumbers(const std::vector<float>& values) {
  return finite<std::uint32_t, float>(values);
}
bool allNumbers(const std::vector<double>& values) {
  return finite<std::uint64_t, double>(values);
}
template <std::size_t n>
bool allNumbers(const std::vector<std::array<float, n>>& values) {
  static_assert(sizeof(std::array<float, n>) == n * sizeof(float));
  return values.empty() ||
         finite<std::uint32_t, float>(std::span(values.front().data(), n * values.size()));
}

bool allNumbers(const MeanFields& means) {
  return allNumbers(means.pressure) && allNumbers(means.velocity) &&
         allNumbers(means.wallTraction) && allNumbers(means.wallShear) &&
         std::isfinite(means.pressureReference) && std::isfinite(means.distance.value_or(0.0));
}

bool describedInNumbers(const Fields& fields) {
  bool numbers = true;
  for (const double value :
       {fields.time, fields.timeStep, fields.density, fields.kinematicViscosity,
        fields.largestViscosity, fields.tau, fields.machMax, fields.densityRange[0],
        fields.densityRange[1], fields.massResidual, fields.pressureReference,
        fields.pressureFactor, fields.velocityFactor, fields.stressFactor})
    numbers = numbers && std::isfinite(value);
  for (const OpeningResult& opening : fields.openings) {
    numbers = numbers && std::isfinite(opening.flowRate) && std::isfinite(opening.meanPressure);
    for (const auto& vector : {opening.force, opening.forcePerPascal})
      for (const double value : vector.value_or(std::array<double, 3>{}))
        numbers = numbers && std::isfinite(value);
  }
  for (const WallResult& wall : fields.walls) {
    const PressureEffect of = wall.perPascal.value_or(PressureEffect{});
    for (std::size_t a = 0; a < 3; ++a)
      for (const double value : {wall.force[a], wall.torque[a], of.force[a], of.torque[a]})
        numbers = numbers && std::isfinite(value);
  }
  return numbers;
}

}  // namespace

bool allNumbers(const Fields& fields) {
  return allNumbers(fields.pressure) && allNumbers(fields.velocity) && allNumbers(fields.stress) &&
         allNumbers(fields.monitorRows) && describedInNumbers(fields) &&
         (!fields.means || allNumbers(*fields.means));
}

namespace {

void requireNumbers(const std::filesystem::path& path, const Fields& fields) {
  if (!allNumbers(fields))
    fail(ExitCode::RunFailed,
         fmt::format("{} is not written: its step {} holds values that are not numbers; use a "
                     "finer spacing, a smaller lattice_velocity or a longer ramp",
                     path.string(), fields.step));
}

}  // namespace

std::filesystem::path stemOf(std::filesystem::path fields) {
  return fields.extension() == ".fields" ? fields.replace_extension() : fields;
}

std::filesystem::path reportBeside(const std::filesystem::path& fields) {
  return stemOf(fields).string() + ".solver.json";
}

std::string fieldsHash(const std::filesystem::path& path) {
  return stage::ContainerReader(path, "fields", majorVersion).contentHash();
}

void writeFieldsFile(const std::filesystem::path& path, const Fields& fields) {
  requireNumbers(path, fields);
  ContainerWriter writer("fields", majorVersion, minorVersion);
  writer.addText("meta", stage::jsonText(metaOf(fields, fields.pressure.size(),
                                                fields.means ? fields.means->wallNode.size() : 0),
                                         1));
  writer.addText("provenance", fields.provenance.toJson());
  writer.addText("case", fields.caseText);
  writer.add("pressure", fields.pressure);
  writer.add("velocity", fields.velocity);
  writer.add("stress", fields.stress);
  writer.add("monitor", fields.monitorRows);
  if (fields.means) addMeans(writer, *fields.means);
  stage::AtomicFile file(path);
  writer.write(file);
  file.commit();
}

void writeFieldsTogether(const std::filesystem::path& path, const Fields& fields,
                         const TileOffsets& nodes, const TileOffsets& wallNodes,
                         stage::Processes& processes) {
  const auto add = [](ContainerWriter& writer, const char* name, const TileOffsets& offsets,
                      const auto& values) {
    addAtOffsets(writer, name, offsets, std::span(values));
  };
  ContainerWriter writer("fields", majorVersion, minorVersion);
  stage::together(processes, [&] {
    requireNumbers(path, fields);
    writer.addText("meta", stage::jsonText(metaOf(fields, nodes.all, wallNodes.all), 1));
    writer.addText("provenance", fields.provenance.toJson());
    writer.addText("case", fields.caseText);
    add(writer, "pressure", nodes, fields.pressure);
    add(writer, "velocity", nodes, fields.velocity);
    add(writer, "stress", nodes, fields.stress);
    writer.add("monitor", fields.monitorRows);
    if (!fields.means) return;
    add(writer, "mean_pressure", nodes, fields.means->pressure);
    add(writer, "mean_velocity", nodes, fields.means->velocity);
    add(writer, "wall_node", wallNodes, fields.means->wallNode);
    add(writer, "wall_traction", wallNodes, fields.means->wallTraction);
    add(writer, "wall_shear", wallNodes, fields.means->wallShear);
  });
  stage::SharedFile file(path, processes);
  writer.write(file);
  file.commit();
}

namespace {

[[noreturn]] void refuseMeta(const std::filesystem::path& path, const Json::exception& error) {
  fail(ExitCode::BadInput, path.string() + ": section meta does not hold what a .fields file " +
                               "needs (" + error.what() + "); run the solver again");
}

// Arrays by node: all, or those of some offsets.
template <class T>
std::vector<T> readNodes(const stage::ContainerReader& reader, const char* name,
                         std::uint64_t nodes, const TileOffsets* offsets) {
  return offsets == nullptr ? reader.read<T>(name, nodes)
                            : readAtOffsets<T>(reader, name, *offsets);
}

// Metadata alone.
Fields describedFields(const std::filesystem::path& path, const stage::ContainerReader& reader) {
  Fields fields;
  try {
    readMeta(stage::parseJson(reader.text("meta")), fields);
  } catch (const Json::exception& error) {
    refuseMeta(path, error);
  }
  return fields;
}

Fields readFields(const std::filesystem::path& path, const TileOffsets* offsets,
                  const FieldsCheck& check) {
  const stage::ContainerReader reader(path, "fields", majorVersion);
  Fields fields;
  fields.contentHash = reader.contentHash();
  std::uint64_t nodes = 0;
  try {
    const Json meta = stage::parseJson(reader.text("meta"));
    readMeta(meta, fields);
    meta.at("nodes").get_to(nodes);
    if (offsets == nullptr) readMeans(path, reader, meta, nodes, fields);
  } catch (const Json::exception& error) {
    refuseMeta(path, error);
  }
  fields.provenance = stage::Provenance::fromJson(reader.text("provenance"));
  fields.caseText = reader.text("case");
  if (check) check(fields, nodes);
  fields.pressure = readNodes<float>(reader, "pressure", nodes, offsets);
  fields.velocity = readNodes<std::array<float, 3>>(reader, "velocity", nodes, offsets);
  fields.stress = readNodes<std::array<float, 6>>(reader, "stress", nodes, offsets);
  fields.monitorRows = reader.read<double>("monitor");
  if (!fields.monitorColumns.empty() &&
      fields.monitorRows.size() % fields.monitorColumns.size() != 0) {
    fail(ExitCode::BadInput, path.string() + ": section monitor is not a whole number of rows; " +
                                 "run the solver again");
  }
  return fields;
}

}  // namespace

FieldsHead readFieldsHead(const std::filesystem::path& path) {
  const stage::ContainerReader reader(path, "fields", majorVersion);
  const Fields fields = describedFields(path, reader);
  return {fields.tilesName, fields.tilesHash, reader.text("case"),
          fields.step,      fields.time,      reader.has("mean_pressure")};
}

Fields readFieldsFile(const std::filesystem::path& path) {
  return readFields(path, nullptr, {});
}

Fields readFieldsPart(const std::filesystem::path& path, const TileOffsets& nodes,
                      const FieldsCheck& check) {
  return readFields(path, &nodes, check);
}

}  // namespace tessera::solver::file
