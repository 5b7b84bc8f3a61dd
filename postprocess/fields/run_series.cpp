// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/fields/run_series.hpp"

#include <algorithm>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::postprocess::fields {

namespace {

bool isFields(const std::filesystem::path& input) {
  return input.extension() == ".fields";
}

void requireSameRun(const std::filesystem::path& path, const solver::file::FieldsHead& head,
                    const std::filesystem::path& firstPath, const solver::file::FieldsHead& first) {
  if (head.tilesHash == first.tilesHash && head.caseText == first.caseText) return;
  stage::fail(stage::ExitCode::BadInput,
              fmt::format("{} is of another {} than {}; a series is of one run: give its files "
                          "only",
                          path.string(), head.tilesHash != first.tilesHash ? "geometry" : "case",
                          firstPath.string()));
}

}  // namespace

bool isSeries(const std::vector<std::filesystem::path>& inputs) {
  return std::count_if(inputs.begin(), inputs.end(), isFields) > 1;
}

RunSeries findSeries(const std::vector<std::filesystem::path>& inputs) {
  struct Found {
    SeriesMember member;
    bool hasMeans;
  };
  RunSeries series;
  std::vector<Found> found;
  std::filesystem::path firstPath;
  solver::file::FieldsHead first;
  for (const std::filesystem::path& input : inputs) {
    if (!isFields(input)) {
      if (!series.tilesPath.empty() || input.extension() != ".tiles")
        stage::fail(stage::ExitCode::Usage,
                    fmt::format("{} is no further input of a series; expected .fields of one run "
                                "and at most one .tiles",
                                input.string()));
      series.tilesPath = input;
      continue;
    }
    solver::file::FieldsHead head = solver::file::readFieldsHead(input);
    if (found.empty()) {
      first = head;
      firstPath = input;
    }
    requireSameRun(input, head, firstPath, first);
    found.push_back({{input, head.step, head.time}, head.hasMeans});
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return a.member.time != b.member.time ? a.member.time < b.member.time : a.hasMeans > b.hasMeans;
  });
  for (const Found& each : found) {
    if (series.members.empty() || series.members.back().time != each.member.time)
      series.members.push_back(each.member);
    else
      stage::logInfo(fmt::format("{} is left out: it is of the same time as {}",
                                 each.member.path.string(), series.members.back().path.string()));
  }
  return series;
}

RunFiles readFirst(const RunSeries& series) {
  std::vector<std::filesystem::path> inputs{series.members.front().path};
  if (!series.tilesPath.empty()) inputs.push_back(series.tilesPath);
  return readRun(inputs);
}

void readMember(const SeriesMember& member, RunFiles& run) {
  run.fieldsPath = member.path;
  run.fields = {};  // first, so that one at a time is in memory
  run.fields = solver::file::readFieldsFile(member.path);
  checkBelongs(run);
}

}  // namespace tessera::postprocess::fields
