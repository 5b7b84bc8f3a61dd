# SPDX-License-Identifier: GPL-3.0-or-later
"""geom.vdb: Tessera's sections behind the OpenVDB part (manual:
formats/vdb.md)."""
from __future__ import annotations

import os
import struct

import numpy as np

from . import xxh3
from .container import Container, described_by, open_file, require
from .errors import DamagedFile, FileError
from .geometry import Geometry, require_inside

_TRAILER = struct.Struct("<8sQQQ16s")
_BLOCK = 64, 32, 8  # nodes of a block
_AT_ONCE = 2048  # blocks: 16 MiB


class Lattice(Geometry):
    """The geometry that tessera-preprocess writes; nodes in row-major
    order, x fastest."""

    _longest = 8192

    def __init__(self, path: str | os.PathLike[str],
                 verify: bool = True) -> None:
        vdb_bytes, digest = _read_trailer(os.fspath(path))
        container = Container(path, "lattice", 2, vdb_bytes, _TRAILER.size,
                              verify)
        if container.major < 2:
            container.close()
            raise FileError(f"{os.fspath(path)} is of version 0.1 of Tessera,"
                            " whose nodes stand in the OpenVDB part; make it "
                            "anew with tessera-preprocess")
        super().__init__(container)
        self.hash = digest.hex()

    def verify(self) -> None:
        """Reads and checks every byte, the OpenVDB part included; raises
        DamagedFile."""
        with open_file(self.path) as file:
            data = np.fromfile(file, np.uint8)
        if xxh3.digest(data[:-16]).hex() != self.hash:
            raise DamagedFile(f"{self.path} was altered: its bytes do not "
                              "match the hash in its trailer")
        super().verify()

    def _read_nodes(self) -> tuple[np.ndarray, np.ndarray]:
        block = self._container.array("nodeBlock", "u8")
        planes = min(self.shape[2], _BLOCK[2])
        words = _BLOCK[1] * planes  # of 64 nodes, for each of the two bits
        bits = self._container.array("nodeTypes", "u8",
                                     2 * words * len(block))
        grid = [-(-n // size) for n, size in zip(self.shape, _BLOCK)]
        require(len(block) == 0
                or (int(block[-1]) < grid[0] * grid[1] * grid[2]
                    and bool(np.all(block[1:] > block[:-1]))),
                self.path, "the blocks of nodeBlock are out of order")
        corner = np.stack([block % grid[0] * _BLOCK[0],
                           block // grid[0] % grid[1] * _BLOCK[1],
                           block // (grid[0] * grid[1]) * _BLOCK[2]],
                          axis=1).astype(np.int32)
        parts = [self._nodes_of(corner[k:k + _AT_ONCE],
                                bits[2 * words * k:
                                     2 * words * (k + _AT_ONCE)], planes)
                 for k in range(0, len(block), _AT_ONCE)]
        if not parts:
            return np.empty((0, 3), np.int32), np.empty(0, np.uint8)
        index = np.concatenate([part[0] for part in parts])
        types = np.concatenate([part[1] for part in parts])
        require_inside(index, self.shape, self.path)
        order = np.argsort(self._linear(index), kind="stable")
        return index[order], types[order]

    @staticmethod
    def _nodes_of(corner: np.ndarray, bits: np.ndarray, planes: int
                  ) -> tuple[np.ndarray, np.ndarray]:
        bytes_ = np.ascontiguousarray(bits, "<u8").view(np.uint8)
        each = np.unpackbits(bytes_, bitorder="little").reshape(
            len(corner), 2, planes, _BLOCK[1], _BLOCK[0])
        types = each[:, 0] | each[:, 1] << 1
        b, z, y, x = np.nonzero(types)
        index = corner[b]
        for axis, at in enumerate((x, y, z)):
            index[:, axis] += at.astype(np.int32)
        return index, types[b, z, y, x]

    def _linear(self, index: np.ndarray) -> np.ndarray:
        nx, ny, _ = self.shape
        at = index.astype(np.int64)
        return at[:, 0] + nx * (at[:, 1] + ny * at[:, 2])

    def _read_boundary(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        with described_by(self.path, "section meta"):
            count = int(self.meta["boundary_nodes"])
        node = self._container.array("boundaryNode", "u8", count)
        mask = self._container.array("boundaryMask", "u4", count)
        normal = self._container.array("boundaryNormal", "u4", count)
        nx, ny, nz = self.shape
        require(count == 0 or (int(node[-1]) < nx * ny * nz
                               and bool(np.all(node[1:] > node[:-1]))),
                self.path, "section boundaryNode is out of order")
        at = np.stack([node % nx, node // nx % ny, node // (nx * ny)], axis=1)
        return at.astype(np.int32), mask, normal


def _read_trailer(path: str) -> tuple[int, bytes]:
    """Bytes of the OpenVDB part, and the hash of the whole file."""
    with open_file(path) as file:
        magic = file.read(4)
        size = file.seek(0, os.SEEK_END)
        if magic != b" BDV":
            raise FileError(f"{path} is not an OpenVDB file")
        if size < _TRAILER.size:
            raise DamagedFile(f"{path} is truncated to {size} bytes")
        file.seek(size - _TRAILER.size)
        trailer = _TRAILER.unpack(file.read(_TRAILER.size))
    if trailer[0] != b"TESSVDB\n":
        raise DamagedFile(f"{path} ends without Tessera's trailer: it is "
                          "truncated or was written by another program")
    if trailer[2] != size:
        raise DamagedFile(f"{path} has {size} bytes; its trailer says "
                          f"{trailer[2]}")
    if trailer[3] != 0 or trailer[1] > size - _TRAILER.size:
        raise DamagedFile(f"{path} has a damaged trailer")
    return trailer[1], trailer[4]
