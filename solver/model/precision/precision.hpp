// SPDX-License-Identifier: GPL-3.0-or-later
// Storage type and arithmetic type of populations. A step works in units of storage:
// `scale` times the deviations, a power of two, so that it costs nothing and changes no bit
// (solver/model/step.hpp). Elsewhere Real(stored) and Storage(value) convert deviations themselves.
#pragma once

#include "solver/model/axes.hpp"
#include "solver/model/precision/half.hpp"

namespace tessera::solver::model {

template <class StorageType, class ArithmeticType>
struct StoredAs {
  using Storage = StorageType;
  using Arithmetic = ArithmeticType;
  static constexpr int scale = 1;
  TESSERA_HOST_DEVICE static Arithmetic widen(Storage f) { return static_cast<Arithmetic>(f); }
  TESSERA_HOST_DEVICE static Storage narrow(Arithmetic f) { return static_cast<Storage>(f); }
};

struct F64 : StoredAs<double, double> {
  static constexpr PrecisionId id = PrecisionId::F64;
};

struct F32 : StoredAs<float, float> {
  static constexpr PrecisionId id = PrecisionId::F32;
};

// Half the memory and traffic of f64; only storage is rounded to 24 digits.
struct F32F64 : StoredAs<float, double> {
  static constexpr PrecisionId id = PrecisionId::F32F64;
};

// Half the memory and traffic of f32.
struct F16 {
  static constexpr PrecisionId id = PrecisionId::F16;
  using Storage = ScaledHalf;
  using Arithmetic = float;
  static constexpr int scale = ScaledHalf::scale;
  TESSERA_HOST_DEVICE static float widen(ScaledHalf f) { return f.scaledValue(); }
  TESSERA_HOST_DEVICE static ScaledHalf narrow(float f) { return ScaledHalf::scaled(f); }
};

// For moments alone (solver/model/moment_format.hpp): density and momentum in fp32, second moments
// in fp16, 28 bytes a node. Storage is the type of scratch populations.
struct M32F16 : StoredAs<float, float> {
  static constexpr PrecisionId id = PrecisionId::M32F16;
};

}  // namespace tessera::solver::model
