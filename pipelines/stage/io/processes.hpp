// SPDX-License-Identifier: GPL-3.0-or-later
// Several processes that read or write one file together, independent of the transport. All make
// the same calls in the same order, from one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace tessera::stage {

using Message = std::vector<std::byte>;

class Processes {
 public:
  virtual ~Processes() = default;
  [[nodiscard]] virtual int rank() const = 0;  // 0 .. size() - 1
  [[nodiscard]] virtual int size() const = 0;
  // Messages of all ranks, in rank order, on all ranks. Lengths may differ.
  virtual std::vector<Message> allGather(std::span<const std::byte> own) = 0;
  // Sends to[k] to rank k; returns the messages for this rank, in rank order.
  virtual std::vector<Message> allToAll(std::vector<Message> to) = 0;
};

// A single process.
class OneProcess : public Processes {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  std::vector<Message> allGather(std::span<const std::byte> own) override {
    return {Message(own.begin(), own.end())};
  }
  std::vector<Message> allToAll(std::vector<Message> to) override { return to; }
};

// Runs body, which must not communicate, on all ranks. If it throws on some, all throw the
// StageError of the lowest failing rank (other exceptions are converted); the sentence names the
// rank unless all failed alike.
void together(Processes& processes, const std::function<void()>& body);

// Collective; throws StageError(BadInput) if the content hashes differ.
void requireSameFile(Processes& processes, const std::filesystem::path& path,
                     const std::string& hash);

// Types that are exchanged as bytes.
template <class T>
concept Plain = std::is_trivially_copyable_v<T>;

template <Plain T>
Message bytesOf(std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}
template <Plain T>
std::vector<T> valuesOf(const Message& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

std::string textOf(std::span<const std::byte> bytes);

// Sum over processes.
std::uint64_t sumOf(Processes& processes, std::uint64_t own);

// Values of all ranks concatenated in rank order.
template <Plain Value>
std::vector<Value> gatherValues(Processes& processes, std::span<const Value> own) {
  std::vector<Value> all;
  for (const Message& message : processes.allGather(std::as_bytes(own))) {
    const std::size_t before = all.size();
    all.resize(before + message.size() / sizeof(Value));
    if (!message.empty()) std::memcpy(&all[before], message.data(), message.size());
  }
  return all;
}

// Range begin .. end of `count` items that belongs to a rank, in rank order.
struct Share {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  [[nodiscard]] std::uint64_t size() const { return end - begin; }
};
Share shareOf(std::uint64_t count, int rank, int size);

}  // namespace tessera::stage
