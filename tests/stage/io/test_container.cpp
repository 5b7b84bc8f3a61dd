// SPDX-License-Identifier: GPL-3.0-or-later
// The container: round trip, and detection of altered and missing bytes.
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>

#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/container.hpp"
#include "pipelines/stage/io/container_layout.hpp"
#include "tests/fixtures/expect_error.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace tessera {

using namespace tessera::stage;
namespace {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

constexpr std::uint16_t knownMajor = 1;

ContentHash writeSmall(const fs::path& path, std::uint16_t major = 1, std::uint16_t minor = 0) {
  const std::vector<std::array<float, 3>> velocity{{1.F, 2.F, 3.F}, {4.F, 5.F, 6.F}};
  const std::vector<std::uint16_t> patch{7, 8, 9};
  const std::vector<std::int32_t> none;
  ContainerWriter writer("tiles", major, minor);
  writer.addText("meta", R"({"tiles": 2})");
  writer.add("velocity", velocity);
  writer.add("none", none);
  writer.add("patch", patch);
  AtomicFile file(path);
  const ContentHash hash = writer.write(file);
  file.commit();
  return hash;
}

// Whether all content is as written. (No CHECK here: it would swallow exceptions.)
bool readEverything(const fs::path& path) {
  const ContainerReader reader(path, "tiles", knownMajor);
  const bool meta = reader.text("meta") == R"({"tiles": 2})";
  const bool velocity = reader.read<std::array<float, 3>>("velocity").size() == 2;
  const bool none = reader.read<std::int32_t>("none").empty();
  const bool patch = reader.read<std::uint16_t>("patch") == std::vector<std::uint16_t>{7, 8, 9};
  return meta && velocity && none && patch;
}

std::string refusal(const fs::path& path) {
  return sentenceOfError(ExitCode::BadInput, [&] { (void)readEverything(path); });
}

template <class Record>
Record recordAt(const std::string& bytes, std::size_t offset) {
  Record record;
  std::memcpy(&record, bytes.data() + offset, sizeof record);
  return record;
}
template <class Record>
void put(std::string& bytes, std::size_t offset, const Record& record) {
  std::memcpy(bytes.data() + offset, &record, sizeof record);
}

// Makes the checksums of directory and trailer right again after the directory was changed, as a
// malicious or mistaken writer would.
void reseal(std::string& bytes) {
  const auto header = recordAt<layout::Header>(bytes, 0);
  layout::Trailer trailer;
  trailer.containerBytes = bytes.size();
  trailer.contentHash =
      hash128(std::as_bytes(std::span(bytes)).first(std::size_t{header.directoryBytes}));
  trailer.ownHash = hash128(std::as_bytes(std::span(&trailer, 1)).first(32));
  put(bytes, bytes.size() - sizeof trailer, trailer);
}

TEST_CASE("Container: written content is read back", "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.tiles";
  const ContentHash hash = writeSmall(path);
  const ContainerReader reader(path, "tiles", knownMajor);
  CHECK(reader.kind() == "tiles");
  CHECK(reader.major() == 1);
  CHECK(reader.contentHash() == hash);
  CHECK(hash.size() == 32);
  CHECK(reader.has("patch"));
  CHECK_FALSE(reader.has("Patch"));
  CHECK(reader.sections().size() == 4);
  for (const SectionInfo& section : reader.sections()) CHECK(section.offset % 64 == 0);
  CHECK(reader.read<std::array<float, 3>>("velocity", 2)[1][2] == 6.F);
  CHECK(readEverything(path));
  reader.verify();
}

TEST_CASE("Container: the same content gives the same bytes", "[unit]") {
  const TemporaryFolder folder;
  CHECK(writeSmall(folder / "a") == writeSmall(folder / "b"));
  CHECK(readWhole(folder / "a") == readWhole(folder / "b"));
}

// The part of a small container that a byte belongs to, as the refusal must name it.
std::string partOf(std::size_t byte, const std::string& bytes, const ContainerReader& whole) {
  const auto header = recordAt<layout::Header>(bytes, 0);
  if (byte < sizeof header) return "header";
  if (byte < header.directoryBytes) return "section table";
  if (byte >= bytes.size() - sizeof(layout::Trailer)) return "trailer";
  std::string part = "padding";
  for (const SectionInfo& section : whole.sections()) {
    const std::uint64_t end = section.offset + section.count * section.elementBytes;
    if (byte >= section.offset && byte < end) return "\"" + section.name + "\"";
    if (byte >= end && section.count > 0) part = "\"" + section.name + "\"";
  }
  return part;
}

TEST_CASE("Container: every single flipped bit is refused and its section named", "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.tiles";
  const fs::path altered = folder / "altered.tiles";
  writeSmall(path);
  const std::string bytes = readWhole(path);
  const ContainerReader whole(path, "tiles", knownMajor);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string changed = bytes;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    writeWhole(altered, changed);
    INFO("bit " << bit % 8 << " of byte " << bit / 8);
    REQUIRE_THAT(refusal(altered), Contains(partOf(bit / 8, bytes, whole)));
  }
}

