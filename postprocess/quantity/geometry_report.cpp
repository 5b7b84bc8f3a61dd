// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/geometry_report.hpp"

#include <cmath>
#include <fstream>
#include <iterator>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/json.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::postprocess::quantity {

using results::GeometryReport;
using stage::ExitCode;
using stage::fail;
using stage::Json;

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t mostBytes = 16U << 20U;

std::string wholeText(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    fail(ExitCode::BadInput,
         path.string() + " does not exist; name the file of tessera-preprocess --report");
  if (fs::file_size(path, error) > mostBytes)
    fail(ExitCode::BadInput,
         path.string() + " has more than 16 MiB, which no report of tessera-preprocess has");
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) fail(ExitCode::BadInput, path.string() + " cannot be read; check its permissions");
  return text;
}

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
  const std::string text = wholeText(path);
  try {
    GeometryReport report = parsed(stage::parseJson(text), path, geometry);
    report.hash = stage::hashBytes(text.data(), text.size());
    return report;
  } catch (const Json::exception&) {
    fail(ExitCode::BadInput,
         path.string() + " is not a report of tessera-preprocess; name the file of its --report");
  }
}

std::optional<GeometryReport> findGeometryReport(const fs::path& given, const fs::path& tiles,
                                                 const tiler::TiledGeometry& geometry) {
  if (!given.empty()) return readGeometryReport(given, geometry);
  const fs::path standard = fs::path(tiles).replace_extension(".preprocess.json");
  std::error_code error;
  if (!fs::exists(standard, error)) return std::nullopt;
  try {
    return readGeometryReport(standard, geometry);
  } catch (const stage::StageError& problem) {
    stage::logWarning(fmt::format("{}; the report is ignored", problem.what()));
    return std::nullopt;
  }
}

}  // namespace tessera::postprocess::quantity
