# SPDX-License-Identifier: GPL-3.0-or-later
"""run.ckpt (manual: formats/ckpt.md)."""
from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Optional

import numpy as np

from .container import Container, described_by, require
from .errors import FileError
from .tessera_file import File
from .tiles_file import TILE_NODES, Tiles

# Directions of the lattices, in the order of the stored populations; each
# pair 2k - 1, 2k is opposite. D3Q19 is the first 19 of D3Q27.
_PLANE = [(1, 0, 0), (0, 1, 0), (1, 1, 0), (1, -1, 0)]
_SPACE = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, -1, 0), (1, 0, 1),
          (1, 0, -1), (0, 1, 1), (0, 1, -1), (1, 1, 1), (1, 1, -1),
          (1, -1, 1), (-1, 1, 1)]
_WEIGHTS = {"D2Q9": (4 / 9, 1 / 9, 1 / 36, 0), "D3Q19":
            (1 / 3, 1 / 18, 1 / 36, 0),
            "D3Q27": (8 / 27, 2 / 27, 1 / 54, 1 / 216)}
_MOMENTS = 10  # values of a node in a state of moments
_MIXED_WORDS = 7  # words of a node in m32/16
_HALF_SCALE = 32768


def lattice_directions(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Directions (q, 3) and weights (q,) of "D2Q9", "D3Q19" or "D3Q27"."""
    forward = _PLANE if name == "D2Q9" else _SPACE
    both = [(0, 0, 0)]
    for x, y, z in forward:
        both += [(x, y, z), (-x, -y, -z)]
    directions = np.array(both[:int(name.split("Q")[1])])
    weights = np.array(_WEIGHTS[name])[np.abs(directions).sum(axis=1)]
    return directions, weights


@dataclass(frozen=True, eq=False)
class KeptState:
    """A state that the run may go back to.

    step, refinement (steps for each of the case's own), nodes: f4
    (t, 10, 64): density deviation, velocity (3) and stress (xx yy zz xy xz
    yz) in lattice units, as of the step that follows.
    """

    step: int
    refinement: int
    nodes: np.ndarray


class Checkpoint(File):
    """The state of a run as it is stored, tile by tile.

    step; tau, time_step (s) and variant before any recovery;
    stored_variant and lattice ("D3Q19"): of the stored values; tiles_hash
    (of its .tiles).
    """

    def __init__(self, path: str | os.PathLike[str],
                 verify: bool = True) -> None:
        super().__init__(Container(path, "ckpt", 1, verify=verify))
        meta = self.meta
        with described_by(self.path, "section meta"):
            self.tiles_hash = str(meta["tiles_hash"])
            self.variant = str(meta["variant"])
            self.physics = str(meta["physics"])
            self.tau = float(meta["tau"])
            self.time_step = float(meta["time_step_s"])
            self.step = int(meta["step"])
            self.recoveries: list[dict[str, Any]] = list(
                meta.get("recoveries", []))
            stored = (self.recoveries[-1]["variant"] if self.recoveries
                      else self.variant)
            self.stored_variant = str(stored)
            self.lattice = self.stored_variant.split()[0]
            lattice_directions(self.lattice)

    @cached_property
    def state(self) -> np.ndarray:
        """(t, v, 64): the v stored values of each node, as numbers; solid
        nodes are 0. Half precision is divided by its scale, 32768; of
        mixed moments, m32/16, the ten values that their words hold."""
        section = self.sections.get("populations")
        require(section is not None, self.path, "has no populations")
        assert section is not None
        bytes_ = section.element_bytes
        if bytes_ == 2:
            raw = self._container.array("populations", "u2")
            values = raw.view("<f2").astype(np.float32) / _HALF_SCALE
        else:
            require(bytes_ in (4, 8), self.path,
                    "section populations has an unknown type")
            values = self._container.array("populations", f"f{bytes_}")
        mixed = "m32/16" in self.stored_variant.split()
        stored = _MIXED_WORDS if mixed else self.values
        require(values.size % (TILE_NODES * stored) == 0, self.path,
                "section populations is not a whole number of tiles")
        tiles = values.reshape(-1, stored, TILE_NODES)
        return _unpacked(tiles) if mixed else tiles

    @property
    def values(self) -> int:
        """Stored values of a node: q populations, or ten moments."""
        if self.has_moments:
            return _MOMENTS
        return len(lattice_directions(self.lattice)[0])

    @property
    def has_moments(self) -> bool:
        """Whether moments are stored in place of populations."""
        return "moments" in self.stored_variant.split()

    @cached_property
    def populations(self) -> np.ndarray:
        """(t, q, 64): populations after the collision, less those of the
        fluid at rest, in lattice units, directions in the order of
        tessera.lattice_directions(lattice)."""
        if not self.has_moments:
            return self.state
        c, weights = lattice_directions(self.lattice)
        density, momentum, second = _plain_moments(self.state)
        trace = second[:, :3].sum(axis=1)
        out = np.empty((len(density), len(c), TILE_NODES))
        for i, (step, weight) in enumerate(zip(c, weights)):
            x, y, z = step
            square = np.array([x * x, y * y, z * z, 2 * x * y, 2 * x * z,
                               2 * y * z])
            out[:, i] = weight * (
                density + 3 * np.tensordot(step, momentum, (0, 1))
                + 4.5 * np.tensordot(square, second, (0, 1)) - 1.5 * trace)
        return out

    def at_nodes(self, tiles: Tiles) -> np.ndarray:
        """(n, q): populations in the order of tiles.node_index; FileError
        for the tiles of another run."""
        if tiles.hash != self.tiles_hash:
            raise FileError(f"{self.path} belongs to another geometry than "
                            f"{tiles.path}: the hashes differ")
        populations = self.populations
        require(len(populations) == tiles.tile_count, self.path,
                "has another number of tiles than its geometry")
        return populations[tiles.node_tile, :, tiles.node_local]

    @property
    def monitor(self) -> np.ndarray:
        """(k,): rows of the monitor, one after the other."""
        return self._container.array("monitor", "f8")

    @property
    def outlets(self) -> np.ndarray:
        """(o, 2): of each Windkessel or resistance three times the pressure
        of its capacitor and its mean flow rate, in lattice units."""
        values = self._container.array("outlets", "f8")
        require(values.size % 2 == 0, self.path,
                "section outlets is not a whole number of outlets")
        return values.reshape(-1, 2)

    @property
    def forces(self) -> Optional[np.ndarray]:
        """(k, 2, 3): force, N, and torque, N.m, on each wall, then on each
        opening, at this step; None where there are none."""
        if "forces" not in self._container:
            return None
        values = self._container.array("forces", "f8")
        require(values.size % 6 == 0, self.path,
                "section forces is not a whole number of walls")
        return values.reshape(-1, 2, 3) if values.size else None

    @property
    def kept(self) -> list[KeptState]:
        """The states that the run may go back to, oldest first."""
        with described_by(self.path, "section meta"):
            listed = [(int(each["step"]), int(each["refinement"]))
                      for each in self.meta.get("kept", [])]
        tiles = len(self.state)
        return [KeptState(step, refinement, self._container.array(
            f"kept_{k}", "f4", tiles * 10 * TILE_NODES).reshape(
                tiles, 10, TILE_NODES))
                for k, (step, refinement) in enumerate(listed)]

    def __repr__(self) -> str:
        return f"<Checkpoint {self.path}: step {self.step}, {self.variant}>"


def _unpacked(words: np.ndarray) -> np.ndarray:
    """(t, 10, 64): the stored moments of states of m32/16, whose words
    (t, 7, 64) are P+ P- jy jz in single precision, then Axy Ayy, Axz Azz,
    Axx Ayz in halves (manual: formats/ckpt.md)."""
    bits = words.view("<u4")
    numbers = words[:, :_MIXED_WORDS - 3].astype(float)

    def half(word: int, high: bool) -> np.ndarray:
        stored = (bits[:, word] >> (16 if high else 0)).astype("<u2")
        return stored.view("<f2").astype(float) / _HALF_SCALE

    xy, yy = half(4, False), half(4, True)
    xz, zz = half(5, False), half(5, True)
    xx, yz = half(6, False), half(6, True)
    jy, jz = numbers[:, 2], numbers[:, 3]
    return np.stack([numbers[:, 0], numbers[:, 1], jy + 3 * xy, jy - 3 * xy,
                     jz + 3 * xz, jz - 3 * xz, xx, yy, zz, yz], axis=1)


def _plain_moments(state: np.ndarray
                   ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Density deviation (t, 64), momentum (t, 3, 64) and second moments
    less those of rest (t, 6, 64) of the stored moments: P+ P- Y+ Y- Z+ Z-
    Axx Ayy Azz Ayz (manual: formats/ckpt.md)."""
    m = np.moveaxis(state.astype(float), 1, 0)
    momentum = np.stack([(m[0] - m[1]) / 6, (m[2] + m[3]) / 2,
                         (m[4] + m[5]) / 2], axis=1)
    second = np.stack([m[6], m[7], m[8], (m[2] - m[3]) / 6,
                       (m[4] - m[5]) / 6, m[9]], axis=1)
    density = (m[0] + m[1]) / 2 - 3 * m[6] + 1.5 * (m[7] + m[8])
    return density, momentum, second