TEST_CASE("Container: one cut at any length is refused", "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.tiles";
  writeSmall(path);
  const std::string bytes = readWhole(path);
  const auto header = recordAt<layout::Header>(bytes, 0);
  const fs::path cut = folder / "cut.tiles";
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    writeWhole(cut, bytes.substr(0, length));
    INFO("length " << length);
    const std::string sentence = refusal(cut);
    if (length < 8) {
      REQUIRE_THAT(sentence, Contains("Tessera file"));
    } else if (length < header.directoryBytes) {
      REQUIRE_THAT(sentence, Contains("truncated") && Contains("header"));
    } else {
      REQUIRE_THAT(sentence, Contains("truncated") && (Contains("section") || Contains("trailer")));
    }
  }
}

TEST_CASE("Container: bytes after the end are refused", "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.tiles";
  writeSmall(path);
  for (const std::string& garbage :
       {std::string("x"), std::string(48, '\0'), std::string(64, 'T')}) {
    writeWhole(folder / "b.tiles", readWhole(path) + garbage);
    CHECK_THAT(refusal(folder / "b.tiles"), Contains("trailer"));
  }
  writeWhole(folder / "twice.tiles", readWhole(path) + readWhole(path));
  CHECK_THAT(refusal(folder / "twice.tiles"), Contains("trailer"));
}

TEST_CASE("Container: a newer major version is refused, a newer minor one is read", "[unit]") {
  const TemporaryFolder folder;
  writeSmall(folder / "minor.tiles", 1, 9);
  CHECK(readEverything(folder / "minor.tiles"));
  CHECK(ContainerReader(folder / "minor.tiles", "tiles", knownMajor).minor() == 9);
  writeSmall(folder / "major.tiles", 2, 0);
  CHECK_THAT(refusal(folder / "major.tiles"), Contains("2.0") && Contains("update"));
}

TEST_CASE("Container: another kind of file is refused with both kinds", "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.tiles";
  writeSmall(path);
  const auto openAs = [&](std::string_view kind) { ContainerReader(path, kind, knownMajor); };
  checkError(ExitCode::BadInput, [&] { openAs("fields"); }, {"\"tiles\"", "\"fields\""});
  openAs("");  // any kind
  writeWhole(folder / "text", "just a text, longer than any magic");
  CHECK_THAT(refusal(folder / "text"), Contains("Tessera file"));
  CHECK_THAT(refusal(folder / "absent"), Contains("absent"));
  CHECK_THAT(refusal(folder.path()), Contains("regular file"));
}

TEST_CASE("Container: a file that becomes shorter while it is read is refused", "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.tiles";
  writeSmall(path);
  const ContainerReader reader(path, "tiles", knownMajor);
  const std::uint64_t patch = reader.sections()[3].offset;
  fs::resize_file(path, patch + 2);
  CHECK(reader.text("meta") == R"({"tiles": 2})");
  const auto sentence = [](auto action) { return sentenceOfError(ExitCode::BadInput, action); };
  CHECK_THAT(sentence([&] { (void)reader.read<std::uint16_t>("patch"); }), Contains("a.tiles"));
  CHECK_THAT(sentence([&] { reader.verify(); }), Contains("a.tiles"));
}

TEST_CASE("Container: one that begins beyond the end of a file is refused", "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.tiles";
  writeSmall(path);
  const std::uint64_t size = fs::file_size(path);
  const auto openFrom = [&](std::uint64_t begin, std::uint64_t after) {
    return sentenceOfError(ExitCode::BadInput,
                           [&] { ContainerReader(path, "tiles", knownMajor, begin, after); });
  };
  const std::string end = "byte ";
  CHECK_THAT(openFrom(size + 1, 0), Contains(end + std::to_string(size + 1)));
  CHECK_THAT(openFrom(~std::uint64_t{0}, 0), Contains(end));
  CHECK_THAT(openFrom(64, size - 63), Contains(end + "64"));
}

