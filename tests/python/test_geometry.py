# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometry: nodes, links, surface and openings of .vdb and .tiles."""
import json
import sys
import types
import unittest
from itertools import product
from unittest import mock

import numpy as np

import files
import tessera

ALL = "tube.vdb", "tube.tiles", "rows.tiles", "rock.vdb", "rock.tiles", \
    "blob.vdb", "blob.tiles", "plane.vdb", "plane.tiles"


def neighbours_outside(grid, periodic):
    """Bool (27, nx, ny, nz): the neighbour in each direction is no node, by
    shifts of the dense array."""
    out = []
    for dz, dy, dx in product((-1, 0, 1), repeat=3):
        shifted = grid
        for axis, step in enumerate((dx, dy, dz)):
            shifted = np.roll(shifted, -step, axis)
            if step and not periodic[axis]:
                edge = [slice(None)] * 3
                edge[axis] = -1 if step > 0 else 0
                shifted = shifted.copy()
                shifted[tuple(edge)] = False
        out.append(~shifted)
    return np.array(out)


class Nodes(unittest.TestCase):
    def test_lattice_and_tiles_have_the_same_nodes(self):
        for name in ("tube", "rock", "blob", "plane"):
            lattice = tessera.read(files.path(name + ".vdb"))
            tiles = tessera.read(files.path(name + ".tiles"))
            np.testing.assert_array_equal(lattice.to_grid(), tiles.to_grid())
            self.assertEqual(lattice.fluid_nodes, len(tiles.node_index))
        rows = tessera.read(files.path("rows.tiles"))
        self.assertEqual(rows.placement, "rows")
        self.assertNotEqual(len(np.unique(rows.corners % 4, axis=0)), 1)
        tube = tessera.read(files.path("tube.tiles"))
        np.testing.assert_array_equal(rows.to_grid(), tube.to_grid())

    def test_nodes_of_a_lattice_are_in_row_major_order(self):
        lattice = tessera.read(files.path("tube.vdb"))
        nx, ny, _ = lattice.shape
        number = lattice.node_index @ np.array([1, nx, nx * ny])
        self.assertTrue(np.all(np.diff(number) > 0))

    def test_nodes_of_a_tube_are_those_inside_it(self):
        lattice = tessera.read(files.path("tube.vdb"))
        every = np.stack(np.indices(lattice.shape), -1).reshape(-1, 3)
        at = lattice.frame.to_world(every)
        along = at @ files.AXIS
        radius = np.linalg.norm(at - along[:, None] * files.AXIS, axis=1)
        inside = ((radius < files.RADIUS) & (along > 0)
                  & (along < files.LENGTH)).reshape(lattice.shape)
        # The polygon of 96 sides deviates from the circle by 1e-3.
        near = (np.abs(radius / files.RADIUS - 1) < 2e-3)
        found = lattice.to_grid() != 0
        self.assertTrue(np.array_equal(found[~near.reshape(found.shape)],
                                       inside[~near.reshape(found.shape)]))

    def test_voxels_of_images_are_nodes(self):
        rock = np.fromfile(files.path("rock.raw"), "u1").reshape(
            24, 24, 24).T == 0
        found = tessera.read(files.path("rock.tiles")).to_grid() != 0
        np.testing.assert_array_equal(found, rock)
        blob = tessera.read(files.path("blob.tiles"))
        np.testing.assert_array_equal(blob.to_grid() != 0, files.BLOB)
        plane = tessera.read(files.path("plane.tiles"))
        self.assertEqual((plane.dimensions, plane.shape, plane.tile_size),
                         (2, (40, 18, 1), (8, 8, 1)))
        self.assertTrue((plane.to_grid()[:, 1:17] != 0).all())
        self.assertTrue((plane.to_grid()[:, [0, 17]] == 0).all())

    def test_a_turned_image_stands_where_its_header_says(self):
        for name in ("blob.vdb", "blob.tiles"):
            blob = tessera.read(files.path(name))
            np.testing.assert_allclose(blob.frame.direction, files.TURN,
                                       atol=1e-12)
            index = np.argwhere(files.BLOB)
            world = files.ORIGIN + files.VOXEL * index @ files.TURN.T
            order = np.lexsort(blob.node_index.T[::-1])
            np.testing.assert_allclose(blob.positions[order], world,
                                       atol=1e-12)
            np.testing.assert_allclose(blob.frame.to_lattice(world), index,
                                       atol=1e-9)

    def test_tile_map_and_flags(self):
        for name in ("tube.tiles", "rows.tiles", "plane.tiles"):
            tiles = tessera.read(files.path(name))
            at = tiles.tile_map[tuple(tiles.tiles.T)]
            np.testing.assert_array_equal(at, np.arange(tiles.tile_count))
            self.assertEqual((tiles.tile_map >= 0).sum(), tiles.tile_count)
            types = tiles.tile_node_type
            full = (types == tessera.FLUID).all(axis=1)
            opens = (types == tessera.OPENING).any(axis=1)
            np.testing.assert_array_equal(tiles.tile_flags,
                                          full + 2 * opens)

    def test_region_and_fill_of_a_grid(self):
        tiles = tessera.read(files.path("tube.tiles"))
        part = np.s_[2:9, 3:, :-4]
        whole = tiles.to_grid(tiles.positions)
        np.testing.assert_array_equal(
            tiles.to_grid(tiles.positions, part), whole[part])
        self.assertTrue(np.isnan(whole[tiles.to_grid() == 0]).all())
        self.assertEqual(tiles.to_grid(tiles.node_type, fill=9).max(), 9)
        with self.assertRaisesRegex(MemoryError, "name a region"):
            tiles.to_grid(tiles.positions, largest=1000)
        with self.assertRaisesRegex(ValueError, "values for"):
            tiles.to_grid(np.zeros(3))


