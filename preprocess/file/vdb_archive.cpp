// SPDX-License-Identifier: GPL-3.0-or-later
#include "preprocess/file/vdb_archive.hpp"

#include <openvdb/io/Archive.h>

#include <fstream>
#include <stdexcept>

#include "pipelines/stage/io/hash.hpp"
#include "pipelines/stage/io/provenance.hpp"

namespace tessera::preprocess::file {

namespace {

// The header holds a random UUID of 36 characters after magic, versions and a flag.
constexpr std::size_t uuidOffset = 21;
constexpr std::size_t uuidLength = 36;

void checkHeader(const std::string& bytes) {
  if (bytes.size() < uuidOffset + uuidLength || bytes[uuidOffset + 8] != '-' ||
      bytes[uuidOffset + 23] != '-')
    throw std::logic_error("OpenVDB's header is not laid out as in format 224");
}

std::string uuidFrom(std::string hash) {
  for (const std::size_t at : {8U, 13U, 18U, 23U}) hash.insert(at, "-");
  return hash;
}

class SeekableArchive : public openvdb::io::Archive {
 public:
  void writeTo(std::ostream& stream, const openvdb::GridCPtrVec& grids) const {
    Archive::write(stream, grids, true);
  }
};

}  // namespace

WorldUnit worldUnitFor(double spacing) {
  return spacing > 2e-5 ? WorldUnit{"metres", 1.0} : WorldUnit{"micrometres", 1e6};
}

openvdb::math::Transform::Ptr transformOf(const geometry::Frame& frame, double perMetre) {
  openvdb::Mat4R matrix = openvdb::Mat4R::identity();
  for (int a = 0; a < 3; ++a)
    for (int c = 0; c < 3; ++c) {
      const auto axis = static_cast<std::size_t>(a);
      const auto component = static_cast<std::size_t>(c);
      matrix[a][c] = perMetre * frame.spacing * frame.axis[axis][component];
      if (a == 0) matrix[3][c] = perMetre * frame.origin[component];
    }
  return openvdb::math::Transform::createLinearTransform(matrix);
}

void writeGrids(std::ostream& stream, const openvdb::GridCPtrVec& grids) {
  SeekableArchive archive;
  archive.setCompression(openvdb::io::COMPRESS_ACTIVE_MASK | openvdb::io::COMPRESS_BLOSC);
  archive.writeTo(stream, grids);
}

void setContentUuid(std::string& bytes) {
  checkHeader(bytes);
  bytes.replace(uuidOffset, uuidLength, uuidLength, '0');
  bytes.replace(uuidOffset, uuidLength, uuidFrom(stage::hashBytes(bytes.data(), bytes.size())));
}

void setContentUuid(const std::filesystem::path& file) {
  std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
  std::string header(uuidOffset + uuidLength, '\0');
  stream.read(header.data(), static_cast<std::streamsize>(header.size()));
  checkHeader(header);
  const auto put = [&](const std::string& text) {
    stream.seekp(static_cast<std::streamoff>(uuidOffset));
    stream << text << std::flush;
  };
  put(std::string(uuidLength, '0'));
  put(uuidFrom(stage::toHex(stage::hashFileRange(file, 0, std::filesystem::file_size(file)))));
  if (!stream) throw std::runtime_error(file.string() + " cannot be written again for its UUID");
}

}  // namespace tessera::preprocess::file
