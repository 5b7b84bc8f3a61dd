# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs of the chain: where they are, and running one."""
from __future__ import annotations

import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from types import FrameType
from typing import Any, Iterable, Mapping, Optional, Sequence

from .errors import ProgramError, TesseraError, TesseraWarning

_PACKAGE = Path(__file__).resolve().parent


def _folders() -> list[Path]:
    """Where programs are looked for: TESSERA_BIN alone if it is set; those
    installed or built with this package; the PATH."""
    named = os.environ.get("TESSERA_BIN")
    if named:
        return [Path(named)]
    installed = _PACKAGE.parents[3] / "bin"  # share/tessera/python/tessera
    built = _PACKAGE.parents[2] / "build" / "release" / "bin"
    return [installed, built] + [
        Path(each) for each in os.get_exec_path() if each]


def find(program: str) -> str:
    """Path of tessera-PROGRAM; TesseraError if it is nowhere."""
    name = "tessera-" + program
    for folder in _folders():
        found = shutil.which(name, path=str(folder))
        if found:
            return found
    raise TesseraError(
        f"{name} is neither in TESSERA_BIN nor installed or built with this "
        "package nor in the PATH; build it (make -C pipelines build) or set "
        "TESSERA_BIN to the folder of the programs")


def words(options: Mapping[str, Any]) -> list[str]:
    """Options as words of a command line.

    across=30 is --across=30; smooth=True is --smooth; False and None leave
    it out; a list repeats the option; a tuple is joined by commas. An
    underscore is a hyphen, one at the end is left out (with_=... is --with).
    """
    out: list[str] = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        for each in value if isinstance(value, list) else [value]:
            if each is True:
                out.append(flag)
            elif each is not None and each is not False:
                out.append(f"{flag}={_word(each)}")
    return out


def _word(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(_word(each) for each in value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (str, int, float)):
        return str(value)
    return str(value.item())  # a number of NumPy


def file_word(path: str | os.PathLike[str]) -> str:
    """A path that no program takes for an option."""
    text = os.fspath(path)
    return os.path.join(".", text) if text.startswith("-") else text


def call(program: str, arguments: Iterable[str], *, ranks: int = 1,
         launcher: Optional[Sequence[str]] = None, verbose: bool = False,
         quiet: bool = True) -> str:
    """Runs tessera-PROGRAM and returns what it prints on stdout.

    verbose: its progress and log go to stderr as they come; otherwise only
    warnings are issued (TesseraWarning). ranks: processes by mpirun.
    launcher: words in front of the program instead, such as ("srun", "-n",
    "4"). quiet: --quiet unless verbose, for
    programs that take it. Interrupted, it is asked to stop
    and waited for, so that a solver leaves a checkpoint. Raises
    ProgramError.
    """
    name = "tessera-" + program
    command = [find(program), *arguments]
    if launcher is None and ranks > 1:
        launcher = ["mpirun", "-np", str(ranks)]
    command = [*(launcher or ()), *command]
    if quiet and not verbose:
        command.append("--quiet")
    lines: list[str] = []
    with tempfile.TemporaryFile() as stdout:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                 stdout=stdout, stderr=subprocess.PIPE)
        assert child.stderr is not None
        with child.stderr as stderr:
            try:
                for raw in stderr:
                    line = raw.decode("utf-8", "replace").rstrip("\n")
                    lines.append(line)
                    if verbose:
                        print(line, file=sys.stderr, flush=True)
                code = child.wait()
            except BaseException:
                child.send_signal(signal.SIGTERM)
                stderr.read()
                child.wait()
                raise
        stdout.seek(0)
        text = stdout.read().decode("utf-8", "replace")
    if code != 0:
        raise ProgramError(name, code, _sentence(name, lines, code), command)
    for line in [] if verbose else _warnings(lines):
        warnings.warn(f"{name}: {line}", TesseraWarning, _caller_level())
    return text


def _caller_level() -> int:
    """Frames from warn() to the first one outside of this package."""
    level = 1
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None and Path(
            frame.f_code.co_filename).parent == _PACKAGE:
        level, frame = level + 1, frame.f_back
    return level


def _plain(line: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", line)


def _warnings(lines: Iterable[str]) -> list[str]:
    return [line[len("warning: "):] for line in map(_plain, lines)
            if line.startswith("warning: ")]


def _sentence(name: str, lines: list[str], code: int) -> str:
    """The error among the lines of stderr: the last one of the program, with
    the indented ones of a list below it."""
    plain = [_plain(line) for line in lines]
    for at, line in reversed(list(enumerate(plain))):
        if line.startswith(name + ": "):
            rest = itertools.takewhile(lambda text: text.startswith("  "),
                                       plain[at + 1:])
            return "\n".join([line[len(name) + 2:], *rest])
    if code < 0:
        try:
            return f"ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"ended by signal {-code}"
    said = [line for line in map(_plain, lines) if line.strip("- ")]
    return " ".join(said) or "no message"


def program_version(program: str = "solver") -> str:
    """First line of tessera-PROGRAM --version."""
    out: Optional[str] = subprocess.run(
        [find(program), "--version"], stdin=subprocess.DEVNULL, check=True,
        capture_output=True, text=True).stdout
    return (out or "").split("\n", 1)[0]
