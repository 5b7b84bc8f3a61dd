// SPDX-License-Identifier: GPL-3.0-or-later
#include "postprocess/write_vtkhdf.hpp"

#include <hdf5.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pipelines/stage/error.hpp"
#include "postprocess/point_numbering.hpp"
#include "preprocess/surface/mesh.hpp"

namespace tessera {

namespace {

constexpr std::uint8_t vtkVoxel = 11;
constexpr std::uint8_t vtkHexahedron = 12;
constexpr hsize_t chunkRows = 1U << 15U;
constexpr unsigned deflateLevel = 1;

// An HDF5 identifier with the call that closes it.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const std::string& file) : id_(id), close_(close) {
    if (id < 0)
      fail(ExitCode::OutputFailed, file +
                                       " cannot be written by HDF5; check the free "
                                       "space and the permissions of its folder");
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close_(id_); }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

class HdfFile {
 public:
  explicit HdfFile(const std::filesystem::path& path)
      : name_(path.string()),
        silence_(H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr)),
        file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, name_),
        root_(createGroup(file_, "VTKHDF")),
        cellData_(createGroup(root_, "CellData")) {}

  [[nodiscard]] hid_t root() const { return root_; }
  [[nodiscard]] hid_t cellData() const { return cellData_; }

  // rows x columns numbers of one type; several columns make a two-dimensional dataset.
  void write(hid_t group, const char* name, hid_t type, hsize_t rows, hsize_t columns,
             const void* data) const {
    const hsize_t size[2] = {rows, columns};
    const hsize_t chunk[2] = {std::clamp<hsize_t>(rows, 1, chunkRows), columns};
    const int rank = columns > 1 ? 2 : 1;
    const Handle space(H5Screate_simple(rank, size, nullptr), H5Sclose, name_);
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name_);
    check(H5Pset_obj_track_times(properties, false));
    check(H5Pset_chunk(properties, rank, chunk));
    check(H5Pset_shuffle(properties));
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) check(H5Pset_deflate(properties, deflateLevel));
    const Handle set(H5Dcreate2(group, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
                     H5Dclose, name_);
    check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
  }

  void describe() const {
    const hsize_t two = 2;
    const std::int64_t version[2] = {1, 0};
    const Handle pair(H5Screate_simple(1, &two, nullptr), H5Sclose, name_);
    attribute("Version", H5T_NATIVE_INT64, pair, version);
    const std::string kind = "UnstructuredGrid";
    const Handle text(H5Tcopy(H5T_C_S1), H5Tclose, name_);
    check(H5Tset_size(text, kind.size()));
    check(H5Tset_strpad(text, H5T_STR_NULLPAD));
    const Handle one(H5Screate(H5S_SCALAR), H5Sclose, name_);
    attribute("Type", text, one, kind.data());
  }

  // Flushed here so that a full disk is noticed.
  void finish() const { check(H5Fflush(file_, H5F_SCOPE_GLOBAL)); }

 private:
  Handle createGroup(hid_t parent, const char* name) const {
    const Handle properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, name_);
    check(H5Pset_obj_track_times(properties, false));
    return {H5Gcreate2(parent, name, H5P_DEFAULT, properties, H5P_DEFAULT), H5Gclose, name_};
  }
  void attribute(const char* name, hid_t type, hid_t space, const void* data) const {
    const Handle handle(H5Acreate2(root_, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                        name_);
    check(H5Awrite(handle, type, data));
  }
  void check(herr_t status) const {
    if (status < 0)
      fail(ExitCode::OutputFailed,
           name_ + " cannot be written by HDF5; check the free space of its folder");
  }

  std::string name_;
  herr_t silence_;  // errors are told by fail(), not by HDF5
  Handle file_;
  Handle root_;
  Handle cellData_;
};

Int3 cornerOf(const Int3& node, int c) {
  return {node[0] + (c & 1), node[1] + (c >> 1 & 1), node[2] + (c >> 2)};
}

