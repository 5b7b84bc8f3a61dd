// SPDX-License-Identifier: GPL-3.0-or-later
// Options of tessera-preprocess: the command line, supplemented by [preprocess] of the case.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipelines/stage/cli/command_line.hpp"
#include "preprocess/image/crop.hpp"
#include "preprocess/image/labels.hpp"
#include "preprocess/lattice/choose_lattice.hpp"
#include "preprocess/read/formats.hpp"
#include "preprocess/surface/openings/openings.hpp"

namespace tessera::preprocess {

// --name: an opening, by id or current name, and its new name.
struct OpeningName {
  std::string opening;
  std::string name;
};

// --extend: an opening, by id or name, empty for all, and the length of its tube.
struct OpeningExtension {
  std::string opening;
  double diameters = 0.0;
};

// --open: a candidate by its number, from 1, or a point.
struct OpenRequest {
  std::optional<std::size_t> candidate;
  Double3 point{};    // m
  std::string given;  // the option's text, for messages
};

// --wall: a side of an image's box and the name of the wall there.
struct SideWall {
  surface::Side side;
  std::string name;
};

// --wall-label, --branch: labels of an image and the name of what lies there.
struct LabelName {
  image::LabelSet labels;
  std::string name;
  std::string text;  // as given
};

// Option that a case gives, "--openings", as messages name it: "case.toml:3: openings".
struct OptionOfCase {
  std::string option, place;
};

struct PreprocessOptions {
  stage::CommonOptions common;
  std::vector<std::filesystem::path> inputs;
  read::InputKind kind = read::InputKind::Surface;
  std::array<bool, 3> periodic{false, false, false};
  std::vector<surface::Side> faces;
  bool keepConnected = true;
  lattice::SpacingRequest spacing;  // of an image: absent for one node per voxel
  std::optional<double> maxNodes;   // see node_limit.hpp
  std::vector<OpeningName> names;
  std::vector<surface::CutPlane> cuts;
  std::vector<OpeningExtension> extensions;
  std::optional<std::int64_t> openings;  // that must be found
  std::vector<OpenRequest> opened;
  std::vector<std::string> closed;      // ids or names
  std::filesystem::path picture, page;  // to write, or empty
  std::vector<OptionOfCase> ofCase;     // of --openings, --open and --close
  // surfaces
  std::string unit;
  double metresPerUnit = 1.0;
  bool unitIsOfFiles = false;  // given for files that define theirs, which must be the same
  std::optional<double> weld;  // m
  std::optional<double> wrap;  // m, alpha
  bool keepSheets = true;      // else they are removed
  // images
  std::optional<double> voxel;         // m; absent: from the image's header
  std::string voxelUnit;               // as it was given, "um"
  std::optional<Int3> dims;            // RAW
  std::optional<std::int64_t> series;  // DICOM, from 1
  std::string type;                    // RAW: "u8", "u16", "i16", "f32"
  std::optional<image::VoxelBox> crop;
  image::LabelSet fluidLabels;
  std::vector<LabelName> wallLabels, branches;
  std::array<bool, 3> mirror{false, false, false};
  bool smooth = false;
  std::vector<SideWall> walls;

  // Options that determine the content, for the provenance.
  std::vector<std::pair<std::string, std::string>> effective;
};

// nullopt: --help or --version was handled. Throws StageError(Usage) for a missing, malformed or
// ineffective option, (BadInput) for an unknown input format.
std::optional<PreprocessOptions> parsePreprocessOptions(int argc, const char* const* argv);

}  // namespace tessera::preprocess
