// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/export/vtk_xml.hpp"

namespace tessera::postprocess::exports {

std::string AppendedArrays::declare(const std::string& type, const std::string& name,
                                    int components, std::uint64_t count, std::size_t size,
                                    std::function<void(ByteSink&)> give) {
  const std::uint64_t bytes = count * size;
  std::string element = "<DataArray type=\"" + type + "\" Name=\"" + name +
                        "\" NumberOfComponents=\"" + std::to_string(components) +
                        "\" format=\"appended\" offset=\"" + std::to_string(offset_) + "\"/>\n";
  offset_ += sizeof bytes + bytes;
  arrays_.push_back({bytes, std::move(give)});
  return element;
}

void AppendedArrays::write(stage::AtomicFile& file, const std::string& kind,
                           const std::string& body) const {
  file.write("<?xml version=\"1.0\"?>\n<VTKFile type=\"" + kind +
             "\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n" + body +
             "<AppendedData encoding=\"raw\">\n_");
  for (const Array& array : arrays_) {
    ByteSink sink(file);
    sink(array.bytes);
    array.give(sink);
    sink.flush();
  }
  file.write("\n</AppendedData>\n</VTKFile>\n");
}

}  // namespace tessera::postprocess::exports
