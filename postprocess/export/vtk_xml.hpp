// SPDX-License-Identifier: GPL-3.0-or-later
// Files of VTK's XML formats with appended raw data, little-endian, 64-bit headers
// (https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html): arrays are declared first
// and streamed afterwards.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pipelines/stage/io/atomic_file.hpp"

namespace tessera::postprocess::exports {

// Collects small numbers to large writes.
class ByteSink {
 public:
  explicit ByteSink(stage::AtomicFile& file) : file_(file) {}
  template <class T>
  void operator()(T value) {
    const auto* bytes = reinterpret_cast<const char*>(&value);
    buffer_.append(bytes, sizeof value);
    if (buffer_.size() >= limit) flush();
  }
  // Call at the end. Throws StageError(OutputFailed).
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
  // The element <DataArray .../> of an array of count numbers of this type ("Float32"), each of
  // `size` bytes; give() hands them out when the file is written.
  std::string declare(const std::string& type, const std::string& name, int components,
                      std::uint64_t count, std::size_t size, std::function<void(ByteSink&)> give);

  // The whole file: <VTKFile type="kind">, the body, the arrays in their order. Throws
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

}  // namespace tessera::postprocess::exports
