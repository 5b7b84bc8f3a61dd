// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes of PLY, OBJ, OFF and VTP files of a mesh, written as the formats' descriptions say,
// without any code of the readers.
#pragma once

#include <string>
#include <vector>

#include "preprocess/geometry/mesh.hpp"

namespace tessera::test {

using namespace tessera::preprocess::geometry;

enum class Bytes { Text, Little, Big };

// rich: doubles, normals, colours, a list of texture coordinates a face, an element of its own
// before the vertices and one between them and the faces.
std::string plyFile(const TriangleMesh& mesh, Bytes bytes, bool rich = false,
                    const std::string& newline = "\n");

struct ObjStyle {
  std::string newline = "\n";
  std::string corner = "";  // after the vertex: "/1", "//1", "/1/1"
  bool backwards = false;   // negative indices
  bool continued = false;   // each face over two lines
  std::string group;        // "g", "usemtl" or "o": the mesh's labels
};
std::string objFile(const TriangleMesh& mesh, const ObjStyle& style = {});

// keyword: OFF, COFF, NOFF, CNOFF, STOFF.
std::string offFile(const TriangleMesh& mesh, const std::string& keyword = "OFF");

enum class VtpPlace { Ascii, Inline, AppendedRaw, AppendedBase64 };
struct VtpStyle {
  VtpPlace place = VtpPlace::Ascii;
  bool compressed = false;
  bool bigEndian = false;
  bool header64 = false;
  bool doubles = false;   // points
  bool wide = true;       // Int64 cells; else Int32
  int pieces = 1;         // the triangles dealt to as many, each with all points
  std::string faceArray;  // e.g. ModelFaceID: the mesh's labels
  std::size_t blockBytes = 256;
};
std::string vtpFile(const TriangleMesh& mesh, const VtpStyle& style);
// The bytes of one array as such a file stores them: with their header, compressed, in base64.
std::string vtpArray(const std::string& bytes, const VtpStyle& style);

// One polygon of the mesh's vertices, as text of the format "ply", "obj", "off" or "vtp".
std::string polygonFile(const std::vector<Double3>& ring, const std::string& format);

}  // namespace tessera::test
