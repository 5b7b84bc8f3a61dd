// SPDX-License-Identifier: GPL-3.0-or-later
// What populations are stored as, and what they are computed in.
#pragma once

namespace tessera {

struct F64 {
  static constexpr const char* name = "f64";
  using Storage = double;
  using Arithmetic = double;
};

struct F32 {
  static constexpr const char* name = "f32";
  using Storage = float;
  using Arithmetic = float;
};

}  // namespace tessera
