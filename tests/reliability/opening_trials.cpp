// SPDX-License-Identifier: GPL-3.0-or-later
// Openings found by tessera-preprocess on surfaces with generated defects:
// `opening_trials PER_CLASS SEED [FOLDER [CLASS [samples]]]`. A table of right, warned and wrong
// surfaces by class; FOLDER receives it as openings.md, every surface as a line of openings.csv,
// and the surfaces that are not right or have a warning; with `samples` the shared vessels, on
// which a seed's surfaces depend, are left out. 1 when an intact surface has a warning, a wrong one
// has none, or fewer than 95 % of the defects are right.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "preprocess/read/readers.hpp"
#include "tests/fixtures/child.hpp"
#include "tests/fixtures/files/surface_files.hpp"
#include "tests/fixtures/geometry/vessel_defects.hpp"
#include "tests/fixtures/temporary_folder.hpp"

using namespace tessera;
using namespace tessera::test;
namespace fs = std::filesystem;

namespace {

constexpr double perMillimetre = 1e-3;
constexpr double perMillimetre2 = 1e-6;

// --- sources ------------------------------------------------------------------------------------

struct Source {
  std::string name;
  std::size_t openings = 0;  // by SOURCES.md of the shared data, by the sample's kind
  OpenVessel vessel;
  // Enough edges round each opening and along the wall for defects smaller than an opening.
  [[nodiscard]] bool isFine() const {
    if (vessel.mesh.triangle.size() < 1000) return false;
    for (std::size_t end = 0; end < vessel.rim.size(); ++end)
      if (rimEdge(vessel, end) > 0.27 * planeOf(vessel.mesh, vessel.rim[end]).radius())
        return false;
    return true;
  }
};

nlohmann::json reportOf(const fs::path& folder) {
  return nlohmann::json::parse(readWhole(folder / "r.json"));
}

RimPlane planeIn(const nlohmann::json& opening) {
  return {(1.0 / perMillimetre) * opening.at("centre_m").get<Double3>(),
          opening.contains("normal") ? opening.at("normal").get<Double3>() : Double3{},
          opening.at("area_m2").get<double>() / perMillimetre2};
}

// Ends of a closed surface are the flat caps of the clean file.
void openCaps(TriangleMesh& mesh, const fs::path& folder, const std::string& path) {
  reliability::mustRun(folder, {"tessera-preprocess", path, "--unit", "mm", "--across", "12",
                                "--quiet", "--report", "r.json", "-o", "clean.vdb"});
  const nlohmann::json report = reportOf(folder);
  for (const auto& opening : report.at("openings")) removeCap(mesh, planeIn(opening));
}

Source readSource(const fs::path& folder, const std::string& path, double millimetresPerUnit,
                  std::size_t openings, bool isClosed) {
  TriangleMesh mesh = weldExactly(preprocess::read::readSurface(path), millimetresPerUnit);
  if (isClosed) openCaps(mesh, folder, path);
  Source source{fs::path(path).stem().string(), openings, withRims(std::move(mesh))};
  if (source.vessel.rim.size() != openings)
    throw std::runtime_error(
        fmt::format("{} has {} ends, expected {}", path, source.vessel.rim.size(), openings));
  return source;
}

std::vector<Source> samples(const fs::path& folder) {
  struct Sample {
    std::string file;
    std::size_t openings;
    std::vector<std::string> options;
  };
  const std::vector<Sample> kinds{{"sample-aneurysm.stl", 3, {"aneurysm", "--edge", "0.15 mm"}},
                                  {"sample-narrow.stl",
                                   3,
                                   {"aneurysm", "--edge", "0.12 mm", "--branch1-diameter", "1.6 mm",
                                    "--sac-diameter", "9 mm", "--sac-height", "9 mm"}},
                                  {"sample-aorta.stl", 5, {"aorta", "--edge", "1.2 mm"}}};
  std::vector<Source> all;
  for (const Sample& sample : kinds) {
    std::vector<std::string> command{"tessera-sample"};
    command.insert(command.end(), sample.options.begin(), sample.options.end());
    command.insert(command.end(), {"--quiet", "-o", sample.file});
    reliability::mustRun(folder, command);
    all.push_back(readSource(folder, (folder / sample.file).string(), 1.0, sample.openings, false));
  }
  return all;
}

// The shared vessels, which a checkout may lack.
void addShared(const fs::path& folder, std::vector<Source>& all) {
  const fs::path data = fs::path(TESSERA_SHARED_DATA) / "vessels";
  if (!fs::exists(data)) {
    std::printf("the shared vessels are absent: samples only\n");
    return;
  }
  const auto add = [&](const char* file, double millimetres, std::size_t openings, bool isClosed) {
    all.push_back(readSource(folder, (data / file).string(), millimetres, openings, isClosed));
  };
  add("aneurysm_vascular_model.stl", 1.0, 3, false);
  add("aneurysm-showcase.stl", 1e3, 3, false);
  add("artery.stl", 1.0, 3, false);
  add("SixBranch.stl", 1.0, 6, false);
  add("aorta3d.stl", 1.0, 3, true);
  add("caput-AlsterAY.stl", 1.0, 2, true);
  add("caput-sidewall-4.stl", 1.0, 2, true);
}

// --- one surface --------------------------------------------------------------------------------

enum class Verdict { Right, Warned, Wrong };
const char* nameOf(Verdict verdict) {
  constexpr const char* names[] = {"right", "warned", "wrong"};
  return names[static_cast<std::size_t>(verdict)];
}

struct Outcome {
  Verdict verdict = Verdict::Right;
  std::size_t found = 0, candidates = 0, warnings = 0;
  std::string difference;  // first one
};

struct Differences {
  std::vector<RimPlane> place;  // without a counterpart, or of another size
  std::string first;
  void add(const RimPlane& plane, const std::string& finding) {
    place.push_back(plane);
    if (first.empty())
      first = fmt::format("{} at {:.4g},{:.4g},{:.4g} mm, R {:.3g} mm", finding, plane.centre[0],
                          plane.centre[1], plane.centre[2], plane.radius());
  }
};

Differences compare(const std::vector<ExpectedOpening>& expected, std::vector<RimPlane> found) {
  Differences all;
  for (const ExpectedOpening& opening : expected) {
    const auto near = std::find_if(found.begin(), found.end(), [&](const RimPlane& other) {
      return length(other.centre - opening.plane.centre) < 0.3 * opening.plane.radius();
    });
    if (near == found.end()) {
      all.add(opening.plane, "lost");
      continue;
    }
    if (near->area < opening.leastArea || near->area > opening.mostArea)
      all.add(opening.plane,
              fmt::format("area {:.2f} of the right one", near->area / opening.plane.area));
    found.erase(near);
  }
  for (const RimPlane& other : found) all.add(other, "not an opening");
  return all;
}

Outcome judge(const DefectiveSurface& surface, const nlohmann::json& report) {
  std::vector<RimPlane> found, candidates;
  for (const auto& opening : report.at("openings")) found.push_back(planeIn(opening));
  for (const auto& candidate : report.at("candidates")) candidates.push_back(planeIn(candidate));
  const Differences differences = compare(surface.opening, found);
  Outcome outcome{Verdict::Right, found.size(), candidates.size(), report.at("warnings").size(),
                  differences.first};
  for (const RimPlane& place : differences.place) {
    const bool named =
        std::any_of(candidates.begin(), candidates.end(), [&](const RimPlane& candidate) {
          return length(candidate.centre - place.centre) < place.radius();
        });
    outcome.verdict = std::max(outcome.verdict, named ? Verdict::Warned : Verdict::Wrong);
  }
  return outcome;
}

// A refusal names its reason, so it is no silent error.
Outcome runOn(const DefectiveSurface& surface, const char* spacing, const fs::path& folder) {
  writeWhole(folder / "s.stl", binaryStl(soupOf(surface.mesh)));
  fs::remove(folder / "r.json");
  reliability::Child program(folder, {"tessera-preprocess", "s.stl", "--unit", "mm", spacing,
                                      "--quiet", "--report", "r.json", "-o", "s.vdb"});
  if (const int code = program.wait(); code != 0)
    return {Verdict::Warned, 0, 0, 1, fmt::format("refused ({}): {}", code, program.errors())};
  return judge(surface, reportOf(folder));
}

// --- the table ----------------------------------------------------------------------------------

struct Count {
  std::size_t surfaces = 0, of[3] = {0, 0, 0}, withWarnings = 0;
  void add(const Outcome& outcome) {
    ++surfaces;
    ++of[static_cast<std::size_t>(outcome.verdict)];
    withWarnings += outcome.warnings > 0 ? 1 : 0;
  }
  void add(const Count& other) {
    surfaces += other.surfaces;
    for (std::size_t k = 0; k < 3; ++k) of[k] += other.of[k];
    withWarnings += other.withWarnings;
  }
};

struct Trials {
  fs::path scratch, kept;  // kept: empty for none
  std::string lines =
      "class,degree,form,source,seed,expected,found,verdict,warnings,candidates,difference\n";
};

// A surface of the class from a source that is drawn, and has room for the defect; its name.
std::pair<DefectiveSurface, std::string> drawSurface(const DefectClass& defect,
                                                     const std::vector<Source>& sources, Draw& draw,
                                                     std::size_t variant) {
  for (int repeat = 0; repeat < 100; ++repeat) {
    const Source& source = sources[draw.below(sources.size())];
    if (defect.needsFineMesh && !source.isFine()) continue;
    try {
      return {defect.make(source.vessel, draw, variant), source.name};
    } catch (const NoRoom&) {
    }
  }
  throw std::runtime_error("no vessel has room for the defect");
}

struct VariantRange {
  std::size_t first = 0, end = 0;
};

// Every surface has a seed of its own. Returns the count of one class.
Count tryClass(const DefectClass& defect, const std::vector<Source>& sources, VariantRange variants,
               std::uint64_t seed, Trials& trials) {
  Count count;
  for (std::size_t variant = variants.first; variant < variants.end; ++variant) {
    const std::uint64_t own = seed + 1000003 * (variant + 1);
    Draw draw(own);
    const auto [surface, source] = drawSurface(defect, sources, draw, variant);
    const Outcome outcome = runOn(surface, defect.spacing, trials.scratch);
    count.add(outcome);
    const char* form = surface.capped ? "capped" : "open";
    trials.lines +=
        fmt::format("{},\"{}\",{},{},{},{},{},{},{},{},\"{}\"\n", defect.name, surface.degree, form,
                    source, own, surface.opening.size(), outcome.found, nameOf(outcome.verdict),
                    outcome.warnings, outcome.candidates, outcome.difference);
    if (outcome.verdict == Verdict::Right && outcome.warnings == 0) continue;
    std::printf("%s %s, %s %s: %s, %zu warnings. %s\n", defect.name.c_str(), surface.degree.c_str(),
                form, source.c_str(), nameOf(outcome.verdict), outcome.warnings,
                outcome.difference.c_str());
    std::fflush(stdout);
    if (!trials.kept.empty())
      fs::copy_file(trials.scratch / "s.stl",
                    trials.kept / fmt::format("{}-{}-{}.stl", defect.name, variant, source),
                    fs::copy_options::overwrite_existing);
  }
  return count;
}

std::string rowOf(const std::string& name, const Count& count) {
  return fmt::format("| {} | {} | {} | {} | {} | {} |\n", name, count.surfaces, count.of[0],
                     count.of[1], count.of[2], count.withWarnings);
}

int runTrials(std::size_t perClass, std::uint64_t seed, const fs::path& kept,
              const std::string& only, bool samplesAlone) {
  const TemporaryFolder place;
  Trials trials{place / "runs", kept};
  fs::create_directory(trials.scratch);
  if (!kept.empty()) fs::create_directories(kept);
  std::vector<Source> sources = samples(trials.scratch);
  if (!samplesAlone) addShared(trials.scratch, sources);
  std::string table =
      "| class | surfaces | right | warned | wrong | with a warning |\n|---|---|---|---|---|---|\n";
  Count intact, defects;
  for (std::size_t c = 0; c < defectClasses().size(); ++c) {
    const DefectClass& defect = defectClasses()[c];
    if (!only.empty() && defect.name != only) continue;
    // One surface of each class: open and capped by turns.
    const std::size_t first = perClass == 1 ? c % 2 : 0;
    const Count count =
        tryClass(defect, sources, {first, first + perClass}, 7919 * seed + 104729 * c, trials);
    table += rowOf(defect.name, count);
    (c == 0 ? intact : defects).add(count);
  }
  table += rowOf("all defects", defects);
  std::printf("\n%s", table.c_str());
  if (!kept.empty()) {
    writeWhole(kept / "openings.md", table);
    writeWhole(kept / "openings.csv", trials.lines);
  }
  const bool isGood = intact.of[0] == intact.surfaces && intact.withWarnings == 0 &&
                      defects.of[2] == 0 && 100 * defects.of[0] >= 95 * defects.surfaces;
  return isGood ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const int perClass = argc > 2 ? std::atoi(argv[1]) : 0;
  const bool samplesAlone = argc == 6 && std::string(argv[5]) == "samples";
  if (perClass < 1 || argc > 6 || (argc == 6 && !samplesAlone)) {
    std::fprintf(stderr, "usage: opening_trials PER_CLASS SEED [FOLDER [CLASS [samples]]]\n");
    return 2;
  }
  try {
    return runTrials(static_cast<std::size_t>(perClass), std::strtoull(argv[2], nullptr, 10),
                     argc > 3 ? fs::absolute(argv[3]) : fs::path(), argc > 4 ? argv[4] : "",
                     samplesAlone);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "opening_trials: %s\n", error.what());
    return 2;
  }
}
