// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/opening_paths.hpp"

#include <algorithm>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/disjoint_sets.hpp"

namespace tessera::preprocess {

using geometry::LatticeGeometry;
using lattice::FluidPart;
using surface::Side;

namespace {

using std::size_t;

// [a][b]: whether some part touches both.
using Joined = std::vector<std::vector<bool>>;

Joined joinedBy(const std::vector<FluidPart>& parts, size_t openings) {
  Joined joined(openings, std::vector<bool>(openings, false));
  for (const FluidPart& part : parts)
    for (const std::uint32_t a : part.openings)
      for (const std::uint32_t b : part.openings) joined[a][b] = true;
  return joined;
}

bool isOnSide(const LatticeGeometry& geometry, const PreprocessReport& report, size_t opening,
              const Side& side) {
  const std::vector<surface::CapOrigin>& origins = report.openingOrigins;
  if (opening < origins.size() && origins[opening] != surface::CapOrigin::Side) return false;
  Double3 outward{};
  outward[static_cast<size_t>(side.axis)] = side.high ? 1.0 : -1.0;
  return dot(geometry.openings[opening].normal, geometry.frame.directionToWorld(outward)) > 0.9;
}

bool anyJoined(const Joined& joined, const std::vector<size_t>& from,
               const std::vector<size_t>& to) {
  return std::any_of(from.begin(), from.end(), [&](size_t a) {
    return std::any_of(to.begin(), to.end(), [&](size_t b) { return joined[a][b]; });
  });
}

std::string porosityText(const LatticeGeometry& geometry, size_t parts) {
  const Int3& n = geometry.fluid.size;
  return fmt::format(
      "a porosity of {:.4f} in {} unconnected part(s)",
      static_cast<double>(geometry.fluid.count()) / (static_cast<double>(n[0]) * n[1] * n[2]),
      parts);
}

// Each side must be connected to another one.
void requirePaths(const LatticeGeometry& geometry, const std::vector<Side>& sides,
                  const std::vector<std::vector<size_t>>& onSide, const Joined& joined,
                  size_t parts, const PathWords& words) {
  for (size_t s = 0; s < sides.size() && sides.size() > 1; ++s) {
    bool connected = false;
    for (size_t other = 0; other < sides.size(); ++other)
      connected = connected || (other != s && anyJoined(joined, onSide[s], onSide[other]));
    if (!connected)
      stage::fail(
          stage::ExitCode::BadInput,
          fmt::format("{}: no path from {} to {} through the fluid, which has {}; {}.", words.file,
                      sides[s].name(), sides.size() == 2 ? sides[1 - s].name() : "any other side",
                      porosityText(geometry, parts), words.remedy));
  }
}

std::vector<std::string> withoutPath(const std::vector<geometry::Opening>& openings,
                                     const Joined& joined) {
  std::vector<std::string> names;
  for (size_t k = 0; k < openings.size() && openings.size() > 1; ++k)
    if (std::count(joined[k].begin(), joined[k].end(), true) - (joined[k][k] ? 1 : 0) == 0)
      names.push_back(openings[k].name);
  return names;
}

// Connected part of each opening, from 1 in the order of ids. One that touches several, such as a
// side of pores, joins them.
std::vector<int> partsOfOpenings(const std::vector<FluidPart>& parts, size_t openings) {
  geometry::DisjointSets<std::uint32_t> sets(openings);
  for (const FluidPart& part : parts)
    for (const std::uint32_t k : part.openings) sets.join(part.openings.front(), k);
  std::vector<int> numbers(openings, 0);
  int last = 0;
  for (size_t k = 0; k < openings; ++k) {
    const std::uint32_t first = sets.root(k);  // at most k
    numbers[k] = first == k ? ++last : numbers[first];
  }
  return numbers;
}

}  // namespace

std::vector<std::vector<size_t>> openingsOnSides(const LatticeGeometry& geometry,
                                                 const std::vector<Side>& sides,
                                                 const PreprocessReport& report) {
  std::vector<std::vector<size_t>> on(sides.size());
  for (size_t s = 0; s < sides.size(); ++s)
    for (size_t k = 0; k < geometry.openings.size(); ++k)
      if (isOnSide(geometry, report, k, sides[s])) on[s].push_back(k);
  return on;
}

std::string cornerWarning(const std::string& path) {
  return "on the path " + path +
         " nodes meet only at corners, where D3Q19 has no links and nothing flows; use D3Q27, or a "
         "finer geometry.";
}

void numberParts(LatticeGeometry& geometry, PreprocessReport& report) {
  if (!report.connectivity) return;
  const std::vector<int>& parts = report.connectivity->partOfOpening;
  for (size_t k = 0; k < parts.size(); ++k) geometry.openings[k].part = parts[k];
  report.openings = geometry.openings;
}

void warnAboutCorners(const LatticeGeometry& geometry, const std::vector<FluidPart>& parts,
                      const std::vector<FluidPart>& withoutCorners, PreprocessReport& report) {
  const std::vector<geometry::Opening>& openings = geometry.openings;
  const Joined joined = joinedBy(parts, openings.size());
  const Joined byLinks = joinedBy(withoutCorners, openings.size());
  for (size_t a = 0; a < openings.size(); ++a)
    for (size_t b = a + 1; b < openings.size(); ++b)
      if (joined[a][b] && !byLinks[a][b]) {  // one warning is enough
        report.warnings.push_back(
            cornerWarning("from " + openings[a].name + " to " + openings[b].name));
        return;
      }
}

void reportPaths(const LatticeGeometry& geometry, const std::vector<Side>& sides,
                 const std::vector<FluidPart>& parts, const PathWords& words,
                 PreprocessReport& report) {
  const Joined joined = joinedBy(parts, geometry.openings.size());
  const auto onSide = openingsOnSides(geometry, sides, report);
  requirePaths(geometry, sides, onSide, joined, parts.size(), words);
  Connectivity& connectivity = report.connectivity.emplace();
  connectivity.parts = parts.size();
  connectivity.partOfOpening = partsOfOpenings(parts, geometry.openings.size());
  if (!geometry.openings.empty()) {
    connectivity.effectiveNodes = lattice::effectiveNodes(parts, geometry.openings.size());
    connectivity.deadNodes = lattice::deadNodes(parts, geometry.openings.size());
  }
  for (size_t low = 0; low < sides.size(); ++low)
    for (size_t high = 0; high < sides.size(); ++high)
      if (sides[low].axis == sides[high].axis && !sides[low].high && sides[high].high)
        connectivity.percolates[static_cast<size_t>(sides[low].axis)] =
            anyJoined(joined, onSide[low], onSide[high]);
  connectivity.withoutPath = withoutPath(geometry.openings, joined);
  if (!connectivity.withoutPath.empty())
    report.warnings.push_back("no path leads from " + stage::firstOf(connectivity.withoutPath) +
                              " to any other opening, so nothing flows there.");
}

}  // namespace tessera::preprocess
