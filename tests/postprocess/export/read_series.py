# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a folder of a series with VTK 9.2 or newer and compares fields.vtkhdf with the .vtu files of fields.pvd. VTK 9.2,
that of ParaView 5.11, has no times in VTKHDF and reads the first one.

Usage: read_series.py FOLDER    Exit code 77: no such VTK.
"""
import pathlib
import sys
import xml.etree.ElementTree

try:
    import numpy
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkVersion
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
    from vtkmodules.vtkIOHDF import vtkHDFReader
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

VERSION = (vtkVersion.GetVTKMajorVersion(), vtkVersion.GetVTKMinorVersion())
if VERSION < (9, 2):
    print("skipped: VTK", vtkVersion.GetVTKVersion(), "is older than 9.2")
    sys.exit(77)


def must(condition, what):
    if not condition:
        print("VTK", vtkVersion.GetVTKVersion() + ":", what)
        sys.exit(1)


def arrays(grid):
    """Points, cells and values of a grid by name."""
    found = {"points": vtk_to_numpy(grid.GetPoints().GetData()),
             "connectivity": vtk_to_numpy(grid.GetCells().GetConnectivityArray())}
    data = grid.GetCellData()
    for i in range(data.GetNumberOfArrays()):
        found[data.GetArrayName(i)] = vtk_to_numpy(data.GetArray(i))
    return {name: numpy.array(values, "f8") for name, values in found.items()}


def expected(folder):
    """Times of fields.pvd and what its files have."""
    for entry in xml.etree.ElementTree.parse(folder / "fields.pvd").iter("DataSet"):
        reader = vtkXMLUnstructuredGridReader()
        reader.SetFileName(str(folder / entry.get("file")))
        reader.Update()
        yield float(entry.get("timestep")), arrays(reader.GetOutput())


def main():
    folder = pathlib.Path(sys.argv[1])
    steps = list(expected(folder))
    must(len(steps) > 1, "fields.pvd has no times")
    reader = vtkHDFReader()
    reader.SetFileName(str(folder / "fields.vtkhdf"))
    must(reader.CanReadFile(str(folder / "fields.vtkhdf")), "fields.vtkhdf cannot be read")
    reader.UpdateInformation()
    information, key = reader.GetOutputInformation(0), vtkStreamingDemandDrivenPipeline.TIME_STEPS()
    times = [information.Get(key, k) for k in range(information.Length(key))] if information.Has(key) else []
    if VERSION >= (9, 3):
        must(numpy.allclose(times, [time for time, _ in steps], rtol=1e-9), f"times are {times}")
    else:
        steps = steps[:1]
    for time, wanted in steps:
        reader.UpdateTimeStep(time) if times else reader.Update()
        found = arrays(reader.GetOutputDataObject(0))
        must(found.keys() == wanted.keys(), f"arrays are {sorted(found)}, expected {sorted(wanted)}")
        for name, values in wanted.items():
            same = found[name].shape == values.shape and numpy.array_equal(found[name], values)
            must(same, f"{name} at {time} s differs from the .vtu file")
    print("VTK", vtkVersion.GetVTKVersion(), "reads", len(steps), "times,", ", ".join(sorted(steps[0][1])))


main()
