# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder of results that tessera-postprocess writes."""
from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any, Iterator, Mapping, Optional

from .container import described_by, open_file, parse_json
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


class Tables(Mapping[str, Table]):
    """The CSV files of a folder by name without ending, read when they are
    first asked for."""

    def __init__(self, folder: Path) -> None:
        self._files = {path.stem: path for path
                       in sorted(folder.glob("*.csv"))}
        self._read: dict[str, Table] = {}

    def __getitem__(self, name: str) -> Table:
        if name not in self._read:
            self._read[name] = read_csv(self._files[name])
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __repr__(self) -> str:
        return f"<Tables {', '.join(self)}>"


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
        self._tables = Tables(Path(path))

    def __getitem__(self, key: str) -> Any:
        return self.summary[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.summary)

    def __len__(self) -> int:
        return len(self.summary)

    @property
    def tables(self) -> "Tables":
        """The CSV files of the folder, by name without ending."""
        return self._tables

    @property
    def monitor(self) -> Table:
        """monitor.csv: the course of the run."""
        return self.tables["monitor"]

    @property
    def report(self) -> Path:
        """The page to look at."""
        return Path(self.path, "report.html")

    @cached_property
    def fields(self) -> Fields:
        """The fields that the results are of, from the folder that this one
        is in; FileError if they are not there or are others."""
        if self._fields is not None:
            return self._fields
        with described_by(self.path, "summary.json"):
            made_from = self.summary["provenance"]["inputs"][0]
            name, digest = (os.path.basename(str(made_from["name"])),
                            str(made_from["hash"]))
        fields = Fields(Path(self.path).resolve().parent / name)
        if fields.hash != digest:
            raise FileError(f"{self.path} is of other fields than "
                            f"{fields.path}: the hashes differ")
        return fields

    def __repr__(self) -> str:
        return f"<Results {self.path}: {', '.join(self.summary)}>"
