// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/checkpoint_file.hpp"

#include <nlohmann/json.hpp>

#include "pipelines/stage/atomic_file.hpp"
#include "pipelines/stage/command_line.hpp"
#include "pipelines/stage/container.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/progress.hpp"
#include "solver/accumulate/accumulator.hpp"

namespace tessera {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::uint16_t majorVersion = 1;
constexpr std::uint16_t minorVersion = 0;

std::filesystem::path previous(const std::filesystem::path& path) {
  return path.string() + ".prev";
}

// Of Sums::nodes.
TileLayout sumsLayout(TileLayout layout) {
  layout.values = meanValues;
  layout.bytes = sizeof(float);
  return layout;
}

// What must match, and the step.
Checkpoint readMeta(const std::filesystem::path& path, const ContainerReader& reader) {
  Checkpoint out;
  try {
    const Json meta = Json::parse(reader.text("meta"));
    meta.at("tiles_hash").get_to(out.tilesHash);
    meta.at("variant").get_to(out.variant);
    meta.at("physics").get_to(out.physics);
    meta.at("tau").get_to(out.tau);
    meta.at("time_step_s").get_to(out.timeStep);
    meta.at("step").get_to(out.step);
  } catch (const Json::exception& error) {
    fail(ExitCode::BadInput,
         path.string() + ": section meta is not a checkpoint's (" + error.what() + ")");
  }
  return out;
}

void readRest(const ContainerReader& reader, const TileLayout& layout, Checkpoint& out) {
  out.build = Provenance::fromJson(reader.text("provenance")).build;
  out.monitorRows = reader.read<double>("monitor");
  out.outlets = reader.read<double>("outlets");
  out.state.resize(layout.size());
  readTileSection(reader, "populations", layout, out.state);
  if (reader.has("walls")) out.walls = reader.read<double>("walls");
  if (!reader.has("cycles")) return;
  out.cycles.cycles = reader.read<double>("cycles");
  const auto counts = reader.read<double>("cycle_samples", 2);
  out.cycles.samples = static_cast<std::uint64_t>(counts[0]);
  out.cycles.pressureReference = counts[1];
  out.cycles.wall = reader.read<std::array<double, 4>>("cycle_wall");
  if (!reader.has("cycle_nodes")) return;
  const TileLayout sums = sumsLayout(layout);
  out.cycles.nodes.resize(sums.size() / sizeof(float));
  readTileSection(reader, "cycle_nodes", sums, std::as_writable_bytes(std::span(out.cycles.nodes)));
}

// That of the lowest rank that has one.
std::string firstError(Ranks& ranks, const std::string& mine) {
  for (const Bytes& bytes : ranks.allGather(std::as_bytes(std::span(mine))))
    if (!bytes.empty()) return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  return "";
}

// What of the two is another run's; empty: nothing.
std::string difference(const Checkpoint& found, const Checkpoint& expected) {
  if (found.tilesHash != expected.tilesHash) return "geometry";
  if (found.variant != expected.variant)
    return "variant (" + found.variant + ", not " + expected.variant + ")";
  if (found.physics != expected.physics)
    return "fluid, force, ramp or conditions at openings and walls";
  if (found.tau != expected.tau || found.timeStep != expected.timeStep) return "time step";
  return "";
}

void addCycles(ContainerWriter& writer, const CycleState& state, std::span<const double> counts,
               const TileLayout& layout) {
  writer.add("cycles", state.cycles);
  writer.add("cycle_samples", counts);
  if (!state.nodes.empty())
    addTileSection(writer, "cycle_nodes", sumsLayout(layout),
                   std::as_bytes(std::span(state.nodes)));
  writer.add("cycle_wall", state.wall);
}

}  // namespace

void writeCheckpoint(const std::filesystem::path& path, const Checkpoint& checkpoint,
                     std::span<const std::byte> state, const TileLayout& layout,
                     const Provenance& provenance) {
  const Json meta = {{"tiles_hash", checkpoint.tilesHash}, {"variant", checkpoint.variant},
                     {"physics", checkpoint.physics},      {"tau", checkpoint.tau},
                     {"time_step_s", checkpoint.timeStep}, {"step", checkpoint.step},
                     {"storage_bytes", layout.bytes}};
  ContainerWriter writer("ckpt", majorVersion, minorVersion);
  writer.addText("meta", meta.dump(1));
  writer.addText("provenance", provenance.toJson());
  writer.add("monitor", checkpoint.monitorRows);
  writer.add("outlets", checkpoint.outlets);
  addTileSection(writer, "populations", layout, state);
  const std::array<double, 2> counts{static_cast<double>(checkpoint.cycles.samples),
                                     checkpoint.cycles.pressureReference};
  if (!checkpoint.cycles.cycles.empty()) addCycles(writer, checkpoint.cycles, counts, layout);
  if (!checkpoint.walls.empty()) writer.add("walls", checkpoint.walls);
  AtomicFile file(path);
  writer.write(file);
  file.commitKeeping(previous(path));
}

void removeCheckpoints(const std::filesystem::path& path) {
  std::error_code ignored;
  for (const auto& candidate : {path, previous(path)}) std::filesystem::remove(candidate, ignored);
}

Checkpoint readCheckpointFile(const std::filesystem::path& path, const Checkpoint& expected,
                              const TileLayout& layout) {
  const ContainerReader reader(path, "ckpt", majorVersion);
  Checkpoint found = readMeta(path, reader);
  found.otherThanExpected = difference(found, expected);
  if (found.otherThanExpected.empty()) readRest(reader, layout, found);
  return found;
}

std::optional<Checkpoint> readCheckpoint(const std::filesystem::path& path,
                                         const Checkpoint& expected, const TileLayout& layout,
                                         Ranks& ranks) {
  for (const auto& candidate : {path, previous(path)}) {
    if (!ofRoot(ranks, std::filesystem::exists(candidate))) continue;
    Checkpoint found;
    std::string error;
    try {
      found = readCheckpointFile(candidate, expected, layout);
    } catch (const StageError& thrown) {
      error = thrown.what();
    }
    error = firstError(ranks, error);
    if (!error.empty()) {
      logWarning(error + " (passed over)");
      continue;
    }
    if (!found.otherThanExpected.empty())
      fail(ExitCode::BadInput, candidate.string() + ": belongs to another " +
                                   found.otherThanExpected +
                                   "; run without --resume, or with what it was made with");
    if (found.build != buildDescription())
      logWarning(candidate.string() + " was made by a build for " + found.build +
                 "; this one is for " + buildDescription() +
                 ", so the last digits may differ from a run that was not stopped");
    logInfo("resuming from " + candidate.string() + " at step " + std::to_string(found.step));
    return found;
  }
  logInfo("no checkpoint " + path.string() + ": starting afresh");
  return std::nullopt;
}

}  // namespace tessera
