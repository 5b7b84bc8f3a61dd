# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields: against the programs' own summaries, tables and exports, and
flow rates computed anew."""
import re
import shutil
import tempfile
import unittest
from pathlib import Path

import numpy as np

import files
import tessera

DRIVEN = "tube.0001.fields", "rows.0001.fields", "blob.fields", \
    "plane.fields"


def read_vtu(path):
    """Arrays of a .vtu file with raw appended data, by name."""
    data = Path(path).read_bytes()
    start = data.index(b"<AppendedData")
    start = data.index(b"_", start) + 1
    kinds = {"Float32": "f4", "Int64": "i8", "UInt8": "u1"}
    arrays = {}
    for entry in re.findall(rb"<DataArray ([^>]*)/>", data[:start]):
        words = dict(re.findall(r'(\w+)="([^"]*)"', entry.decode()))
        at = start + int(words["offset"])
        size = int(np.frombuffer(data, "<u8", 1, at)[0])
        kind = np.dtype("<" + kinds[words["type"]])
        values = np.frombuffer(data, kind, size // kind.itemsize, at + 8)
        width = int(words["NumberOfComponents"])
        arrays[words["Name"]] = values.reshape(-1, width)
    return arrays


def only(arrays, word):
    """The array whose name begins with a word."""
    return next(values for name, values in arrays.items()
                if name.startswith(word))


class AgainstThePrograms(unittest.TestCase):
    def test_openings_are_those_of_summary_and_table(self):
        for name in ("tube.0001", "blob"):
            fields = tessera.read(files.path(name + ".fields"))
            results = tessera.read(files.path(name.split(".")[0] + ".out"))
            self.assertEqual(len(fields.openings), 2)
            table = results.tables["openings"]
            for k, opening in enumerate(fields.openings):
                summary = results["openings"][k]
                self.assertEqual(opening.id, summary["id"])
                self.assertEqual(opening.kind, summary["kind"])
                self.assertEqual(opening.flow_rate,
                                 summary["flow_rate_m3_s"])
                self.assertEqual(opening.flow_rate, table["flow_rate"][k])
                np.testing.assert_allclose(
                    opening.force, [table[f"force_{a}"][k] for a in "xyz"],
                    rtol=1e-9, atol=1e-20)
            self.assertEqual(results["run"]["steps"], fields.step)
            self.assertEqual(results["run"]["fluid_nodes"], fields.nodes)
            self.assertAlmostEqual(results["run"]["velocity_max_m_s"]
                                   / fields.speed.max(), 1, 6)

    def test_values_are_those_of_the_export(self):
        """Cell by cell with the .vtu that tessera-postprocess writes, also
        of a lattice that is turned in the world."""
        for name in ("tube.0001", "blob"):
            fields = tessera.read(files.path(name + ".fields"))
            arrays = read_vtu(files.path(name.split(".")[0] + ".out")
                              / "fields.vtu")
            corners = arrays["points"][
                arrays["connectivity"].reshape(-1, 8)].astype(float)
            self.assertEqual(len(corners), fields.nodes)
            frame = fields.frame
            # The export's unit of length, m or that of the input.
            unit = frame.spacing / np.linalg.norm(corners[0, 1]
                                                  - corners[0, 0])
            unit = 10.0 ** round(np.log10(unit))
            index = np.rint(frame.to_lattice(
                unit * corners.mean(axis=1))).astype(int)
            self.assertLess(np.abs(frame.to_lattice(
                unit * corners.mean(axis=1)) - index).max(), 0.02)
            at = tuple(index.T)
            np.testing.assert_array_equal(
                only(arrays, "pressure")[:, 0],
                fields.to_grid("pressure")[at].astype("f4"))
            np.testing.assert_allclose(
                only(arrays, "velocity"), fields.to_grid("velocity")[at],
                rtol=2e-7, atol=1e-7 * fields.speed.max())

    def test_monitor_is_the_csv(self):
        fields = tessera.read(files.path("pulse.fields"))
        table = tessera.read(files.path("pulse.monitor.csv"))
        self.assertEqual(list(fields.monitor), list(table))
        self.assertGreater(table.rows, 10)
        for column in table:
            np.testing.assert_array_equal(fields.monitor[column],
                                          table[column])
        self.assertEqual(table.units["time[s]"], "s")
        self.assertIs(fields.monitor["time"], fields.monitor["time[s]"])

    def test_case_is_the_file(self):
        self.assertEqual(tessera.read(files.path("blob.fields")).case_text,
                         files.path("blob.toml").read_text())

    def test_wall_forces_are_those_of_forces_csv(self):
        fields = tessera.read(files.path("tube.0001.fields"))
        table = tessera.read(files.path("tube.out")).tables["forces"]
        self.assertEqual(fields.walls[0].name, table["name"][0])
        np.testing.assert_allclose(
            fields.walls[0].force,
            [table[f"force_{a}"][0] for a in "xyz"], rtol=1e-9)


class Flow(unittest.TestCase):
    def test_flow_rates_by_planes_of_nodes(self):
        """The flow through a plane of nodes across the lattice's x, y or z,
        summed here, is that of the opening behind it."""
        fields = tessera.read(files.path("plane.fields"))
        area = fields.frame.spacing ** 2
        velocity = fields.to_grid("velocity")
        rates = area * np.nansum(velocity[..., 0], axis=(1, 2))
        tube = tessera.read(files.path("tube.0001.fields"))
        inflow = -tube.openings[0].flow_rate
        through = tube.frame.spacing ** 2 * np.nansum(
            tube.to_grid("velocity")[..., 2], axis=(0, 1))
        whole = slice(len(through) // 2 - 2, len(through) // 2 + 3)
        np.testing.assert_allclose(through[whole], inflow, rtol=0.03)
        outflow = fields.openings[1].flow_rate
        sign = np.sign(rates[20])
        self.assertAlmostEqual(abs(rates[20] / outflow), 1, 1)
        self.assertEqual(sign, np.sign(outflow)
                         * np.sign(fields.geometry.openings[1].normal[0]))

    def test_a_tube_has_the_parabola(self):
        fields = tessera.read(files.path("tube.0001.fields"))
        at = fields.positions
        along = at @ files.AXIS
        radius = np.linalg.norm(at - along[:, None] * files.AXIS, axis=1)
        middle = np.abs(along - files.LENGTH / 2) < files.LENGTH / 4
        speed = fields.velocity @ files.AXIS
        mean = -fields.openings[0].flow_rate / (np.pi * files.RADIUS ** 2)
        exact = 2 * mean * (1 - (radius / files.RADIUS) ** 2)
        error = np.abs(speed - exact)[middle].max() / (2 * mean)
        self.assertLess(error, 0.1)

    def test_a_turned_lattice_has_velocities_of_the_world(self):
        fields = tessera.read(files.path("blob.fields"))
        stored = fields.array("velocity", "f4", (3,))
        factor = fields.meta["velocity_factor_m_s"]
        np.testing.assert_allclose(fields.velocity @ files.TURN,
                                   factor * stored, atol=1e-12)
        # Stress: a tensor turned by hand.
        raw = fields.array("stress", "f4", (6,))
        xx, yy, zz, xy, xz, yz = (fields.meta["stress_factor_pa"]
                                  * raw[11].astype(float))
        turned = files.TURN @ np.array(
            [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ files.TURN.T
        np.testing.assert_allclose(
            fields.stress[11], turned[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]],
            atol=1e-12)

    def test_order_of_shifted_tiles(self):
        """The same run on aligned and on shifted tiles, node by node."""
        one = tessera.read(files.path("tube.0001.fields"))
        other = tessera.read(files.path("rows.0001.fields"))
        self.assertEqual(other.geometry.placement, "rows")
        for name in ("pressure", "velocity", "stress"):
            scale = np.abs(getattr(one, name)).max()
            np.testing.assert_allclose(one.to_grid(name),
                                       other.to_grid(name),
                                       atol=1e-4 * scale)

    def test_periodic_flow(self):
        fields = tessera.read(files.path("rock.fields"))
        mean = np.nansum(fields.to_grid("velocity"), axis=(0, 1))[:, 2]
        self.assertTrue(np.all(mean > 0))
        np.testing.assert_allclose(mean, mean.mean(), rtol=0.02)

    def test_means_over_a_cycle(self):
        fields = tessera.read(files.path("pulse.fields"))
        means = fields.means
        self.assertGreater(means.samples, 10)
        np.testing.assert_allclose(
            np.linalg.norm(means.velocity, axis=1).mean(), 0.05, rtol=0.3)
        # Nodes at the wall, by the geometry's own links.
        links = fields.geometry.links
        number = fields.geometry.to_grid(np.arange(fields.nodes), fill=-1)
        at_wall = np.unique(number[tuple(links.node[links.wall >= 0].T)])
        np.testing.assert_array_equal(np.sort(means.wall_node), at_wall)
        lengths = np.linalg.norm(means.wall_traction, axis=1)
        self.assertTrue(np.all(lengths <= means.wall_shear * (1 + 1e-5)))
        normal = np.zeros((*fields.geometry.shape, 3))
        boundary = fields.geometry.boundary
        normal[tuple(boundary.node.T)] = boundary.normal
        across = np.sum(means.wall_traction * normal[tuple(
            fields.node_index[means.wall_node].T)], axis=1)
        self.assertLess(np.abs(across).max(), 1e-3 * lengths.max())
        self.assertIsNone(tessera.read(files.path("blob.fields")).means)


class Tiles(unittest.TestCase):
    def test_tiles_are_checked_by_their_hash(self):
        with self.assertRaisesRegex(tessera.FileError, "hashes differ"):
            tessera.read(files.path("tube.0001.fields"),
                         tiles=files.path("rows.tiles")).positions

    def test_fields_elsewhere_need_their_tiles(self):
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        shutil.copy(files.path("blob.fields"), folder)
        fields = tessera.read(folder / "blob.fields")
        self.assertEqual(fields.pressure.shape, (fields.nodes,))
        with self.assertRaisesRegex(tessera.FileError, "tiles=..."):
            fields.velocity
        tiles = tessera.read(files.path("blob.tiles"))
        fields = tessera.read(folder / "blob.fields", tiles=tiles)
        self.assertIs(fields.geometry, tiles)
        self.assertEqual(fields.velocity.shape, (fields.nodes, 3))

    def test_vtk_of_fields(self):
        try:
            from vtkmodules.util.numpy_support import vtk_to_numpy
        except ImportError:
            self.skipTest("python3-vtk9 is not installed")
        for name in DRIVEN:
            fields = tessera.read(files.path(name))
            data = fields.to_vtk().GetCellData()
            np.testing.assert_array_equal(
                vtk_to_numpy(data.GetArray("velocity")), fields.velocity)


if __name__ == "__main__":
    unittest.main()
