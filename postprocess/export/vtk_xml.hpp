// SPDX-License-Identifier: GPL-3.0-or-later
// VTK XML files with appended raw data, little-endian, 64-bit headers
// (https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html): arrays are declared first
// and streamed afterwards.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pipelines/stage/io/atomic_file.hpp"
#include "postprocess/export/file_metadata.hpp"

namespace tessera::postprocess::exports {

// Collects numbers into large writes.
class ByteSink {
 public:
  explicit ByteSink(stage::AtomicFile& file) : file_(file) {}
  template <class T>
  void operator()(T value) {
    const auto* bytes = reinterpret_cast<const char*>(&value);
    buffer_.append(bytes, sizeof value);
    if (buffer_.size() >= limit) flush();
  }
  // Called at the end. Throws StageError(OutputFailed).
  void flush() {
    file_.write(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t limit = std::size_t{1} << 20U;
  stage::AtomicFile& file_;
  std::string buffer_;
};

class AppendedArrays {
 public:
  // Element <DataArray .../> of `count` numbers of this type ("Float32") of `size` bytes each;
  // give() supplies them when the file is written.
  std::string declare(const std::string& type, const std::string& name, int components,
                      std::uint64_t count, std::size_t size, std::function<void(ByteSink&)> give);

  // Writes the file: <VTKFile type="kind">, the body, the arrays in order. Throws
  // StageError(OutputFailed).
  void write(stage::AtomicFile& file, const std::string& kind, const std::string& body) const;

 private:
  struct Array {
    std::uint64_t bytes;
    std::function<void(ByteSink&)> give;
  };
  std::vector<Array> arrays_;
  std::uint64_t offset_ = 0;
};

// Element <Array type="String">: of texts, one per tuple.
std::string stringArray(const std::string& name, const std::vector<std::string>& texts);

// Element <FieldData>.
std::string fieldData(const FileMetadata& metadata, const ArrayUnits& units);

// NAME.pvd: the same file at several times, as ParaView opens it; names relative to its folder.
// Throws StageError(OutputFailed).
void writePvd(const std::filesystem::path& path,
              const std::vector<std::pair<double, std::string>>& files);

}  // namespace tessera::postprocess::exports
