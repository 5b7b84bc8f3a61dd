// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/export/vtk_xml.hpp"

#include "pipelines/stage/text.hpp"
#include "postprocess/results/text.hpp"

namespace tessera::postprocess::exports {

std::string AppendedArrays::declare(const std::string& type, const std::string& name,
                                    int components, std::uint64_t count, std::size_t size,
                                    std::function<void(ByteSink&)> give) {
  const std::uint64_t bytes = count * size;
  std::string element = fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
      "offset=\"{}\"/>\n",
      type, name, components, offset_);
  offset_ += sizeof bytes + bytes;
  arrays_.push_back({bytes, std::move(give)});
  return element;
}

void AppendedArrays::write(stage::AtomicFile& file, const std::string& kind,
                           const std::string& body) const {
  file.write(
      fmt::format("<?xml version=\"1.0\"?>\n<VTKFile type=\"{}\" version=\"1.0\" "
                  "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n{}"
                  "<AppendedData encoding=\"raw\">\n_",
                  kind, body));
  for (const Array& array : arrays_) {
    ByteSink sink(file);
    sink(array.bytes);
    array.give(sink);
    sink.flush();
  }
  file.write("\n</AppendedData>\n</VTKFile>\n");
}

// VTK's ASCII form of strings: the codes of their bytes, each string ended by 0. No text needs
// escaping.
std::string stringArray(const std::string& name, const std::vector<std::string>& texts) {
  std::string element =
      fmt::format("<Array type=\"String\" Name=\"{}\" NumberOfTuples=\"{}\" format=\"ascii\">\n",
                  name, texts.size());
  for (const std::string& text : texts) {
    for (const char c : text) element += fmt::format("{} ", static_cast<unsigned char>(c));
    element += "0\n";
  }
  return element + "</Array>\n";
}

std::string fieldData(const FileMetadata& metadata, const ArrayUnits& units) {
  std::string element = fmt::format(
      "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
      "format=\"ascii\">{}</DataArray>\n",
      results::csvNumber(metadata.time));
  for (const auto& [name, text] : fieldTexts(metadata, units)) element += stringArray(name, {text});
  return element + "</FieldData>\n";
}

void writePvd(const std::filesystem::path& path,
              const std::vector<std::pair<double, std::string>>& files) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n";
  for (const auto& [time, file] : files)
    text += fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n",
                        results::csvNumber(time), file);
  stage::writeTextAtomically(path, text + "</Collection>\n</VTKFile>\n");
}

}  // namespace tessera::postprocess::exports
