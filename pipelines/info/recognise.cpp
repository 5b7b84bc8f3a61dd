// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/info/recognise.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>

#include "pipelines/stage/case/case_file.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/json.hpp"
#include "pipelines/stage/io/provenance.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/read/formats.hpp"

namespace tessera::info {

using stage::FileFormat;
using stage::Json;

namespace {

namespace fs = std::filesystem;

std::string lowered(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string firstBytes(const fs::path& path, std::size_t count) {
  std::string bytes(count, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

[[noreturn]] void refuse(const fs::path& path, const std::string& found,
                         const std::string& expected) {
  stage::fail(stage::ExitCode::BadInput,
              fmt::format("{} {}; expected {}: regenerate it or correct its extension",
                          path.string(), found, expected));
}

// Binary if its size fits its number of triangles, otherwise text.
Json stlContent(const fs::path& path, std::uint64_t bytes) {
  const std::string head = firstBytes(path, 84);
  if (head.size() == 84) {
    std::uint32_t triangles = 0;
    std::memcpy(&triangles, head.data() + 80, sizeof triangles);
    if (bytes == 84 + 50 * std::uint64_t{triangles})
      return {{"encoding", "binary"}, {"triangles", triangles}};
  }
  if (!lowered(head).starts_with("solid"))
    refuse(path, fmt::format("has {} bytes and does not begin with \"solid\"", bytes),
           "84 bytes plus 50 per triangle, or text");
  std::ifstream file(path);
  std::uint64_t triangles = 0;
  for (std::string line; std::getline(file, line);)
    if (lowered(line).find("facet normal") != std::string::npos) ++triangles;
  return {{"encoding", "text"}, {"triangles", triangles}};
}

Json surfaceOrImageContent(const FileFormat& format, const fs::path& path, std::uint64_t bytes) {
  const std::string name = path.filename().string();
  const std::string stem = name.substr(0, name.size() - std::strlen(format.extension) - 1);
  const std::string extension = format.extension;
  const bool isSurface = format.kind == std::string("surface");
  Json content = extension == "stl" ? stlContent(path, bytes) : Json::object();
  content["next"] =
      "tessera-preprocess " + name +
      (extension.starts_with("3mf")   ? " --across 30"
       : isSurface                    ? " --unit mm --across 30"
       : extension.starts_with("dcm") ? " --threshold 200,3000"
       : extension.starts_with("raw") ? " --dims NX,NY,NZ --type u8 --voxel 3um --pore 0"
                                      : " --pore 1") +
      " -o " + stem + ".vdb";
  return content;
}

// Tables of a readable case; each stage checks its own keys.
Json caseContent(const fs::path& path) {
  stage::CaseFile::load(path);
  std::ifstream file(path);
  Json tables = Json::array();
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("[")) tables.push_back(line.substr(0, line.find_last_of(']') + 1));
  return {{"tables", tables},
          {"next", "tessera-solver geom.tiles --case " + path.filename().string() + " --plan"}};
}

Json tableContent(const fs::path& path) {
  std::ifstream file(path);
  std::string header;
  while (std::getline(file, header) && header.starts_with("#")) header.clear();
  std::uint64_t rows = 0;
  std::string last;
  for (std::string line; std::getline(file, line); ++rows) last = line;
  const bool isMonitor = header.starts_with("step,time[s]");
  Json content{
      {"of", isMonitor ? "monitor of a run" : "table"}, {"columns", header}, {"rows", rows}};
  if (isMonitor && rows > 0) content["last row"] = last;
  return content;
}

Json reportContent(const fs::path& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Json json = stage::parseJsonOrDiscarded(text);
  if (json.is_discarded()) refuse(path, "is not JSON", "a report of a stage");
  const bool isObject = json.is_object();
  Json content = Json::object();  // explicit: see postprocess/write/write_summary.cpp
  content["of"] = isObject && json.contains("quantities") ? "comparison of runs"
                  : isObject && json.contains("run")      ? "results of a run"
                                                          : "report of a stage";
  content["keys"] = Json::array();
  if (isObject)
    for (const auto& [key, value] : json.items()) content["keys"].push_back(key);
  return content;
}

Inspection describedFolder(const fs::path& path) {
  Json content = reportContent(path / "summary.json");
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path))
    if (const std::string name = entry.path().filename().string(); !name.starts_with("."))
      names.push_back(name);
  std::sort(names.begin(), names.end());
  content["files"] = names;
  if (content["of"] == "results of a run")
    content["next"] = "open report.html in a browser, or tessera-compare RUN.out RUN.out -o cmp";
  Inspection result;
  result.path = path;
  result.kind = "results";
  result.format = "folder";
  for (const std::string& name : names)
    if (fs::is_regular_file(path / name)) result.bytes += fs::file_size(path / name);
  result.contentHash = stage::hashFile(path / "summary.json");
  result.meta = stage::jsonText(content, -1);
  return result;
}

Json contentOf(const FileFormat& format, const fs::path& path, std::uint64_t bytes) {
  const std::string kind = format.kind;
  if (kind == "case") return caseContent(path);
  if (kind == "table") return tableContent(path);
  if (kind == "report") return reportContent(path);
  if (kind == "export") return {{"next", "open it in ParaView 5.10, VTK 9.1 or newer"}};
  return surfaceOrImageContent(format, path, bytes);
}

}  // namespace

std::vector<FileFormat> allFormats() {
  const auto inputs = preprocess::read::inputFormats(), own = stage::ownFormats();
  std::vector<FileFormat> all(inputs.begin(), inputs.end());
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

std::optional<Inspection> recognise(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    if (!fs::exists(path / "summary.json", error)) return std::nullopt;
    return describedFolder(path);
  }
  const std::vector<FileFormat> formats = allFormats();
  const FileFormat* format = stage::formatOf(formats, path);
  if (format == nullptr || format->isContainer || !fs::is_regular_file(path, error))
    return std::nullopt;
  Inspection result;
  result.path = path;
  result.kind = format->kind;
  result.format = format->name;
  result.bytes = fs::file_size(path);
  if (!firstBytes(path, 8).starts_with(format->begins))
    refuse(path, "does not begin like " + result.format, result.format);
  result.meta = stage::jsonText(contentOf(*format, path, result.bytes), -1);
  result.contentHash = stage::hashFile(path);
  return result;
}

}  // namespace tessera::info
