# SPDX-License-Identifier: GPL-3.0-or-later
"""Checkpoints: stored values, streamed here by one step, have the density
and velocity of the fields."""
import unittest

import numpy as np

import files
import tessera


def streamed(checkpoint, tiles):
    """Moments of the populations that arrive at the nodes all of whose
    neighbours are nodes: dense density deviation (nx, ny, nz) and momentum
    (nx, ny, nz, 3), NaN elsewhere."""
    directions, weights = tessera.lattice_directions(checkpoint.lattice)
    grid = tiles.to_grid(checkpoint.at_nodes(tiles))
    density = np.zeros(tiles.shape)
    momentum = np.zeros((*tiles.shape, 3))
    for i, step in enumerate(directions):
        arrived = np.roll(grid[..., i], step, axis=(0, 1, 2))
        density += arrived
        momentum += arrived[..., None] * step
    outside = tiles.to_grid() != tessera.FLUID
    density[outside], momentum[outside] = np.nan, np.nan
    return density, momentum


class Populations(unittest.TestCase):
    def against_fields(self, name, tiles, tolerance):
        checkpoint = tessera.read(files.path(name + ".ckpt"))
        fields = tessera.read(files.path(name + ".0001.fields"),
                              tiles=files.path(tiles))
        geometry = fields.geometry
        # Fields of step k show what arrives in it.
        self.assertEqual((checkpoint.step + 1, checkpoint.time_step,
                          checkpoint.variant, checkpoint.tiles_hash),
                         (fields.step, fields.time_step, fields.variant,
                          geometry.hash))
        density, momentum = streamed(checkpoint, geometry)
        some = ~np.isnan(density)
        self.assertGreater(some.sum(), 400)
        # Stored pressure is a third of the density deviation.
        found = 3 * (fields.to_grid("pressure")
                     - fields.meta["pressure_reference_pa"]
                     ) / fields.meta["pressure_factor_pa"]
        scale = np.abs(density[some]).max()
        self.assertGreater(scale, 1e-6)
        np.testing.assert_allclose(density[some], found[some],
                                   atol=tolerance * scale)
        # Half a step of the body force belongs to the velocity (Guo et al.
        # 2002).
        force = np.array(fields.meta["body_force_n_m3"])
        half = force * fields.time_step / (2 * fields.density)
        found = ((fields.to_grid("velocity") - half)
                 / fields.meta["velocity_factor_m_s"])
        rho = 1.0 if "incompressible" in fields.variant.split() else (
            1 + density)[..., None]
        scale = np.abs(momentum[some]).max()
        np.testing.assert_allclose((momentum / rho)[some], found[some],
                                   atol=tolerance * scale)
        return half / fields.meta["velocity_factor_m_s"] / scale

    def test_single_precision(self):
        self.against_fields("tube", "tube.tiles", 2e-5)

    def test_half_precision(self):
        self.assertEqual(tessera.read(files.path("half.ckpt"))
                         .sections["populations"].element_bytes, 2)
        self.against_fields("half", "tube.tiles", 2e-2)

    def test_moments(self):
        checkpoint = tessera.read(files.path("moments.ckpt"))
        self.assertTrue(checkpoint.has_moments)
        self.assertEqual(checkpoint.state.shape[1:], (10, 64))
        self.against_fields("moments", "tube.tiles", 2e-6)

    def test_mixed_moments(self):
        checkpoint = tessera.read(files.path("mixed.ckpt"))
        self.assertTrue(checkpoint.has_moments)
        self.assertEqual(checkpoint.state.shape[1:], (10, 64))
        tiles = len(checkpoint.state)
        self.assertEqual(checkpoint.sections["populations"].count,
                         7 * 64 * tiles)
        self.against_fields("mixed", "tube.tiles", 2e-5)

    def test_other_lattices(self):
        self.assertEqual(tessera.read(files.path("single.ckpt")).lattice,
                         "D3Q27")
        self.against_fields("single", "tube.tiles", 2e-5)
        self.assertEqual(tessera.read(files.path("flat.ckpt")).lattice,
                         "D2Q9")
        self.against_fields("flat", "plane.tiles", 2e-6)

    def test_body_force_in_a_periodic_box(self):
        half = self.against_fields("force", "rock.tiles", 2e-6)
        self.assertGreater(half[2], 1e-4)  # so that its absence is noticed

    def test_shifted_tiles(self):
        self.against_fields("rows", "rows.tiles", 2e-5)

    def test_ranks_write_the_same(self):
        path = files.path("ranks.ckpt")
        if not path.exists():
            self.skipTest("mpirun is not installed")
        one, two = tessera.read(files.path("tube.ckpt")), tessera.read(path)
        np.testing.assert_array_equal(one.state, two.state)
        np.testing.assert_array_equal(one.monitor, two.monitor)
        self.against_fields("ranks", "tube.tiles", 2e-5)


