// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/opening_table.hpp"

#include <cmath>
#include <limits>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::solver::boundary {

using stage::Dimension;
using stage::ExitCode;
using stage::fail;

namespace {

std::shared_ptr<const Waveform> readSeries(OpeningTable& from, const char* column,
                                           Dimension dimension) {
  stage::CaseTable& table = from.table;
  const auto file = table.file("waveform");
  if (!file) return nullptr;
  WaveformOptions options;
  options.column = table.text("column").value_or(column);
  options.dimension = dimension;
  options.periodic = table.flag("periodic").value_or(false);
  options.period = table.quantity("period", Dimension::Time, 1e-12, 1e9).value_or(0.0);
  if (options.period > 0.0 && !options.periodic)
    fail(ExitCode::Usage, table.where("period") +
                              ": period belongs to a periodic series; periodic = true is required "
                              "with it");
  options.uneven = table.flag("uneven").value_or(false);
  const auto word = table.word("interpolation", {"linear", "cubic"})
                        .value_or(options.periodic ? "cubic" : "linear");
  if (word == "cubic" && !options.periodic)
    fail(ExitCode::Usage, table.where("interpolation") +
                              ": interpolation = \"cubic\" needs a periodic series; use "
                              "\"linear\", or periodic = true");
  options.interpolation = word == "cubic" ? Interpolation::Cubic : Interpolation::Linear;
  return std::make_shared<const Waveform>(readWaveform(*file, options));
}

}  // namespace

double OpeningTable::required(const char* key, Dimension dimension, const std::string& sentence,
                              double lowest, double highest) {
  const auto value = table.quantity(key, dimension, lowest, highest);
  if (!value && !table.refused(key)) table.noteMissing(sentence);
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

std::optional<double> OpeningTable::pressure(const char* key) {
  const double largest = largestPrescribed(Dimension::Pressure);
  return table.quantity(key, Dimension::Pressure, -largest, largest);
}

ConstantOrSeries readConstantOrSeries(OpeningTable& from, const char* key, const char* column,
                                      Dimension dimension, const std::string& sentence) {
  stage::CaseTable& table = from.table;
  const double largest = largestPrescribed(dimension);
  const auto constant = table.quantity(key, dimension, -largest, largest);
  ConstantOrSeries out;
  out.series = readSeries(from, column, dimension);
  if (constant && out.series)
    fail(ExitCode::Usage, table.where("waveform") + ": " + key +
                              " and waveform are both given; one of them is required");
  if (!constant && !out.series) {
    if (!table.refused(key) && !table.refused("waveform"))
      table.noteMissing(sentence + ", or waveform = \"FILE.csv\"");
    out.value = std::numeric_limits<double>::quiet_NaN();
    return out;
  }
  out.value = constant ? *constant : out.series->largest();
  if (std::abs(out.value) > largest)
    fail(ExitCode::Usage,
         fmt::format("{}: the series reaches {} {}; expected at most {}.", table.where("waveform"),
                     stage::number(out.value), stage::siUnit(dimension), stage::number(largest)));
  return out;
}

double largestPrescribed(Dimension dimension) {
  if (dimension == Dimension::Pressure) return 1e9;
  return dimension == Dimension::Velocity ? 1e4 : 1e6;
}

Profile readProfile(OpeningTable& from, const char* otherwise,
                    const std::vector<std::string>& further) {
  static const std::vector<std::pair<std::string, Profile>> profiles{
      {"plug", Profile::Plug},
      {"parabolic", Profile::Parabolic},
      {"developed", Profile::Developed},
      {"womersley", Profile::Womersley},
      {"bi-parabolic", Profile::BiParabolic},
      {"power-law", Profile::PowerLaw},
      {"formula", Profile::Formula},
      {"table", Profile::Table}};
  std::vector<std::string> words{"plug", "parabolic", "developed", "womersley", "bi-parabolic"};
  words.insert(words.end(), further.begin(), further.end());
  const std::string word = from.table.word("profile", words).value_or(otherwise);
  for (const auto& [name, profile] : profiles)
    if (name == word) return profile;
  return Profile::Parabolic;
}

bool readZouHe(OpeningTable& from) {
  return from.table.word("scheme", {"link", "zou-he"}).value_or("link") == "zou-he";
}

}  // namespace tessera::solver::boundary
