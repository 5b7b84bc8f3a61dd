# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets that are made again only when their inputs or options change."""
from __future__ import annotations

import hashlib
import json
import os
import struct
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Optional

from .container import open_file

_TAIL = struct.Struct("<8sQ16s16s")


def fingerprint(path: str | os.PathLike[str]) -> str:
    """Text that changes with the content of a file or of a folder's files;
    for Tessera's own files the hash in their trailer."""
    path = Path(path)
    if path.is_dir():
        return " ".join(f"{each.name}:{fingerprint(each)}"
                        for each in sorted(path.iterdir())
                        if each.is_file())
    with open_file(path) as file:
        size = file.seek(0, os.SEEK_END)
        if size >= _TAIL.size:
            file.seek(size - _TAIL.size)
            magic, _, content, own = _TAIL.unpack(file.read(_TAIL.size))
            if magic == b"TESSEND\n":
                return content.hex()
            if magic == b"TESSVDB\n":
                return own.hex()
        file.seek(0)
        digest = hashlib.blake2b(digest_size=16)
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


class Recipe:
    """Program, options and inputs of a target, kept in a hidden file next
    to it, .NAME.recipe.json, as rules.mk keeps the options of a target."""

    def __init__(self, target: Path, program: str,
                 options: Mapping[str, Any],
                 inputs: Iterable[str | os.PathLike[str]]) -> None:
        self.target = target
        self._file = target.with_name(f".{target.name}.recipe.json")
        given = sorted((name, repr(value)) for name, value in options.items()
                       if value is not None and value is not False)
        self._recipe: dict[str, Any] = {
            "program": program, "options": [list(each) for each in given],
            "inputs": [[os.path.basename(path), fingerprint(path)]
                       for path in inputs]}

    def _state(self) -> Optional[str]:
        """Fingerprint of the target as it is; None: it is not there."""
        shown = (self.target / "summary.json" if self.target.suffix == ".out"
                 else self.target)
        return fingerprint(shown) if shown.is_file() else None

    def is_done(self) -> bool:
        """The target was made by this recipe and is as it was made."""
        state = self._state()
        if state is None:
            return False
        try:
            kept = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError):
            return False
        return kept == {**self._recipe, "target": state}

    def make(self, program: Callable[[], Any]) -> bool:
        """Calls program unless it is done; returns whether it did."""
        if self.is_done():
            return False
        self._file.unlink(missing_ok=True)
        program()
        temporary = self._file.with_name(self._file.name + ".new")
        temporary.write_text(json.dumps(
            {**self._recipe, "target": self._state()}, indent=1), "utf-8")
        os.replace(temporary, self._file)
        return True
