// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of VTK's unstructured grids that lie on a surface, by the numbers of vtkCellType.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "preprocess/read/surface/polygon_soup.hpp"

namespace tessera::preprocess::read {

// Adds a triangle, quad, pixel, polygon or triangle strip; ignores vertices and lines. points: of
// the cell, in the soup's numbers. name: of the file. Throws StageError(BadInput) for other cells,
// and as PolygonSoup does.
void addVtkCell(PolygonSoup& soup, std::int64_t type, std::span<const std::int64_t> points,
                const std::string& name);

}  // namespace tessera::preprocess::read
