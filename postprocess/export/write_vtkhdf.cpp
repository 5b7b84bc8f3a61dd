// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/export/writers.hpp"

#include <hdf5.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "postprocess/export/cell_mesh.hpp"

namespace tessera::postprocess::exports {

// HDF5 through classes. Not anonymous, because VtkhdfSeries::File has them as members.
namespace hdf {

constexpr hsize_t chunkRows = 1U << 15U;
constexpr unsigned deflateLevel = 1;

[[noreturn]] void failToWriteHdf(const std::string& file) {
  stage::fail(
      stage::ExitCode::OutputFailed,
      fmt::format("{} cannot be written by HDF5; check the free space and the permissions of "
                  "its folder",
                  file));
}

// An HDF5 identifier with the call that closes it.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const std::string& file) : id_(id), close_(close) {
    if (id < 0) failToWriteHdf(file);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  // Buffered data is written here, so a full disk shows.
  void close(const std::string& file) {
    const herr_t status = close_(std::exchange(id_, H5I_INVALID_HID));
    if (status < 0) failToWriteHdf(file);
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

class HdfFile {
 public:
  explicit HdfFile(const std::filesystem::path& path)
      : name_(path.string()),
        atExit_(H5dont_atexit()),
        silence_(H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr)),
        file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, name_),
        root_(createGroup(file_, "VTKHDF")),
        cellData_(createGroup(root_, "CellData")) {}

  [[nodiscard]] hid_t root() const { return root_; }
  [[nodiscard]] hid_t cellData() const { return cellData_; }

  // Writes a dataset of rows x columns numbers (two-dimensional for several columns) that
  // give(sink) supplies one by one, chunk by chunk.
  template <class T, class Give>
  void write(hid_t group, const std::string& name, hid_t type, hsize_t rows, hsize_t columns,
             Give&& give) const {
    create(group, name, type, rows, columns);
    fill<T>(group, name, type, 0, columns, give);
  }

