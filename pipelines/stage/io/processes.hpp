// SPDX-License-Identifier: GPL-3.0-or-later
// Several processes that read or write one file together, whatever carries their messages. All of
// them make the same calls in the same order, from one thread at a time.
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
  // What each gives, in the order of ranks, on all of them. Lengths may differ.
  virtual std::vector<Message> allGather(std::span<const std::byte> own) = 0;
  // to[k] goes to rank k; returned is what each sent to this one, in the order of ranks.
  virtual std::vector<Message> allToAll(std::vector<Message> to) = 0;
};

// One alone.
class OneProcess : public Processes {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  std::vector<Message> allGather(std::span<const std::byte> own) override {
    return {Message(own.begin(), own.end())};
  }
  std::vector<Message> allToAll(std::vector<Message> to) override { return to; }
};

// All run their body, which must not exchange anything. When it throws on some, all throw the
// StageError of the lowest rank that failed; what is no StageError becomes one. Unless all failed
// alike the sentence names the rank.
void together(Processes& processes, const std::function<void()>& body);

// Throws StageError(BadInput), on all, where they found files of different content hashes.
void requireSameFile(Processes& processes, const std::filesystem::path& path,
                     const std::string& hash);

// What is exchanged goes as bytes.
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

// A number added up over processes.
std::uint64_t sumOf(Processes& processes, std::uint64_t own);

// The values of all, one after another in the order of ranks.
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

// What one of so many processes has of so many things: begin .. end, in the order of ranks.
struct Share {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  [[nodiscard]] std::uint64_t size() const { return end - begin; }
};
Share shareOf(std::uint64_t count, int rank, int size);

}  // namespace tessera::stage
