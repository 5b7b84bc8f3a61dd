// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/run_record.hpp"

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>

#include "pipelines/stage/cli/progress.hpp"
#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/json.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::postprocess::quantity {

using results::RunRecord;
using stage::ExitCode;
using stage::fail;
using stage::Json;

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t mostBytesOfRecord = 16U << 20U;
constexpr std::size_t mostLetters = 120;

std::string textOfRecord(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    fail(ExitCode::BadInput,
         path.string() + " does not exist; name the file of tessera-solver --report");
  if (fs::file_size(path, error) > mostBytesOfRecord)
    fail(ExitCode::BadInput,
         path.string() + " has more than 16 MiB, which no report of tessera-solver has");
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) fail(ExitCode::BadInput, path.string() + " cannot be read; check its permissions");
  return text;
}

double positiveNumber(const Json& json, const char* key) {
  const double value = json.at(key).get<double>();
  return std::isfinite(value) && value > 0.0 ? value : 0.0;
}

RunRecord recordIn(const Json& json, const fs::path& path, const solver::file::Fields& fields) {
  if (json.at("steps").get<std::uint64_t>() != fields.step ||
      json.at("fluid_nodes").get<std::uint64_t>() != fields.pressure.size() ||
      json.at("variant").get<std::string>() != fields.variant)
    fail(ExitCode::BadInput,
         fmt::format("{} is about another run than these fields (other steps, nodes or variant); "
                     "give the report of their own",
                     path.string()));
  RunRecord record;
  record.seconds = positiveNumber(json, "seconds");
  record.mflups = positiveNumber(json, "mflups");
  record.machine = json.value("machine", std::string()).substr(0, mostLetters);
  record.finished = json.value("finished", std::string()).substr(0, mostLetters);
  return record;
}

RunRecord readRunRecord(const fs::path& path, const solver::file::Fields& fields) {
  const std::string text = textOfRecord(path);
  try {
    return recordIn(stage::parseJson(text), path, fields);
  } catch (const Json::exception&) {
    fail(ExitCode::BadInput,
         path.string() + " is not a report of tessera-solver; name the file of its --report");
  }
}

}  // namespace

std::optional<RunRecord> findRunRecord(const fs::path& given, const fs::path& fieldsPath,
                                       const solver::file::Fields& fields) {
  if (!given.empty()) return readRunRecord(given, fields);
  const fs::path standard = fs::path(fieldsPath).replace_extension(".solver.json");
  std::error_code error;
  if (!fs::exists(standard, error)) return std::nullopt;
  try {
    return readRunRecord(standard, fields);
  } catch (const stage::StageError& problem) {
    stage::logWarning(fmt::format("{}; the report is ignored", problem.what()));
    return std::nullopt;
  }
}

}  // namespace tessera::postprocess::quantity
