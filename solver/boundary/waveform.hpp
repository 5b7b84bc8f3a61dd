// SPDX-License-Identifier: GPL-3.0-or-later
// Series in time of the value of an opening.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pipelines/stage/case/quantity.hpp"

namespace tessera::solver::boundary {

enum class Interpolation { Linear, Cubic };

struct Waveform {
  std::string name;          // base name of the file
  std::string hash;          // XXH3-128 of its content
  std::vector<double> time;  // s, strictly ascending; the end of a period is not repeated
  std::vector<double> value;
  double period = 0.0;        // s; 0: not periodic, the first and last values hold beyond the ends
  std::vector<double> slope;  // at each time, of cubic interpolation; empty: linear

  [[nodiscard]] double at(double t) const;
  [[nodiscard]] double largest() const;  // magnitude among the values
  [[nodiscard]] bool swings() const;     // is periodic and not constant
};

struct WaveformOptions {
  std::string column;  // its name in the header, without the unit
  stage::Dimension dimension = stage::Dimension::None;
  bool periodic = false;
  double period = 0.0;  // s; 0: from the first to the last time, and the last value is the first
  Interpolation interpolation = Interpolation::Linear;
  bool uneven = false;  // steps of very different lengths are meant
};

// A table of numbers between commas under a header such as "time[s],flow_rate[m3/s]"; lines that
// begin with # are passed over, other columns too. Throws StageError(Usage) naming the line of
// a value that is no number, missing or out of order, a gap, or a period that does not close.
Waveform parseWaveform(std::string_view text, const std::string& name,
                       const WaveformOptions& options);

// Throws StageError(BadInput) when the file is not there or larger than 16 MiB.
Waveform readWaveform(const std::filesystem::path& path, const WaveformOptions& options);

}  // namespace tessera::solver::boundary
