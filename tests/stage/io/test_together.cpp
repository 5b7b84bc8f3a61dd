// SPDX-License-Identifier: GPL-3.0-or-later
// Files that processes write together: the bytes of one, or none.
#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <mutex>
#include <numeric>
#include <random>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/io/container.hpp"
#include "pipelines/stage/io/shared_file.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/system_calls.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/fixtures/threads_as_processes.hpp"

namespace tessera {

using namespace tessera::stage;
namespace {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;
constexpr std::uint64_t chunk = std::uint64_t{1} << 20U;

std::vector<float> numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random());
  return values;
}

// Owners of the bytes of a section: runs of random length, a random owner each.
std::vector<std::vector<ByteRun>> strewn(std::uint64_t bytes, int processes, unsigned seed,
                                         std::uint64_t longest) {
  std::mt19937 random(seed);
  std::vector<std::vector<ByteRun>> runs(static_cast<std::size_t>(processes));
  std::vector<std::uint64_t> local(runs.size(), 0);
  for (std::uint64_t at = 0; at < bytes;) {
    const std::uint64_t length = std::min(bytes - at, 1 + random() % longest);
    const std::size_t owner = random() % runs.size();
    appendRun(runs[owner], {at, length, local[owner]});
    local[owner] += length;
    at += length;
  }
  return runs;
}

// Bytes of a process.
SpreadBytes partOf(std::span<const std::byte> all, std::vector<ByteRun> runs) {
  Message own;
  for (const ByteRun& run : runs) {
    own.resize(own.size() + run.bytes);
    std::copy_n(&all[run.at], run.bytes, &own[own.size() - run.bytes]);
  }
  return {std::move(runs), [own](std::uint64_t from, std::span<std::byte> target) {
            std::copy_n(own.begin() + static_cast<std::ptrdiff_t>(from), target.size(),
                        target.begin());
          }};
}

struct Sections {
  std::vector<float> large = numbers(1'200'007, 1);  // 4.6 chunks
  std::vector<float> small = numbers(1003, 2);
  std::vector<double> alone{1.0, 2.0, 3.0};

  void addTo(ContainerWriter& writer) const {
    writer.addText("meta", "{}");
    writer.add("large", large);
    writer.add("alone", alone);
    writer.add("none", std::vector<float>{});
    writer.add("small", small);
  }
  void addPartTo(ContainerWriter& writer, int rank, int size) const {
    const auto k = static_cast<std::size_t>(rank);
    const auto spread = [&](const char* name, const std::vector<float>& values,
                            std::uint64_t longest) {
      const auto bytes = std::as_bytes(std::span(values));
      writer.addSpread(name, ElementType::Float, sizeof(float), values.size(),
                       partOf(bytes, strewn(bytes.size(), size, 5, longest)[k]));
    };
    writer.addText("meta", rank == 0 ? "{}" : "what others say is longer and not written");
    spread("large", large, 9000);
    writer.add("alone", rank == 0 ? std::span(alone) : std::span<const double>{});
    spread("none", {}, 1);
    spread("small", small, 30);
  }
};

ContentHash writeAlone(const fs::path& path, const Sections& sections) {
  ContainerWriter writer("fields", 1, 2);
  sections.addTo(writer);
  AtomicFile file(path);
  const ContentHash hash = writer.write(file);
  file.commit();
  return hash;
}

std::size_t filesIn(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}));
}

}  // namespace

TEST_CASE("Shared container: several processes write the bytes that one writes alone", "[unit]") {
  const TemporaryFolder folder;
  const Sections sections;
  const ContentHash expectedHash = writeAlone(folder / "alone", sections);
  const std::string expected = readWhole(folder / "alone");
  for (const int size : {1, 2, 3, 5, 8})
    for (const std::uint64_t piece : {chunk, 2 * chunk, ContainerWriter::usualPiece}) {
      std::vector<ContentHash> hashes(static_cast<std::size_t>(size));
      asProcesses(size, [&](Processes& processes) {
        ContainerWriter writer("fields", 1, 2);
        sections.addPartTo(writer, processes.rank(), size);
        SharedFile file(folder / "together", processes);
        hashes[static_cast<std::size_t>(processes.rank())] = writer.write(file, piece);
        file.commit();
      });
      INFO(size << " processes, " << piece << " bytes at a time");
      CHECK((readWhole(folder / "together") == expected));
      for (const ContentHash& hash : hashes) CHECK(hash == expectedHash);
      CHECK(filesIn(folder) == 2);
    }
}

