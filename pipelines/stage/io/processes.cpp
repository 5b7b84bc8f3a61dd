// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/io/processes.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <numeric>
#include <optional>
#include <string>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/system/memory.hpp"
#include "pipelines/stage/text.hpp"

namespace tessera::stage {

namespace {

constexpr std::byte markOfNoSpace{0x80};  // a bit that no exit code uses

// Exit code and bytes of the sentence; empty if the body returned.
Message outcomeOf(const std::function<void()>& body) {
  const auto pack = [](ExitCode code, const std::string& sentence, std::byte mark = {}) {
    Message message(1 + sentence.size(), static_cast<std::byte>(code) | mark);
    if (!sentence.empty()) std::memcpy(&message[1], sentence.data(), sentence.size());
    return message;
  };
  try {
    body();
  } catch (const NoSpace& error) {
    return pack(error.code(), error.what(), markOfNoSpace);
  } catch (const StageError& error) {
    return pack(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return pack(ExitCode::NoResource, notEnoughMemory);
  } catch (const std::exception& error) {
    return pack(ExitCode::RunFailed, fmt::format("internal error ({})", error.what()));
  }
  return {};
}

}  // namespace

void together(Processes& processes, const std::function<void()>& body) {
  const std::vector<Message> outcomes = processes.allGather(outcomeOf(body));
  const auto first = std::find_if_not(outcomes.begin(), outcomes.end(),
                                      [](const Message& outcome) { return outcome.empty(); });
  if (first == outcomes.end()) return;
  std::string sentence = textOf(std::span(*first).subspan(1));
  if (std::count(outcomes.begin(), outcomes.end(), *first) < processes.size())
    sentence += fmt::format(" (rank {} of {})", first - outcomes.begin(), processes.size());
  if ((first->front() & markOfNoSpace) != std::byte{}) throw NoSpace(sentence);
  fail(static_cast<ExitCode>(first->front()), sentence);
}

void requireSameFile(Processes& processes, const std::filesystem::path& path,
                     const std::string& hash) {
  const std::vector<Message> hashes = processes.allGather(std::as_bytes(std::span(hash)));
  const auto other = std::find_if(hashes.begin(), hashes.end(),
                                  [&](const Message& each) { return each != hashes.front(); });
  if (other == hashes.end()) return;
  fail(ExitCode::BadInput,
       fmt::format("{} is not the same file for ranks 0 and {} of {}; put it on a file system that "
                   "all of them share",
                   path.string(), other - hashes.begin(), processes.size()));
}

std::string textOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint64_t sumOf(Processes& processes, std::uint64_t own) {
  const auto all = gatherValues(processes, std::span<const std::uint64_t>(&own, 1));
  return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
}

Share shareOf(std::uint64_t count, int rank, int size) {
  const auto n = static_cast<std::uint64_t>(size);
  const auto k = static_cast<std::uint64_t>(rank);
  const auto before = [&](std::uint64_t i) { return count / n * i + count % n * i / n; };
  return {before(k), before(k + 1)};
}

}  // namespace tessera::stage