  void create(hid_t group, const std::string& name, hid_t type, hsize_t rows,
              hsize_t columns) const {
    const hsize_t size[2] = {rows, columns};
    const hsize_t chunk[2] = {std::clamp<hsize_t>(rows, 1, chunkRows), columns};
    const int rank = columns > 1 ? 2 : 1;
    const Handle space(H5Screate_simple(rank, size, nullptr), H5Sclose, name_);
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name_);
    check(H5Pset_obj_track_times(properties, false));
    check(H5Pset_chunk(properties, rank, chunk));
    check(H5Pset_shuffle(properties));
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) check(H5Pset_deflate(properties, deflateLevel));
    Handle set(H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
               H5Dclose, name_);
    set.close(name_);
  }

  // Fills rows from `first` on.
  template <class T, class Give>
  void fill(hid_t group, const std::string& name, hid_t type, hsize_t first, hsize_t columns,
            Give&& give) const {
    Handle set(H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose, name_);
    const Handle space(H5Dget_space(set), H5Sclose, name_);
    const int rank = columns > 1 ? 2 : 1;
    std::vector<T> buffer;
    buffer.reserve(chunkRows * columns);
    const auto flush = [&] {
      if (buffer.empty()) return;
      const hsize_t start[2] = {first, 0};
      const hsize_t count[2] = {buffer.size() / columns, columns};
      const Handle memory(H5Screate_simple(rank, count, nullptr), H5Sclose, name_);
      check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr));
      check(H5Dwrite(set, type, memory, space, H5P_DEFAULT, buffer.data()));
      first += count[0];
      buffer.clear();
    };
    give([&](T value) {
      buffer.push_back(value);
      if (buffer.size() == chunkRows * columns) flush();
    });
    flush();
    set.close(name_);
  }

  // A dataset of one text of variable length in ASCII: VTK 9.1 reads no other.
  void writeText(hid_t group, const std::string& name, const std::string& value) const {
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, name_);
    check(H5Tset_size(type, H5T_VARIABLE));
    const hsize_t one = 1;
    const Handle space(H5Screate_simple(1, &one, nullptr), H5Sclose, name_);
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name_);
    check(H5Pset_obj_track_times(properties, false));
    Handle set(H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
               H5Dclose, name_);
    const char* text = value.c_str();
    check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text));
    set.close(name_);
  }

  void writeFieldData(const FileMetadata& metadata, const ArrayUnits& units, bool withTime) const {
    Handle group = createGroup(root_, "FieldData");
    if (withTime)
      write<double>(group, "TimeValue", H5T_NATIVE_DOUBLE, 1, 1,
                    [&](auto&& sink) { sink(metadata.time); });
    for (const auto& [name, text] : fieldTexts(metadata, units)) writeText(group, name, text);
    group.close(name_);
  }

  // Group "Steps" of VTKHDF 2.0: one mesh, and for each time values of their own, in order.
  void writeSteps(const std::vector<double>& times, std::uint64_t cells,
                  const std::vector<fields::FieldArray>& arrays) const {
    Handle steps = createGroup(root_, "Steps");
    const Handle one(H5Screate(H5S_SCALAR), H5Sclose, name_);
    const auto count = static_cast<std::int64_t>(times.size());
    attribute(steps, "NSteps", H5T_NATIVE_INT64, one, &count);
    write<double>(steps, "Values", H5T_NATIVE_DOUBLE, times.size(), 1, [&](auto&& sink) {
      for (const double time : times) sink(time);
    });
    const auto offsets = [&](hid_t group, const std::string& name, std::int64_t each,
                             std::int64_t start = 0) {
      write<std::int64_t>(group, name, H5T_NATIVE_INT64, times.size(), 1, [&](auto&& sink) {
        for (std::int64_t k = 0; k < count; ++k) sink(start + k * each);
      });
    };
    for (const char* name : {"PartOffsets", "PointOffsets", "CellOffsets", "ConnectivityIdOffsets"})
      offsets(steps, name, 0);
    offsets(steps, "NumberOfParts", 0, 1);
    Handle cellOffsets = createGroup(steps, "CellDataOffsets");
    for (const fields::FieldArray& array : arrays)
      offsets(cellOffsets, array.quantity, static_cast<std::int64_t>(cells));
    cellOffsets.close(name_);
    steps.close(name_);
  }

  void describe(std::int64_t major) const {
    const hsize_t two = 2;
    const std::int64_t version[2] = {major, 0};
    const Handle pair(H5Screate_simple(1, &two, nullptr), H5Sclose, name_);
    attribute(root_, "Version", H5T_NATIVE_INT64, pair, version);
    const std::string kind = "UnstructuredGrid";
    const Handle text(H5Tcopy(H5T_C_S1), H5Tclose, name_);
    check(H5Tset_size(text, kind.size()));
    check(H5Tset_strpad(text, H5T_STR_NULLPAD));
    const Handle one(H5Screate(H5S_SCALAR), H5Sclose, name_);
    attribute(root_, "Type", text, one, kind.data());
  }

  // Ends writing.
  void finish() {
    check(H5Fflush(file_, H5F_SCOPE_GLOBAL));
    for (Handle* handle : {&cellData_, &root_, &file_}) handle->close(name_);
  }

 private:
  Handle createGroup(hid_t parent, const char* name) const {
    const Handle properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, name_);
    check(H5Pset_obj_track_times(properties, false));
    return {H5Gcreate2(parent, name, H5P_DEFAULT, properties, H5P_DEFAULT), H5Gclose, name_};
  }
  void attribute(hid_t group, const char* name, hid_t type, hid_t space, const void* data) const {
    const Handle handle(H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                        name_);
    check(H5Awrite(handle, type, data));
  }
  void check(herr_t status) const {
    if (status < 0) failToWriteHdf(name_);
  }

  std::string name_;
  herr_t atExit_;   // HDF5 would retry an unfinished file at exit and crash
  herr_t silence_;  // errors are reported by fail()
  Handle file_;
  Handle root_;
  Handle cellData_;
};

}  // namespace hdf

