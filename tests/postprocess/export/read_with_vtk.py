# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads exports with VTK itself and prints what it sees, one name and number a line; names of a
file's own numbers begin with its ending."""
import sys

from vtkmodules.vtkIOHDF import vtkHDFReader
from vtkmodules.vtkIOXML import (
    vtkXMLImageDataReader, vtkXMLPolyDataReader, vtkXMLUnstructuredGridReader)
from vtkmodules.util.numpy_support import vtk_to_numpy

READERS = {"vtkhdf": vtkHDFReader, "vtu": vtkXMLUnstructuredGridReader,
           "vti": vtkXMLImageDataReader, "vtp": vtkXMLPolyDataReader}


def read(name):
    reader = READERS[name.rsplit(".", 1)[1]]()
    reader.SetFileName(name)
    reader.Update()
    return reader.GetOutput()


def volume(cell):
    x0, x1, y0, y1, z0, z1 = cell.GetBounds()
    return (x1 - x0) * (y1 - y0) * (z1 - z0)


def show_arrays(kind, data, chosen=None):
    """Mean of every component of every array."""
    for i in range(data.GetNumberOfArrays()):
        values = vtk_to_numpy(data.GetArray(i)).astype("f8")
        if chosen is not None:
            values = values[chosen]
        if values.ndim == 1:
            print(kind + "." + data.GetArrayName(i), values.mean())
        else:
            for axis, letter in enumerate("xyz"):
                print(kind + "." + data.GetArrayName(i) + "." + letter, values[:, axis].mean())


def show_bounds(kind, data):
    for axis, letter in enumerate("xyz"):
        print(kind + ".low_" + letter, data.GetBounds()[2 * axis])
        print(kind + ".high_" + letter, data.GetBounds()[2 * axis + 1])


def show_grid(kind, grid):
    cells = grid.GetNumberOfCells()
    print(kind + ".cells", cells)
    print(kind + ".points", grid.GetNumberOfPoints())
    print(kind + ".cell_type", grid.GetCellType(cells - 1))
    print(kind + ".volume", sum(volume(grid.GetCell(i)) for i in range(cells)))
    show_arrays(kind, grid.GetCellData())
    print(kind + ".pressure_first", grid.GetCellData().GetArray("pressure").GetValue(0))


def show_image(kind, image):
    data = image.GetPointData()
    seen = vtk_to_numpy(data.GetArray("vtkGhostType")) == 0
    print(kind + ".points", image.GetNumberOfPoints())
    print(kind + ".seen", seen.sum())
    print(kind + ".spacing", image.GetSpacing()[0])
    show_arrays(kind, data, seen)
    # Centre of the nodes seen, in the world.
    places = [image.GetPoint(int(i)) for i in seen.nonzero()[0]]
    for axis, letter in enumerate("xyz"):
        print(kind + ".centre_" + letter, sum(p[axis] for p in places) / len(places))


def show_field_data(kind, data):
    """Numbers by name; of texts "NAME=TEXT 1"."""
    for i in range(data.GetNumberOfArrays()):
        array = data.GetAbstractArray(i)
        if array.GetDataType() == 13:  # VTK_STRING
            print(kind + ".is." + array.GetName() + "=" + array.GetValue(0), 1)
        else:
            print(kind + "." + array.GetName(), array.GetValue(0))


def show_caps(kind, caps):
    data = caps.GetCellData()
    names = data.GetAbstractArray("name")
    areas = {}
    for t in range(caps.GetNumberOfCells()):
        cap = kind + ".cap" + str(data.GetArray("opening_id").GetValue(t))
        if cap not in areas:
            print(cap + ".name=" + names.GetValue(t), 1)
            for array in ("flow_rate", "pressure", "ModelFaceID"):
                print(cap + "." + array, data.GetArray(array).GetValue(t))
        areas[cap] = areas.get(cap, 0.0) + caps.GetCell(t).ComputeArea()
    for cap, area in areas.items():
        print(cap + ".area", area)


def show_wall(kind, wall):
    if wall.GetCellData().HasArray("opening_id"):
        show_caps(kind, wall)
        return
    print(kind + ".triangles", wall.GetNumberOfCells())
    show_arrays(kind, wall.GetCellData())
    show_arrays(kind + ".vertex", wall.GetPointData())


SHOW = {"vtkhdf": show_grid, "vtu": show_grid, "vti": show_image, "vtp": show_wall}
for path in sys.argv[1:]:
    ending = path.rsplit(".", 1)[1]
    output = read(path)
    SHOW[ending](ending, output)
    show_field_data(ending, output.GetFieldData())
    show_bounds(ending, output)
