// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/overrule_openings.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "pipelines/stage/case/quantity.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/geometry/opening_names.hpp"
#include "preprocess/lattice/links/nearest_triangle.hpp"
#include "preprocess/name_openings.hpp"
#include "preprocess/option_values.hpp"
#include "preprocess/preprocess_report.hpp"
#include "preprocess/surface/openings/grown_caps.hpp"
#include "preprocess/surface/openings/name_caps.hpp"

namespace tessera::preprocess {

using geometry::Opening;
using geometry::TriangleMesh;
using stage::ExitCode;
using stage::fail;
using surface::Cap;
using surface::CapOrigin;
using surface::LabelledOpenings;
using surface::OpeningCandidate;

namespace {

std::string lengthText(double metres) {
  return stage::formatQuantity(metres, stage::Dimension::Length);
}

std::string unitOfPoints(const PreprocessOptions& options) {
  return options.unit.empty() ? "mm" : options.unit;
}

// An option as messages name it: by its place in the case that gives it.
std::string nameOf(const char* option, const PreprocessOptions& options) {
  for (const OptionOfCase& ofCase : options.ofCase)
    if (ofCase.option == option) return ofCase.place;
  return option;
}

std::string candidateText(const OpeningCandidate& candidate) {
  return fmt::format("{} at {}, of radius {} ({})", candidate.number, placeText(candidate.centre),
                     lengthText(candidate.radius()), candidate.reason);
}

std::string candidatesText(const std::vector<OpeningCandidate>& candidates) {
  std::vector<std::string> list;
  for (const OpeningCandidate& candidate : candidates) list.push_back(candidateText(candidate));
  return list.empty() ? "there is no candidate" : "candidates: " + stage::joined(list, "; ");
}

// Candidates that are shown, numbered from 1.
std::vector<OpeningCandidate> numbered(std::vector<OpeningCandidate> candidates,
                                       const std::vector<Opening>& openings, double longest) {
  double least = 0.01 * longest;
  if (!openings.empty()) {
    const auto smallest =
        std::min_element(openings.begin(), openings.end(),
                         [](const Opening& a, const Opening& b) { return a.radius < b.radius; });
    least = 0.25 * smallest->radius;
  }
  std::erase_if(candidates, [&](const auto& candidate) { return candidate.radius() <= least; });
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.area > b.area; });
  for (std::size_t k = 0; k < candidates.size(); ++k) candidates[k].number = k + 1;
  return candidates;
}

// Opening of a request to close one, counted from 0.
// option: --close, for messages.
std::size_t openingToClose(const std::string& text, const std::string& option,
                           const std::vector<Opening>& openings) {
  const auto found = std::find_if(openings.begin(), openings.end(),
                                  [&](const Opening& opening) { return refersTo(text, opening); });
  if (found == openings.end())
    fail(ExitCode::Usage, fmt::format("{} {}: the geometry has no such opening; {}.", option, text,
                                      listOf(openings)));
  const Opening* other =
      isWholeNumber(text) ? geometry::otherMeaningOf(found->id, openings) : nullptr;
  if (other != nullptr)
    fail(ExitCode::Usage,
         fmt::format("{4} {0}: opening {0} is \"{1}\", while \"{2}\" is opening {3}; use the "
                     "name of the one that is meant.",
                     text, found->name, other->name, other->id, option));
  return static_cast<std::size_t>(found - openings.begin());
}

// Places that --open refers to, on a mesh that is labelled with the openings found.
class Places {
 public:
  Places(const TriangleMesh& mesh, const std::vector<OpeningCandidate>& all,
         const std::vector<OpeningCandidate>& shown, const std::vector<Opening>& openings,
         std::string unit, std::string option)
      : mesh_(mesh),
        all_(all),
        shown_(shown),
        openings_(openings),
        unit_(std::move(unit)),
        option_(std::move(option)) {}

  [[nodiscard]] std::vector<std::uint32_t> find(const OpenRequest& request) {
    if (!request.candidate) return atPoint(request);
    if (*request.candidate > shown_.size())
      fail(ExitCode::Usage, fmt::format("{} {}: the surface has no such candidate; {}.", option_,
                                        request.given, candidatesText(shown_)));
    const OpeningCandidate& candidate = shown_[*request.candidate - 1];
    if (candidate.triangle.empty())  // of the surface before --wrap
      fail(ExitCode::Usage, fmt::format("{} {}: the wrap closed this place; cut the vessel off "
                                        "there with --cut.",
                                        option_, request.given));
    return candidate.triangle;
  }

