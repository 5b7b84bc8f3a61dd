// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-tiler: geom.vdb to geom.tiles.
#include <charconv>
#include <cstdio>
#include <iostream>

#include "pipelines/picture/typeset.hpp"
#include "pipelines/stage/case/case_file.hpp"
#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/cli/command_line.hpp"
#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/targets.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/file/lattice_file.hpp"
#include "tiler/analysis/analyse_tiling.hpp"
#include "tiler/file/tiles_file.hpp"
#include "tiler/picture/tile_picture.hpp"
#include "tiler/tiler_report.hpp"

using namespace tessera;
using namespace tessera::tiler;

using stage::CommonOptions;
using stage::ExitCode;
using stage::fail;
using tiler::picture::SliceChoice;

namespace {

constexpr const char* program = "tessera-tiler";

std::string offsetText(const Int3& offset) {
  return fmt::format("{},{},{}", offset[0], offset[1], offset[2]);
}

// nullopt: auto. The range is checked once the geometry is known.
std::optional<Int3> parseOffset(const std::string& text) {
  if (text == "auto") return std::nullopt;
  Int3 offset{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t a = 0; a < 3; ++a) {
    const auto [next, error] = std::from_chars(at, end, offset[a]);
    const bool separated = a == 2 ? next == end : next != end && *next == ',';
    if (error != std::errc{} || !separated)
      fail(ExitCode::Usage,
           fmt::format("--offset is \"{}\"; expected auto or three whole numbers such as 0,2,1.",
                       text));
    at = next + 1;
  }
  return offset;
}

double parseBandwidth(const std::string& text) {
  const double bandwidth = stage::parseQuantity(text, stage::Dimension::Bandwidth);
  if (!(bandwidth > 0.0))
    fail(ExitCode::Usage,
         fmt::format("--bandwidth is \"{}\"; expected a positive bandwidth such as 4.28 TB/s.",
                     text));
  return bandwidth;
}

stage::Provenance provenanceOf(const preprocess::file::LatticeFile& input,
                               const std::filesystem::path& path, const Covering& covering) {
  stage::Provenance provenance = stage::newProvenance(program);
  provenance.options = {{"offset", offsetText(covering.offset)},
                        {"placement", covering.rows ? "rows" : "global"}};
  provenance.inputs = {{path.filename().string(), input.contentHash}};
  provenance.history = input.provenance.steps();
  return provenance;
}

struct OwnOptions {
  std::string offset = "auto";
  std::string placement = "global";
  std::string bandwidth = "4.28 TB/s";
  std::string picture;
  std::string slice = "auto";
};

std::optional<CommonOptions> parseCommandLine(int argc, char** argv, OwnOptions& own) {
  stage::CommandLine line(program, "Covers the fluid nodes of a lattice with tiles of 64 nodes.", 1,
                          1, true);
  line.inputs("geom.vdb", {"vdb"});
  line.output("FILE.tiles");
  line.environment(tessera::picture::fontsVariable, tessera::picture::fontsEffect);
  line.file("geom.tiles", "tiles, links, surface and openings, for tessera-solver");
  line.group("Tiling");
  line.option("--offset auto|X,Y,Z", own.offset,
              "solid layers before node 0 on x,y,z; auto: the best of all 64 (default: auto)");
  line.choice("--placement", own.placement, {"global", "rows"},
              "global: aligned tiling, one mesh for the whole geometry; rows: shifted tiling, an "
              "offset for "
              "each layer and each row of tiles, a few per cent fewer tiles (default: global)");
  line.option(
      "--bandwidth BANDWIDTH", own.bandwidth,
      "copy bandwidth for the speeds predicted by --plan and --report, such as \"228 GB/s\" "
      "(default: 4.28 TB/s, an NVIDIA H200)");
  line.option("--picture FILE.png", own.picture,
              "write a PNG of a slice: nodes, tiles and the utilisation of each tile");
  line.option(
      "--slice auto|AXIS=N", own.slice,
      "slice of --picture: x=N, y=N or z=N; auto: the layer with the most fluid (default: auto)");
  line.example("tessera-tiler geom.vdb -o geom.tiles --report geom.tiler.json");
  return line.parse(argc, argv);
}

// Checks the picture like the output file.
void checkPicture(const CommonOptions& options, const OwnOptions& own) {
  if (own.picture.empty()) {
    if (own.slice != "auto")
      fail(ExitCode::Usage, "--slice was given without --picture; add --picture FILE.png.");
    return;
  }
  if (options.plan)
    fail(ExitCode::Usage,
         "--picture has no effect with --plan, which prints and writes nothing; leave out one of "
         "them.");
  if (std::filesystem::path(own.picture).extension() != ".png")
    fail(ExitCode::Usage,
         fmt::format("--picture is {}; expected a file name that ends in .png.", own.picture));
  CommonOptions asOutput = options;
  asOutput.output = own.picture;
  stage::checkTargets(asOutput);
  const auto canonical = [](const std::filesystem::path& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path));
  };
  if (!options.output.empty() && canonical(own.picture) == canonical(options.output))
    fail(ExitCode::Usage,
         own.picture + " is given both to -o and to --picture; name different files.");
}

