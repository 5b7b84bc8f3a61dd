// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipelines/stage/processes.hpp"

#include <exception>
#include <new>
#include <optional>
#include <string>

#include "pipelines/stage/error.hpp"

namespace tessera {

namespace {

// An exit code and the bytes of a sentence; empty for a body that came to its end.
Message outcomeOf(const std::function<void()>& body) {
  const auto pack = [](ExitCode code, const std::string& sentence) {
    Message message(1 + sentence.size(), static_cast<std::byte>(code));
    if (!sentence.empty()) std::memcpy(&message[1], sentence.data(), sentence.size());
    return message;
  };
  try {
    body();
  } catch (const StageError& error) {
    return pack(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return pack(ExitCode::NoResource,
                "there is not enough memory; use a coarser spacing or a machine with more");
  } catch (const std::exception& error) {
    return pack(ExitCode::RunFailed,
                std::string("stopped by a fault of the program (") + error.what() + ")");
  }
  return {};
}

}  // namespace

void together(Processes& processes, const std::function<void()>& body) {
  for (const Message& outcome : processes.allGather(outcomeOf(body))) {
    if (outcome.empty()) continue;
    std::string sentence(outcome.size() - 1, '\0');
    if (!sentence.empty()) std::memcpy(sentence.data(), &outcome[1], sentence.size());
    fail(static_cast<ExitCode>(outcome[0]), sentence);
  }
}

std::vector<std::uint64_t> sumOf(Processes& processes, std::span<const std::uint64_t> own) {
  const std::vector<std::uint64_t> all = gatherValues(processes, own);
  std::vector<std::uint64_t> sum(own.size(), 0);
  for (std::size_t k = 0; k < all.size(); ++k) sum[k % own.size()] += all[k];
  return sum;
}

Share shareOf(std::uint64_t count, int rank, int size) {
  const auto n = static_cast<std::uint64_t>(size);
  const auto k = static_cast<std::uint64_t>(rank);
  const auto before = [&](std::uint64_t i) { return count / n * i + count % n * i / n; };
  return {before(k), before(k + 1)};
}

}  // namespace tessera
