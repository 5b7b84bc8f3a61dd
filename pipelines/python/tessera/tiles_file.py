# SPDX-License-Identifier: GPL-3.0-or-later
"""geom.tiles (manual: formats/tiles.md)."""
from __future__ import annotations

import os
from functools import cached_property

import numpy as np

from .container import Container, described_by, require
from .geometry import Geometry, require_inside

TILE_NODES = 64


class Tiles(Geometry):
    """The geometry that tessera-tiler writes: tiles of 64 nodes.

    tile_size: (4, 4, 4), in 2D (8, 8, 1). grid: tiles along x, y, z.
    offset: solid layers before node 0. placement: "global" or "rows".
    Nodes stand tile by tile, within a tile x fastest: the order of fields.
    """

    def __init__(self, path: str | os.PathLike[str],
                 verify: bool = True) -> None:
        super().__init__(Container(path, "tiles", 2, verify=verify))
        meta = self.meta
        with described_by(self.path, "section meta"):
            self.tile_size = self._triple(meta["tile"])
            self.offset = self._triple(meta["offset"])
            self.grid = self._triple(meta["grid"])
            self.tile_count = int(meta["tiles"])
            self.slowest_axis = int(meta["slowest_axis"])
            self.placement = str(meta.get("placement", "global"))
            self._row_axes = self._triple(meta.get("row_axes", (0, 1, 2)))
            if meta["layout"] != "XYZ":
                raise ValueError(f"unknown layout {meta['layout']!r}")
        expected = (4, 4, 4) if self.dimensions == 3 else (8, 8, 1)
        require(self.tile_size == expected
                and all(0 <= o < size for o, size
                        in zip(self.offset, self.tile_size))
                and all(1 <= n <= self._longest for n in self.grid)
                and self.placement in ("global", "rows")
                and sorted(self._row_axes) == [0, 1, 2],
                self.path, "section meta has an impossible tiling")

    @cached_property
    def tile_map(self) -> np.ndarray:
        """i4 (gx, gy, gz): tile at a position of the grid, -1: none."""
        gx, gy, gz = self.grid
        tiles = self._container.array("tileMap", "i4", gx * gy * gz)
        require(bool(np.all((tiles >= -1) & (tiles < self.tile_count))),
                self.path, "section tileMap names a tile that does not exist")
        return tiles.reshape(gz, gy, gx).transpose(2, 1, 0)

    @cached_property
    def tiles(self) -> np.ndarray:
        """i4 (t, 3): position of each tile in the grid."""
        tiles = self._container.array("nonEmptyTiles", "i4", self.tile_count,
                                      (3,))
        require_inside(tiles, self.grid, self.path)
        return tiles

    @cached_property
    def tile_flags(self) -> np.ndarray:
        """u1 (t,): bit 0: 64 nodes and no link that leaves the fluid; bit
        1: a link ends on an opening."""
        return self._container.array("tileFlags", "u1", self.tile_count)

    @cached_property
    def corners(self) -> np.ndarray:
        """i4 (t, 3): lattice position of local node 0 of each tile, which
        may lie outside of the box."""
        tiles = self.tiles
        shift = np.tile(np.array(self.offset, np.int32), (len(tiles), 1))
        if self.placement == "rows":
            along, across, layers = self._row_axes
            size = self.grid[across]
            layer = self._container.array("layerOffset", "u1",
                                          self.grid[layers])
            row = self._container.array("rowOffset", "u1",
                                        self.grid[layers] * size)
            require(bool(layer.max() < 4 and row.max() < 4), self.path,
                    "a row of tiles has an offset outside of a tile")
            at = tiles[:, layers]
            shift[:, across] = layer[at]
            shift[:, along] = row[tiles[:, across] + size * at]
        return tiles * np.array(self.tile_size, np.int32) - shift

    @cached_property
    def local_index(self) -> np.ndarray:
        """i4 (64, 3): position of each local node in its tile."""
        sx, sy, _ = self.tile_size
        local = np.arange(TILE_NODES, dtype=np.int32)
        return np.stack([local % sx, local // sx % sy, local // (sx * sy)],
                        axis=1)

    @cached_property
    def tile_node_type(self) -> np.ndarray:
        """u1 (t, 64): 0 solid, 1 fluid, 2 at a wall, 3 at an opening."""
        types = self._container.array("nodeType", "u1",
                                      self.tile_count * TILE_NODES)
        require(types.size == 0 or bool(types.max() <= 3), self.path,
                "section nodeType has an unknown type")
        return types.reshape(-1, TILE_NODES)

    @cached_property
    def _places(self) -> np.ndarray:
        return np.flatnonzero(self.tile_node_type)

    @property
    def node_tile(self) -> np.ndarray:
        """i8 (n,): tile of each node of node_index."""
        return self._places // TILE_NODES

    @property
    def node_local(self) -> np.ndarray:
        """i8 (n,): local node in its tile, 0..63."""
        return self._places % TILE_NODES

    def _read_nodes(self) -> tuple[np.ndarray, np.ndarray]:
        index = (self.corners[self.node_tile]
                 + self.local_index[self.node_local])
        require_inside(index, self.shape, self.path)
        return index, self.tile_node_type.reshape(-1)[self._places]

    def _read_boundary(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        with described_by(self.path, "section meta"):
            count = int(self.meta["boundary_nodes"])
        start = self._container.array("boundaryStart", "u8",
                                      self.tile_count + 1)
        require(int(start[0]) == 0 and int(start[-1]) == count
                and bool(np.all(start[1:] >= start[:-1])), self.path,
                "section boundaryStart does not count the boundary nodes")
        local = self._container.array("boundaryLocal", "u1", count)
        require(count == 0 or bool(local.max() < TILE_NODES), self.path,
                "section boundaryLocal has an impossible node")
        mask = self._container.array("boundaryMask", "u4", count)
        normal = self._container.array("boundaryNormal", "u4", count)
        tile = np.repeat(np.arange(self.tile_count),
                         np.diff(start.astype(np.int64)))
        index = self.corners[tile] + self.local_index[local]
        require_inside(index, self.shape, self.path)
        return index, mask, normal
