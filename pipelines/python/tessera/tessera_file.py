# SPDX-License-Identifier: GPL-3.0-or-later
"""What all files of Tessera have."""
from __future__ import annotations

from functools import cached_property
from typing import Any, Sequence

import numpy as np

from .container import Container, require
from .provenance import Provenance


class File:
    """An open Tessera file.

    path, kind, version (major, minor), hash (of the content, as the next
    stage records it), meta (dict) and provenance.
    """

    def __init__(self, container: Container) -> None:
        self._container = container
        self.path = container.path
        self.kind = container.kind
        self.version = (container.major, container.minor)
        self.hash = container.hash
        self.meta: dict[str, Any] = container.json("meta")
        require(isinstance(self.meta, dict), self.path,
                "section meta is no object")

    @cached_property
    def provenance(self) -> Provenance:
        """The programs, options and inputs that made the file."""
        return Provenance.of(self._container.json("provenance"), self.path)

    @property
    def sections(self) -> dict[str, Any]:
        """The section table: name, type, sizes and place of each."""
        return dict(self._container.sections)

    def array(self, name: str, dtype: str, item: Sequence[int] = ()
              ) -> np.ndarray:
        """A section as it is stored, (count, *item): array("velocity",
        "f4", (3,)). The pages of the formats list names and types."""
        return self._container.array(name, dtype, item=item)

    def verify(self) -> None:
        """Reads and checks every byte; raises DamagedFile."""
        self._container.verify()

    def close(self) -> None:
        """Closes the file; arrays that were read stay."""
        self._container.close()

    def __enter__(self) -> "File":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
