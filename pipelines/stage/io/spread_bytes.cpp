// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/io/spread_bytes.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "pipelines/stage/system/parallel_for.hpp"

namespace tessera::stage {

namespace {

// A run in a message: at and bytes.
using RunHeader = std::array<std::uint64_t, 2>;

std::vector<ByteRun> cut(const std::vector<ByteRun>& runs, const Share& asked) {
  const auto endsBefore = [](const ByteRun& run, std::uint64_t begin) {
    return run.at + run.bytes <= begin;
  };
  std::vector<ByteRun> inside;
  for (auto run = std::lower_bound(runs.begin(), runs.end(), asked.begin, endsBefore);
       run != runs.end() && run->at < asked.end; ++run) {
    const std::uint64_t begin = std::max(run->at, asked.begin);
    const std::uint64_t end = std::min(run->at + run->bytes, asked.end);
    inside.push_back({begin, end - begin, run->local + (begin - run->at)});
  }
  return inside;
}

Message messageFor(const SpreadBytes& own, const Share& asked) {
  const std::vector<ByteRun> runs =
      asked.size() > 0 ? cut(own.runs, asked) : std::vector<ByteRun>{};
  const std::uint64_t count = runs.size();
  std::vector<std::uint64_t> start(count + 1, sizeof count + count * sizeof(RunHeader));
  for (std::size_t k = 0; k < count; ++k) start[k + 1] = start[k] + runs[k].bytes;
  Message message(start.back());
  std::memcpy(message.data(), &count, sizeof count);
  parallelFor(count, [&](std::size_t k) {
    const RunHeader place{runs[k].at, runs[k].bytes};
    std::memcpy(&message[sizeof count + k * sizeof place], place.data(), sizeof place);
    own.copy(runs[k].local, std::span(message).subspan(start[k], runs[k].bytes));
  });
  return message;
}

[[noreturn]] void incomplete() {
  throw std::logic_error("processes do not have each byte of a section once");
}

// Returns the number of bytes copied.
std::uint64_t put(const Message& message, const Share& asked, std::span<std::byte> target) {
  std::uint64_t count = 0;
  if (message.size() < sizeof count) incomplete();
  std::memcpy(&count, message.data(), sizeof count);
  if (count > (message.size() - sizeof count) / sizeof(RunHeader)) incomplete();
  std::uint64_t from = sizeof count + count * sizeof(RunHeader);
  std::uint64_t sum = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    RunHeader place{};
    std::memcpy(place.data(), &message[sizeof count + k * sizeof place], sizeof place);
    const auto [at, bytes] = place;
    if (at < asked.begin || at > asked.end || bytes > asked.end - at ||
        bytes > message.size() - from)
      incomplete();
    std::memcpy(&target[at - asked.begin], &message[from], bytes);
    from += bytes;
    sum += bytes;
  }
  return sum;
}

}  // namespace

void appendRun(std::vector<ByteRun>& runs, const ByteRun& run) {
  if (run.bytes == 0) return;
  if (!runs.empty() && runs.back().at + runs.back().bytes == run.at &&
      runs.back().local + runs.back().bytes == run.local)
    runs.back().bytes += run.bytes;
  else
    runs.push_back(run);
}

std::vector<Message> messagesFor(const SpreadBytes& own, std::span<const Share> asked) {
  std::vector<Message> messages;
  for (const Share& share : asked) messages.push_back(messageFor(own, share));
  return messages;
}

std::vector<std::byte> putTogether(std::span<const Message> came, const Share& asked) {
  std::vector<std::byte> target(asked.size());
  std::uint64_t bytes = 0;
  for (const Message& message : came) bytes += put(message, asked, target);
  if (bytes != asked.size()) incomplete();
  return target;
}

}  // namespace tessera::stage
