// SPDX-License-Identifier: GPL-3.0-or-later
// "name  value" lines for people; the same as JSON for scripts.
#include "pipelines/info/describe.hpp"

#include <algorithm>
#include <array>

#include "pipelines/info/recognise.hpp"
#include "pipelines/stage/io/json.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::info {

using stage::Json;

namespace {

std::string kindForPerson(const std::string& kind) {
  for (const stage::FileFormat& format : allFormats())
    if (kind == format.kind) return format.about;
  return kind;
}

std::string sizeForPerson(std::uint64_t bytes) {
  constexpr std::array units{"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1024.0 && unit + 1 < units.size(); ++unit) size /= 1024.0;
  return fmt::format("{:.4g} {}", size, units[unit]);
}

// JSON text of the file as a value: null if empty, a string if it is not JSON.
Json parsed(const std::string& text) {
  if (text.empty()) return {};
  Json json = stage::parseJsonOrDiscarded(text);
  return json.is_discarded() ? Json(text) : json;
}

std::string line(std::size_t indent, const std::string& name, const std::string& value) {
  constexpr std::size_t width = 26;
  std::string text = std::string(indent, ' ') + name;
  if (!value.empty())
    text.append(std::max(width, text.size() + 2) - text.size(), ' ').append(value);
  return text + "\n";
}

std::string inOneLine(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_structured()) return value.dump();
  std::string text;
  for (const auto& [key, entry] : value.items()) {
    if (!text.empty()) text += value.is_object() ? "  " : ", ";
    text += (value.is_object() ? key + " " : "") + inOneLine(entry);
  }
  return value.is_object() ? text : "[" + text + "]";
}

bool isListOfObjects(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(), [](const Json& e) { return e.is_object(); });
}

// Each entry of an object on its line; objects in lists on one line each.
std::string entriesForPerson(const Json& object, std::size_t indent) {
  if (!object.is_object()) return line(indent, inOneLine(object), "");
  std::string text;
  for (const auto& [name, value] : object.items()) {
    if (value.is_object()) {
      text += line(indent, name, "") + entriesForPerson(value, indent + 2);
    } else if (isListOfObjects(value)) {
      text += line(indent, name, "");
      for (const Json& entry : value) text += line(indent + 2, inOneLine(entry), "");
    } else {
      text += line(indent, name, inOneLine(value));
    }
  }
  return text;
}

std::string word(const Json& object, const char* name) {
  return object.contains(name) ? inOneLine(object[name]) : "unknown";
}

// Program and inputs of each step, from the file back to the first input.
std::string provenanceForPerson(const Json& last) {
  std::string text;
  std::vector<Json> steps;
  for (const Json* step = &last; step->is_object();) {
    steps.push_back(*step);
    steps.back().erase("history");
    const auto past = step->find("history");
    if (past == step->end()) break;
    if (past->is_array()) steps.insert(steps.end(), past->begin(), past->end());
    step = &*past;  // nested in files of version 0.1
  }
  for (const Json& step : steps) {
    if (!step.is_object()) continue;
    text += line(2, "made by",
                 fmt::format("{} {} (commit {}, {})", word(step, "program"), word(step, "version"),
                             word(step, "git"), word(step, "build")));
    const Json options = step.value("options", Json::object());
    for (const auto& [name, value] : options.items()) {
      text += line(4, "option " + name, inOneLine(value));
    }
    for (const Json& input : step.value("inputs", Json::array())) {
      text += line(4, "from " + word(input, "name"), word(input, "hash"));
    }
    for (const Json& warning : step.value("warnings", Json::array())) {
      text += line(4, "warning", inOneLine(warning));
    }
  }
  return text;
}

std::string typeName(const stage::SectionInfo& section) {
  constexpr std::array names{"text", "unsigned", "signed", "float"};
  return names[static_cast<std::size_t>(section.type)];
}

std::string sectionsForPerson(const Inspection& file) {
  std::string text = "  sections\n";
  for (const stage::SectionInfo& section : file.sections) {
    text += line(4, section.name,
                 fmt::format("{} x {} bytes, {}, at byte {}", section.count, section.elementBytes,
                             typeName(section), file.containerOffset + section.offset));
  }
  return text;
}

Json toJson(const Inspection& file) {
  Json json{{"file", file.path.string()},
            {"kind", file.kind},
            {"format", file.format},
            {"bytes", file.bytes},
            {"hash", file.contentHash},
            {"meta", parsed(file.meta)},
            {"provenance", parsed(file.provenance)}};
  json["sections"] = Json::array();
  for (const stage::SectionInfo& section : file.sections) {
    json["sections"].push_back({{"name", section.name},
                                {"type", typeName(section)},
                                {"element_bytes", section.elementBytes},
                                {"count", section.count},
                                {"offset", file.containerOffset + section.offset}});
  }
  return json;
}

}  // namespace

std::string describeForPerson(const Inspection& file, bool withSections) {
  std::string text = file.path.string() + "\n";
  text += line(2, "kind", kindForPerson(file.kind) + ", format " + file.format);
  text += line(2, "size", sizeForPerson(file.bytes));
  text += line(2, "hash", file.contentHash);
  if (!file.provenance.empty()) text += provenanceForPerson(parsed(file.provenance));
  if (!file.meta.empty()) text += "  content\n" + entriesForPerson(parsed(file.meta), 4);
  if (withSections) text += sectionsForPerson(file);
  return text;
}

std::string describeAsJson(std::span<const Inspection> files) {
  Json list = Json::array();
  for (const Inspection& file : files) list.push_back(toJson(file));
  const Json& result = files.size() == 1 ? list.front() : list;
  return stage::jsonText(result, 2) + "\n";
}

std::string formatsForPerson() {
  constexpr std::size_t extensionWidth = 13, kindWidth = 9;
  std::string text;
  for (const stage::FileFormat& format : allFormats()) {
    std::string entry = *format.extension == '\0' ? "-" : format.extension;
    entry.append(extensionWidth - entry.size(), ' ').append(format.kind);
    entry.append(extensionWidth + kindWidth - entry.size(), ' ').append(format.name);
    text += entry + "\n";
  }
  return text;
}

std::string formatsAsJson() {
  Json list = Json::array();
  for (const stage::FileFormat& format : allFormats())
    list.push_back({{"extension", format.extension},
                    {"kind", format.kind},
                    {"name", format.name},
                    {"about", format.about}});
  return stage::jsonText(list, 2) + "\n";
}

}  // namespace tessera::info