TEST_CASE("Container: a header of another byte order or with inconsistent counts is refused",
          "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.tiles";
  writeSmall(path);
  const std::string bytes = readWhole(path);
  const auto refusedWith = [&](auto change) {
    auto header = recordAt<layout::Header>(bytes, 0);
    change(header);
    std::string changed = bytes;
    put(changed, 0, header);
    writeWhole(path, changed);
    return refusal(path);
  };
  CHECK_THAT(refusedWith([](layout::Header& header) { header.endian = 0x0D0C0B0A; }),
             Contains("byte order"));
  const std::string counts = "header";
  CHECK_THAT(refusedWith([](layout::Header& header) { header.chunkBytes = 1U << 21U; }),
             Contains(counts));
  CHECK_THAT(refusedWith([](layout::Header& header) { ++header.checksums; }), Contains(counts));
  CHECK_THAT(refusedWith([](layout::Header& header) { header.directoryBytes = 1; }),
             Contains(counts));
}

TEST_CASE("Container: counts beyond the file are refused before memory is allocated", "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.tiles";
  writeSmall(path);
  const std::string bytes = readWhole(path);
  const std::size_t velocityRecord = sizeof(layout::Header) + sizeof(layout::SectionRecord);

  SECTION("elements of a section") {
    for (const std::uint64_t count : {std::uint64_t{1} << 40U, std::uint64_t{1} << 62U,
                                      ~std::uint64_t{0}, std::uint64_t{999}}) {
      std::string changed = bytes;
      auto record = recordAt<layout::SectionRecord>(changed, velocityRecord);
      record.count = count;
      put(changed, velocityRecord, record);
      reseal(changed);
      writeWhole(path, changed);
      CHECK_THAT(refusal(path), Contains("\"velocity\""));
    }
  }
  SECTION("offset of a section") {
    std::string changed = bytes;
    auto record = recordAt<layout::SectionRecord>(changed, velocityRecord);
    record.offset = ~std::uint64_t{0} - 63;
    put(changed, velocityRecord, record);
    reseal(changed);
    writeWhole(path, changed);
    CHECK_THAT(refusal(path), Contains("\"velocity\""));
  }
  SECTION("sections and checksums") {
    auto header = recordAt<layout::Header>(bytes, 0);
    header.sections = ~std::uint32_t{0};
    header.checksums = std::uint64_t{1} << 50U;
    header.directoryBytes =
        sizeof header + 64 * std::uint64_t{header.sections} + 16 * header.checksums;
    std::string changed = bytes;
    put(changed, 0, header);
    writeWhole(path, changed);
    CHECK_THAT(refusal(path), Contains("header") && Contains("section table"));
  }
}

TEST_CASE("Container: a section of another type, size or count is refused", "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.tiles";
  writeSmall(path);
  const ContainerReader reader(path, "tiles", knownMajor);
  const auto sentence = [](auto action) { return sentenceOfError(ExitCode::BadInput, action); };
  CHECK_THAT(sentence([&] { (void)reader.read<std::int16_t>("patch"); }),
             Contains("unsigned") && Contains("signed") && Contains("2 bytes"));
  CHECK_THAT(sentence([&] { (void)reader.read<std::uint32_t>("patch"); }), Contains("4 bytes"));
  CHECK_THAT(sentence([&] { (void)reader.read<float>("velocity"); }), Contains("12 bytes"));
  CHECK_THAT(sentence([&] { (void)reader.read<std::uint16_t>("patch", 4); }),
             Contains("3 elements") && Contains("4"));
  CHECK_THAT(sentence([&] { (void)reader.text("patch"); }), Contains("text"));
  CHECK_THAT(sentence([&] { (void)reader.text("links"); }), Contains("\"links\""));
}