namespace {

using hdf::HdfFile;

// One part, also of a series: VTK 9.2, which knows no times, takes every count for a part and so
// reads the first time. Later versions have the number of parts from "Steps".
void writeMesh(const HdfFile& file, const CellMesh& mesh, const stage::LengthUnit& unit) {
  const std::uint64_t cells = mesh.cells();
  const auto count = [&](const char* name, std::uint64_t value) {
    file.write<std::int64_t>(file.root(), name, H5T_NATIVE_INT64, 1, 1,
                             [&](auto&& sink) { sink(static_cast<std::int64_t>(value)); });
  };
  count("NumberOfPoints", mesh.points());
  count("NumberOfCells", cells);
  count("NumberOfConnectivityIds", 8 * cells);
  file.write<float>(file.root(), "Points", H5T_NATIVE_FLOAT, mesh.points(), 3,
                    [&](auto&& sink) { mesh.givePoints(unit, sink); });
  file.write<std::int64_t>(file.root(), "Connectivity", H5T_NATIVE_INT64, 8 * cells, 1,
                           [&](auto&& sink) { mesh.giveConnectivity(sink); });
  file.write<std::int64_t>(file.root(), "Offsets", H5T_NATIVE_INT64, cells + 1, 1,
                           [&](auto&& sink) {
                             for (std::uint64_t c = 0; c <= cells; ++c)
                               sink(static_cast<std::int64_t>(8 * c));
                           });
  file.write<std::uint8_t>(file.root(), "Types", H5T_NATIVE_UINT8, cells, 1, [&](auto&& sink) {
    for (std::uint64_t c = 0; c < cells; ++c) sink(mesh.cellType());
  });
}

}  // namespace

void writeVtkhdf(const std::filesystem::path& path, const fields::SelectedNodes& nodes,
                 const std::vector<fields::FieldArray>& arrays, const FileMetadata& metadata) {
  HdfFile file(path);
  const CellMesh mesh(nodes);
  file.describe(1);
  file.writeFieldData(metadata, unitsOf(arrays), true);
  writeMesh(file, mesh, metadata.unit);
  for (const fields::FieldArray& array : arrays)
    file.write<float>(file.cellData(), array.quantity, H5T_NATIVE_FLOAT, mesh.cells(),
                      static_cast<hsize_t>(array.components),
                      [&](auto&& sink) { mesh.giveValues(array, sink); });
  file.finish();
}

struct VtkhdfSeries::File {
  hdf::HdfFile hdf;
  CellMesh mesh;
};

VtkhdfSeries::VtkhdfSeries(const std::filesystem::path& path, const fields::SelectedNodes& nodes,
                           const std::vector<fields::FieldArray>& arrays,
                           const std::vector<double>& times, const FileMetadata& metadata)
    : file_(new File{hdf::HdfFile(path), CellMesh(nodes)}) {
  file_->hdf.describe(2);
  file_->hdf.writeFieldData(metadata, unitsOf(arrays), false);
  writeMesh(file_->hdf, file_->mesh, metadata.unit);
  file_->hdf.writeSteps(times, file_->mesh.cells(), arrays);
  for (const fields::FieldArray& array : arrays)
    file_->hdf.create(file_->hdf.cellData(), array.quantity, H5T_NATIVE_FLOAT,
                      times.size() * file_->mesh.cells(), static_cast<hsize_t>(array.components));
}

VtkhdfSeries::~VtkhdfSeries() = default;

void VtkhdfSeries::write(std::size_t step, const std::vector<fields::FieldArray>& arrays) {
  for (const fields::FieldArray& array : arrays)
    file_->hdf.fill<float>(file_->hdf.cellData(), array.quantity, H5T_NATIVE_FLOAT,
                           step * file_->mesh.cells(), static_cast<hsize_t>(array.components),
                           [&](auto&& sink) { file_->mesh.giveValues(array, sink); });
}

void VtkhdfSeries::finish() {
  file_->hdf.finish();
}

}  // namespace tessera::postprocess::exports
