# SPDX-License-Identifier: GPL-3.0-or-later
"""What .vdb and .tiles have in common: nodes, links, surface, openings."""
from __future__ import annotations

from functools import cached_property
from typing import Any, Optional, Sequence

import numpy as np

from . import optional
from .container import Container, described_by, require
from .errors import FileError
from .frame import LINK_BITS, Frame, bits_of, normals_from_codes
from .records import (OPENING_BIT, SOLID, BoundaryNodes, Links, Opening,
                      Surface, Throat)
from .table import Table, table_of
from .tessera_file import File

_LARGEST_GRID = 1 << 33  # bytes of a dense array, unless asked for


class Geometry(File):
    """Nodes, links, surface and openings of a .vdb or a .tiles file.

    dimensions: 2 or 3. frame. shape: (nx, ny, nz) nodes. periodic: three
    bools. openings, throats: lists. walls: names by label. Arrays are read
    when they are first asked for.
    """

    _longest = 1 << 20  # nodes along an axis

    def __init__(self, container: Container) -> None:
        super().__init__(container)
        meta = self.meta
        with described_by(self.path, "section meta"):
            self.dimensions = int(meta["dimensions"])
            self.frame = Frame.of(meta)
            self.shape = self._triple(meta["nodes"])
            self.periodic = tuple(bool(p) for p in meta["periodic"])
            self.walls = [str(name) for name in meta["walls"]]
            self.openings = [
                Opening(int(each["id"]), str(each["name"]),
                        np.array(each["centre_m"], float),
                        np.array(each["normal"], float),
                        float(each["area_m2"]), float(each["radius_m"]),
                        int(each.get("part", 1)))
                for each in meta["openings"]]
            self.throats = [
                Throat([int(k) for k in each["openings"]],
                       np.array(each["centre_m"], float),
                       np.array(each["normal"], float),
                       float(each["area_m2"]), int(each.get("passages", 1)))
                for each in meta.get("throats", [])]
            self.fluid_nodes = int(meta["fluid_nodes"])
            self.cut_links = int(meta.get("cut_links", 0))
        require(self.dimensions in (2, 3) and len(self.periodic) == 3
                and all(1 <= n <= self._longest for n in self.shape),
                self.path, "section meta has an impossible size")
        require([each.id for each in self.openings]
                == list(range(1, len(self.openings) + 1)), self.path,
                "section meta has openings not numbered from 1")

    @staticmethod
    def _triple(values: Sequence[Any]) -> tuple[int, int, int]:
        x, y, z = (int(value) for value in values)
        return x, y, z

    def opening(self, key: int | str) -> Opening:
        """The opening of this id or name."""
        for each in self.openings:
            if key in (each.id, each.name):
                return each
        raise KeyError(f"{self.path} has no opening {key!r}; it has "
                       + ", ".join(f"{e.id} ({e.name})"
                                   for e in self.openings))

    # Of each file: (index i4 (n, 3), type u1 (n,)) of the nodes.
    def _read_nodes(self) -> tuple[np.ndarray, np.ndarray]:
        raise NotImplementedError

    def _read_boundary(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        raise NotImplementedError

    @cached_property
    def _nodes(self) -> tuple[np.ndarray, np.ndarray]:
        index, types = self._read_nodes()
        require(len(types) == self.fluid_nodes, self.path,
                "the number of nodes differs from meta")
        return index, types

    @property
    def node_index(self) -> np.ndarray:
        """i4 (n, 3), lattice position of every node that is not solid, in
        the order of the file; fields have the order of their .tiles."""
        return self._nodes[0]

    @property
    def node_type(self) -> np.ndarray:
        """u1 (n,): 1 fluid, 2 at a wall, 3 at an opening."""
        return self._nodes[1]

    @property
    def positions(self) -> np.ndarray:
        """(n, 3), m, world: the nodes of node_index."""
        return self.frame.to_world(self.node_index)

    @cached_property
    def boundary(self) -> BoundaryNodes:
        """The nodes next to walls and openings."""
        node, mask, normal = self._read_boundary()
        require(bool(np.all((mask != 0) & (mask & ~np.uint32(LINK_BITS)
                                           == 0))),
                self.path, "section boundaryMask has an impossible mask")
        return BoundaryNodes(node, mask, self.frame.vectors_to_world(
            normals_from_codes(normal)))

    @cached_property
    def links(self) -> Links:
        """The links that leave the fluid."""
        mask = self.boundary.mask
        at, direction = np.nonzero(bits_of(mask))
        with described_by(self.path, "section meta"):
            count = int(self.meta["links"])
        require(len(at) == count, self.path,
                "the number of links does not match their masks")
        codes = self._container.array("linkDistance", "u2", count)
        patch = self._container.array("linkPatch", "u2", count)
        self._require_patches(patch, "linkPatch")
        return Links(at, direction.astype(np.int8),
                     (codes.astype(float) + 1) / 65536, patch, self.boundary,
                     self.frame)

    @cached_property
    def surface(self) -> Surface:
        """The triangles of the input, with their labels."""
        vertices = self._container.array("surfaceVertex", "f4", item=(3,))
        triangles = self._container.array("surfaceTriangle", "u4", item=(3,))
        label = self._container.array("surfaceLabel", "u2", len(triangles))
        self._require_patches(label, "surfaceLabel")
        require(triangles.size == 0 or triangles.max() < len(vertices),
                self.path, "section surfaceTriangle names a vertex that does "
                "not exist")
        with described_by(self.path, "section meta"):
            sheets = int(self.meta.get("sheet_triangles", 0))
        require(0 <= sheets <= len(triangles), self.path,
                "section meta has more triangles of sheets than there are")
        return Surface(self.frame.to_world(vertices), triangles, label,
                       sheets)

    def _require_patches(self, patch: np.ndarray, name: str) -> None:
        ids = patch & (OPENING_BIT - 1)
        known = np.where(patch & OPENING_BIT,
                         (ids >= 1) & (ids <= len(self.openings)),
                         ids < len(self.walls))
        require(bool(known.all()), self.path, f"section {name} names a wall "
                "or opening that does not exist")

    def to_grid(self, values: Optional[np.ndarray] = None,
                region: Optional[Sequence[slice]] = None,
                fill: float = np.nan, largest: int = _LARGEST_GRID
                ) -> np.ndarray:
        """Dense array of values of the nodes, [x, y, z].

        values: (n,) or (n, m) in the order of node_index; None: node types,
        0 (solid) elsewhere. region: three slices of the lattice without a
        step; None: all. fill: value where there is no node. largest: bytes
        that the array may take. Returns (nx, ny, nz) or (nx, ny, nz, m).
        """
        if values is None:
            values, fill = self.node_type, SOLID
        values = np.asarray(values)
        if len(values) != len(self.node_index):
            raise ValueError(f"{len(values)} values for "
                             f"{len(self.node_index)} nodes")
        low, size = self._box(region)
        kind = (values.dtype if fill == fill
                or values.dtype.kind == "f" else np.dtype(float))
        full = size + values.shape[1:]
        needed = int(np.prod([int(n) for n in full], dtype=object)
                     ) * kind.itemsize
        if needed > largest:
            raise MemoryError(f"the box of {self.path} takes {needed:.3g} "
                              "bytes as a dense array; name a region, or a "
                              "larger `largest`")
        grid = np.full(full, fill, kind)
        index = self.node_index
        if region is not None:
            at: np.ndarray = index - np.array(low, np.int32)
            inside = np.all((at >= 0) & (at < np.array(size)), axis=1)
            index, values = at[inside], values[inside]
        grid[index[:, 0], index[:, 1], index[:, 2]] = values
        return grid

    def _box(self, region: Optional[Sequence[slice]]
             ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        if region is None:
            return (0, 0, 0), tuple(self.shape)
        if len(region) != 3 or any(each.step not in (None, 1)
                                   for each in region):
            raise ValueError("a region is three slices without a step")
        ends = [each.indices(n) for each, n in zip(region, self.shape)]
        return (tuple(end[0] for end in ends),
                tuple(max(0, end[1] - end[0]) for end in ends))

    @property
    def tables(self) -> dict[str, Table]:
        """"openings" and "throats" as tables, SI."""
        return {"openings": table_of(
            {"id": each.id, "name": each.name, "centre[m]": each.centre,
             "normal": each.normal, "area[m2]": each.area,
             "radius[m]": each.radius, "part": each.part}
            for each in self.openings),
                "throats": table_of(
            {"openings": " ".join(map(str, each.openings)),
             "centre[m]": each.centre, "normal": each.normal,
             "area[m2]": each.area, "passages": each.passages}
            for each in self.throats)}

    def to_vtk(self, length_unit: str = "m") -> Any:
        """A vtkUnstructuredGrid with a cell around each node, its points
        in m, cm, mm or um, and cell data node_type; needs vtk. Cells share
        their points, also across a wall between two nodes."""
        from . import vtk_data
        return vtk_data.cells(self, {"node_type": self.node_type},
                              length_unit)

    def to_pyvista(self, length_unit: str = "m") -> Any:
        """The same as pyvista.UnstructuredGrid; needs pyvista."""
        pyvista = optional.module("pyvista")
        return pyvista.wrap(self.to_vtk(length_unit))

    def __repr__(self) -> str:
        x, y, z = self.shape
        return (f"<{type(self).__name__} {self.path}: {self.fluid_nodes} "
                f"nodes in {x} x {y} x {z}, spacing {self.frame.spacing:.4g} "
                f"m, {len(self.openings)} openings>")


def require_inside(index: np.ndarray, shape: Sequence[int], path: str
                   ) -> None:
    """Raises FileError unless positions (n, 3) lie in the lattice."""
    if index.size and (index.min() < 0
                       or np.any(index.max(axis=0) >= np.array(shape))):
        raise FileError(f"{path}: a node lies outside of the lattice")
