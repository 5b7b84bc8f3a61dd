# SPDX-License-Identifier: GPL-3.0-or-later
"""Position of the lattice in the world, and the codes of directions and
normals (manual: formats/container.md, formats/tiles.md)."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

# Step (dx, dy, dz) of each of the 27 directions, i1 (27, 3).
DIRECTIONS = np.array([(n % 3 - 1, n // 3 % 3 - 1, n // 9 - 1)
                       for n in range(27)], np.int8)
LINK_BITS = (1 << 27) - 1 - (1 << 13)


@dataclass(frozen=True)
class Frame:
    """Node (i, j, k) lies at origin + spacing (i axes[0] + j axes[1] +
    k axes[2]), in metres.

    spacing: m. origin: (3,), m. axes: (3, 3), a unit vector in each row.
    space: "LPS", "RAS" or "" where the input does not say.
    """

    spacing: float
    origin: np.ndarray
    axes: np.ndarray
    space: str = ""

    @staticmethod
    def of(meta: dict[str, Any]) -> "Frame":
        """The frame in the section meta of a geometry."""
        spacing = float(meta["spacing_m"])
        origin = np.array(meta["origin_m"], float)
        axes = np.array(meta["axes"], float)
        if origin.shape != (3,) or axes.shape != (3, 3):
            raise ValueError("the frame is not of three dimensions")
        if not 1e-12 <= spacing <= 1e3:
            raise ValueError("the spacing is impossible")
        if not np.all(np.abs(origin) <= 1e11 * spacing):
            raise ValueError("the origin is too far away")
        if not np.all(np.abs(np.sum(axes * axes, axis=1) - 1) < 1e-6):
            raise ValueError("an axis is not a unit vector")
        return Frame(spacing, origin, axes, str(meta.get("space", "")))

    @property
    def direction(self) -> np.ndarray:
        """(3, 3), the axes as columns, as ITK, SimpleITK and VTK have it."""
        return self.axes.T

    @property
    def is_along_world(self) -> bool:
        """Whether the axes are x, y, z of the world."""
        return bool(np.array_equal(self.axes, np.eye(3)))

    def to_world(self, lattice: np.ndarray) -> np.ndarray:
        """Lattice coordinates (..., 3), in nodes, to world, m."""
        at = np.asarray(lattice, float) * self.spacing
        return self.origin + (at if self.is_along_world else at @ self.axes)

    def to_lattice(self, world: np.ndarray) -> np.ndarray:
        """World coordinates (..., 3), m, to lattice, in nodes."""
        at = (np.asarray(world, float) - self.origin) / self.spacing
        return at if self.is_along_world else at @ self.axes.T

    def vectors_to_world(self, vectors: np.ndarray) -> np.ndarray:
        """Vectors (..., 3) along the lattice's axes to the world's."""
        return vectors if self.is_along_world else vectors @ self.axes

    def tensors_to_world(self, tensors: np.ndarray) -> np.ndarray:
        """Symmetric tensors (n, 6), xx yy zz xy xz yz, likewise."""
        if self.is_along_world:
            return tensors
        full = tensors[:, [0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(-1, 3, 3)
        full = self.axes.T @ full @ self.axes
        return full.reshape(-1, 9)[:, [0, 4, 8, 1, 2, 5]]


def normals_from_codes(codes: np.ndarray) -> np.ndarray:
    """Unit normals (n, 3) of u4 (n,): octahedral encoding, 16 bits a
    component (Cigolle et al., JCGT 3(2), 2014), along the lattice's axes."""
    u = ((codes & 0xFFFF).astype(float) - 32767) / 32767
    v = ((codes >> 16).astype(float) - 32767) / 32767
    w = 1 - np.abs(u) - np.abs(v)
    below = w < 0
    sign_u, sign_v = np.where(u < 0, -1.0, 1.0), np.where(v < 0, -1.0, 1.0)
    u, v = (np.where(below, (1 - np.abs(v)) * sign_u, u),
            np.where(below, (1 - np.abs(u)) * sign_v, v))
    normals = np.stack([u, v, w], axis=-1)
    return normals / np.linalg.norm(normals, axis=-1, keepdims=True)


def bits_of(masks: np.ndarray) -> np.ndarray:
    """Bits of link masks u4 (n,) as bool (n, 27); bit 13 is never set."""
    bytes_ = np.ascontiguousarray(masks, "<u4").view(np.uint8)
    bits = np.unpackbits(bytes_.reshape(-1, 4), axis=1, bitorder="little")
    return bits[:, :27].astype(bool)
