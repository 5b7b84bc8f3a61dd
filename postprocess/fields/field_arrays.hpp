// SPDX-License-Identifier: GPL-3.0-or-later
// Exported arrays of the nodes: velocity, pressure and fields derived from them; world axes, SI.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "postprocess/fields/node_lookup.hpp"
#include "solver/file/fields_file.hpp"

namespace tessera::postprocess::fields {

struct FieldArray {
  std::string quantity;  // "velocity"
  std::string unit;      // "m/s"
  std::string name;      // with its unit as in summary.json: "velocity_m_s"
  int components = 1;    // 1 or 3
  // Of a node and its place in the fields; writes `components` values. May be called by threads.
  std::function<void(const Int3& node, std::uint64_t index, float* values)> valueAt;
};

// Names known to --fields, in addition to velocity and pressure.
const std::vector<std::string>& derivedFields();

// "vorticity,q" as names. Throws StageError(Usage) for an unknown one.
std::vector<std::string> parseFieldNames(const std::string& text);

// Velocity, pressure, then the derived ones named. The look-up and the fields must outlive them.
std::vector<FieldArray> fieldArrays(const NodeLookup& lookup, const solver::file::Fields& fields,
                                    const std::vector<std::string>& derived);

}  // namespace tessera::postprocess::fields