// A voxel takes its corners in x, y, z order; a hexahedron goes round its lower and upper face.
std::array<int, 8> cornerOrder(bool turned) {
  if (turned) return {0, 1, 3, 2, 4, 5, 7, 6};
  return {0, 1, 2, 3, 4, 5, 6, 7};
}

bool isTurned(const Frame& frame) {
  return frame.axis != Frame{}.axis;
}

void writeMesh(const HdfFile& file, const NodeLookup& lookup) {
  const TiledGeometry& geometry = lookup.geometry;
  PointNumbering numbering(geometry.nodes);
  forEachNode(lookup, [&](std::size_t t, int l, std::uint64_t) {
    for (int c = 0; c < 8; ++c) numbering.use(cornerOf(geometry.nodeOf(t, l), c));
  });
  numbering.number();

  std::vector<Float3> points;
  for (const Int3& corner : numbering.corners()) {
    const Double3 world =
        geometry.frame.toWorld({corner[0] - 0.5, corner[1] - 0.5, corner[2] - 0.5});
    points.push_back(
        {static_cast<float>(world[0]), static_cast<float>(world[1]), static_cast<float>(world[2])});
  }
  const bool turned = isTurned(geometry.frame);
  const std::array<int, 8> order = cornerOrder(turned);
  std::vector<std::int64_t> connectivity, offsets{0};
  connectivity.reserve(8 * geometry.fluidNodes);
  offsets.reserve(geometry.fluidNodes + 1);
  forEachNode(lookup, [&](std::size_t t, int l, std::uint64_t) {
    for (const int c : order)
      connectivity.push_back(
          static_cast<std::int64_t>(numbering.numberOf(cornerOf(geometry.nodeOf(t, l), c))));
    offsets.push_back(static_cast<std::int64_t>(connectivity.size()));
  });
  const std::vector<std::uint8_t> types(geometry.fluidNodes, turned ? vtkHexahedron : vtkVoxel);
  const auto count = [&](const char* name, std::size_t value) {
    const auto number = static_cast<std::int64_t>(value);
    file.write(file.root(), name, H5T_NATIVE_INT64, 1, 1, &number);
  };
  count("NumberOfPoints", points.size());
  count("NumberOfCells", types.size());
  count("NumberOfConnectivityIds", connectivity.size());
  file.write(file.root(), "Points", H5T_NATIVE_FLOAT, points.size(), 3, points.data());
  file.write(file.root(), "Connectivity", H5T_NATIVE_INT64, connectivity.size(), 1,
             connectivity.data());
  file.write(file.root(), "Offsets", H5T_NATIVE_INT64, offsets.size(), 1, offsets.data());
  file.write(file.root(), "Types", H5T_NATIVE_UINT8, types.size(), 1, types.data());
}

void writeData(const HdfFile& file, const Frame& frame, const Fields& fields) {
  std::vector<float> pressure;
  pressure.reserve(fields.pressure.size());
  for (const float value : fields.pressure)
    pressure.push_back(static_cast<float>(fields.pressurePa(value)));
  std::vector<Float3> velocity;
  velocity.reserve(fields.velocity.size());
  for (const auto& v : fields.velocity) {
    const Double3 world = fields.velocityFactor * frame.directionToWorld({v[0], v[1], v[2]});
    velocity.push_back(
        {static_cast<float>(world[0]), static_cast<float>(world[1]), static_cast<float>(world[2])});
  }
  file.write(file.cellData(), "pressure", H5T_NATIVE_FLOAT, pressure.size(), 1, pressure.data());
  file.write(file.cellData(), "velocity", H5T_NATIVE_FLOAT, velocity.size(), 3, velocity.data());
}

}  // namespace

void writeVtkhdf(const std::filesystem::path& path, const NodeLookup& lookup,
                 const Fields& fields) {
  const HdfFile file(path);
  file.describe();
  writeMesh(file, lookup);
  writeData(file, lookup.geometry.frame, fields);
  file.finish();
}

}  // namespace tessera
