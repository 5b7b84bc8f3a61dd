// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/preprocess_report.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/io/json.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/file/meta.hpp"
#include "preprocess/geometry/finer_spacing.hpp"
#include "preprocess/geometry/resolving_spacing.hpp"
#include "preprocess/lattice/choose_lattice.hpp"
#include "preprocess/lattice/throats/throats.hpp"
#include "preprocess/surface/health/surface_health.hpp"
#include "preprocess/surface/openings/openings.hpp"

namespace tessera::preprocess {

using stage::Dimension;
using stage::formatQuantity;
using stage::Json;

namespace {

Json orNull(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// Reasons for the verdict: the warnings, or else the repairs.
std::vector<std::string> reasonsOf(const PreprocessReport& report) {
  if (!report.warnings.empty()) return report.warnings;
  std::vector<std::string> reasons;
  for (const auto& [name, count] : report.repairs)
    if (count > 0 && name != "openings_capped")
      reasons.push_back(fmt::format("{} {}", name, count));
  return reasons;
}

// Rounds components below 0.001 of the scale to 0, which avoids "-0.000".
std::string vectorText(const Double3& v, double scale) {
  const auto tidy = [&](std::size_t a) { return std::abs(v[a]) < 5e-4 * scale ? 0.0 : v[a]; };
  return fmt::format("({:.4g}, {:.4g}, {:.4g})", tidy(0), tidy(1), tidy(2));
}

std::string originOf(const PreprocessReport& report, std::size_t opening) {
  const std::vector<surface::CapOrigin>& origins = report.openingOrigins;
  return opening < origins.size() ? surface::describeOrigin(origins[opening]) : "";
}

double extensionOf(const PreprocessReport& report, std::size_t opening) {
  return opening < report.extensions.size() ? report.extensions[opening] : 0.0;
}

// In 2D of the width.
double nodesAcross(const PreprocessReport& report, const geometry::Opening& opening) {
  return report.dimensions == 2 ? opening.area / (report.spacing * report.spacing)
                                : 2.0 * opening.radius / report.spacing;
}

std::string openingLine(const PreprocessReport& report, std::size_t k) {
  const geometry::Opening& opening = report.openings[k];
  const std::string origin = originOf(report, k);
  const double extension = extensionOf(report, k);
  const Double3& c = opening.centre;
  return fmt::format(
      "  {:3}  {:<12} radius {:<10} {:>6.1f} nodes across  centre {} mm  normal {}{}{}\n",
      opening.id, opening.name, formatQuantity(opening.radius, Dimension::Length),
      nodesAcross(report, opening),
      vectorText({1e3 * c[0], 1e3 * c[1], 1e3 * c[2]}, 1e3 * opening.radius),
      vectorText(opening.normal, 1.0), origin.empty() ? "" : "  " + origin,
      extension > 0.0 ? ", extended by " + formatQuantity(extension, Dimension::Length) : "");
}

// Nodes as a fraction of the box.
double shareOf(const PreprocessReport& report, std::uint64_t nodes) {
  const Int3& n = report.nodes;
  return static_cast<double>(nodes) / (static_cast<double>(n[0]) * n[1] * n[2]);
}

void addConnectivity(const PreprocessReport& report, Json& json) {
  const Connectivity& found = *report.connectivity;
  json["connected_parts"] = found.parts;
  json["percolates"] = Json::object();
  for (std::size_t a = 0; a < 3; ++a)
    if (found.percolates[a]) json["percolates"][std::string(1, "xyz"[a])] = *found.percolates[a];
  if (!found.effectiveNodes) return;
  json["effective_porosity"] = shareOf(report, *found.effectiveNodes);
}

std::string connectivityText(const PreprocessReport& report) {
  const Connectivity& found = *report.connectivity;
  std::string text = fmt::format("connected    {} part(s)", found.parts);
  if (found.effectiveNodes)
    text += fmt::format(", effective porosity {:.4f}", shareOf(report, *found.effectiveNodes));
  text += "\n";
  for (std::size_t a = 0; a < 3; ++a)
    if (found.percolates[a])
      text +=
          fmt::format("percolates   on {}: {}\n", "xyz"[a], *found.percolates[a] ? "yes" : "no");
  return text;
}

double volumeOf(const PreprocessReport& report, std::uint64_t nodes) {
  return static_cast<double>(nodes) * std::pow(report.spacing, 3);
}

std::string deadText(const PreprocessReport& report) {
  const std::optional<std::uint64_t> nodes = deadNodes(report);
  if (!nodes) return "";
  const char* const fate = *nodes == 0                           ? ""
                           : report.dead && report.dead->isSolid ? ", made solid"
                                                                 : ", kept";
  return fmt::format("dead volume  {} nodes, {:.4g} mm3{}\n", *nodes,
                     1e9 * volumeOf(report, *nodes), fate);
}

std::string volumeText(const PreprocessReport& report) {
  std::string text = fmt::format("volume       {:.4g} mm3, of the surface {:.4g} mm3",
                                 1e9 * report.volumeVoxels, 1e9 * *report.volumeMesh);
  if (report.volumeError) text += fmt::format("; voxelised {:+.2f} %", 100.0 * *report.volumeError);
  return text + "\n";
}

// The first sheets, in the order of the report.
std::string sheetsText(const PreprocessReport& report) {
  if (report.sheets.empty()) return "";
  double area = 0.0;
  for (const surface::Sheet& sheet : report.sheets) area += sheet.area;
  std::string text = fmt::format("sheets       {} of {:.4g} mm2, walls with fluid on both sides\n",
                                 report.sheets.size(), 1e6 * area);
  constexpr std::size_t most = 20;  // lines
  for (std::size_t k = 0; k < std::min(most, report.sheets.size()); ++k) {
    const surface::Sheet& sheet = report.sheets[k];
    text += fmt::format("  {:3}  area {:.4g} mm2  centre {} mm\n", k + 1, 1e6 * sheet.area,
                        vectorText(1e3 * sheet.centre, 1e3 * std::sqrt(sheet.area)));
  }
  return text;
}

Json loopsToJson(const std::vector<surface::LoopHealth>& loops) {
  constexpr std::size_t most = 100;  // longest loops
  Json list = Json::array();
  for (std::size_t k = 0; k < std::min(most, loops.size()); ++k)
    list.push_back({{"edges", loops[k].edges},
                    {"perimeter_m", loops[k].perimeter},
                    {"planar", loops[k].planar},
                    {"sheet", loops[k].sheet},
                    {"opening", loops[k].opening}});
  return list;
}

// Narrowest passage of a throat, k from 0: the diameter of the circle of the same area; in 2D the
// width.
double nodesAcross(const PreprocessReport& report, std::size_t k) {
  const double area = report.narrowestPassages[k] / (report.spacing * report.spacing);
  return report.dimensions == 2 ? area : 2.0 * std::sqrt(area / std::numbers::pi);
}

// Mean velocity in the throat over that in the largest opening, for the same flow rate.
double velocityRatio(const PreprocessReport& report, const geometry::Throat& throat) {
  double largest = 0.0;
  for (const geometry::Opening& opening : report.openings)
    largest = std::max(largest, opening.area);
  return largest / throat.area;
}

Json throatToJson(const PreprocessReport& report, std::size_t k) {
  const geometry::Throat& throat = report.throats[k];
  return {{"openings", throat.openings},
          {"centre_m", throat.centre},
          {"normal", throat.normal},
          {"area_m2", throat.area},
          {"passages", throat.passages},
          {"narrowest_passage_m2", report.narrowestPassages[k]},
          {"nodes_across", nodesAcross(report, k)},
          {"velocity_ratio", velocityRatio(report, throat)}};
}

std::string throatText(const PreprocessReport& report) {
  if (report.openings.size() < 2) return "";
  const std::string& reason = report.throatsNotSearched;
  if (report.throats.empty())
    return reason.empty() ? "throat       none found: no path between openings\n"
                          : fmt::format("throat       not searched: {}\n", reason);
  const geometry::Throat& throat = report.throats.front();
  std::vector<std::string> ids;
  for (const int id : throat.openings) ids.push_back(std::to_string(id));
  const Double3& c = throat.centre;
  return fmt::format(
      "throat       {:.4g} mm2 at {} mm, {:.1f} nodes across{}, to opening {}; velocity there "
      "{:.3g} "
      "times that in the largest opening{}\n",
      1e6 * throat.area,
      vectorText({1e3 * c[0], 1e3 * c[1], 1e3 * c[2]}, 1e3 * std::sqrt(throat.area)),
      nodesAcross(report, 0),
      throat.passages > 1
          ? fmt::format(" in the narrowest of {} passages in parallel", throat.passages)
          : "",
      stage::enumeration(ids), velocityRatio(report, throat),
      reason.empty() ? "" : "; not all were searched: " + reason);
}

Json orNull(const std::optional<std::uint64_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json surfaceToJson(const surface::SurfaceHealth& surface,
                   const std::optional<std::uint64_t>& intersections, double spacing) {
  const double edges[] = {surface.shortestEdge, surface.meanEdge, surface.longestEdge};
  return {
      {"triangles", surface.triangles},
      {"vertices", surface.vertices},
      {"edges", surface.edges},
      {"open_edges", surface.openEdges},
      {"open_loops", surface.openLoops.size()},
      {"non_manifold_edges", surface.nonManifoldEdges},
      {"unlike_edges", surface.inconsistentEdges},
      {"winding", surface::windingName(surface.winding)},
      {"self_intersections", orNull(intersections)},
      {"degenerate_triangles", surface.degenerate},
      {"slivers", surface.slivers},
      {"worst_aspect", surface.worstAspect},
      {"volume_m3", surface.volume},
      {"area_m2", surface.area},
      {"extent_m", surface.extent},
      {"edge_length_m", {{"min", edges[0]}, {"mean", edges[1]}, {"max", edges[2]}}},
      {"edge_length_nodes",
       {{"min", edges[0] / spacing}, {"mean", edges[1] / spacing}, {"max", edges[2] / spacing}}}};
}

Json candidatesToJson(const std::vector<surface::OpeningCandidate>& candidates) {
  Json list = Json::array();
  for (const surface::OpeningCandidate& candidate : candidates)
    list.push_back({{"id", candidate.number},
                    {"centre_m", candidate.centre},
                    {"normal", candidate.normal},
                    {"area_m2", candidate.area},
                    {"radius_m", candidate.radius()},
                    {"reason", candidate.reason}});
  return list;
}

Json closedToJson(const std::vector<ClosedOpening>& closed) {
  Json list = Json::array();
  for (const ClosedOpening& entry : closed) {
    Json json = file::openingsToJson({entry.opening}).front();
    json.erase("part");  // unknown: the lattice is not made yet
    json["nodes_across"] = entry.nodesAcross;
    json["resolving_spacing_m"] = entry.spacing;
    list.push_back(std::move(json));
  }
  return list;
}

Json thinnestToJson(const PreprocessReport& report) {
  if (!report.thinnest) return nullptr;
  return {{"nodes", report.thinnest->nodes},
          {"at_least", report.thinnest->atLeast},
          {"width_m", report.thinnest->nodes * report.spacing},
          {"opening", report.thinnest->opening}};
}

Json wrapToJson(const surface::WrapFacts& wrap) {
  return {{"alpha_m", wrap.alpha},
          {"offset_m", wrap.offset},
          {"triangles", wrap.triangles},
          {"volume_before_m3", orNull(wrap.volumeBefore)},
          {"volume_m3", wrap.volume},
          {"largest_distance_m", wrap.farthest},
          {"enclosed_share", wrap.enclosedShare}};
}

std::string wrapText(const surface::WrapFacts& wrap) {
  std::string text = fmt::format(
      "wrapped      at {}, offset {} moved back, {} triangles, volume {:.4g} mm3",
      formatQuantity(wrap.alpha, Dimension::Length), formatQuantity(wrap.offset, Dimension::Length),
      wrap.triangles, 1e9 * wrap.volume);
  if (wrap.volumeBefore)
    text += fmt::format(" ({:+.2f} %)", 100.0 * (wrap.volume / *wrap.volumeBefore - 1.0));
  return text + fmt::format(", at most {} from the surface\n",
                            formatQuantity(wrap.farthest, Dimension::Length));
}

Json healthToJson(const PreprocessReport& report) {
  if (!report.health) return nullptr;
  const surface::HealthReport& health = *report.health;
  Json json = Json::object();  // explicit: nlohmann's conversion of null loses content on bad_alloc
  json["verdict"] = verdictOf(report);
  json["reasons"] = reasonsOf(report);
  json["self_intersections_counted"] = health.selfIntersections.has_value();
  json["as_read"] = surfaceToJson(health.asRead, health.selfIntersectionsAsRead, report.spacing);
  json["repaired"] = surfaceToJson(health.repaired, health.selfIntersections, report.spacing);
  json["self_intersections_complete"] = health.allSelfIntersections;
  json["open_loops"] = loopsToJson(health.asRead.openLoops);
  json["parts"] = {
      {"count", health.parts.parts},
      {"cavities", health.parts.cavities},
      {"covered", health.parts.covered},
      {"overlapping", health.selfIntersections ? Json(health.parts.overlapping) : Json(nullptr)}};
  return json;
}

}  // namespace

std::string verdictOf(const PreprocessReport& report) {
  if (!report.warnings.empty()) return "usable with warnings";
  if (report.wrap) return "wrapped";
  return reasonsOf(report).empty() ? "clean" : "repaired";
}

std::string healthSummary(const PreprocessReport& report) {
  std::string text = report.health ? surface::healthText(*report.health, report.spacing) : "";
  for (const auto& [name, count] : report.repairs)
    if (count > 0) text += fmt::format("repaired     {} {}\n", name, count);
  if (!report.health) return text;
  text += sheetsText(report);
  if (report.wrap) text += wrapText(*report.wrap);
  text += "verdict      " + verdictOf(report);
  if (report.wrap && !report.warnings.empty()) text += ", wrapped";
  if (!report.health->selfIntersections)
    text += ", self-intersections not checked";
  else if (!report.health->allSelfIntersections)
    text += ", not all self-intersections counted";
  if (report.connectivity && !report.connectivity->withoutPath.empty())
    text += ", no path from " + stage::firstOf(report.connectivity->withoutPath);
  return text + "\n";
}

std::optional<std::uint64_t> deadNodes(const PreprocessReport& report) {
  const std::uint64_t solid = report.dead && report.dead->isSolid ? report.dead->nodes : 0;
  if (report.connectivity && report.connectivity->deadNodes)
    return solid + *report.connectivity->deadNodes;
  return report.dead ? std::optional(report.dead->nodes) : std::nullopt;
}

double PreprocessReport::porosity() const {
  return shareOf(*this, fluidNodes);
}

void describeLattice(const geometry::LatticeGeometry& geometry, PreprocessReport& report) {
  report.nodes = geometry.fluid.size;
  report.spacing = geometry.frame.spacing;
  report.space = geometry.frame.space;
  report.lengthUnit = geometry.frame.lengthUnit.name;
  report.fluidNodes = geometry.fluid.count();
  report.volumeVoxels = static_cast<double>(report.fluidNodes) * std::pow(report.spacing, 3);
  report.openings = geometry.openings;
  report.cutLinks = geometry.cutLinks;
  report.wallLinks = geometry::countWallLinks(geometry.boundary);
  report.dimensions = geometry.dimensions;
}

void describeThinnest(const geometry::LatticeGeometry& geometry,
                      std::span<const lattice::CutNode> cuts, PreprocessReport& report) {
  report.thinnest =
      lattice::findThinnestChannel(geometry.fluid, geometry.periodic, geometry.boundary, cuts);
}

void describeThroats(geometry::LatticeGeometry& geometry, std::span<const lattice::CutNode> cuts,
                     PreprocessReport& report) {
  lattice::ThroatSearch search = lattice::searchThroats(geometry, cuts);
  geometry.throats = search.throats;
  report.throats = std::move(search.throats);
  report.narrowestPassages = std::move(search.narrowestPassages);
  report.throatsNotSearched = std::move(search.notSearched);
  if (geometry.openings.size() < 2 || report.throatsNotSearched.empty()) return;
  geometry.throatsNotSearched = report.throatsNotSearched;
  report.warnings.push_back(fmt::format(
      "{} not known: {}; the solver cannot foresee the velocity there: watch the Mach number of "
      "the "
      "run, and choose a smaller time_step in the case where it exceeds 0.3.",
      report.throats.empty() ? "throats, the narrowest sections between openings, are"
                             : "some throats, the narrowest sections between openings, are",
      report.throatsNotSearched));
}

void warnAboutResolution(const geometry::LatticeGeometry& geometry, PreprocessReport& report) {
  constexpr double roundAlike = 2.0;  // nodes by which the widths of round sections differ
  const double spacing = report.spacing;
  geometry::LengthsToResolve lengths = geometry::sectionsToResolve(
      geometry.openings, geometry.throats, geometry.dimensions, spacing);
  const double section = lengths.hasNarrowThroat() ? lengths.throat : lengths.opening;
  const int path = report.thinnest ? report.thinnest->nodes : 0;
  if (path > 0 && path < geometry::fewestNodesAcross && path + roundAlike <= section / spacing)
    lengths.slit = path * spacing;
  const std::array<bool, 3> axes = geometry::axesToDivide(geometry.periodic, geometry.dimensions);
  const double finer = geometry::resolvingSpacing(lengths, spacing, axes);
  if (!(finer < spacing)) return;
  const auto gives = [&](double nodes) {
    return fmt::format("{} gives {}", geometry::spacingOption(finer),
                       stage::number(nodes * spacing / finer, 2));
  };
  report.warnings.push_back(
      path > 0 && path < geometry::fewestNodesAcross
          ? fmt::format("the path from opening {} is {} wide at its narrowest, too coarse for "
                        "accurate flow; {} nodes.",
                        report.thinnest->opening,
                        stage::plural(static_cast<std::uint64_t>(path), "node"), gives(path))
          : fmt::format("the {} has only {} nodes across; flow rates there will be inaccurate; {}.",
                        lengths.hasNarrowThroat() ? "narrowest throat" : "smallest opening",
                        stage::number(section / spacing, 2), gives(section / spacing)));
}

std::string reportJson(const PreprocessReport& report) {
  Json json = Json::object();  // explicit: nlohmann's conversion of null loses content on bad_alloc
  json["nodes"] = report.nodes;
  json["spacing_m"] = report.spacing;
  json["space"] = report.space.empty() ? Json(nullptr) : Json(report.space);
  json["length_unit"] = report.lengthUnit;
  json["fluid_nodes"] = report.fluidNodes;
  json["porosity"] = report.porosity();
  json["wall_links"] = report.wallLinks;
  if (report.cutLinks > 0) json["cut_links"] = report.cutLinks;
  json["volume_mesh_m3"] = orNull(report.volumeMesh);
  json["volume_voxels_m3"] = report.volumeVoxels;
  json["volume_error"] = orNull(report.volumeError);
  json["area_mesh_m2"] = orNull(report.areaMesh);
  if (report.meshParts) json["mesh_parts"] = *report.meshParts;
  if (report.latticeParts) json["lattice_parts"] = *report.latticeParts;
  if (report.connectivity) addConnectivity(report, json);
  if (const std::optional<std::uint64_t> nodes = deadNodes(report)) {
    json["dead_nodes"] = *nodes;
    json["dead_volume_m3"] = volumeOf(report, *nodes);
  }
  json["openings"] = file::openingsToJson(report.openings);
  for (std::size_t k = 0; k < report.openingOrigins.size(); ++k)
    json["openings"][k]["origin"] = originOf(report, k);
  for (std::size_t k = 0; k < report.extensions.size(); ++k)
    json["openings"][k]["extension_m"] = report.extensions[k];
  json["closed_openings"] = closedToJson(report.closed);
  json["candidates"] = candidatesToJson(report.candidates);
  json["sheets"] = Json::array();
  for (const surface::Sheet& sheet : report.sheets)
    json["sheets"].push_back({{"area_m2", sheet.area}, {"centre_m", sheet.centre}});
  json["repairs"] = Json::object();
  for (const auto& [name, count] : report.repairs) json["repairs"][name] = count;
  json["warnings"] = report.warnings;
  json["thinnest_channel"] = thinnestToJson(report);
  json["throats_searched"] = report.throatsNotSearched.empty();
  json["throats_not_searched"] =
      report.throatsNotSearched.empty() ? Json(nullptr) : Json(report.throatsNotSearched);
  json["throat"] = report.throats.empty() ? Json(nullptr) : throatToJson(report, 0);
  json["throats"] = Json::array();
  for (std::size_t k = 0; k < report.throats.size(); ++k)
    json["throats"].push_back(throatToJson(report, k));
  json["wrap"] = report.wrap ? wrapToJson(*report.wrap) : Json(nullptr);
  json["health"] = healthToJson(report);
  return stage::jsonText(json, 2) + "\n";
}

std::string summaryText(const PreprocessReport& report) {
  const auto& n = report.nodes;
  std::string text = fmt::format("lattice      {} x {} x {} nodes of {}\n", n[0], n[1], n[2],
                                 formatQuantity(report.spacing, Dimension::Length));
  text +=
      fmt::format("fluid        {} nodes, porosity {:.4f}\n", report.fluidNodes, report.porosity());
  if (report.cutLinks > 0)
    text += fmt::format("thin walls   {} between fluid nodes, which a wall crosses\n",
                        stage::plural(report.cutLinks, "link"));
  if (report.volumeMesh) text += volumeText(report);
  if (report.thinnest)
    text += fmt::format("thinnest     {}{}, {}, from opening {}\n",
                        report.thinnest->atLeast ? "at least " : "",
                        stage::plural(static_cast<std::uint64_t>(report.thinnest->nodes), "node"),
                        formatQuantity(report.thinnest->nodes * report.spacing, Dimension::Length),
                        report.thinnest->opening);
  text += throatText(report);
  text += healthSummary(report);
  if (report.meshParts && report.latticeParts && *report.meshParts != *report.latticeParts)
    text += fmt::format("parts        {} of the surface, {} of the lattice\n", *report.meshParts,
                        *report.latticeParts);
  if (report.connectivity) text += connectivityText(report);
  text += deadText(report);
  return text + openingsText(report);
}

std::string openingsText(const PreprocessReport& report) {
  std::string text = fmt::format("openings     {}\n", report.openings.size());
  for (std::size_t k = 0; k < report.openings.size(); ++k) text += openingLine(report, k);
  std::string others;
  for (const surface::OpeningCandidate& candidate : report.candidates)
    if (candidate.number > 0)
      others += fmt::format("  {:>3}  candidate    radius {:<10} centre {}: {}\n",
                            fmt::format("C{}", candidate.number),
                            formatQuantity(candidate.radius(), Dimension::Length),
                            placeText(candidate.centre), candidate.reason);
  for (const ClosedOpening& closed : report.closed)
    others +=
        fmt::format("    x  {:<12} radius {:<10} centre {}: {:.1f} nodes across, not resolved\n",
                    closed.opening.name, formatQuantity(closed.opening.radius, Dimension::Length),
                    placeText(closed.opening.centre), closed.nodesAcross);
  return others.empty() ? text : text + "not openings\n" + others;
}

std::string formatExtent(const Double3& extent) {
  const double longest = std::fmax(extent[0], std::fmax(extent[1], extent[2]));
  const bool inMetres = longest >= 1.0, inMicrometres = longest < 1e-3;
  const double factor = inMetres ? 1.0 : inMicrometres ? 1e6 : 1e3;
  const double digits = longest > 0.0 ? 2.0 - std::floor(std::log10(factor * longest)) : 0.0;
  const int decimals = static_cast<int>(std::fmax(1.0, std::fmin(6.0, digits)));
  return fmt::format("{1:.{0}f} x {2:.{0}f} x {3:.{0}f} {4}", decimals, factor * extent[0],
                     factor * extent[1], factor * extent[2],
                     inMetres        ? "m"
                     : inMicrometres ? "um"
                                     : "mm");
}

}  // namespace tessera::preprocess