TEST_CASE("Container: a section of many chunks is verified alone", "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.tiles";
  std::vector<std::uint32_t> large(700'000);
  std::iota(large.begin(), large.end(), 0U);
  ContainerWriter writer("tiles", 1, 0);
  writer.add("large", large);
  writer.addText("meta", "{}");
  AtomicFile file(path);
  writer.write(file);
  file.commit();
  {
    const ContainerReader reader(path, "tiles", knownMajor);
    CHECK(reader.read<std::uint32_t>("large") == large);
    CHECK(reader.sections()[1].firstChunk == 3);
  }
  std::string bytes = readWhole(path);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  writeWhole(path, bytes);
  const ContainerReader reader(path, "tiles", knownMajor);
  CHECK(reader.text("meta") == "{}");
  checkError(ExitCode::BadInput, [&] { (void)reader.read<std::uint32_t>("large"); }, {"\"large\""});
  checkError(ExitCode::BadInput, [&] { reader.verify(); }, {"\"large\""});
}

TEST_CASE("Container: a section written in chunks equals one from memory", "[unit]") {
  const TemporaryFolder folder;
  std::vector<std::uint32_t> values(700'000);
  std::iota(values.begin(), values.end(), 5U);
  const auto fill = [&](std::uint64_t first, std::span<std::byte> target) {
    std::memcpy(target.data(), std::as_bytes(std::span(values)).data() + first, target.size());
  };
  for (const bool made : {false, true}) {
    ContainerWriter writer("tiles", 1, 0);
    writer.addText("meta", "{}");
    if (made)
      writer.addMade("large", ElementType::Unsigned, 4, values.size(), fill);
    else
      writer.add("large", values);
    writer.addText("end", "more");
    AtomicFile file(folder / (made ? "made" : "lay"));
    writer.write(file);
    file.commit();
  }
  CHECK(readWhole(folder / "made") == readWhole(folder / "lay"));
}

TEST_CASE("Container: a range of a section is read and verified without the rest", "[unit]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.tiles";
  std::vector<std::array<std::int32_t, 3>> large(300'000);  // 3.4 chunks; some straddle two
  for (std::size_t i = 0; i < large.size(); ++i) large[i].fill(static_cast<std::int32_t>(i));
  ContainerWriter writer("tiles", 1, 0);
  writer.add("large", large);
  AtomicFile file(path);
  writer.write(file);
  file.commit();
  const auto range = [&](const ContainerReader& reader, std::uint64_t first, std::uint64_t count) {
    return reader.readRange<std::array<std::int32_t, 3>>("large", first, count);
  };
  using Range = std::pair<std::uint64_t, std::uint64_t>;
  {
    const ContainerReader reader(path, "tiles", knownMajor);
    for (const auto& [first, count] : {Range{0, 1},
                                       {87'381, 1},
                                       {87'000, 1000},
                                       {5, 200'000},
                                       {299'999, 1},
                                       {0, 300'000},
                                       {300'000, 0}}) {
      INFO(count << " from " << first);
      const auto begin = large.begin() + static_cast<std::ptrdiff_t>(first);
      CHECK(range(reader, first, count) ==
            std::vector(begin, begin + static_cast<std::ptrdiff_t>(count)));
    }
    for (const auto& [first, count] : {Range{300'000, 1}, {1, 300'000}, {~std::uint64_t{0}, 2}})
      checkError(ExitCode::BadInput, [&] { (void)range(reader, first, count); }, {"300000"});
  }
  std::string bytes = readWhole(path);
  bytes[1'500'000] = static_cast<char>(bytes[1'500'000] ^ 1);  // in the second chunk
  writeWhole(path, bytes);
  const ContainerReader reader(path, "tiles", knownMajor);
  CHECK(range(reader, 0, 80'000).size() == 80'000);
  CHECK(range(reader, 200'000, 100'000).size() == 100'000);
  checkError(ExitCode::BadInput, [&] { (void)range(reader, 80'000, 10'000); }, {"\"large\""});
}

TEST_CASE("Container: one may lie inside another file", "[unit]") {
  const TemporaryFolder folder;
  writeSmall(folder / "a.tiles");
  writeWhole(folder / "host", std::string(1000, 'h') + readWhole(folder / "a.tiles") + "trail");
  const ContainerReader reader(folder / "host", "tiles", knownMajor, 1000, 5);
  reader.verify();
  CHECK(reader.text("meta") == R"({"tiles": 2})");
  const auto beyond = [&] { ContainerReader(folder / "host", "tiles", knownMajor, 9000, 5); };
  checkError(ExitCode::BadInput, beyond, {"truncated"});
}

TEST_CASE("Container: a writer refuses names that a reader could not distinguish", "[unit]") {
  ContainerWriter writer("tiles", 1, 0);
  writer.addText("meta", "");
  CHECK_THROWS_AS(writer.addText("meta", ""), std::logic_error);
  CHECK_THROWS_AS(writer.addText("", ""), std::logic_error);
  CHECK_THROWS_AS(writer.addText(std::string(33, 'x'), ""), std::logic_error);
  CHECK_THROWS_AS(ContainerWriter("ninechars", 1, 0), std::logic_error);
}

}  // namespace
}  // namespace tessera