class Rest(unittest.TestCase):
    def test_solid_nodes_are_zero(self):
        checkpoint = tessera.read(files.path("tube.ckpt"))
        tiles = tessera.read(files.path("tube.tiles"))
        solid = tiles.tile_node_type == tessera.SOLID
        self.assertTrue(solid.any())
        self.assertFalse(np.moveaxis(checkpoint.state, 1, 2)[solid].any())

    def test_monitor_and_forces_are_those_of_the_run(self):
        checkpoint = tessera.read(files.path("tube.ckpt"))
        fields = tessera.read(files.path("tube.0001.fields"))
        rows = checkpoint.monitor.reshape(-1, len(fields.monitor))
        for column, values in zip(fields.monitor.values(), rows.T):
            np.testing.assert_array_equal(column, values)
        forces = checkpoint.forces
        self.assertEqual(forces.shape, (1 + 2, 2, 3))
        np.testing.assert_allclose(forces[0, 0], fields.walls[0].force,
                                   rtol=0.01)

    def test_kept_states(self):
        for name in ("tube", "half"):
            checkpoint = tessera.read(files.path(name + ".ckpt"))
            self.assertEqual(len(checkpoint.kept),
                             len(checkpoint.meta.get("kept", [])))
            for kept in checkpoint.kept:
                self.assertEqual(kept.nodes.shape[1:], (10, 64))

    def test_sums_of_a_cycle(self):
        """Sums over the samples so far, of every node: their mean velocity
        is that of the waveform's second cycle so far."""
        checkpoint = tessera.read(files.path("beat.ckpt"))
        tiles = tessera.read(files.path("tube.tiles"))
        samples, _ = checkpoint.array("cycle_samples", "f8")
        sums = checkpoint.array("cycle_nodes", "f4").reshape(-1, 4, 64)
        self.assertEqual(len(sums), tiles.tile_count)
        self.assertGreater(samples, 10)
        velocity = sums[tiles.node_tile, 1:, tiles.node_local] / samples
        velocity *= tiles.frame.spacing / checkpoint.time_step
        mean = (velocity @ files.AXIS).mean()
        self.assertGreater(mean, 0.03)
        self.assertLess(mean, 0.06)
        walls = checkpoint.array("cycle_wall", "f8", (4,))
        links = tiles.links
        at_wall = np.unique(links.node[links.wall >= 0], axis=0)
        self.assertEqual(len(walls), len(at_wall))

    def test_lattices(self):
        for name, count in (("D2Q9", 9), ("D3Q19", 19), ("D3Q27", 27)):
            directions, weights = tessera.lattice_directions(name)
            self.assertEqual(directions.shape, (count, 3))
            self.assertEqual(len(np.unique(directions, axis=0)), count)
            np.testing.assert_array_equal(directions[1::2],
                                          -directions[2::2])
            self.assertAlmostEqual(weights.sum(), 1, 14)
            second = np.einsum("i,ia,ib->ab", weights, directions,
                               directions)
            dimensions = int(name[1])
            np.testing.assert_allclose(
                second, np.diag([1 / 3] * dimensions
                                + [0] * (3 - dimensions)), atol=1e-15)

    def test_tiles_of_another_geometry_are_refused(self):
        checkpoint = tessera.read(files.path("tube.ckpt"))
        with self.assertRaisesRegex(tessera.FileError, "another geometry"):
            checkpoint.at_nodes(tessera.read(files.path("rows.tiles")))


if __name__ == "__main__":
    unittest.main()
