// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/sample/summary.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <span>

#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/json.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/sample/implicit.hpp"
#include "preprocess/sample/write_stl.hpp"
#include "preprocess/surface/openings/openings.hpp"
#include "preprocess/surface/repair/close_surface.hpp"

namespace tessera::preprocess::sample {

using geometry::Opening;
using geometry::TriangleMesh;
using stage::Json;

namespace {

Opening measure(const TriangleMesh& mesh, const surface::BoundaryLoop& rim) {
  std::vector<Double3> loop;
  for (std::uint32_t v : rim.vertex) loop.push_back(mesh.vertex[v]);
  const Double3& from = loop.front();
  Double3 twice{};
  for (std::size_t k = 2; k < loop.size(); ++k)
    twice = twice + cross(loop[k - 1] - from, loop[k] - from);
  const Double3 normal = unit(twice);
  Double3 moment{};
  for (std::size_t k = 2; k < loop.size(); ++k) {
    const double part = dot(cross(loop[k - 1] - from, loop[k] - from), normal);
    moment = moment + (part / 3.0) * ((loop[k - 1] - from) + (loop[k] - from));
  }
  Opening opening;
  opening.area = 0.5 * length(twice);
  opening.centre = from + (0.5 / opening.area) * moment;
  opening.normal = normal;
  opening.radius = std::sqrt(opening.area / M_PI);
  return opening;
}

// Rounds values below 1e-9 to 0.
std::string triple(const Double3& v, double factor) {
  const auto number = [&](double x) { return std::abs(x * factor) < 1e-9 ? 0.0 : x * factor; };
  return fmt::format("{:.4g}, {:.4g}, {:.4g}", number(v[0]), number(v[1]), number(v[2]));
}

std::string baseName(const std::string& file) {
  return std::filesystem::path(file).stem().string();
}

std::string nextCommand(const std::string& file, const std::string& options) {
  return fmt::format("next       tessera-preprocess {} {} -o {}.vdb\n", file, options,
                     baseName(file));
}

void addFacts(const Notes& notes, std::string& text, Json& json) {
  for (const auto& [name, value] : notes.facts) {
    text += fmt::format("{:<10} {:.6g}\n", name, value);
    json[name] = value;
  }
}
}  // namespace

std::vector<Opening> rimsOf(const TriangleMesh& mesh) {
  std::vector<Opening> rims;
  for (const surface::BoundaryLoop& loop : surface::boundaryLoops(mesh, surface::edgesOf(mesh)))
    rims.push_back(measure(mesh, loop));
  surface::orderOpenings(rims);
  return rims;
}

double cappedVolume(const TriangleMesh& mesh, const std::vector<Opening>& rims) {
  const Double3& from = mesh.vertex[mesh.triangle.front()[0]];
  double volume = geometry::enclosedVolume(mesh);  // measured from the same vertex
  for (const Opening& rim : rims) volume += rim.area * dot(rim.normal, rim.centre - from) / 3.0;
  return volume;
}

Summary describeMesh(const std::string& kind, const TriangleMesh& mesh, const std::string& file,
                     const Notes& notes) {
  const geometry::Bounds bounds = geometry::boundsOf(mesh);
  const std::vector<Opening> rims = rimsOf(mesh);
  const double volume = cappedVolume(mesh, rims);
  const Double3 extent = bounds.extent();
  Json json{{"kind", kind},
            {"triangles", mesh.triangle.size()},
            {"low_m", bounds.low},
            {"high_m", bounds.high},
            {"area_m2", geometry::surfaceArea(mesh)},
            {"volume_m3", volume},
            {"openings", Json::array()}};
  std::string text =
      fmt::format("triangles  {}, {} vertices\n", mesh.triangle.size(), mesh.vertex.size());
  text += fmt::format("box        {:.4g} x {:.4g} x {:.4g} mm\n", 1e3 * extent[0], 1e3 * extent[1],
                      1e3 * extent[2]);
  text += fmt::format("area       {:.5g} mm2\nvolume     {:.6g} mm3\n",
                      1e6 * geometry::surfaceArea(mesh), 1e9 * volume);
  for (const Opening& rim : rims) {
    text += fmt::format(
        "opening    {}: diameter {:.4g} mm, area {:.5g} mm2, centre {} mm, normal {}\n", rim.id,
        2e3 * rim.radius, 1e6 * rim.area, triple(rim.centre, 1e3), triple(rim.normal, 1.0));
    json["openings"].push_back({{"id", rim.id},
                                {"centre_m", rim.centre},
                                {"normal", rim.normal},
                                {"area_m2", rim.area},
                                {"radius_m", rim.radius}});
  }
  addFacts(notes, text, json);
  std::string options = notes.options;
  if (notes.nodes > 0) {
    const double spacing = std::cbrt(volume / static_cast<double>(notes.nodes));
    const std::string inMm = stage::number(1e3 * spacing) + " mm";
    text += "spacing    " + inMm + "\n";
    json["spacing_m"] = spacing;
    options = "--spacing \"" + inMm + "\"";
  }
  text += nextCommand(file, "--unit mm " + options);
  return {text, json.dump(2) + "\n"};
}

Summary describeImage(const std::string& kind, const SampleImage& image, const std::string& file,
                      const Notes& notes) {
  const Int3& n = image.size;
  const bool picture = std::filesystem::path(file).extension() == ".pgm";
  const double porosity = image.porosity();
  const auto pores =
      static_cast<std::int64_t>(std::llround(porosity * static_cast<double>(image.value.size())));
  Json json{{"kind", kind}, {"nodes", n}, {"fluid_nodes", pores}, {"porosity", porosity}};
  std::string text = fmt::format("size       {} x {} x {} voxels\n", n[0], n[1], n[2]);
  text += fmt::format("porosity   {:.6f} ({} pore voxels, value {}; solid {})\n", porosity, pores,
                      poreValue, solidValue);
  const std::string dims =
      picture ? "" : fmt::format("--dims {},{},{} --type u8 ", n[0], n[1], n[2]);
  addFacts(notes, text, json);
  const std::string options = notes.options.empty() ? "" : " " + notes.options;
  text += nextCommand(file, dims + "--voxel \"10 um\" --pore 0" + options);
  return {text, json.dump(2) + "\n"};
}

using stage::CommonOptions;

namespace {
constexpr double millimetre = 1e-3;

std::string fileName(const CommonOptions& common, const std::string& defaultName) {
  return common.output.empty() ? defaultName : common.output.filename().string();
}

int print(const CommonOptions& common, const Summary& summary) {
  if (!common.report.empty()) stage::writeTextAtomically(common.report, summary.json);
  std::cout << summary.text;
  return 0;
}
}  // namespace

int deliver(const CommonOptions& common, const std::string& kind,
            const geometry::TriangleMesh& mesh, const Notes& notes) {
  if (!common.plan)
    writeStl(common.output, mesh, millimetre, "Tessera sample: " + kind + ", millimetres");
  return print(common, describeMesh(kind, mesh, fileName(common, kind + ".stl"), notes));
}

int deliver(const CommonOptions& common, const std::string& kind, const SampleImage& image,
            const std::string& extension, const Notes& notes) {
  if (!common.plan) {
    stage::AtomicFile file(common.output);
    if (extension == ".pgm")
      file.write(fmt::format("P5\n{} {}\n{}\n", image.size[0], image.size[1], int{solidValue}));
    file.write(std::as_bytes(std::span(image.value)));
    file.commit();
  }
  return print(common, describeImage(kind, image, fileName(common, kind + extension), notes));
}

int deliver(const CommonOptions& common, const std::string& kind, const Scan& scan) {
  if (!common.plan) {
    stage::AtomicFile file(common.output);
    file.write(scanHeader(scan));
    file.write(std::as_bytes(std::span(scan.image.value)));
    file.commit();
  }
  const Int3& n = scan.image.size;
  const auto voxels = std::count(scan.image.value.begin(), scan.image.value.end(), 1);
  const double volume = static_cast<double>(voxels) * std::pow(scan.voxel, 3);
  Json json{{"kind", kind},          {"nodes", n},          {"voxel_m", scan.voxel},
            {"fluid_nodes", voxels}, {"volume_m3", volume}, {"openings", Json::array()}};
  std::string text = fmt::format(
      "size       {} x {} x {} voxels of {} mm\nlumen      label 1, {} voxels, {:.6g} mm3\n", n[0],
      n[1], n[2], stage::number(1e3 * scan.voxel), voxels, 1e9 * volume);
  std::string options = "--pore 1 --smooth --across 20";
  for (const TubeEnd& end : scan.ends) {
    text += fmt::format("end        diameter {:.4g} mm, centre {} mm, normal {}\n",
                        2e3 * end.radius, triple(end.centre, 1e3), triple(end.normal, 1.0));
    json["openings"].push_back(
        {{"centre_m", end.centre}, {"normal", end.normal}, {"radius_m", end.radius}});
    options +=
        fmt::format(" \\\n  --cut \"{};{}\"", triple(end.centre, 1e3), triple(end.normal, 1.0));
  }
  const std::string file = fileName(common, kind + ".mha");
  return print(common, {text + nextCommand(file, options), json.dump(2) + "\n"});
}

}  // namespace tessera::preprocess::sample