TEST_CASE("Shared container: the previous file keeps its content under the other name", "[unit]") {
  const TemporaryFolder folder;
  writeWhole(folder / "a", "before");
  asProcesses(3, [&](Processes& processes) {
    SharedFile file(folder / "a", processes);
    file.writeAt(static_cast<std::uint64_t>(processes.rank()),
                 std::as_bytes(std::span("xyz").subspan(std::size_t(processes.rank()), 1)));
    file.commit(folder / "a.prev");
  });
  CHECK(readWhole(folder / "a") == "xyz");
  CHECK(readWhole(folder / "a.prev") == "before");
  CHECK(filesIn(folder) == 2);
}

TEST_CASE(
    "Shared container: when one process cannot write all get the same error and the old file stays",
    "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a";
  const Sections sections;
  writeWhole(path, "before");
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int size : {1, 2, 5}) {
    // Room for the first chunks alone, so the first process can write its own.
    rlimit small = before;
    small.rlim_cur = 2 * chunk;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    std::vector<std::string> said(static_cast<std::size_t>(size));
    asProcesses(size, [&](Processes& processes) {
      try {
        ContainerWriter writer("fields", 1, 2);
        sections.addPartTo(writer, processes.rank(), size);
        SharedFile file(path, processes);
        writer.write(file, chunk);
        file.commit();
      } catch (const StageError& error) {
        if (error.code() == ExitCode::OutputFailed)
          said[static_cast<std::size_t>(processes.rank())] = error.what();
      }
    });
    ::setrlimit(RLIMIT_FSIZE, &before);
    CHECK_THAT(said.front(), Contains("File too large") && Contains("MiB free"));
    for (const std::string& sentence : said) CHECK(sentence == said.front());
    CHECK(readWhole(path) == "before");
    CHECK(filesIn(folder) == 1);
  }
  // No folder: the first process learns it, the others from it.
  std::atomic<int> told{0};
  asProcesses(3, [&](Processes& processes) {
    const std::string sentence = [&] {
      try {
        SharedFile file(folder / "none/a", processes);
      } catch (const StageError& error) {
        return std::string(error.what());
      }
      return std::string();
    }();
    if (sentence.find("No such file") != std::string::npos) ++told;
  });
  CHECK(told == 3);
}

// As over NFS, for some seconds after a file of that name became another.
TEST_CASE("Shared container: a process whose machine sees another new file writes nothing",
          "[unit]") {
  const TemporaryFolder folder;
  writeWhole(folder / "a", "before");
  const FailingCalls stale({.open = [&](std::string& path, int flags) {
    const bool isNew = (flags & O_CREAT) != 0;
    if (path.ends_with(".part") && (flags & O_ACCMODE) == O_WRONLY && !isNew)
      path = (folder / "a").string();
    return 0;
  }});
  std::atomic<int> told{0};
  asProcesses(3, [&](Processes& processes) {
    try {
      SharedFile file(folder / "a", processes);
      file.writeAt(0, std::as_bytes(std::span("xyz", 3)));
    } catch (const StageError& error) {
      if (std::string(error.what()).find("different file") != std::string::npos) ++told;
    }
  });
  CHECK(told == 3);
  CHECK(readWhole(folder / "a") == "before");
  CHECK(filesIn(folder) == 1);
}

TEST_CASE("Shared container: lack of space on one process is that of all", "[unit]") {
  std::atomic<int> told{0};
  asProcesses(3, [&](Processes& processes) {
    try {
      together(processes, [&] {
        if (processes.rank() == 1) throw NoSpace("No space left");
      });
    } catch (const NoSpace&) {
      ++told;
    }
  });
  CHECK(told == 3);
}

TEST_CASE("Shared container: bytes that no process has, or two, are refused", "[unit]") {
  const TemporaryFolder folder;
  const Sections sections;
  const auto bytes = std::as_bytes(std::span(sections.large));
  const auto write = [&](const std::function<void(int, std::vector<ByteRun>&)>& change,
                         std::uint64_t count) {
    return sentenceOfError(ExitCode::RunFailed, [&] {
      asProcesses(3, [&](Processes& processes) {
        auto runs = strewn(bytes.size(), 3, 7, 5000)[static_cast<std::size_t>(processes.rank())];
        change(processes.rank(), runs);
        SpreadBytes own = partOf(bytes, runs);
        ContainerWriter writer("fields", 1, 2);
        writer.addSpread("large", ElementType::Float, sizeof(float),
                         processes.rank() == 2 ? count : sections.large.size(), std::move(own));
        SharedFile file(folder / "a", processes);
        writer.write(file);
        file.commit();
      });
    });
  };
  const auto same = [](int, std::vector<ByteRun>&) {};
  const auto dropped = [](int rank, std::vector<ByteRun>& runs) {
    if (rank == 1) runs.pop_back();
  };
  const auto twice = [&](int rank, std::vector<ByteRun>& runs) {
    if (rank == 0) runs = strewn(bytes.size(), 1, 7, 5000)[0];
  };
  CHECK_THAT(write(dropped, sections.large.size()), Contains("section"));
  CHECK_THAT(write(twice, sections.large.size()), Contains("section"));
  CHECK_THAT(write(same, 5), Contains("section"));
  CHECK(filesIn(folder) == 0);
}

