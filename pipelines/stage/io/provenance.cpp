// SPDX-License-Identifier: GPL-3.0-or-later
// Provenance to and from JSON, in a fixed order of keys; version and commit of this build.
#include "pipelines/stage/io/provenance.hpp"

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/json.hpp"
#include "pipelines/stage/text.hpp"
#include "version_info.hpp"

namespace tessera::stage {

std::string Provenance::toJson() const {
  Json json{{"program", program}, {"version", version}, {"git", gitHash}, {"build", build}};
  json["options"] = Json::object();
  for (const auto& [name, value] : options) json["options"][name] = value;
  json["inputs"] = Json::array();
  for (const ProvenanceInput& input : inputs) {
    json["inputs"].push_back({{"name", input.name}, {"hash", input.hash}});
  }
  // An unreadable history is dropped rather than failing the run.
  const Json past = parseJsonOrDiscarded(history);
  if (past.is_object()) json["history"] = past;
  // File names need not be UTF-8, but JSON must be.
  return jsonText(json, 2);
}

Provenance Provenance::fromJson(const std::string& text) try {
  const Json json = parseJson(text);
  Provenance provenance;
  json.at("program").get_to(provenance.program);
  json.at("version").get_to(provenance.version);
  json.at("git").get_to(provenance.gitHash);
  json.at("build").get_to(provenance.build);
  for (const auto& [name, value] : json.at("options").items()) {
    provenance.options.emplace_back(name, value.get<std::string>());
  }
  for (const Json& input : json.at("inputs")) {
    provenance.inputs.push_back(
        {input.at("name").get<std::string>(), input.at("hash").get<std::string>()});
  }
  if (json.contains("history")) provenance.history = json.at("history").dump(2);
  return provenance;
} catch (const Json::exception& error) {
  fail(ExitCode::BadInput,
       fmt::format("The provenance of the input is damaged ({}); regenerate the file.",
                   error.what()));
}

Provenance newProvenance(std::string program) {
  Provenance provenance;
  provenance.program = std::move(program);
  provenance.version = versionNumber();
  provenance.gitHash = gitHash();
  provenance.build = buildDescription();
  return provenance;
}

std::string versionNumber() {
  return TESSERA_VERSION;
}

std::string gitHash() {
  return TESSERA_GIT_HASH;
}

std::string buildDescription() {
  return TESSERA_BUILD;
}

}  // namespace tessera::stage
