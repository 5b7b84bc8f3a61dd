# SPDX-License-Identifier: GPL-3.0-or-later
"""Tessera for Python: reads its files into NumPy arrays and drives its
programs. SI units and world axes everywhere, unless said otherwise.

    import tessera
    fields = tessera.read("run.fields")
    fields.velocity          # (n, 3), m/s
    fields.positions         # (n, 3), m
    fields.to_grid("pressure")       # [x, y, z], Pa, NaN outside
    results = tessera.run("vessel.stl", unit="mm", across=30,
                          fluid="blood", openings=[...])
"""
from __future__ import annotations


from .case_file import case_text, write_case
from .chain import (Chain, Permeability, permeability, postprocess,
                    preprocess, run, sample, solve, tiler)
from .checkpoint_file import Checkpoint, KeptState, lattice_directions
from .container import Container
from .errors import (DamagedFile, FileError, ProgramError, TesseraError,
                     TesseraWarning)
from .fields_file import CycleMeans, Fields, OpeningFlow, WallForce
from .frame import DIRECTIONS, Frame
from .geometry import Geometry
from .lattice_file import Lattice
from .programs import program_version
from .provenance import Provenance
from .reading import read
from .records import (FLUID, OPENING, SOLID, WALL, BoundaryNodes, Links,
                      Opening, Surface, Throat)
from .results import Results
from .table import Table, read_csv
from .tiles_file import Tiles

__all__ = [
    "BoundaryNodes", "Chain", "Checkpoint", "Container", "CycleMeans",
    "DIRECTIONS", "DamagedFile", "FLUID", "Fields", "FileError", "Frame",
    "Geometry", "KeptState", "Lattice", "Links", "OPENING", "Opening",
    "OpeningFlow", "Permeability", "ProgramError", "Provenance", "Results",
    "SOLID", "Surface", "Table", "TesseraError", "TesseraWarning", "Throat",
    "Tiles", "WALL", "WallForce", "case_text", "lattice_directions",
    "permeability", "postprocess", "preprocess", "program_version", "read",
    "read_csv", "run", "sample", "solve", "tiler", "write_case"]
