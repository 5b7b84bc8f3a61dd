// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/read/image/nrrd_header.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "preprocess/geometry/mesh.hpp"
#include "preprocess/read/image/image_world.hpp"
#include "preprocess/read/text_header.hpp"

namespace tessera::preprocess::read {
namespace {

// What is looked at; other fields are left out.
bool isKnown(const std::string& key) {
  constexpr const char* known[] = {"type",     "dimension",  "kinds",       "sizes",
                                   "encoding", "endian",     "lineskip",    "byteskip",
                                   "datafile", "space",      "units",       "spacedimension",
                                   "spacings", "spaceunits", "spaceorigin", "spacedirections"};
  return std::find(std::begin(known), std::end(known), key) != std::end(known);
}

// "(1,0,0) none (0,0,1)" without the "none".
std::vector<Double3> vectorsOf(std::string_view text, std::size_t dimension) {
  std::vector<Double3> vectors;
  for (std::size_t at = text.find('('); at != std::string_view::npos; at = text.find('(', at)) {
    const std::size_t end = std::min(text.find(')', at), text.size());
    const std::vector<std::string_view> words = wordsOf(text.substr(at + 1, end - at - 1), ", \t");
    if (words.size() != dimension) return {};
    Double3 vector{};
    for (std::size_t c = 0; c < dimension; ++c) vector[c] = numberOf(words[c]).value_or(NAN);
    vectors.push_back(vector);
    at = end;
  }
  return vectors;
}

// The unit that all the quoted words name; absent when none is named.
std::optional<std::string> unitOf(std::string_view quoted) {
  const std::vector<std::string_view> parts = wordsOf(quoted, "\"");
  std::optional<std::string> unit;
  for (const std::string_view part : parts) {
    const std::string_view word = withoutBlanks(part);
    if (word.empty() || word == "???") continue;
    if (unit && *unit != word) return "of several kinds";
    unit = std::string(word);
  }
  return unit;
}

struct Space {
  const char* name;
  const char* acronym;
  const char* is;  // Image::space
  Double3 sign;    // to LPS
};
constexpr Space spaces[] = {
    {"left-posterior-superior", "lps", "LPS", {1, 1, 1}},
    {"right-anterior-superior", "ras", "LPS", {-1, -1, 1}},
    {"left-anterior-superior", "las", "LPS", {1, -1, 1}},
    {"scanner-xyz", "scanner-xyz", "", {1, 1, 1}},
    {"3d-right-handed", "3d-right-handed", "", {1, 1, 1}},
};
constexpr Space noSpace{"", "", "", {1, 1, 1}};

const Space& spaceOf(const NrrdHeader& header) {
  if (!header.has("space")) return noSpace;
  const std::string name = inLowerCase(header.of("space"));
  for (const Space& space : spaces)
    if (name == space.name || name == space.acronym) return space;
  refuseField(header, "space", "is LPS, RAS, LAS, scanner-xyz or 3D-right-handed");
}

// m; absent when the file names a unit that is not known.
std::optional<double> lengthUnit(Image& image, const NrrdHeader& header, const char* key) {
  const std::optional<std::string> unit = unitOf(header.of(key));
  const std::optional<double> metres = metresOf(unit.value_or("mm"));
  if (!metres)
    image.warnings.push_back("the NRRD file measures in \"" + unit->substr(0, 40) +
                             "\", which is no unit that is known, so where it lies is not.");
  else if (!unit && image.space.empty())
    image.warnings.emplace_back("the NRRD file does not say its unit of length; taken as mm.");
  return metres;
}

// Steps in the file's unit; empty where the file does not say them.
std::vector<Double3> stepsOf(const NrrdHeader& header, std::size_t axes,
                             std::size_t spaceDimension) {
  std::vector<Double3> steps;
  if (header.has("spacedirections")) {
    steps = vectorsOf(header.of("spacedirections"), spaceDimension);
    if (steps.size() != axes)
      refuseField(header, "spacedirections",
                  "are " + std::to_string(axes) + " vectors of " + std::to_string(spaceDimension));
    return steps;
  }
  const std::vector<std::string_view> words = wordsOf(header.of("spacings"));
  for (std::size_t a = 0; a < axes && words.size() == axes; ++a) {
    const double size = std::abs(numberOf(words[a]).value_or(NAN));
    if (std::isnan(size)) return {};
    Double3 step{};
    step[a] = size;
    steps.push_back(step);
  }
  return steps;
}

}  // namespace

void refuse(const NrrdHeader& header, const std::string& found, const std::string& remedy) {
  stage::fail(stage::ExitCode::BadInput, header.name + " " + found + "; " + remedy + ".");
}

void refuseField(const NrrdHeader& header, const std::string& field, const std::string& expected) {
  refuse(header,
         "has \"" + std::string(header.of(field).substr(0, 100)) + "\" as its " + field +
             ", expected " + expected,
         "it is damaged or of a kind that is not read: export it again");
}

std::string nrrdKey(std::string_view name) {
  std::string key = inLowerCase(name);
  std::erase_if(key, [](char c) { return c == ' ' || c == '\t'; });
  return key;
}

NrrdHeader nrrdHeader(std::string_view text, const std::string& name) {
  NrrdHeader header;
  header.name = name;
  HeaderLines lines(text);
  const std::string_view magic = lines.next().value_or("");
  if (!magic.starts_with("NRRD000"))
    refuse(header, "does not begin with NRRD000 and is no NRRD", "export it as NRRD");
  while (const auto line = lines.next()) {
    if (line->empty()) break;
    const std::size_t colon = line->find(':');
    if (line->front() == '#' || colon == std::string_view::npos) continue;
    if (line->substr(colon + 1).starts_with('=')) continue;  // a key and value of the user's
    const std::string key = nrrdKey(line->substr(0, std::min<std::size_t>(colon, 40)));
    const std::string_view value = withoutBlanks(line->substr(colon + 1));
    if (!isKnown(key)) continue;
    if (value.size() > 4000)
      refuse(header, "has a field \"" + key + "\" of more than 4000 characters",
             "it is damaged: export it again");
    header.field[key] = value;
  }
  header.end = lines.position();
  return header;
}

void placeNrrd(Image& image, const NrrdHeader& header) {
  const Space& space = spaceOf(header);
  image.space = header.has("spacedirections") ? space.is : "";
  const std::size_t spaceDimension =
      header.has("space") ? 3
                          : static_cast<std::size_t>(std::clamp<std::int64_t>(
                                wholeNumberOf(header.of("spacedimension")).value_or(0), 0, 3));
  std::vector<Double3> steps =
      stepsOf(header, static_cast<std::size_t>(image.dimensions), spaceDimension);
  if (steps.empty()) return;
  const bool directed = header.has("spacedirections");
  const std::optional<double> metres = lengthUnit(image, header, directed ? "spaceunits" : "units");
  if (!metres) {
    image.space = "";
    return;
  }
  const auto toWorld = [&](Double3 v) {
    for (std::size_t c = 0; c < 3; ++c) v[c] *= *metres * (directed ? space.sign[c] : 1.0);
    return v;
  };
  std::array<Double3, 3> step{};
  std::transform(steps.begin(), steps.end(), step.begin(), toWorld);
  Double3 origin{};
  if (directed && header.has("spaceorigin")) {
    const std::vector<Double3> found = vectorsOf(header.of("spaceorigin"), spaceDimension);
    if (found.size() != 1)
      refuseField(header, "spaceorigin", "is a vector of " + std::to_string(spaceDimension));
    origin = toWorld(found.front());
  }
  placeInWorld(image, step, origin, header.name);
}

}  // namespace tessera::preprocess::read