class LinksOfNodes(unittest.TestCase):
    def test_masks_are_those_of_the_nodes_around(self):
        for name in ALL:
            geometry = tessera.read(files.path(name))
            self.assertEqual(geometry.cut_links, 0)
            grid = geometry.to_grid() != 0
            outside = neighbours_outside(grid, geometry.periodic)
            expected = np.zeros(geometry.shape, np.uint32)
            for n, missing in enumerate(outside):
                expected |= (missing & grid).astype(np.uint32) << np.uint32(n)
            boundary = geometry.boundary
            found = np.zeros(geometry.shape, np.uint32)
            found[tuple(boundary.node.T)] = boundary.mask
            np.testing.assert_array_equal(found, expected, name)
            links = geometry.links
            self.assertEqual(len(links.patch), geometry.meta["links"])
            np.testing.assert_array_equal(
                1 << links.direction.astype(int)
                & boundary.mask[links.boundary], 1 << links.direction
                .astype(int))
            # Types of the nodes follow from the patches.
            types = geometry.to_grid()
            wall, opening = np.zeros((2, *geometry.shape), bool)
            wall[tuple(links.node[links.opening == 0].T)] = True
            opening[tuple(links.node[links.opening > 0].T)] = True
            np.testing.assert_array_equal(
                types, np.where(opening, 3, np.where(wall, 2, grid)), name)

    def test_links_of_lattice_and_tiles_are_the_same(self):
        for one, other in (("tube.vdb", "tube.tiles"),
                           ("tube.vdb", "rows.tiles"),
                           ("plane.vdb", "plane.tiles")):
            tables = []
            for name in (one, other):
                links = tessera.read(files.path(name)).links
                table = np.column_stack([links.node, links.direction,
                                         links.patch, links.distance * 65536])
                tables.append(table[np.lexsort(table.T)])
            np.testing.assert_array_equal(*tables)

    def test_wall_distances_of_a_tube(self):
        for name in ("tube.vdb", "tube.tiles", "rows.tiles"):
            geometry = tessera.read(files.path(name))
            links = geometry.links
            point = links.point
            along = point @ files.AXIS
            radial = point - along[:, None] * files.AXIS
            radius = np.linalg.norm(radial, axis=1)
            wall = links.opening == 0
            # 96 sides: the polygon of the circle's area is between 0.9995
            # and 1.0004 of its radius; distances are rounded to 1/65536.
            np.testing.assert_allclose(radius[wall], files.RADIUS, rtol=6e-4)
            for opening in geometry.openings:
                ends = links.opening == opening.id
                self.assertGreater(ends.sum(), 100)
                np.testing.assert_allclose(
                    along[ends], opening.centre @ files.AXIS,
                    atol=2 * geometry.frame.spacing / 65536)
            np.testing.assert_allclose(
                links.length, np.linalg.norm(
                    point - geometry.frame.to_world(links.node), axis=1),
                rtol=1e-9)

    def test_normals_of_a_tube(self):
        for name in ("tube.vdb", "tube.tiles"):
            geometry = tessera.read(files.path(name))
            boundary = geometry.boundary
            at = geometry.frame.to_world(boundary.node)
            radial = at - (at @ files.AXIS)[:, None] * files.AXIS
            radial /= np.linalg.norm(radial, axis=1, keepdims=True)
            types = geometry.to_grid()[tuple(boundary.node.T)]
            beside = types == tessera.WALL
            self.assertGreater(beside.sum(), 200)
            # A side of the polygon spans 3.75 degrees.
            cosine = np.sum(boundary.normal * radial, axis=1)[beside]
            self.assertGreater(cosine.min(), np.cos(np.radians(2.5)))

    def test_voxels_have_walls_halfway(self):
        for name in ("rock.tiles", "blob.vdb", "plane.tiles"):
            links = tessera.read(files.path(name)).links
            self.assertEqual(set(links.distance), {0.5})

    def test_normals_are_turned_to_the_world(self):
        blob = tessera.read(files.path("blob.tiles"))
        boundary = blob.boundary
        only = boundary.node[:, 0] == 2  # next to the side of low x
        inner = only & np.all([
            (boundary.node[:, k] > low) & (boundary.node[:, k] < high)
            for k, low, high in ((1, 3, 7), (2, 0, 8))], axis=0)
        self.assertGreater(inner.sum(), 5)
        np.testing.assert_allclose(
            boundary.normal[inner], np.tile(-files.TURN[:, 0],
                                            (inner.sum(), 1)), atol=1e-4)


