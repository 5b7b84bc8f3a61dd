// SPDX-License-Identifier: GPL-3.0-or-later
// Readers of the surface formats, one .cpp each, with the format's description. All throw
// StageError(BadInput) for a file that is missing, truncated, damaged or unsupported, without
// faces, with a missing vertex or a coordinate that is not finite. parse...: from the bytes of a
// file; name: for messages. parseVtp() and parseVtu() parse the XML in place; at most 32768 faces.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "preprocess/read/surface/triangle_soup.hpp"
#include "preprocess/read/whole_file.hpp"

namespace tessera::preprocess::read {

class ChildReader;

TriangleSoup readStl(const std::filesystem::path& path);
TriangleSoup parseStl(std::string_view bytes, const std::string& name);

TriangleSoup readPly(const std::filesystem::path& path);
TriangleSoup parsePly(std::string_view bytes, const std::string& name);

TriangleSoup readObj(const std::filesystem::path& path);
TriangleSoup parseObj(std::string_view bytes, const std::string& name);

TriangleSoup readOff(const std::filesystem::path& path);
TriangleSoup parseOff(std::string_view bytes, const std::string& name);

TriangleSoup readVtp(const std::filesystem::path& path);
TriangleSoup parseVtp(WholeFile file, const std::string& name);

TriangleSoup readVtk(const std::filesystem::path& path);
TriangleSoup parseVtk(std::string_view bytes, const std::string& name);

TriangleSoup readVtu(const std::filesystem::path& path);
TriangleSoup parseVtu(WholeFile file, const std::string& name);

// By lib3mf, in a child process; from the messages of one, about a file of that size.
TriangleSoup read3mf(const std::filesystem::path& path);
TriangleSoup parse3mf(ChildReader& child, std::size_t fileBytes, const std::string& name);

}  // namespace tessera::preprocess::read
