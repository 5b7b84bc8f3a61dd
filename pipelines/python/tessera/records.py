# SPDX-License-Identifier: GPL-3.0-or-later
"""Openings, throats, links and surface of a geometry."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import optional
from .frame import DIRECTIONS, Frame

SOLID, FLUID, WALL, OPENING = 0, 1, 2, 3  # node types
OPENING_BIT = 0x8000  # of a patch: the other bits are an opening's id


@dataclass(frozen=True, eq=False)
class Opening:
    """An opening of the geometry; world axes.

    id: from 1. name. centre: (3,), m. normal: (3,), unit, out of the fluid.
    area: m2; in 2D width times one spacing. radius: m, of the circle of
    equal area. part: of the fluid, from 1; openings of one are connected.
    """

    id: int
    name: str
    centre: np.ndarray
    normal: np.ndarray
    area: float
    radius: float
    part: int


@dataclass(frozen=True, eq=False)
class Throat:
    """The narrowest section between some openings and all others.

    openings: ids. centre: (3,), m. normal: (3,), unit, towards these
    openings. area: m2, of all passages. passages: sections in parallel.
    """

    openings: list[int]
    centre: np.ndarray
    normal: np.ndarray
    area: float
    passages: int


@dataclass(frozen=True, eq=False)
class BoundaryNodes:
    """The b nodes with at least one link that leaves the fluid.

    node: i4 (b, 3), lattice position. mask: u4 (b,), bit n: the link in
    direction n leaves the fluid. normal: (b, 3), unit, out of the fluid,
    world axes, of the wall next to the node.
    """

    node: np.ndarray
    mask: np.ndarray
    normal: np.ndarray


@dataclass(frozen=True, eq=False)
class Links:
    """The n links from a node of the fluid across a wall or an opening, in
    the order of the boundary nodes, then of the directions.

    boundary: i8 (n,), index into BoundaryNodes. direction: i1 (n,), 0..26,
    an index into tessera.DIRECTIONS. distance: (n,), from the node to the
    wall in parts of the link, in (0, 1]. patch: u2 (n,), label of the wall,
    or 0x8000 | id of the opening.
    """

    boundary: np.ndarray
    direction: np.ndarray
    distance: np.ndarray
    patch: np.ndarray
    nodes: BoundaryNodes
    frame: Frame

    @property
    def node(self) -> np.ndarray:
        """i4 (n, 3), lattice position of the node."""
        return self.nodes.node[self.boundary]

    @property
    def step(self) -> np.ndarray:
        """i1 (n, 3), from the node to its neighbour, in nodes."""
        return DIRECTIONS[self.direction]

    @property
    def opening(self) -> np.ndarray:
        """i4 (n,), id of the opening; 0: a wall."""
        patch = self.patch.astype(np.int32)
        return np.where(patch & OPENING_BIT, patch & ~OPENING_BIT, 0)

    @property
    def wall(self) -> np.ndarray:
        """i4 (n,), label of the wall; -1: an opening."""
        patch = self.patch.astype(np.int32)
        return np.where(patch & OPENING_BIT, -1, patch)

    @property
    def point(self) -> np.ndarray:
        """(n, 3), m, world: where the link meets the wall."""
        return self.frame.to_world(
            self.node + self.distance[:, None] * self.step)

    @property
    def length(self) -> np.ndarray:
        """(n,), m, from the node to the wall along the link."""
        step = self.step.astype(float)
        return (self.frame.spacing * self.distance
                * np.sqrt(np.sum(step * step, axis=1)))


@dataclass(frozen=True, eq=False)
class Surface:
    """Welded triangles with their caps, empty for images.

    vertices: (v, 3), m, world. triangles: u4 (t, 3), counter-clockwise seen
    from outside of the fluid. label: u2 (t,), as Links.patch. sheets: how
    many of the last triangles are open sheets with fluid on both sides.
    """

    vertices: np.ndarray
    triangles: np.ndarray
    label: np.ndarray
    sheets: int

    def normals(self) -> np.ndarray:
        """(t, 3), m2: out of the fluid, the area of each triangle long."""
        a, b, c = (self.vertices[self.triangles[:, k]] for k in range(3))
        return np.cross(b - a, c - a) / 2

    def to_vtk(self, length_unit: str = "m") -> Any:
        """A vtkPolyData with cell data label, its points in m, cm, mm or
        um; needs vtk."""
        from . import vtk_data
        return vtk_data.poly_data(self.vertices, self.triangles,
                                  {"label": self.label}, length_unit)

    def to_pyvista(self, length_unit: str = "m") -> Any:
        """The same as pyvista.PolyData; needs pyvista."""
        pyvista = optional.module("pyvista")
        return pyvista.wrap(self.to_vtk(length_unit))
