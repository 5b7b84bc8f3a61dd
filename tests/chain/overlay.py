# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether results lie in the image or mesh that they were computed from, by readers that are none
of Tessera's: nibabel for NIfTI, a header parser for MetaImage, VTK for the results and for STL.

overlay.py label IN.nii LOW HIGH OUT.nii   label image of the voxels from LOW to HIGH
overlay.py oblique OUT.nii                 a label of a scan whose axes are not those of the world
overlay.py mha IN.nii OUT.mha              the same image as MetaImage, at its place in LPS
overlay.py inside SCAN FILE...             per file, share of its cells inside the label or mesh
"""
import sys

import numpy as np


def points_of(name):
    """Centres of the cells of fields.vtu or fields.vtkhdf."""
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkFiltersCore import vtkCellCenters
    from vtkmodules.vtkIOHDF import vtkHDFReader
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader
    reader = (vtkHDFReader if name.endswith(".vtkhdf") else vtkXMLUnstructuredGridReader)()
    reader.SetFileName(name)
    centres = vtkCellCenters()
    centres.SetInputConnection(reader.GetOutputPort())
    centres.Update()
    return vtk_to_numpy(centres.GetOutput().GetPoints().GetData()).astype("f8")


def nifti(name):
    import nibabel
    image = nibabel.load(name)
    return np.asarray(image.dataobj), image.affine


def meta_image(name):
    """Voxels and the matrix from indices to the file's coordinates."""
    with open(name, "rb") as file:
        header = {}
        while "ElementDataFile" not in header:
            key, value = file.readline().decode().split("=", 1)
            header[key.strip()] = value.strip()
        size = [int(n) for n in header["DimSize"].split()]
        voxels = np.frombuffer(file.read(), "u1").reshape(size, order="F")
    affine = np.eye(4)
    rows = np.array(header["TransformMatrix"].split(), "f8").reshape(3, 3)
    affine[:3, :3] = rows.T * np.array(header["ElementSpacing"].split(), "f8")
    affine[:3, 3] = header["Offset"].split()
    return voxels, affine


def in_label(name, points):
    voxels, affine = (meta_image if name.endswith(".mha") else nifti)(name)
    index = np.rint((points - affine[:3, 3]) @ np.linalg.inv(affine[:3, :3]).T).astype(int)
    within = np.all((index >= 0) & (index < voxels.shape), axis=1)
    index[~within] = 0
    return within & (voxels[tuple(index.T)] == 1)


def in_mesh(name, points):
    from vtkmodules.util.numpy_support import numpy_to_vtk
    from vtkmodules.vtkCommonCore import vtkPoints
    from vtkmodules.vtkCommonDataModel import vtkPolyData
    from vtkmodules.vtkFiltersModeling import vtkSelectEnclosedPoints
    from vtkmodules.vtkIOGeometry import vtkSTLReader
    reader = vtkSTLReader()
    reader.SetFileName(name)
    chosen = np.ascontiguousarray(points[:: max(1, len(points) // 2000)])
    cloud = vtkPolyData()
    cloud.SetPoints(vtkPoints())
    cloud.GetPoints().SetData(numpy_to_vtk(chosen))
    select = vtkSelectEnclosedPoints()
    select.SetInputData(cloud)
    select.SetSurfaceConnection(reader.GetOutputPort())
    select.Update()
    return np.array([select.IsInside(i) for i in range(len(chosen))], bool)


def main():
    command, arguments = sys.argv[1], sys.argv[2:]
    if command == "label":
        import nibabel
        voxels, affine = nifti(arguments[0])
        low, high = float(arguments[1]), float(arguments[2])
        label = ((voxels >= low) & (voxels <= high)).astype("u1")
        image = nibabel.Nifti1Image(label, affine)
        image.header.set_xyzt_units("mm")
        nibabel.save(image, arguments[3])
    elif command == "oblique":
        import nibabel
        # Turned about z, then x, mirrored along the first axis; RAS.
        a, b = np.radians([27.0, -14.0])
        turn = (np.array([[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
                @ np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]]))
        affine = np.eye(4)
        affine[:3, :3] = turn @ np.diag([-0.4, 0.4, 0.4])
        affine[:3, 3] = [31.0, -62.5, 17.25]
        # A bean, by whose form no two of its orientations agree.
        x, y, z = np.indices((48, 40, 30), dtype="f8")
        label = ((x - 20 - 0.008 * (y - 20) ** 2) / 15) ** 2 + ((y - 22) / 16) ** 2 + (
            (z - 12 - 0.2 * (x - 20)) / 7) ** 2 < 1
        image = nibabel.Nifti1Image(label.astype("u1"), affine)
        image.header.set_xyzt_units("mm")
        nibabel.save(image, arguments[0])
    elif command == "mha":
        voxels, affine = nifti(arguments[0])
        lps = np.diag([-1.0, -1.0, 1.0, 1.0]) @ affine
        spacing = np.linalg.norm(lps[:3, :3], axis=0)
        numbers = lambda values: " ".join(repr(float(v)) for v in np.ravel(values))
        with open(arguments[1], "wb") as file:
            file.write((
                "ObjectType = Image\nNDims = 3\nBinaryData = True\nTransformMatrix = "
                + numbers((lps[:3, :3] / spacing).T) + "\nOffset = " + numbers(lps[:3, 3])
                + "\nElementSpacing = " + numbers(spacing) + "\nDimSize = "
                + " ".join(map(str, voxels.shape))
                + "\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n").encode())
            file.write(voxels.astype("u1").tobytes(order="F"))
    else:
        inside = in_mesh if arguments[0].lower().endswith(".stl") else in_label
        for name in arguments[1:]:
            print(inside(arguments[0], points_of(name)).mean())


main()
