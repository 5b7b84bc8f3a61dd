// SPDX-License-Identifier: GPL-3.0-or-later
// --certify: error of a precision on this geometry and case. The same steps are made in double
// precision and in the chosen one, and the quantities that a run reports are compared.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "solver/run/simulation.hpp"

namespace tessera::solver::bench {

// Quantity in SI units, and |exact - found| relative to a scale: flow rates to the
// largest of them, pressures of openings to their spread, the others to themselves.
struct CertifiedQuantity {
  std::string name;  // with its unit: "flow_rate_1[m3/s]"
  double exact = 0.0;
  double found = 0.0;
  double difference = 0.0;
};

struct Certificate {
  std::uint64_t steps = 0;
  double time = 0.0;  // s
  std::string exactVariant;
  std::string foundVariant;
  std::vector<CertifiedQuantity> quantities;
  // max |a - b| / max |a| over all nodes; fields are single precision, so differences below 1e-7
  // are lost.
  double velocity = 0.0;
  double pressure = 0.0;
  // The largest of all these.
  [[nodiscard]] double largest() const;
};

// initial: initial fields or null. Throws StageError: Usage for a run in f64 or without an f64
// variant of its collision, RunFailed if one of the runs diverges, NoResource.
Certificate certify(const tiler::file::TilesFile& tiles, const cases::SolverCase& run,
                    const std::string& backend, std::uint64_t steps, const file::Fields* initial);

// Table as text.
std::string certificateText(const Certificate& certificate);
// JSON, SI units.
void writeCertificate(const std::filesystem::path& path, const Certificate& certificate);

}  // namespace tessera::solver::bench