 private:
  struct Nearest {
    std::vector<std::uint32_t> triangle;  // all that are equally near
    double distance = 0.0;                // m
  };
  [[nodiscard]] Nearest nearestTo(const Double3& point) const {
    std::vector<double> squared(mesh_.triangle.size());
    for (std::size_t t = 0; t < squared.size(); ++t)
      squared[t] = lattice::squaredDistance(mesh_, t, point);
    Nearest nearest{{}, std::sqrt(*std::min_element(squared.begin(), squared.end()))};
    const double most =
        (1.0 + 1e-6) * nearest.distance + 1e-6 * geometry::boundsOf(mesh_).longest();
    for (std::uint32_t t = 0; t < squared.size(); ++t)
      if (squared[t] <= most * most) nearest.triangle.push_back(t);
    return nearest;
  }
  // Nearest candidate whose centre is within its radius of the point; nullptr: none.
  [[nodiscard]] const OpeningCandidate* candidateAt(const Double3& point) const {
    const OpeningCandidate* nearest = nullptr;
    for (const OpeningCandidate& candidate : all_) {
      const double distance = length(candidate.centre - point);
      if (!candidate.triangle.empty() && distance <= candidate.radius() &&
          (nearest == nullptr || distance < length(nearest->centre - point)))
        nearest = &candidate;
    }
    return nearest;
  }
  [[noreturn]] void refuse(const OpenRequest& request, const std::string& why) const {
    fail(ExitCode::Usage,
         fmt::format("{} \"{}\": {}; {}.", option_, request.given, why, candidatesText(shown_)));
  }
  // A patch grown at the point must be within its own radius of it.
  [[nodiscard]] std::vector<std::uint32_t> atPoint(const OpenRequest& request) {
    if (const OpeningCandidate* candidate = candidateAt(request.point)) return candidate->triangle;
    const Nearest nearest = nearestTo(request.point);
    const geometry::Patch label = mesh_.label[nearest.triangle.front()];
    if (geometry::isOpening(label)) {
      const Opening& there = openings_[static_cast<std::size_t>(geometry::openingId(label)) - 1];
      refuse(request, fmt::format("opening {} ({}) is there", there.id, there.name));
    }
    if (twin_.empty()) twin_ = surface::twinsOf(mesh_, surface::edgesOf(mesh_));
    std::vector<char> isTaken(mesh_.triangle.size());
    std::transform(mesh_.label.begin(), mesh_.label.end(), isTaken.begin(),
                   [](geometry::Patch patch) { return geometry::isOpening(patch) ? 1 : 0; });
    surface::GrownCap grown = surface::growCapAt(mesh_, twin_, isTaken, nearest.triangle);
    const double far = 0.01 * geometry::boundsOf(mesh_).longest();
    if (!grown.reason.empty())
      refuse(request, nearest.distance < far
                          ? grown.reason
                          : fmt::format("the surface is {} away from that point (in {})",
                                        lengthText(nearest.distance), unit_));
    if (nearest.distance > grown.radius)
      refuse(request, fmt::format("the nearest place is {} away and has a radius of {}",
                                  lengthText(nearest.distance), lengthText(grown.radius)));
    return std::move(grown.triangle);
  }

  const TriangleMesh& mesh_;
  const std::vector<OpeningCandidate>& all_;
  const std::vector<OpeningCandidate>& shown_;
  const std::vector<Opening>& openings_;
  std::string unit_;    // of points
  std::string option_;  // --open, for messages
  std::vector<std::uint32_t> twin_;
};

// Names caps that have none yet "openingN", N from one beyond the openings and their numbers on.
void nameByNumber(const std::vector<Opening>& openings, std::vector<Cap>& caps) {
  auto number = static_cast<std::int64_t>(openings.size());
  for (const Opening& opening : openings)
    if (const auto name = geometry::numberedName(opening.name); name && name->stem == "opening")
      number = std::max(number, name->number);
  for (Cap& cap : caps)
    if (cap.name.empty()) cap.name = fmt::format("opening{}", ++number);
}

// Caps of the requests to open a place; shown candidates that are opened are removed.
std::vector<Cap> openedCaps(const PreprocessOptions& options, const TriangleMesh& mesh,
                            const std::vector<Opening>& openings, const OpeningSearch& search,
                            std::vector<OpeningCandidate>& shown) {
  Places places(mesh, search.candidates, shown, openings, unitOfPoints(options),
                nameOf("--open", options));
  std::vector<Cap> opened;
  std::vector<char> isOpened(mesh.triangle.size(), 0);
  for (const OpenRequest& request : options.opened) {
    Cap cap{places.find(request), "", CapOrigin::Requested};
    for (const std::uint32_t t : cap.triangle) {
      if (isOpened[t] || geometry::isOpening(mesh.label[t]))
        fail(ExitCode::Usage, fmt::format("{} \"{}\": that place is an opening already; omit it.",
                                          nameOf("--open", options), request.given));
      isOpened[t] = 1;
    }
    opened.push_back(std::move(cap));
  }
  std::erase_if(shown, [&](const OpeningCandidate& candidate) {
    return std::any_of(candidate.triangle.begin(), candidate.triangle.end(),
                       [&](std::uint32_t t) { return isOpened[t] != 0; });
  });
  return opened;
}

