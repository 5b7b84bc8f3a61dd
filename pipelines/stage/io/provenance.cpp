// SPDX-License-Identifier: GPL-3.0-or-later
// Provenance to and from JSON, in a fixed order of keys; version and commit of this build.
#include "pipelines/stage/io/provenance.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/json.hpp"
#include "pipelines/stage/text.hpp"
#include "version_info.hpp"

namespace tessera::stage {

namespace {

constexpr std::size_t largestText = 1U << 20U;
constexpr std::size_t mostSteps = 64;
constexpr std::size_t mostWarnings = 30, longestWarning = 2000;

Json withoutHistory(const Provenance& provenance) {
  Json json{{"program", provenance.program},
            {"version", provenance.version},
            {"git", provenance.gitHash},
            {"build", provenance.build}};
  json["options"] = Json::object();
  for (const auto& [name, value] : provenance.options) json["options"][name] = value;
  json["inputs"] = Json::array();
  for (const ProvenanceInput& input : provenance.inputs) {
    json["inputs"].push_back({{"name", input.name}, {"hash", input.hash}});
  }
  if (!provenance.warnings.empty()) json["warnings"] = provenance.warnings;
  return json;
}

Provenance stepOf(const Json& json) {
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
  if (const auto warnings = json.find("warnings"); warnings != json.end())
    warnings->get_to(provenance.warnings);
  return provenance;
}

// Takes a folder away from the names that begin with it; those stand at the beginning of a word.
void eraseFolder(const std::string& folder, std::string& text) {
  for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at + 1))
    if (at == 0 || std::string_view(" (\"").find(text[at - 1]) != std::string_view::npos)
      text.erase(at, folder.size());
}

[[noreturn]] void refuse(std::string_view reason) {
  fail(ExitCode::BadInput,
       fmt::format("The provenance of the input is damaged ({}); regenerate the file.", reason));
}

}  // namespace

std::vector<Provenance> Provenance::steps() const {
  std::vector<Provenance> steps{*this};
  steps.front().history.clear();
  steps.insert(steps.end(), history.begin(), history.end());
  return steps;
}

std::string Provenance::toJson() const {
  Json json = withoutHistory(*this);
  if (!history.empty()) json["history"] = Json::array();
  for (const Provenance& step : history) json["history"].push_back(withoutHistory(step));
  // File names need not be UTF-8, but JSON must be.
  return jsonText(json, 2);
}

Provenance Provenance::fromJson(const std::string& text) try {
  if (text.size() > largestText) refuse("it has more than " + bytesText(largestText));
  const Json json = parseJson(text);
  Provenance provenance = stepOf(json);
  const auto add = [&](const Json& step) {
    if (provenance.history.size() == mostSteps)
      refuse(fmt::format("it has more than {} steps", mostSteps));
    provenance.history.push_back(stepOf(step));
  };
  const Json* step = &json;
  while (step->contains("history") && step->at("history").is_object()) {  // of version 0.1
    step = &step->at("history");
    add(*step);
  }
  if (step->contains("history"))
    for (const Json& past : step->at("history")) add(past);
  return provenance;
} catch (const Json::exception& error) {
  refuse(error.what());
}

std::vector<std::string> warningsToKeep(const std::vector<std::string>& warnings,
                                        const std::vector<std::filesystem::path>& files) {
  std::set<std::string, std::greater<>> folders;  // longer ones before those that they begin with
  for (const std::filesystem::path& file : files) {
    const std::filesystem::path folder =
        std::filesystem::is_directory(file) ? file : file.parent_path();
    if (folder.has_relative_path()) folders.insert((folder / "").string());
  }
  std::vector<std::string> kept(
      warnings.begin(),
      warnings.begin() + static_cast<std::ptrdiff_t>(std::min(warnings.size(), mostWarnings)));
  for (std::string& warning : kept) {
    for (const std::string& folder : folders) eraseFolder(folder, warning);
    if (warning.size() > longestWarning)
      warning = std::string(beginningInBytes(warning, longestWarning)) + " ...";
  }
  if (warnings.size() > mostWarnings)
    kept.push_back(fmt::format("and {} more", warnings.size() - mostWarnings));
  return kept;
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

// Linked with full RELRO by the flags of all targets; the rest as the compiler saw it.
std::string hardeningDescription() {
  std::string text = "full RELRO";
#ifdef __PIE__
  text = "PIE, " + text;
#endif
#ifdef __SSP_STRONG__
  text += ", stack protector";
#endif
#if defined(_FORTIFY_SOURCE) && _FORTIFY_SOURCE > 0
  text += fmt::format(", FORTIFY_SOURCE={}", _FORTIFY_SOURCE);
#endif
  return text;
}

std::string buildDescription() {
  return TESSERA_BUILD;
}

}  // namespace tessera::stage
