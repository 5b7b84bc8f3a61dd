# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder of results that tessera-postprocess writes."""
from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any, Iterator, Mapping, Optional

from .container import open_file, parse_json
from .errors import FileError
from .fields_file import Fields
from .table import Table, read_csv

_LARGEST_JSON = 1 << 28  # bytes


def read_json(path: str | os.PathLike[str]) -> Any:
    """A JSON file of a program, at most 256 MiB."""
    with open_file(path) as file:
        text = file.read(_LARGEST_JSON + 1)
    if len(text) > _LARGEST_JSON:
        raise FileError(f"{os.fspath(path)} is larger than 256 MiB")
    return parse_json(text, os.fspath(path))


class Results(Mapping[str, Any]):
    """Results of a run: the keys of summary.json, and the tables.

    results["pressure_drop_pa"]; tables["openings"]: a Table of each CSV
    file, by its name without ending. path: the folder.
    """

    kind = "results"

    def __init__(self, path: str | os.PathLike[str],
                 fields: Optional[Fields] = None) -> None:
        self.path = os.fspath(path)
        self._fields = fields
        summary = Path(path, "summary.json")
        if not summary.is_file():
            raise FileError(f"{self.path} is not a folder of results: it has "
                            "no summary.json")
        self.summary = read_json(summary)
        if not isinstance(self.summary, dict):
            raise FileError(f"{summary} is no object of JSON")

    def __getitem__(self, key: str) -> Any:
        return self.summary[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.summary)

    def __len__(self) -> int:
        return len(self.summary)

    @cached_property
    def tables(self) -> dict[str, Table]:
        """The CSV files of the folder, by name without ending."""
        return {path.stem: read_csv(path)
                for path in sorted(Path(self.path).glob("*.csv"))}

    @property
    def monitor(self) -> Table:
        """monitor.csv: the course of the run."""
        return self.tables["monitor"]

    @property
    def report(self) -> Path:
        """The page to look at."""
        return Path(self.path, "report.html")

    @property
    def fields(self) -> Fields:
        """The fields that the results are of, where run() made them."""
        if self._fields is None:
            raise FileError(f"{self.path} does not say where its fields are;"
                            " read them by name")
        return self._fields

    def __repr__(self) -> str:
        return f"<Results {self.path}: {', '.join(self.summary)}>"
