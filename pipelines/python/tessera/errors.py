# SPDX-License-Identifier: GPL-3.0-or-later
"""Exceptions of the package; all are TesseraError."""
from __future__ import annotations

from typing import Sequence


def printable(text: str) -> str:
    """Text from a file for a terminal: control characters escaped."""
    return "".join(c if c.isprintable() or c == "\n" else
                   c.encode("unicode_escape").decode("ascii") for c in text)


class TesseraError(Exception):
    """Anything that this package reports."""

    def __init__(self, sentence: str) -> None:
        super().__init__(printable(sentence))


class FileError(TesseraError):
    """A file that is missing, of another kind, of a newer version or not
    what its own description says; one sentence with file and finding."""


class DamagedFile(FileError):
    """A Tessera file that is truncated or was altered."""


class ProgramError(TesseraError):
    """A program of the chain that failed.

    exit_code: 1 the run failed, 2 options or case, 3 an input, 4 the output,
    5 no device or memory, 75 stopped on request with a checkpoint (resume
    continues it); negative: ended by that signal.
    message: the sentence that the program printed, or of several the list.
    """

    def __init__(self, program: str, exit_code: int, message: str,
                 command: Sequence[str]) -> None:
        super().__init__(f"{program} (exit {exit_code}): {message}")
        self.program = program
        self.exit_code = exit_code
        self.message = message
        self.command = list(command)


class TesseraWarning(UserWarning):
    """A warning that a program printed."""