class SurfaceAndOpenings(unittest.TestCase):
    def test_surface_is_closed_and_has_the_volume_of_the_tube(self):
        for name in ("tube.vdb", "tube.tiles"):
            geometry = tessera.read(files.path(name))
            surface = geometry.surface
            normals = surface.normals()
            np.testing.assert_allclose(normals.sum(axis=0), 0, atol=1e-11)
            centres = surface.vertices[surface.triangles].mean(axis=1)
            volume = np.sum(centres * normals) / 3
            self.assertAlmostEqual(
                volume / (np.pi * files.RADIUS ** 2 * files.LENGTH), 1, 4)
            for opening in geometry.openings:
                cap = surface.label == 0x8000 | opening.id
                total = normals[cap].sum(axis=0)
                np.testing.assert_allclose(
                    total, opening.area * opening.normal, atol=1e-10)
        self.assertEqual(len(tessera.read(
            files.path("rock.tiles")).surface.triangles), 0)

    def test_openings_are_records(self):
        tube = tessera.read(files.path("tube.tiles"))
        first, second = tube.openings
        self.assertEqual((first.id, first.name), (1, "opening1"))
        self.assertIs(tube.opening("opening2"), second)
        self.assertIs(tube.opening(2), second)
        np.testing.assert_allclose(second.centre, files.LENGTH * files.AXIS,
                                   atol=1e-7)
        np.testing.assert_allclose(second.normal, files.AXIS, atol=1e-6)
        self.assertAlmostEqual(second.radius / files.RADIUS, 1, 5)
        with self.assertRaisesRegex(KeyError, "opening1"):
            tube.opening("inlet")
        table = tube.tables["openings"]
        self.assertEqual(table.units["area[m2]"], "m2")
        np.testing.assert_array_equal(table["area"],
                                      [o.area for o in tube.openings])

    def test_periodic_axes_and_walls(self):
        self.assertEqual(tessera.read(files.path("rock.vdb")).periodic,
                         (True, True, True))
        tube = tessera.read(files.path("tube.vdb"))
        self.assertEqual((tube.periodic, tube.walls),
                         ((False, False, False), ["wall"]))

    def test_vtk_of_geometry_and_surface(self):
        try:
            from vtkmodules.util.numpy_support import vtk_to_numpy
        except ImportError:
            self.skipTest("python3-vtk9 is not installed")
        for name in ("tube.tiles", "blob.tiles"):
            geometry = tessera.read(files.path(name))
            grid = geometry.to_vtk()
            self.assertEqual(grid.GetNumberOfCells(), geometry.fluid_nodes)
            types = vtk_to_numpy(grid.GetCellData().GetArray("node_type"))
            np.testing.assert_array_equal(types, geometry.node_type)
            corners = vtk_to_numpy(grid.GetPoints().GetData())
            np.testing.assert_allclose(vtk_to_numpy(geometry.to_vtk(
                "mm").GetPoints().GetData()), 1000 * corners)
            side = geometry.frame.spacing / 2 * 3 ** 0.5
            for k in (0, 7, geometry.fluid_nodes - 1):
                cell = grid.GetCell(k)
                points = [cell.GetPointId(c) for c in range(8)]
                away = np.linalg.norm(corners[points]
                                      - geometry.positions[k], axis=1)
                np.testing.assert_allclose(away, side, rtol=1e-5)
        data = tessera.read(files.path("tube.vdb")).surface.to_vtk()
        self.assertEqual(data.GetNumberOfCells(), json.loads(json.dumps(
            tessera.read(files.path("tube.vdb")).meta["triangles"])))

    def test_pyvista_wraps_the_datasets_of_vtk(self):
        try:
            from vtkmodules.util.numpy_support import vtk_to_numpy
        except ImportError:
            self.skipTest("python3-vtk9 is not installed")
        tube = tessera.read(files.path("tube.tiles"))
        fields = tessera.read(files.path("tube.0001.fields"))
        for thing in (tube, tube.surface, fields):
            # In place of pyvista, of which only wrap is used.
            stand_in = types.ModuleType("pyvista")
            stand_in.wrap = lambda dataset: ("wrapped", dataset)
            with mock.patch.dict(sys.modules, {"pyvista": stand_in}):
                word, wrapped = thing.to_pyvista("mm")
            self.assertEqual(word, "wrapped")
            dataset = thing.to_vtk("mm")
            self.assertEqual(wrapped.GetClassName(), dataset.GetClassName())
            np.testing.assert_array_equal(
                *(vtk_to_numpy(data.GetPoints().GetData())
                  for data in (wrapped, dataset)))
            names = [[data.GetCellData().GetArrayName(k) for k in
                      range(data.GetCellData().GetNumberOfArrays())]
                     for data in (wrapped, dataset)]
            self.assertEqual(*names)
            self.assertTrue(names[0])

    def test_pyvista_itself(self):
        try:
            import pyvista
        except ImportError:
            self.skipTest("pyvista is not installed")
        grid = tessera.read(files.path("tube.0001.fields")).to_pyvista("mm")
        self.assertIsInstance(grid, pyvista.UnstructuredGrid)
        self.assertEqual(grid["velocity"].shape, (grid.n_cells, 3))

    def test_absent_vtk_and_pyvista_are_named(self):
        tube = tessera.read(files.path("tube.tiles"))
        for module, call in (("vtkmodules", tube.to_vtk),
                             ("pyvista", tube.to_pyvista)):
            with mock.patch.dict(sys.modules, {module: None}):
                with self.assertRaisesRegex(
                        ImportError, f"{module} is not installed: .*pip"):
                    call()


if __name__ == "__main__":
    unittest.main()
