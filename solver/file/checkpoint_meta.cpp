// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/file/checkpoint_meta.hpp"

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/json.hpp"

namespace tessera::solver::file {

using stage::Json;

namespace {

Json jsonOf(const Recovery& recovery) {
  return {{"diverged_at", recovery.divergedAt},
          {"time_s", recovery.time},
          {"step", recovery.step},
          {"time_step_s", recovery.timeStep},
          {"refinement", recovery.refinement},
          {"variant", recovery.variant},
          {"reason", recovery.reason}};
}

Json jsonOf(const KeptState& kept) {
  return {{"step", kept.step},
          {"refinement", kept.refinement},
          {"monitor_rows", kept.monitorRows},
          {"outlets", kept.outlets},
          {"cycles", kept.cycles}};
}

Recovery recoveryOf(const Json& json) {
  Recovery out;
  json.at("diverged_at").get_to(out.divergedAt);
  json.at("time_s").get_to(out.time);
  json.at("step").get_to(out.step);
  json.at("time_step_s").get_to(out.timeStep);
  json.at("refinement").get_to(out.refinement);
  json.at("variant").get_to(out.variant);
  json.at("reason").get_to(out.reason);
  return out;
}

KeptState keptOf(const Json& json) {
  KeptState out;
  json.at("step").get_to(out.step);
  json.at("refinement").get_to(out.refinement);
  json.at("monitor_rows").get_to(out.monitorRows);
  json.at("outlets").get_to(out.outlets);
  json.at("cycles").get_to(out.cycles);
  return out;
}

// Both are absent before version 1.2.
void readRecoveries(const Json& meta, Checkpoint& out) {
  if (meta.contains("recoveries"))
    for (const Json& each : meta.at("recoveries")) out.recoveries.push_back(recoveryOf(each));
  if (meta.contains("kept"))
    for (const Json& each : meta.at("kept")) out.kept.push_back(keptOf(each));
}

}  // namespace

std::string metaText(const Checkpoint& checkpoint, unsigned storageBytes) {
  Json meta = {{"tiles_hash", checkpoint.tilesHash}, {"variant", checkpoint.variant},
               {"physics", checkpoint.physics},      {"tau", checkpoint.tau},
               {"time_step_s", checkpoint.timeStep}, {"step", checkpoint.step},
               {"storage_bytes", storageBytes}};
  for (const Recovery& each : checkpoint.recoveries) meta["recoveries"].push_back(jsonOf(each));
  for (const KeptState& each : checkpoint.kept) meta["kept"].push_back(jsonOf(each));
  return meta.dump(1);
}

Checkpoint readMeta(const std::filesystem::path& path, const stage::ContainerReader& reader) {
  Checkpoint out;
  out.contentHash = reader.contentHash();
  try {
    const Json meta = stage::parseJson(reader.text("meta"));
    meta.at("tiles_hash").get_to(out.tilesHash);
    meta.at("variant").get_to(out.variant);
    meta.at("physics").get_to(out.physics);
    meta.at("tau").get_to(out.tau);
    meta.at("time_step_s").get_to(out.timeStep);
    meta.at("step").get_to(out.step);
    readRecoveries(meta, out);
  } catch (const Json::exception& error) {
    stage::fail(stage::ExitCode::BadInput,
                path.string() + ": section meta is not a checkpoint's (" + error.what() + ")");
  }
  return out;
}

}  // namespace tessera::solver::file
