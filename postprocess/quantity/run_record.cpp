// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/quantity/run_record.hpp"

#include <cmath>
#include <string>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/report_file.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::postprocess::quantity {

using results::RunRecord;
using stage::ExitCode;
using stage::fail;
using stage::Json;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t mostLetters = 120;

double positiveNumber(const Json& json, const char* key) {
  const double value = json.at(key).get<double>();
  return std::isfinite(value) && value > 0.0 ? value : 0.0;
}

RunRecord recordIn(const Json& json, const fs::path& path, const solver::file::Fields& fields) {
  if (json.at("steps").get<std::uint64_t>() != fields.step ||
      json.at("fluid_nodes").get<std::uint64_t>() != fields.pressure.size() ||
      json.at("variant").get<std::string>() != fields.variant ||
      json.value("fields_hash", fields.contentHash) != fields.contentHash)
    fail(ExitCode::BadInput,
         fmt::format("{} is about another run than these fields (other steps, nodes, variant or "
                     "content); give the report of their own",
                     path.string()));
  RunRecord record;
  record.seconds = positiveNumber(json, "seconds");
  record.mflups = positiveNumber(json, "mflups");
  record.machine = json.value("machine", std::string()).substr(0, mostLetters);
  record.finished = json.value("finished", std::string()).substr(0, mostLetters);
  return record;
}

}  // namespace

std::optional<RunRecord> findRunRecord(const fs::path& given, const fs::path& fieldsPath,
                                       const solver::file::Fields& fields) {
  return stage::readGivenOrStandard(
      given, solver::file::reportBeside(fieldsPath), [&](const fs::path& path) {
        return stage::readReport(path, "tessera-solver", [&](const Json& json, const std::string&) {
          return recordIn(json, path, fields);
        });
      });
}

}  // namespace tessera::postprocess::quantity
