// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/geometry_report.hpp"

#include <cmath>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/report_file.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::postprocess::quantity {

using results::GeometryReport;
using stage::ExitCode;
using stage::fail;
using stage::Json;

namespace {

namespace fs = std::filesystem;

std::string countOf(const Json& surface, const char* key) {
  const Json& value = surface.at(key);
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>()
                           : fmt::format("{}", value.get<std::uint64_t>());
}

void addHealth(const Json& health, GeometryReport& report) {
  report.verdict = health.at("verdict").get<std::string>();
  const std::pair<const char*, const char*> rows[] = {
      {"triangles", "Triangles"},
      {"open_edges", "Open edges"},
      {"open_loops", "Open loops"},
      {"non_manifold_edges", "Edges of more than two triangles"},
      {"winding", "Winding"},
      {"self_intersections", "Triangle pairs that intersect"},
      {"degenerate_triangles", "Triangles without area"},
      {"slivers", "Slivers"}};
  for (const auto& [key, name] : rows)
    report.health.push_back(
        {name, countOf(health.at("as_read"), key), countOf(health.at("repaired"), key)});
}

GeometryReport parsed(const Json& json, const fs::path& path,
                      const tiler::TiledGeometry& geometry) {
  const double spacing = json.at("spacing_m").get<double>();
  if (json.at("nodes").get<Int3>() != geometry.nodes ||
      json.at("fluid_nodes").get<std::uint64_t>() != geometry.fluidNodes ||
      std::abs(spacing - geometry.frame.spacing) > 1e-6 * geometry.frame.spacing)
    fail(ExitCode::BadInput, fmt::format("{} is about another geometry than the run's (other nodes "
                                         "or spacing); give the report of "
                                         "its own",
                                         path.string()));
  GeometryReport report;
  report.name = path.filename().string();
  for (const auto& [name, count] : json.at("repairs").items())
    report.repairs.emplace_back(name, count.get<std::uint64_t>());
  for (const Json& warning : json.at("warnings"))
    report.warnings.push_back(warning.get<std::string>());
  if (const auto percolates = json.find("percolates"); percolates != json.end())
    for (std::size_t a = 0; a < 3; ++a)
      if (const auto axis = percolates->find(std::string(1, "xyz"[a])); axis != percolates->end())
        report.percolates[a] = axis->get<bool>();
  if (!json.at("health").is_null()) addHealth(json.at("health"), report);
  return report;
}

}  // namespace

GeometryReport readGeometryReport(const fs::path& path, const tiler::TiledGeometry& geometry) {
  return stage::readReport(path, "tessera-preprocess",
                           [&](const Json& json, const std::string& text) {
                             GeometryReport report = parsed(json, path, geometry);
                             report.hash = stage::hashBytes(text.data(), text.size());
                             return report;
                           });
}

std::optional<GeometryReport> findGeometryReport(const fs::path& given, const fs::path& tiles,
                                                 const tiler::TiledGeometry& geometry) {
  return stage::readGivenOrStandard(
      given, fs::path(tiles).replace_extension(".preprocess.json"),
      [&](const fs::path& path) { return readGeometryReport(path, geometry); });
}

}  // namespace tessera::postprocess::quantity
