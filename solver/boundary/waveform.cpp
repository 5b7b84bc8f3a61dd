// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/boundary/waveform.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/provenance.hpp"
#include "pipelines/stage/text.hpp"
#include "solver/boundary/csv_text.hpp"

namespace tessera::solver::boundary {

using stage::ExitCode;
using stage::fail;

namespace {

constexpr double gapFactor = 4.0;       // of the middle step: longer ones are gaps
constexpr std::size_t gapRows = 6;      // least number of rows
constexpr double closureFactor = 0.05;  // of the range: allowed difference of the ends of a period
constexpr double largestNumber = 1e30;  // in SI units
constexpr double shortestStep = 1e-15;  // s
constexpr std::uintmax_t largestFile = std::uintmax_t{16} << 20U;

std::string number(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

struct Column {
  std::size_t index = 0;
  double factor = 1.0;  // to SI
};

class Reader {
 public:
  Reader(std::string_view text, const std::string& name, const WaveformOptions& options)
      : lines_(text, name), name_(name), options_(options) {}

  Waveform read() {
    readHeader();
    std::string_view line;
    while (lines_.next(line)) readRow(line);
    if (out_.time.size() < 2)
      refuse(fmt::format("{} rows of numbers are no series", out_.time.size()), "at least 2");
    checkGaps();
    if (options_.periodic) closePeriod();
    return std::move(out_);
  }

 private:
  // Error that concerns the series as a whole up to row k.
  [[noreturn]] void refuseSeries(std::size_t k, const std::string& sentence) const {
    fail(ExitCode::Usage, fmt::format("{}:{}: {}", name_, line_[k], sentence));
  }

  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const {
    lines_.refuse(found, expected);
  }

  [[nodiscard]] std::string wantedHeader() const {
    return "a header such as time[s]," + options_.column + "[" +
           std::string(stage::siUnit(options_.dimension)) + "]";
  }

  void readHeader() {
    std::string_view line;
    if (!lines_.next(line)) refuse("the file is empty", wantedHeader());
    if (line.find(',') == line.npos && line.find_first_of(";\t") != line.npos)
      refuse("the columns of " + shown(line) + " have no commas between them",
             wantedHeader() + ", and decimal points");
    bool time = false;
    bool value = false;
    columns_ = forCells(line, [&](std::size_t k, std::string_view cell) {
      const std::size_t bracket = cell.find('[');
      const std::string_view word = trimmed(cell.substr(0, bracket));
      if (word != "time" && word != options_.column) return;
      bool& seen = word == "time" ? time : value;
      if (seen) refuse("two columns are called " + shown(word), "one of each name");
      seen = true;
      const bool isTime = word == "time";
      Column& column = isTime ? time_ : value_;
      column.index = k;
      column.factor =
          lines_.unitOf(cell, isTime ? stage::Dimension::Time : options_.dimension, wantedHeader());
    });
    if (!time || !value)
      refuse("the header " + shown(line) + " has no column " + (time ? options_.column : "time"),
             wantedHeader());
  }

  void readRow(std::string_view line) {
    double time = 0.0;
    double value = 0.0;
    const std::size_t cells = forCells(line, [&](std::size_t k, std::string_view cell) {
      if (k == time_.index) time = time_.factor * lines_.number(cell);
      if (k == value_.index) value = value_.factor * lines_.number(cell);
    });
    if (cells != columns_)
      refuse(fmt::format("a row of {} cells", cells),
             fmt::format("{}, as many as in the header", columns_));
    if (!(std::abs(time) < largestNumber && std::abs(value) < largestNumber))
      refuse("a value beyond 1e30", "a number within reason");
    if (!out_.time.empty() && !(time > out_.time.back() + shortestStep))
      refuse("time " + number(time) + " s follows " + number(out_.time.back()) + " s",
             "times that ascend");
    out_.time.push_back(time);
    out_.value.push_back(value);
    line_.push_back(lines_.number());
  }

  void checkGaps() const {
    if (options_.uneven || out_.time.size() < gapRows) return;
    std::vector<double> steps(out_.time.size() - 1);
    for (std::size_t k = 0; k < steps.size(); ++k) steps[k] = out_.time[k + 1] - out_.time[k];
    const auto longest =
        static_cast<std::size_t>(std::max_element(steps.begin(), steps.end()) - steps.begin());
    const double step = steps[longest];
    std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2),
                     steps.end());
    const double middle = steps[steps.size() / 2];
    if (step > gapFactor * middle)
      refuseSeries(longest + 1, "a gap of " + number(step) + " s in a series with steps of " +
                                    number(middle) +
                                    " s; a series without gaps is required: fill it, or say "
                                    "uneven = true in the case.");
  }

