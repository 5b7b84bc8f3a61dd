// SPDX-License-Identifier: GPL-3.0-or-later
// --openings, --open and --close: the user's word on the openings of a surface, and the numbered
// candidates that it refers to.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "preprocess/preprocess_options.hpp"
#include "preprocess/surface/openings/openings.hpp"

namespace tessera::preprocess {

struct PreprocessReport;

// Openings and candidates of a closed surface, as found.
struct OpeningSearch {
  std::vector<surface::Cap> caps;                     // earlier ones take precedence
  std::vector<surface::OpeningCandidate> candidates;  // all, in any order
  const std::vector<std::string>& faceName;           // by label of the mesh
  std::span<const surface::FlatPart> flatParts;       // name opened places as they name caps
  std::vector<int> idsToClose{};  // result: of each opening, the id that --close takes
};

// Labels the mesh with the openings: those found, less those of --close, and those of --open, which
// are named by a face there or "openingN" with the next free number. Candidates become those that
// remain: larger than a quarter of the smallest opening found (without one: a hundredth of the
// longest extent), largest first. Ids of --close and numbers of candidates count as without both
// options. Throws StageError(Usage) for an unknown or ambiguous opening, an unknown candidate, or a
// point without a place to open.
surface::LabelledOpenings overruleOpenings(const PreprocessOptions& options, OpeningSearch& search,
                                           geometry::TriangleMesh& mesh);

// Throws StageError(Usage) when another number of openings than --openings was found, with all
// openings by the ids that --close takes and the candidates, both of the report.
void requireOpeningCount(const PreprocessOptions& options,
                         const std::vector<geometry::Opening>& openings,
                         const PreprocessReport& report);

// Warns that openings which only their flat shape gave may be faces of a solid body: where flat
// rings are candidates as well, or more candidates than openings. --openings confirms them.
void warnAboutSolid(const PreprocessOptions& options, std::span<const surface::CapOrigin> origins,
                    const std::vector<surface::OpeningCandidate>& candidates,
                    std::vector<std::string>& warnings);

void warnAboutCandidates(const std::vector<surface::OpeningCandidate>& candidates,
                         std::vector<std::string>& warnings);

}  // namespace tessera::preprocess