// Covering by the offset, or by the search of --placement rows.
Covering chooseCovering(const preprocess::geometry::LatticeGeometry& geometry,
                        const OwnOptions& own, const std::optional<Int3>& wanted) {
  preprocess::lattice::OffsetCounts counts =
      preprocess::lattice::countTilesAtAllOffsets(geometry.fluid, geometry.dimensions);
  if (own.placement == "global") {
    const Int3 offset = wanted.value_or(preprocess::lattice::chooseOffset(counts, geometry));
    requireTileable(geometry, offset);
    return describeCovering(geometry, std::move(counts), offset);
  }
  requireTileable(geometry, {0, 0, 0});
  if (geometry.dimensions == 2)
    fail(ExitCode::Usage, "--placement rows needs a 3D geometry; leave it out.");
  return describeCovering(geometry, std::move(counts), searchRows(geometry.fluid));
}

TiledGeometry cover(preprocess::geometry::LatticeGeometry geometry, const Covering& covering) {
  return covering.rows ? coverByMesh(std::move(geometry), *covering.rows)
                       : coverWithTiles(std::move(geometry), covering.offset);
}

// Called before anything is written, so that a slice outside the lattice leaves no file.
std::optional<SliceChoice> chooseSlice(const std::optional<SliceChoice>& wanted,
                                       const TiledGeometry& tiled) {
  const SliceChoice slice = wanted ? *wanted : tiler::picture::fullestSlice(tiled);
  tiler::picture::requireInside(slice, tiled);
  return slice;
}

void writePicture(const OwnOptions& own, const TiledGeometry& tiled, const SliceChoice& slice,
                  const std::filesystem::path& input) {
  tessera::picture::writePng(
      own.picture,
      tiler::picture::drawTiles(
          tiler::picture::sliceTiles(tiled, slice),
          fmt::format("{}: {} tiles {}, utilisation {:.4f}", input.filename().string(),
                      tiled.tiles(),
                      tiled.isShifted() ? "in rows" : "at offset " + offsetText(tiled.offset),
                      tiled.utilisation())));
  stage::logDetail("wrote " + own.picture);
}

int run(int argc, char** argv) {
  OwnOptions own;
  const std::optional<CommonOptions> options = parseCommandLine(argc, argv, own);
  if (!options) return 0;
  stage::applyCommonOptions(*options);
  const std::optional<Int3> wanted = parseOffset(own.offset);
  if (wanted && own.placement == "rows")
    fail(ExitCode::Usage,
         "--offset was given with --placement rows, which finds an offset for each row; leave out "
         "one "
         "of them.");
  const double bandwidth = parseBandwidth(own.bandwidth);
  const std::optional<SliceChoice> sliceWanted = tiler::picture::parseSlice(own.slice);
  stage::checkTargets(*options);
  checkPicture(*options, own);
  // The case has no table for this stage; its mistakes are reported before the solver runs.
  if (!options->caseFile.empty()) stage::CaseFile::load(options->caseFile);

  const std::filesystem::path& path = options->inputs.front();
  preprocess::file::LatticeFile input = preprocess::file::readLatticeFile(path);
  const Covering covering = chooseCovering(input.geometry, own, wanted);
  const stage::Provenance provenance = provenanceOf(input, path, covering);
  const TiledGeometry tiled = cover(std::move(input.geometry), covering);
  if (options->plan) {
    std::cout << summaryText(covering)
              << analysis::analysisText(analysis::analyseTiling(tiled), bandwidth)
              << planText(covering);
    return 0;
  }
  const auto slice = own.picture.empty() ? std::nullopt : chooseSlice(sliceWanted, tiled);
  if (!options->report.empty())
    stage::writeTextAtomically(options->report,
                               reportJson(covering, analysis::analyseTiling(tiled), bandwidth));
  if (slice) writePicture(own, tiled, *slice, path);
  file::writeTilesFile(options->output, tiled, provenance);
  stage::logDetail("wrote " + options->output.string());
  std::cout << summaryText(covering);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return stage::runStage(program, [&] { return run(argc, argv); });
}