  // Fixes the period and drops the row that repeats the first one.
  void closePeriod() {
    const double length = out_.time.back() - out_.time.front();
    const std::size_t last = out_.time.size() - 1;
    out_.period = options_.period > 0.0 ? options_.period : length;
    if (out_.period < length * (1.0 - 1e-9))
      refuseSeries(last, "the series is " + number(length) +
                             " s long; at most its period is possible, " + number(out_.period) +
                             " s.");
    if (out_.period > length * (1.0 + 1e-9)) return;
    const auto [low, high] = std::minmax_element(out_.value.begin(), out_.value.end());
    if (std::abs(out_.value.back() - out_.value.front()) > closureFactor * (*high - *low))
      refuseSeries(last, "the series is periodic but begins with " + number(out_.value.front()) +
                             " and ends with " + number(out_.value.back()) +
                             "; the same moment of the period is required at both ends (within "
                             "5 % of the range), or a period longer than the series.");
    out_.time.pop_back();
    out_.value.pop_back();
    if (out_.time.size() < 2)
      refuseSeries(last,
                   "a period needs at least 3 rows, the last of which "
                   "repeats the first.");
  }

  CsvLines lines_;
  const std::string& name_;
  const WaveformOptions& options_;
  std::size_t columns_ = 0;
  Column time_;
  Column value_;
  Waveform out_;
  std::vector<std::size_t> line_;  // of each row
};

// Slopes of the periodic cubic spline: h1 s0 + 2 (h0 + h1) s1 + h0 s2 = 3 (h1 d0 + h0 d1) at each
// time, with steps h and differences d before and after it; by Gauss-Seidel, which gains more than
// a factor of 2 a sweep since the diagonal is twice the rest of its row.
std::vector<double> periodicSlopes(const Waveform& wave) {
  const std::size_t n = wave.time.size();
  std::vector<double> step(n);
  std::vector<double> difference(n);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t next = (k + 1) % n;
    step[k] =
        k + 1 < n ? wave.time[next] - wave.time[k] : wave.time.front() + wave.period - wave.time[k];
    difference[k] = (wave.value[next] - wave.value[k]) / step[k];
  }
  std::vector<double> slope(n, 0.0);
  for (int sweep = 0; sweep < 100; ++sweep) {
    double change = 0.0;
    double size = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t before = (k + n - 1) % n;
      const double h0 = step[before];
      const double h1 = step[k];
      const double right = 3.0 * (h1 * difference[before] + h0 * difference[k]);
      const double now = (right - h1 * slope[before] - h0 * slope[(k + 1) % n]) / (2.0 * (h0 + h1));
      change = std::max(change, std::abs(now - slope[k]));
      size = std::max(size, std::abs(now));
      slope[k] = now;
    }
    if (change <= 1e-15 * size) break;
  }
  return slope;
}

}  // namespace

double Waveform::at(double t) const {
  const std::size_t n = time.size();
  if (period > 0.0)
    t = time.front() + std::fmod(std::fmod(t - time.front(), period) + period, period);
  if (t <= time.front()) return value.front();
  if (period == 0.0 && t >= time.back()) return value.back();
  const auto after =
      static_cast<std::size_t>(std::upper_bound(time.begin(), time.end(), t) - time.begin());
  const std::size_t k = after - 1;
  const std::size_t next = after % n;
  const double step = (after < n ? time[after] : time.front() + period) - time[k];
  const double s = (t - time[k]) / step;
  if (slope.empty()) return value[k] + s * (value[next] - value[k]);
  const double a = value[k];
  const double b = step * slope[k];
  const double d = value[next] - value[k];
  const double e = step * slope[next];
  return a + s * (b + s * (3.0 * d - 2.0 * b - e + s * (b + e - 2.0 * d)));
}

double Waveform::largest() const {
  double most = 0.0;
  for (const double v : value) most = std::max(most, std::abs(v));
  return most;
}

bool Waveform::swings() const {
  constexpr double rounding = 1e-6;
  if (period <= 0.0) return false;
  const auto [least, most] = std::minmax_element(value.begin(), value.end());
  return *most - *least > rounding * largest();
}

Waveform parseWaveform(std::string_view text, const std::string& name,
                       const WaveformOptions& options) {
  Waveform wave = Reader(text, name, options).read();
  wave.name = std::filesystem::path(name).filename().string();
  wave.hash = stage::hashBytes(text.data(), text.size());
  if (options.interpolation == Interpolation::Cubic) wave.slope = periodicSlopes(wave);
  return wave;
}

std::string readCsvFile(const std::string& path, std::string_view kind, std::uintmax_t largest) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);  // regular files only
  if (error)
    fail(
        ExitCode::BadInput,
        fmt::format("The {} {} cannot be read; check the name, which is relative to the case file, "
                    "and that it is a file.",
                    kind, path));
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    fail(
        ExitCode::BadInput,
        fmt::format("The {} {} cannot be read; check the name, which is relative to the case file, "
                    "and the rights.",
                    kind, path));
  if (size > largest)
    fail(ExitCode::BadInput, fmt::format("The {} {} has {} bytes; at most {} MiB are possible.",
                                         kind, path, size, largest >> 20U));
  std::string text(size, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(size));
  // A fault of the disk or the network must not pass for a shorter series.
  if (static_cast<std::uintmax_t>(stream.gcount()) != size)
    fail(ExitCode::BadInput,
         fmt::format("The {} {} has {} bytes and {} could be read: check its disk, and start "
                     "again.",
                     kind, path, size, stream.gcount()));
  return text;
}

Waveform readWaveform(const std::filesystem::path& path, const WaveformOptions& options) {
  return parseWaveform(readCsvFile(path.string(), "waveform", largestFile), path.string(), options);
}

}  // namespace tessera::solver::boundary
