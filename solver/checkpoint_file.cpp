// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/checkpoint_file.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pipelines/stage/atomic_file.hpp"
#include "pipelines/stage/command_line.hpp"
#include "pipelines/stage/container.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/progress.hpp"
#include "solver/precision/half.hpp"

namespace tessera {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::uint16_t majorVersion = 1;

std::filesystem::path previous(const std::filesystem::path& path) {
  return path.string() + ".prev";
}

template <class Stored, class Widen>
std::vector<double> widened(const ContainerReader& reader, const Widen& widen) {
  const std::vector<Stored> stored = reader.read<Stored>("populations");
  std::vector<double> values(stored.size());
  std::transform(stored.begin(), stored.end(), values.begin(), widen);
  return values;
}

Checkpoint read(const std::filesystem::path& path) {
  const ContainerReader reader(path, "ckpt", majorVersion);
  Checkpoint out;
  unsigned storageBytes = 0;
  try {
    const Json meta = Json::parse(reader.text("meta"));
    meta.at("tiles_hash").get_to(out.tilesHash);
    meta.at("variant").get_to(out.variant);
    meta.at("physics").get_to(out.physics);
    meta.at("tau").get_to(out.tau);
    meta.at("time_step_s").get_to(out.timeStep);
    meta.at("step").get_to(out.step);
    meta.at("storage_bytes").get_to(storageBytes);
  } catch (const Json::exception& error) {
    fail(ExitCode::BadInput,
         path.string() + ": section meta is not a checkpoint's (" + error.what() + ")");
  }
  out.build = Provenance::fromJson(reader.text("provenance")).build;
  out.monitorRows = reader.read<double>("monitor");
  out.outlets = reader.read<double>("outlets");
  switch (storageBytes) {
    case 2:
      out.state = widened<std::uint16_t>(
          reader, [](std::uint16_t bits) { return static_cast<double>(ScaledHalf::ofBits(bits)); });
      break;
    case 4:
      out.state = widened<float>(reader, [](float f) { return static_cast<double>(f); });
      break;
    default:
      out.state = reader.read<double>("populations");
  }
  if (reader.has("cycles")) {
    out.cycles.cycles = reader.read<double>("cycles");
    const auto counts = reader.read<double>("cycle_samples", 2);
    out.cycles.samples = static_cast<std::uint64_t>(counts[0]);
    out.cycles.pressureReference = counts[1];
    out.cycles.nodes = reader.read<float>("cycle_nodes");
    out.cycles.wall = reader.read<std::array<double, 4>>("cycle_wall");
  }
  if (reader.has("walls")) out.walls = reader.read<double>("walls");
  return out;
}

void checkMatch(const std::filesystem::path& path, const Checkpoint& found,
                const Checkpoint& expected) {
  const auto refuse = [&](const std::string& what) {
    fail(ExitCode::BadInput, path.string() + ": belongs to another " + what +
                                 "; run without --resume, or with what it was made with");
  };
  if (found.tilesHash != expected.tilesHash) refuse("geometry");
  if (found.variant != expected.variant)
    refuse("variant (" + found.variant + ", not " + expected.variant + ")");
  if (found.physics != expected.physics)
    refuse("fluid, force, ramp or conditions at openings and walls");
  if (found.tau != expected.tau || found.timeStep != expected.timeStep) refuse("time step");
}

}  // namespace

void writeCheckpoint(const std::filesystem::path& path, const Checkpoint& checkpoint,
                     unsigned storageBytes, const Provenance& provenance) {
  const Json meta = {{"tiles_hash", checkpoint.tilesHash}, {"variant", checkpoint.variant},
                     {"physics", checkpoint.physics},      {"tau", checkpoint.tau},
                     {"time_step_s", checkpoint.timeStep}, {"step", checkpoint.step},
                     {"storage_bytes", storageBytes}};
  std::vector<float> floats;
  std::vector<std::uint16_t> halves;
  ContainerWriter writer("ckpt", majorVersion, 0);
  writer.addText("meta", meta.dump(1));
  writer.addText("provenance", provenance.toJson());
  writer.add("monitor", checkpoint.monitorRows);
  writer.add("outlets", checkpoint.outlets);
  switch (storageBytes) {
    case 2:
      halves.resize(checkpoint.state.size());
      std::transform(checkpoint.state.begin(), checkpoint.state.end(), halves.begin(),
                     [](double f) { return ScaledHalf(f).bits; });
      writer.add("populations", halves);
      break;
    case 4:
      floats.assign(checkpoint.state.begin(), checkpoint.state.end());
      writer.add("populations", floats);
      break;
    default:
      writer.add("populations", checkpoint.state);
  }
  const std::vector<double> counts{static_cast<double>(checkpoint.cycles.samples),
                                   checkpoint.cycles.pressureReference};
  if (!checkpoint.cycles.cycles.empty()) {
    writer.add("cycles", checkpoint.cycles.cycles);
    writer.add("cycle_samples", counts);
    writer.add("cycle_nodes", checkpoint.cycles.nodes);
    writer.add("cycle_wall", checkpoint.cycles.wall);
  }
  if (!checkpoint.walls.empty()) writer.add("walls", checkpoint.walls);
  AtomicFile file(path);
  writer.write(file);
  std::error_code ignored;  // there may be none yet
  std::filesystem::rename(path, previous(path), ignored);
  file.commit();
}

void removeCheckpoints(const std::filesystem::path& path) {
  std::error_code ignored;
  for (const auto& candidate : {path, previous(path)}) std::filesystem::remove(candidate, ignored);
}

std::optional<Checkpoint> readCheckpoint(const std::filesystem::path& path,
                                         const Checkpoint& expected) {
  for (const auto& candidate : {path, previous(path)}) {
    if (!std::filesystem::exists(candidate)) continue;
    std::optional<Checkpoint> found;
    try {
      found = read(candidate);
    } catch (const StageError& error) {
      logWarning(std::string(error.what()) + " (passed over)");
      continue;
    }
    checkMatch(candidate, *found, expected);
    if (found->build != buildDescription())
      logWarning(candidate.string() + " was made by a build for " + found->build +
                 "; this one is for " + buildDescription() +
                 ", so the last digits may differ from a run that was not stopped");
    logInfo("resuming from " + candidate.string() + " at step " + std::to_string(found->step));
    return found;
  }
  logInfo("no checkpoint " + path.string() + ": starting afresh");
  return std::nullopt;
}

}  // namespace tessera
