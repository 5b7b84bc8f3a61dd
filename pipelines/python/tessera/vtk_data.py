# SPDX-License-Identifier: GPL-3.0-or-later
"""Datasets of VTK; needs vtk (Debian: python3-vtk9), which is imported when
a function is called."""
from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np

from . import optional

_VOXEL, _HEXAHEDRON = 11, 12
_METRES = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6}


def _in_unit(metres: np.ndarray, unit: str) -> np.ndarray:
    if unit not in _METRES:
        raise ValueError(f"length unit {unit!r}; " + ", ".join(_METRES)
                         + " are known")
    return metres / _METRES[unit]


def _add_arrays(data: Any, arrays: Mapping[str, np.ndarray]) -> None:
    from vtkmodules.util.numpy_support import numpy_to_vtk
    for name, values in arrays.items():
        array = numpy_to_vtk(np.ascontiguousarray(values), deep=True)
        array.SetName(name)
        data.AddArray(array)


def _points(positions: np.ndarray) -> Any:
    from vtkmodules.util.numpy_support import numpy_to_vtk
    from vtkmodules.vtkCommonCore import vtkPoints
    points = vtkPoints()
    points.SetData(numpy_to_vtk(np.ascontiguousarray(positions), deep=True))
    return points


def _cell_array(corners: np.ndarray) -> Any:
    from vtkmodules.util.numpy_support import numpy_to_vtkIdTypeArray
    from vtkmodules.vtkCommonDataModel import vtkCellArray
    cells = vtkCellArray()
    count, each = corners.shape
    cells.SetData(numpy_to_vtkIdTypeArray(
        np.arange(0, each * count + 1, each, dtype=np.int64), deep=True),
                  numpy_to_vtkIdTypeArray(
        np.ascontiguousarray(corners, np.int64).reshape(-1), deep=True))
    return cells


def shared_corners(index: np.ndarray, shape: Sequence[int]
                   ) -> tuple[np.ndarray, np.ndarray]:
    """Corners of the cubes around nodes i4 (n, 3): i8 (n, 8) numbers of
    points, x fastest, and (p, 3) points in lattice coordinates."""
    sides = np.array([n + 1 for n in shape], np.int64)
    strides = np.array([1, sides[0], sides[0] * sides[1]], np.int64)
    first = index.astype(np.int64) @ strides
    offsets = np.array([(c & 1) + (c >> 1 & 1) * strides[1]
                        + (c >> 2) * strides[2] for c in range(8)], np.int64)
    keys, corners = np.unique(first[:, None] + offsets, return_inverse=True)
    points = np.stack([keys % sides[0], keys // sides[0] % sides[1],
                       keys // strides[2]], axis=1) - 0.5
    return corners.reshape(-1, 8), points


def cells(geometry: Any, arrays: Mapping[str, np.ndarray], unit: str) -> Any:
    """vtkUnstructuredGrid: a cell around each node, cell data (n, ...);
    unit: of the points."""
    optional.module("vtkmodules")
    from vtkmodules.vtkCommonDataModel import vtkUnstructuredGrid
    corners, points = shared_corners(geometry.node_index, geometry.shape)
    kind = _VOXEL if geometry.frame.is_along_world else _HEXAHEDRON
    if kind == _HEXAHEDRON:
        corners = corners[:, [0, 1, 3, 2, 4, 5, 7, 6]]
    grid = vtkUnstructuredGrid()
    grid.SetPoints(_points(_in_unit(geometry.frame.to_world(points), unit)))
    grid.SetCells(kind, _cell_array(corners))
    _add_arrays(grid.GetCellData(), arrays)
    return grid


def poly_data(vertices: np.ndarray, triangles: np.ndarray,
              arrays: Mapping[str, np.ndarray], unit: str) -> Any:
    """vtkPolyData of triangles (t, 3), cell data (t, ...)."""
    optional.module("vtkmodules")
    from vtkmodules.vtkCommonDataModel import vtkPolyData
    data = vtkPolyData()
    data.SetPoints(_points(_in_unit(vertices, unit)))
    data.SetPolys(_cell_array(triangles))
    _add_arrays(data.GetCellData(), arrays)
    return data
