// SPDX-License-Identifier: GPL-3.0-or-later
// Reading of one [[opening]] table: keys that several kinds of conditions share.
#pragma once

#include <string>
#include <vector>

#include "pipelines/stage/case/case_file.hpp"
#include "solver/boundary/prescription.hpp"
#include "tiler/tiled_geometry.hpp"

namespace tessera::solver::boundary {

struct OpeningTable {
  stage::CaseTable table;
  const preprocess::geometry::Opening& opening;
  const tiler::TiledGeometry& geometry;

  // The quantity under a key that is required; otherwise the sentence is noted as missing and the
  // value is not a number.
  double required(const char* key, stage::Dimension dimension, const std::string& sentence,
                  double lowest, double highest);
  // The pressure under a key, within largestPrescribed().
  std::optional<double> pressure(const char* key);
};

// A constant, or a series in time and its largest magnitude.
struct ConstantOrSeries {
  double value = 0.0;
  std::shared_ptr<const Waveform> series;
};

// The constant under `key` or the series under "waveform"; exactly one of them. column: default
// column of the series. With neither the sentence is noted as missing and the value is not a
// number. Throws StageError(Usage) with file and line.
ConstantOrSeries readConstantOrSeries(OpeningTable& from, const char* key, const char* column,
                                      stage::Dimension dimension, const std::string& sentence);

// Largest magnitude of a prescribed pressure (Pa), velocity (m/s) or flow rate (m3/s): beyond it
// the differences that drive a flow would lose their digits.
double largestPrescribed(stage::Dimension dimension);

// One of the profiles that need no other keys, and of `further` ones.
Profile readProfile(OpeningTable& from, const char* otherwise,
                    const std::vector<std::string>& further = {});

// scheme = "zou-he".
bool readZouHe(OpeningTable& from);

constexpr double largestOutletValue = 1e30;  // of resistances and compliances, SI

}  // namespace tessera::solver::boundary
