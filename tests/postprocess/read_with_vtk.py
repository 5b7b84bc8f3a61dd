# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads fields.vtkhdf and wall.vtp with VTK itself and prints what it sees, one name a line."""
import sys

from vtkmodules.vtkIOHDF import vtkHDFReader
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
from vtkmodules.util.numpy_support import vtk_to_numpy


def read(reader, name):
    reader.SetFileName(name)
    reader.Update()
    return reader.GetOutput()


def volume(cell):
    x0, x1, y0, y1, z0, z1 = cell.GetBounds()
    return (x1 - x0) * (y1 - y0) * (z1 - z0)


grid = read(vtkHDFReader(), sys.argv[1])
data = grid.GetCellData()
velocity = vtk_to_numpy(data.GetArray("velocity"))
pressure = vtk_to_numpy(data.GetArray("pressure"))
cells = grid.GetNumberOfCells()
print("cells", cells)
print("points", grid.GetNumberOfPoints())
print("cell_type", grid.GetCellType(cells - 1))
print("volume", sum(volume(grid.GetCell(i)) for i in range(cells)))
for axis, name in enumerate("xyz"):
    print("velocity_" + name, velocity[:, axis].mean(dtype="f8"))
    print("low_" + name, grid.GetBounds()[2 * axis])
    print("high_" + name, grid.GetBounds()[2 * axis + 1])
print("pressure", pressure.mean(dtype="f8"))
print("pressure_first", pressure[0])

wall = read(vtkXMLPolyDataReader(), sys.argv[2])
print("triangles", wall.GetNumberOfCells())
print("wss", vtk_to_numpy(wall.GetCellData().GetArray("wss")).mean(dtype="f8"))
print("wss_vertex", vtk_to_numpy(wall.GetPointData().GetArray("wss")).mean(dtype="f8"))
