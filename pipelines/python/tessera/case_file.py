# SPDX-License-Identifier: GPL-3.0-or-later
"""Case files written from dictionaries: TOML 1.0 with escaped texts."""
from __future__ import annotations

import math
import os
import re
from pathlib import Path
from typing import Any, Mapping, Sequence

import numpy as np

# Keys of a case whose value is a file, relative to the case's folder.
FILE_KEYS = "waveform", "table"


def _quoted(text: str) -> str:
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t",
               "\r": "\\r"}
    out = []
    for letter in text:
        code = ord(letter)
        if 0xD800 <= code <= 0xDFFF:
            raise ValueError(f"{text!r} has a character that is no text")
        if letter in escapes:
            out.append(escapes[letter])
        elif code < 32 or code == 127:
            out.append(f"\\u{code:04X}")
        else:
            out.append(letter)
    return '"' + "".join(out) + '"'


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)


def _value(value: Any, where: str) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        if not math.isfinite(value):
            raise ValueError(f"{where} is {value}; a finite number is "
                             "required")
        text = repr(float(value))
        return text if re.search(r"[.e]", text) else text + ".0"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(_value(each, where) for each in value) + "]"
    raise TypeError(f"{where} is a {type(value).__name__}; a text, number, "
                    "bool, list or table is required")


def _table(name: str, content: Mapping[str, Any], heading: str) -> list[str]:
    lines = ["", heading]
    for key, value in content.items():
        if value is not None:
            lines.append(f"{_key(key)} = {_value(value, f'{name}.{key}')}")
    return lines


def case_text(case: Mapping[str, Any]) -> str:
    """TOML of a case: a dict of tables, such as {"fluid": {...},
    "opening": [{...}, {...}]}. A key whose value is None is left out."""
    lines = ["# Written by tessera for Python."]
    for name, content in case.items():
        if content is None:
            continue
        if isinstance(content, Mapping):
            lines += _table(name, content, f"[{_key(name)}]")
        elif isinstance(content, Sequence) and not isinstance(content, str):
            for each in content:
                if not isinstance(each, Mapping):
                    raise TypeError(f"{name} is a list of tables; each must "
                                    "be a dict")
                lines += _table(name, each, f"[[{_key(name)}]]")
        else:
            raise TypeError(f"{name} is a {type(content).__name__}; a table "
                            "(dict) or a list of tables is required")
    return "\n".join(lines) + "\n"


def with_absolute_files(case: Mapping[str, Any]) -> dict[str, Any]:
    """The case with files named by absolute paths, from the current
    folder, so that it may be written elsewhere."""
    def one(content: Mapping[str, Any]) -> dict[str, Any]:
        return {key: str(Path(value).absolute())
                if key in FILE_KEYS and isinstance(value, (str, os.PathLike))
                else value for key, value in content.items()}

    return {name: one(content) if isinstance(content, Mapping)
            else [one(each) if isinstance(each, Mapping) else each
                  for each in content] if isinstance(content, (list, tuple))
            else content for name, content in case.items()}


def write_case(path: str | os.PathLike[str], case: Mapping[str, Any]) -> Path:
    """Writes a case file; see case_text. Returns its path."""
    path = Path(path)
    temporary = path.with_name(path.name + ".new")
    temporary.write_text(case_text(case), "utf-8")
    os.replace(temporary, path)
    return path
