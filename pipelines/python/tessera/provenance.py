# SPDX-License-Identifier: GPL-3.0-or-later
"""How a file was made."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterator

from .container import described_by
from .errors import printable

_MOST_STEPS = 64


@dataclass(frozen=True)
class Input:
    """An input by base name, with the hash of its content."""

    name: str
    hash: str


@dataclass(frozen=True)
class Step:
    """One program: its options that change the content, and its inputs."""

    program: str
    version: str
    git: str
    build: str
    options: dict[str, str] = field(default_factory=dict)
    inputs: list[Input] = field(default_factory=list)


@dataclass(frozen=True)
class Provenance:
    """The steps that made a file, the last one first."""

    steps: list[Step]

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, k: int) -> Step:
        return self.steps[k]

    @staticmethod
    def of(json: Any, path: str) -> "Provenance":
        """From the section provenance; version 0.1 nested the history."""
        with described_by(path, "section provenance"):
            steps = []
            level = json
            while True:
                steps.append(_step(level))
                past = level.get("history", [])
                if not isinstance(past, dict):
                    break
                level = past
                if len(steps) > _MOST_STEPS:
                    raise ValueError("too many steps")
            if len(past) > _MOST_STEPS:
                raise ValueError("too many steps")
            return Provenance(steps + [_step(each) for each in past])

    def __repr__(self) -> str:
        lines = []
        for step in self.steps:
            lines.append(f"{step.program} {step.version} ({step.git}, "
                         f"{step.build})")
            lines += [f"    {name} = {value}"
                      for name, value in step.options.items()]
            lines += [f"    from {each.name} {each.hash}"
                      for each in step.inputs]
        return printable("\n".join(lines))


def _step(json: Any) -> Step:
    return Step(str(json["program"]), str(json["version"]), str(json["git"]),
                str(json["build"]),
                {str(name): str(value)
                 for name, value in json["options"].items()},
                [Input(str(each["name"]), str(each["hash"]))
                 for each in json["inputs"]])
