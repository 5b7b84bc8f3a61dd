// SPDX-License-Identifier: GPL-3.0-or-later
// Parallel loops of the CPU backend. TBB is compiled once, in parallel.cpp: a variant adds the
// bodies of its loops alone, which takes a fifth off its compilation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "solver/backend/driver.hpp"

namespace tessera::solver::backend {

// A reference to a callable body(begin, end), which must outlive it.
class RangeBody {
 public:
  template <class Body>
  explicit RangeBody(const Body& body)
      : body_(&body), call_([](const void* callee, std::size_t begin, std::size_t end) {
          (*static_cast<const Body*>(callee))(begin, end);
        }) {}
  void operator()(std::size_t begin, std::size_t end) const { call_(body_, begin, end); }

 private:
  const void* body_;
  void (*call_)(const void*, std::size_t, std::size_t);
};

// Calls body(begin, end) in parallel for ranges that make up [0, count); ranges of up to `grain`
// indices are not divided.
void parallelRanges(std::size_t count, std::size_t grain, RangeBody body);

// Calls body(k) in parallel for k in [0, count).
template <class Body>
void parallelIndices(std::size_t count, std::size_t grain, const Body& body) {
  const auto range = [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) body(k);
  };
  parallelRanges(count, grain, RangeBody(range));
}

// Slots [begin(), end()).
class TileSpan {
 public:
  TileSpan(std::uint32_t first, std::uint32_t last) : begin_(first), end_(last) {}
  [[nodiscard]] std::uint32_t begin() const { return begin_; }
  [[nodiscard]] std::uint32_t end() const { return end_; }
  [[nodiscard]] std::uint32_t size() const { return end_ - begin_; }

 private:
  std::uint32_t begin_, end_;
};

// The tiles of a rank in the two parts of a pass on the CPU, border and interior. Tiles stay with
// the threads that touched them first unless one is late.
class CpuTiles {
 public:
  CpuTiles(std::uint32_t border, std::uint32_t tiles);
  ~CpuTiles();

  [[nodiscard]] const std::array<PassPart, 2>& parts() const { return parts_; }
  [[nodiscard]] std::uint32_t count() const { return parts_[1].end; }

  // Calls body(TileSpan) in parallel for spans that make up a part.
  template <class Body>
  void forPart(const PassPart& part, const Body& body) {
    const auto range = [&](std::size_t begin, std::size_t end) {
      body(TileSpan(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)));
    };
    forRanges(part, RangeBody(range));
  }
  template <class Body>
  void forAll(const Body& body) {
    for (const PassPart& part : parts_) forPart(part, body);
  }

 private:
  struct Threads;
  void forRanges(const PassPart& part, RangeBody body);

  std::array<PassPart, 2> parts_;
  std::unique_ptr<Threads> threads_;
};

}  // namespace tessera::solver::backend
