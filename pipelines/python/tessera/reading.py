# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading any file of a run."""
from __future__ import annotations

import os

from .checkpoint_file import Checkpoint
from .container import open_file
from .errors import FileError
from .fields_file import Fields
from .lattice_file import Lattice
from .results import Results
from .table import Table, read_csv
from .tiles_file import Tiles

AnyFile = Lattice | Tiles | Fields | Checkpoint | Results | Table


def read(path: str | os.PathLike[str],
         tiles: str | os.PathLike[str] | Tiles | None = None,
         verify: bool = True) -> AnyFile:
    """Reads a file of a run, whatever its name.

    A .vdb is a Lattice, .tiles are Tiles, .fields are Fields, a .ckpt is a
    Checkpoint, a folder of results Results, a CSV table (such as
    run.monitor.csv) a Table. tiles: the .tiles file of fields, where it is
    not in their folder. verify: compare what is read with its checksums
    (XXH3-128; faster with the module xxhash).

    Raises FileError for a file that is missing, of another kind or newer,
    DamagedFile for one that is truncated or was altered.
    """
    if os.path.isdir(path):
        return Results(path)
    with open_file(path) as file:
        head = file.read(16)
    if head[:4] == b" BDV":
        return Lattice(path, verify)
    if head[:8] == b"TESSERA\n":
        kind = head[8:].rstrip(b"\0")
        if kind == b"tiles":
            return Tiles(path, verify)
        if kind == b"fields":
            return Fields(path, tiles, verify)
        if kind == b"ckpt":
            return Checkpoint(path, verify)
        raise FileError(f"{os.fspath(path)} is of the unknown kind "
                        f'"{kind.decode("ascii", "replace")}"')
    if os.fspath(path).lower().endswith(".csv"):
        return read_csv(path)
    raise FileError(f"{os.fspath(path)} is no file of Tessera: .vdb, .tiles, "
                    ".fields, .ckpt, .csv or a folder of results is required")
