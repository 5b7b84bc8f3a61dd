# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables: columns by name, for NumPy and pandas."""
from __future__ import annotations

import csv
import html
import io
import os
import re
from typing import Any, Iterable, Iterator, Mapping, Sequence

import numpy as np

from . import optional
from .container import open_file
from .errors import FileError, printable


_MOST_SHOWN = 20  # rows


class Table(Mapping[str, np.ndarray]):
    """Columns of one length by name: numbers (n,) or texts (n,).

    table["flow_rate_1"] and table["flow_rate_1[m3/s]"] are the same column;
    units has its unit. pandas.DataFrame(dict(table)) works, and to_pandas().
    """

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._columns = {name: np.asarray(values)
                         for name, values in columns.items()}
        if len({len(column) for column in self._columns.values()}) > 1:
            raise ValueError("the columns of a table differ in length")
        self.units: dict[str, str] = {}
        self._short: dict[str, str] = {}
        for name in self._columns:
            match = re.fullmatch(r"(.*)\[(.*)\]", name)
            self.units[name] = match.group(2) if match else ""
            if match:
                self._short.setdefault(match.group(1), name)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._columns and name in self._short:
            name = self._short[name]
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self._columns.values()), ()))

    def records(self) -> list[dict[str, Any]]:
        """The rows, each as a dict."""
        names = list(self._columns)
        lists = (column.tolist() for column in self._columns.values())
        return [dict(zip(names, row)) for row in zip(*lists)]

    def to_pandas(self) -> Any:
        """A pandas.DataFrame; needs pandas."""
        pandas = optional.module("pandas")
        return pandas.DataFrame(dict(self._columns))

    def _shown(self) -> list[list[str]]:
        return [[_text(value) for value in column[:_MOST_SHOWN].tolist()]
                for column in self._columns.values()]

    def _repr_html_(self) -> str:
        """For notebooks."""
        heads = "".join(f"<th>{html.escape(_text(name))}</th>"
                        for name in self._columns)
        rows = "".join("<tr>" + "".join(
            f"<td>{html.escape(value)}</td>" for value in row) + "</tr>"
                       for row in zip(*self._shown()))
        more = (f"<p>... {self.rows} rows</p>" if self.rows > _MOST_SHOWN
                else "")
        return f"<table><tr>{heads}</tr>{rows}</table>{more}"

    def __repr__(self) -> str:
        shown = self._shown()
        widths = [max(map(len, [name, *column]))
                  for name, column in zip(self._columns, shown)]
        lines = ["  ".join(_text(name).rjust(width) for name, width
                           in zip(self._columns, widths))]
        lines += ["  ".join(value.rjust(width) for value, width
                            in zip(row, widths)) for row in zip(*shown)]
        if self.rows > _MOST_SHOWN:
            lines.append(f"... {self.rows} rows")
        return "\n".join(lines)


def _text(value: Any) -> str:
    return (f"{value:.6g}" if isinstance(value, float)
            else printable(str(value)).replace("\n", " "))


def _column(texts: Sequence[str]) -> np.ndarray:
    """Numbers if all are, an empty field being NaN; else texts."""
    if all(re.fullmatch(r"-?\d{1,18}", each) for each in texts):
        return np.array(texts, "i8")
    try:
        return np.array([each or "nan" for each in texts], float)
    except ValueError:
        return np.array(texts, object)


def table_of(rows: Iterable[Mapping[str, Any]]) -> Table:
    """Table of records with the same keys; vectors become columns
    NAME_x, NAME_y, NAME_z."""
    columns: dict[str, list[Any]] = {}
    for row in rows:
        for name, value in row.items():
            if isinstance(value, (list, tuple, np.ndarray)):
                match = re.fullmatch(r"(.*?)(\[.*\])?", name)
                assert match is not None
                for letter, each in zip("xyz", value):
                    columns.setdefault(f"{match.group(1)}_{letter}"
                                       f"{match.group(2) or ''}",
                                       []).append(each)
            else:
                columns.setdefault(name, []).append(value)
    return Table(columns)


def _whole_lines(text: Iterable[str]) -> Iterator[str]:
    """Lines without the last one of a table that is still being written."""
    for line in text:
        if line.endswith(("\n", "\r")):
            yield line


def read_csv(path: str | os.PathLike[str]) -> Table:
    """A CSV table with names in its first line; a last line without an end,
    of a run that still writes it, is left out."""
    with open_file(path) as file:
        text = io.TextIOWrapper(file, "utf-8", "replace", newline="")
        try:
            rows = list(csv.reader(_whole_lines(text)))
        except csv.Error as error:
            raise FileError(f"{os.fspath(path)} is not a table: "
                            f"{error}") from error
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise FileError(f"{os.fspath(path)} is not a table: its rows differ "
                        "in length from its first line")
    if len(set(rows[0])) != len(rows[0]):
        raise FileError(f"{os.fspath(path)} names a column twice")
    columns = zip(*rows[1:]) if rows[1:] else ([] for _ in rows[0])
    return Table({name: _column(list(column))
                  for name, column in zip(rows[0], columns)})
