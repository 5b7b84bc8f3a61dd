// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/own_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "pipelines/stage/io/atomic_file.hpp"
#include "pipelines/stage/io/container.hpp"
#include "preprocess/file/vdb_trailer.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace tessera::fuzz {

using namespace tessera::stage;

namespace {

struct RawSection {
  SectionInfo info;
  std::string bytes;
};

struct RawContainer {
  std::string kind;
  std::uint16_t major = 0;
  std::uint16_t minor = 0;
  std::vector<RawSection> sections;
};

RawContainer rawOf(const std::string& file, std::size_t before, std::size_t after) {
  const ContainerReader reader(fileOf(file.data(), file.size()), "", 99, before, after);
  RawContainer raw{reader.kind(), reader.major(), reader.minor(), {}};
  for (const SectionInfo& section : reader.sections())
    raw.sections.push_back(
        {section, file.substr(before + section.offset, section.count * section.elementBytes)});
  return raw;
}

std::string containerOf(const RawContainer& raw) {
  return writtenBy([&](const std::filesystem::path& path) {
    ContainerWriter writer(raw.kind, raw.major, raw.minor);
    for (const RawSection& section : raw.sections)
      writer.addMade(section.info.name, section.info.type, section.info.elementBytes,
                     section.bytes.size() / section.info.elementBytes,
                     [&section](std::uint64_t begin, std::span<std::byte> target) {
                       std::memcpy(target.data(), section.bytes.data() + begin, target.size());
                     });
    AtomicFile file(path);
    writer.write(file);
    file.commit();
  });
}

// Files in memory, where there is a folder for that and TMPDIR names no other: a disk would be
// synced for every damaged file, ten times the cost of everything else.
void preferMemory() {
  const char* memory = "/dev/shm";
  if (::access(memory, W_OK | X_OK) == 0) ::setenv("TMPDIR", memory, 0);
}

}  // namespace

std::filesystem::path fileOf(const void* bytes, std::size_t size) {
  static const int descriptor = ::memfd_create("input", MFD_CLOEXEC);
  if (::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, bytes, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  return "/proc/self/fd/" + std::to_string(descriptor);
}

std::string writtenBy(const std::function<void(const std::filesystem::path&)>& write) {
  preferMemory();
  const TemporaryFolder folder;
  write(folder / "file");
  return readWhole(folder / "file");
}

std::vector<Inside> sectionsOf(const std::string& file, std::size_t before, std::size_t after,
                               const std::function<std::string(const std::string&)>& around) {
  const RawContainer raw = rawOf(file, before, after);
  std::vector<Inside> parts;
  for (std::size_t s = 0; s < raw.sections.size(); ++s)
    parts.push_back({raw.sections[s].bytes, [raw, s, around](const std::string& bytes) {
                       RawContainer changed = raw;
                       changed.sections[s].bytes = bytes;
                       const std::string container = containerOf(changed);
                       return around ? around(container) : container;
                     }});
  return parts;
}

std::string latticeFileOf(const std::string& vdb, const std::string& container) {
  preprocess::file::VdbTrailer trailer;
  trailer.vdbBytes = vdb.size();
  trailer.fileBytes = vdb.size() + container.size() + sizeof trailer;
  std::string file = vdb + container;
  file.append(reinterpret_cast<const char*>(&trailer), sizeof trailer - sizeof trailer.hash);
  trailer.hash = hash128(std::as_bytes(std::span(file.data(), file.size())));
  file.append(reinterpret_cast<const char*>(trailer.hash.data()), sizeof trailer.hash);
  return file;
}

}  // namespace tessera::fuzz
