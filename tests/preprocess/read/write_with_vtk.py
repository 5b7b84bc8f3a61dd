# SPDX-License-Identifier: GPL-3.0-or-later
"""VTK's own .vtp files of one surface in every encoding, into the folder given: a capped cylinder of
polygons, strips, a line and a vertex, with ModelFaceID on all cells; and what VTK itself makes of it
(triangles, area and area by face, one name a line)."""
import itertools
import os
import sys

from vtkmodules.vtkCommonCore import vtkIntArray, vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
from vtkmodules.vtkFiltersCore import vtkTriangleFilter
from vtkmodules.vtkIOXML import vtkXMLPolyDataWriter
from math import cos, pi, sin

SIDES = 30
folder = sys.argv[1]
points = vtkPoints()
for z in (0.0, 2.0):
    for i in range(SIDES):
        points.InsertNextPoint(cos(2 * pi * i / SIDES), sin(2 * pi * i / SIDES), z)
low = list(range(SIDES))
high = [SIDES + i for i in low]


def cells(*lists):
    array = vtkCellArray()
    for ids in lists:
        array.InsertNextCell(len(ids))
        for i in ids:
            array.InsertCellPoint(i)
    return array


strip = [i for k in range(SIDES + 1) for i in (low[k % SIDES], high[k % SIDES])]
surface = vtkPolyData()
surface.SetPoints(points)
surface.SetVerts(cells([0]))
surface.SetLines(cells([0, 1]))
surface.SetPolys(cells(low[::-1], high))
surface.SetStrips(cells(strip))
ids = vtkIntArray()
ids.SetName("ModelFaceID")
for value in (90, 91, 2, 3, 1):  # vertex, line, caps, wall
    ids.InsertNextValue(value)
surface.GetCellData().AddArray(ids)

modes = {"ascii": 0, "binary": 1, "appended": 2}
for mode, zlib, wide, big, encode in itertools.product(
        modes, (False, True), (False, True), (False, True), (False, True)):
    if mode != "appended" and encode:
        continue
    writer = vtkXMLPolyDataWriter()
    writer.SetInputData(surface)
    writer.SetDataMode(modes[mode])
    writer.SetCompressorTypeToZLib() if zlib else writer.SetCompressorTypeToNone()
    writer.SetHeaderTypeToUInt64() if wide else writer.SetHeaderTypeToUInt32()
    writer.SetByteOrderToBigEndian() if big else writer.SetByteOrderToLittleEndian()
    writer.SetEncodeAppendedData(encode)
    writer.SetBlockSize(240)
    writer.SetFileName(os.path.join(folder, "%s%d%d%d%d.vtp" % (mode, zlib, wide, big, encode)))
    assert writer.Write() == 1

for name, use in (("lz4", writer.SetCompressorTypeToLZ4), ("lzma", writer.SetCompressorTypeToLZMA)):
    use()
    writer.SetFileName(os.path.join(folder, name + ".refused"))
    assert writer.Write() == 1

triangles = vtkTriangleFilter()
triangles.PassVertsOff()
triangles.PassLinesOff()
triangles.SetInputData(surface)
triangles.Update()
seen = triangles.GetOutput()
areas = {}
for i in range(seen.GetNumberOfCells()):
    face = "face%d" % seen.GetCellData().GetArray("ModelFaceID").GetValue(i)
    areas[face] = areas.get(face, 0.0) + seen.GetCell(i).ComputeArea()
print("triangles", seen.GetNumberOfCells())
for face in sorted(areas):
    print(face, areas[face])
