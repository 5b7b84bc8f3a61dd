// SPDX-License-Identifier: GPL-3.0-or-later
// tessera-read-3mf: reads a 3MF file by lib3mf 1.8 for tessera-preprocess, which does not trust it
// (confined.hpp). Writes the unit, then every mesh as often as the build has it, with its
// transform.
#include <Model/COM/NMR_DLLInterfaces.h>

#include <limits>

#include "pipelines/stage/error.hpp"
#include "pipelines/stage/text.hpp"
#include "preprocess/read/child/confined.hpp"
#include "preprocess/read/decode.hpp"
#include "preprocess/read/transform.hpp"

using namespace tessera;
using namespace tessera::preprocess::read;

namespace {

using Handle = NMR::PLib3MFBase*;  // of a model and all that is in it; released by lib3mf_release()

[[noreturn]] void refuse(const std::string& sentence) {
  stage::fail(stage::ExitCode::BadInput, sentence);
}

void require(LIB3MFRESULT result, Handle instance = nullptr) {
  if (result == 0) return;
  DWORD code = 0;
  LPCSTR message = nullptr;
  if (instance != nullptr) NMR::lib3mf_getlasterror(instance, &code, &message);
  refuse(message != nullptr ? message : fmt::format("error {:x}", static_cast<unsigned>(result)));
}

Transform transformOf(const NMR::MODELTRANSFORM& given) {
  Transform transform;
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 4; ++column)
      transform.entry[row][column] = static_cast<double>(given.m_fFields[row][column]);
  return transform;
}

std::string nameOf(Handle object) {
  ULONG needed = 0;
  std::string name(512, '\0');
  if (NMR::lib3mf_object_getnameutf8(object, name.data(), static_cast<ULONG>(name.size()),
                                     &needed) != 0)
    return {};
  return name.substr(0, name.find('\0'));
}

void writeMesh(Handle mesh, const std::string& name, const Transform& transform,
               ChildWriter& writer) {
  DWORD vertices = 0, triangles = 0;
  require(NMR::lib3mf_meshobject_getvertexcount(mesh, &vertices), mesh);
  require(NMR::lib3mf_meshobject_gettrianglecount(mesh, &triangles), mesh);
  writer.begin(ChildMessage::Mesh);
  writer.text(name);
  for (const auto& row : transform.entry)
    for (const double value : row) writer.real(value);
  writer.number(vertices);
  writer.number(triangles);
  for (DWORD k = 0; k < vertices; ++k) {
    NMR::MODELMESHVERTEX vertex{};
    require(NMR::lib3mf_meshobject_getvertex(mesh, k, &vertex), mesh);
    writer.bytes(vertex.m_fPosition, sizeof vertex.m_fPosition);
  }
  for (DWORD k = 0; k < triangles; ++k) {
    NMR::MODELMESHTRIANGLE triangle{};
    require(NMR::lib3mf_meshobject_gettriangle(mesh, k, &triangle), mesh);
    writer.bytes(triangle.m_nIndices, sizeof triangle.m_nIndices);
  }
}

// A mesh, or the components of an object, each with its own transform first.
void writeObject(Handle object, std::string name, const Transform& transform, int depth,
                 ChildWriter& writer) {
  constexpr int deepest = 100;
  if (depth > deepest) refuse(fmt::format("components are nested more than {} deep", deepest));
  DWORD type = 0;
  require(NMR::lib3mf_object_gettype(object, &type), object);
  if (type == NMR::MODELOBJECTTYPE_SUPPORT || type == NMR::MODELOBJECTTYPE_SOLIDSUPPORT) return;
  if (const std::string own = nameOf(object); !own.empty()) name = own;
  BOOL isMesh = 0;
  require(NMR::lib3mf_object_ismeshobject(object, &isMesh), object);
  if (isMesh) return writeMesh(object, name, transform, writer);
  DWORD components = 0;
  require(NMR::lib3mf_componentsobject_getcomponentcount(object, &components), object);
  for (DWORD k = 0; k < components; ++k) {
    Handle component = nullptr;
    Handle part = nullptr;
    NMR::MODELTRANSFORM own{};
    require(NMR::lib3mf_componentsobject_getcomponent(object, k, &component), object);
    require(NMR::lib3mf_component_getobjectresource(component, &part), component);
    require(NMR::lib3mf_component_gettransform(component, &own), component);
    writeObject(part, name, combined(transform, transformOf(own)), depth + 1, writer);
    NMR::lib3mf_release(part);
    NMR::lib3mf_release(component);
  }
}

void writeUnit(Handle model, ChildWriter& writer) {
  constexpr double metres[] = {1e-6, 1e-3, 1e-2, 0.0254, 0.3048, 1.0};  // of eModelUnit
  DWORD unit = 0;
  require(NMR::lib3mf_model_getunit(model, &unit), model);
  if (unit >= std::size(metres)) refuse("its unit is unknown");
  writer.begin(ChildMessage::Unit);
  writer.real(metres[unit]);
}

void read3mfTask(const ChildTask& task, ChildWriter& writer) {
  if (task.words.size() != 1) refuse("no file is given");
  WholeFile file = readUncompressed(task.words.front());
  Handle model = nullptr;
  Handle reader = nullptr;
  require(NMR::lib3mf_createmodel(&model));
  require(NMR::lib3mf_model_queryreader(model, "3mf", &reader), model);
  require(NMR::lib3mf_reader_readfrombuffer(reader, reinterpret_cast<BYTE*>(file.bytes.get()),
                                            file.size),
          reader);
  writeUnit(model, writer);
  Handle items = nullptr;
  require(NMR::lib3mf_model_getbuilditems(model, &items), model);
  BOOL isThere = 0;
  while (NMR::lib3mf_builditemiterator_movenext(items, &isThere) == 0 && isThere) {
    Handle item = nullptr;
    Handle object = nullptr;
    NMR::MODELTRANSFORM transform{};
    require(NMR::lib3mf_builditemiterator_getcurrent(items, &item), items);
    require(NMR::lib3mf_builditem_getobjectresource(item, &object), item);
    require(NMR::lib3mf_builditem_getobjecttransform(item, &transform), item);
    writeObject(object, "", transformOf(transform), 0, writer);
    NMR::lib3mf_release(object);
    NMR::lib3mf_release(item);
  }
}

}  // namespace

int main(int argc, char** argv) {
  runConfined(argc, argv, read3mfTask);
}