TEST_CASE("Shared container: an error in one process's values is reported by all", "[unit]") {
  const TemporaryFolder folder;
  for (const int broken : {0, 1, 2}) {
    const std::string said = sentenceOfError(ExitCode::NoResource, [&] {
      asProcesses(3, [&](Processes& processes) {
        const std::uint64_t own = 1 + static_cast<std::uint64_t>(processes.rank());
        SpreadBytes part{{{own * 100, 100, 0}}, [&](std::uint64_t, std::span<std::byte>) {
                           if (processes.rank() == broken) throw std::bad_alloc();
                         }};
        if (processes.rank() == 0) part.runs = {{0, 200, 0}};
        ContainerWriter writer("ckpt", 1, 0);
        writer.addSpread("values", ElementType::Unsigned, 1, 400, std::move(part));
        SharedFile file(folder / "a", processes);
        writer.write(file);
      });
    });
    CHECK_THAT(said, Contains("memory"));
    CHECK(filesIn(folder) == 0);
  }
}

TEST_CASE(
    "Shared container: ranges of a section are read in its order, and only their chunks are "
    "checked",
    "[unit]") {
  const TemporaryFolder folder;
  const Sections sections;
  writeAlone(folder / "a", sections);
  const std::size_t perChunk = chunk / sizeof(float);
  const std::size_t end = sections.large.size();
  const std::vector<std::vector<ElementRange>> cases{
      {},
      {{0, end}},
      {{5, 0}, {5, 1}, {6, 2}, {100, 0}},
      {{perChunk - 1, 2}, {2 * perChunk, perChunk}, {4 * perChunk - 3, 7}},
      {{end - 1, 1}},
      {{end, 0}}};
  const auto all = [&](const std::vector<ElementRange>& ranges) {
    std::vector<float> expected;
    for (const ElementRange& range : ranges) {
      const float* first = sections.large.data() + range.first;
      expected.insert(expected.end(), first, first + range.count);
    }
    return expected;
  };
  const ContainerReader reader(folder / "a", "fields", 1);
  for (const auto& ranges : cases)
    CHECK((reader.readRanges<float>("large", ranges) == all(ranges)));
  const auto refusal = [&](const std::vector<ElementRange>& ranges) {
    return sentenceOfError(ExitCode::BadInput, [&] {
      (void)ContainerReader(folder / "a", "fields", 1).readRanges<float>("large", ranges);
    });
  };
  CHECK_THAT(refusal({{0, 1}, {end - 1, 2}}), Contains("\"large\""));
  CHECK_THAT(refusal({{0, ~std::uint64_t{0}}}), Contains("\"large\""));
  CHECK_THROWS_AS((reader.readRanges<float>("large", std::vector<ElementRange>{{5, 3}, {7, 1}})),
                  std::logic_error);
  // A byte of the second chunk.
  std::string altered = readWhole(folder / "a");
  altered[reader.sections()[1].offset + chunk + 17] ^= 1;
  writeWhole(folder / "a", altered);
  const std::vector<ElementRange> others{{0, perChunk}, {2 * perChunk, 9}};
  CHECK((ContainerReader(folder / "a", "fields", 1).readRanges<float>("large", others) ==
         all(others)));
  CHECK_THAT(refusal({{0, 1}, {2 * perChunk - 1, 1}}), Contains("\"large\""));
}

TEST_CASE("Shared container: shares are contiguous, in order and differ by at most one", "[unit]") {
  for (const std::uint64_t count : {0ULL, 1ULL, 7ULL, 64ULL, 1000003ULL, ~0ULL / 2})
    for (const int size : {1, 2, 3, 8, 1000}) {
      std::uint64_t at = 0;
      for (int rank = 0; rank < size; ++rank) {
        const Share share = shareOf(count, rank, size);
        REQUIRE(share.begin == at);
        REQUIRE(share.size() - count / static_cast<std::uint64_t>(size) <= 1);
        at = share.end;
      }
      REQUIRE(at == count);
    }
}

}  // namespace tessera