// Caps of the openings that remain, with their names, in the order of their ids, which are added.
std::vector<Cap> keptCaps(const PreprocessOptions& options, const LabelledOpenings& found,
                          const std::vector<Cap>& caps, std::vector<int>& ids) {
  std::vector<bool> isClosed(found.opening.size(), false);
  for (const std::string& text : options.closed)
    isClosed[openingToClose(text, nameOf("--close", options), found.opening)] = true;
  std::vector<Cap> kept;
  for (std::size_t k = 0; k < found.opening.size(); ++k) {
    if (isClosed[k]) continue;
    kept.push_back(caps[found.cap[k]]);
    kept.back().name = found.opening[k].name;
    ids.push_back(found.opening[k].id);
  }
  return kept;
}

}  // namespace

LabelledOpenings overruleOpenings(const PreprocessOptions& options, OpeningSearch& search,
                                  TriangleMesh& mesh) {
  const bool isOverruled = !options.opened.empty() || !options.closed.empty();
  std::vector<geometry::Patch> faces;
  if (isOverruled) faces = mesh.label;
  LabelledOpenings labelled = surface::labelOpenings(mesh, search.caps);
  std::vector<OpeningCandidate> shown =
      numbered(search.candidates, labelled.opening, geometry::boundsOf(mesh).longest());
  std::vector<int> ids;  // of the caps that were found
  if (isOverruled) {
    std::vector<Cap> opened = openedCaps(options, mesh, labelled.opening, search, shown);
    std::vector<Cap> caps = keptCaps(options, labelled, search.caps, ids);
    mesh.label = std::move(faces);
    surface::nameCaps(mesh, search.faceName, search.flatParts, opened);
    nameByNumber(labelled.opening, opened);
    caps.insert(caps.end(), opened.begin(), opened.end());
    labelled = surface::labelOpenings(mesh, caps);
  }
  for (std::size_t k = 0; k < labelled.opening.size(); ++k)
    search.idsToClose.push_back(isOverruled && labelled.cap[k] < ids.size()
                                    ? ids[labelled.cap[k]]
                                    : labelled.opening[k].id);
  search.candidates = std::move(shown);
  return labelled;
}

void requireOpeningCount(const PreprocessOptions& options, const std::vector<Opening>& openings,
                         const PreprocessReport& report) {
  if (!options.openings || *options.openings == static_cast<std::int64_t>(openings.size())) return;
  std::vector<std::string> list;
  for (std::size_t k = 0; k < openings.size(); ++k) {
    const bool isRequested = report.openingOrigins[k] == CapOrigin::Requested;
    list.push_back(fmt::format("{} at {}, of radius {}",
                               isRequested
                                   ? openings[k].name + " of --open"
                                   : fmt::format("{} ({})", report.idsToClose[k], openings[k].name),
                               placeText(openings[k].centre), lengthText(openings[k].radius)));
  }
  const std::vector<OpeningCandidate>& candidates = report.candidates;
  fail(
      ExitCode::Usage,
      fmt::format(
          "{}: {} found, but {} is {}{}{}; {}; open {} with --open \"X,Y,Z\" "
          "({}), and close an opening with --close ID.",
          options.inputs.front().string(),
          openings.size() == 1 ? "1 opening was" : fmt::format("{} openings were", openings.size()),
          nameOf("--openings", options), *options.openings,
          list.empty() ? "" : "; openings: ", stage::joined(list, "; "), candidatesText(candidates),
          candidates.empty() ? "a place" : "a candidate with --open K, or another place",
          unitOfPoints(options)));
}

void warnAboutSolid(const PreprocessOptions& options, std::span<const CapOrigin> origins,
                    const std::vector<OpeningCandidate>& candidates,
                    std::vector<std::string>& warnings) {
  const bool byShape = !origins.empty() &&
                       std::all_of(origins.begin(), origins.end(),
                                   [](CapOrigin origin) { return origin == CapOrigin::FlatCap; });
  const auto rings = std::count_if(candidates.begin(), candidates.end(),
                                   [](const OpeningCandidate& c) { return c.hasHole; });
  if (options.openings || !byShape || (rings == 0 && candidates.size() <= origins.size())) return;
  warnings.push_back(fmt::format(
      "the openings, {} in number, were found by their flat shape alone, and {} other places "
      "resemble ends of vessels ({} flat rings): this may be a solid body, such as a machine part "
      "or a bone, and not the inside of a vessel; confirm the openings with --openings {}, or "
      "overrule them with --close and --open.",
      origins.size(), candidates.size(), rings, origins.size()));
}

void warnAboutCandidates(const std::vector<OpeningCandidate>& candidates,
                         std::vector<std::string>& warnings) {
  constexpr std::size_t most = 20;  // warnings
  for (std::size_t k = 0; k < std::min(most, candidates.size()); ++k)
    warnings.push_back(fmt::format(
        "candidate {0} at {1}, of radius {2}, is wall and not an opening: {3}; if the vessel ends "
        "there, open it with --open {0}, or cut it off with --cut.",
        candidates[k].number, placeText(candidates[k].centre), lengthText(candidates[k].radius()),
        candidates[k].reason));
  if (candidates.size() > most)
    warnings.push_back(
        fmt::format("{} further candidates are in the report only.", candidates.size() - most));
}

}  // namespace tessera::preprocess
