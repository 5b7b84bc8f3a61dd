# SPDX-License-Identifier: GPL-3.0-or-later
"""The chain from a surface or an image to results, driven from Python."""
from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

import numpy as np

from . import programs
from .case_file import with_absolute_files, write_case
from .fields_file import Fields
from .lattice_file import Lattice
from .results import Results
from .tiles_file import Tiles
from .work_folder import Recipe

PathLike = str | os.PathLike[str]
Options = Mapping[str, Any]
_MILLIDARCY = 9.869233e-16  # m2
_STEADY = 1e-6  # change of the flow at which a steady run ends


def _target(output: PathLike) -> list[str]:
    return ["-o", programs.file_word(output)]


def sample(kind: str, output: PathLike, **options: Any) -> Path:
    """Sample geometry by tessera-sample KIND (its --help lists kinds and
    options); returns output."""
    programs.call("sample", [kind, *programs.words(options),
                             *_target(output)])
    return Path(output)


def preprocess(source: PathLike | Sequence[PathLike], output: PathLike, *,
               verbose: bool = False, **options: Any) -> Lattice:
    """tessera-preprocess: a surface or an image to a .vdb file.

    source: a file, or several. options: those of the program (its --help),
    such as unit="mm", across=30, dims=(110, 110, 110), open=["1", "2"].
    """
    sources = ([source] if isinstance(source, (str, os.PathLike))
               else list(source))
    programs.call("preprocess", [
        *programs.words(options), *map(programs.file_word, sources),
        *_target(output)], verbose=verbose)
    return Lattice(output)


def tiler(lattice: PathLike, output: PathLike, *, verbose: bool = False,
          **options: Any) -> Tiles:
    """tessera-tiler: a .vdb file to a .tiles file; options as in its
    --help, such as placement="rows"."""
    programs.call("tiler", [*programs.words(options),
                            programs.file_word(lattice), *_target(output)],
                  verbose=verbose)
    return Tiles(output)


def solve(tiles: PathLike, case: PathLike | Mapping[str, Any],
          output: PathLike, *, ranks: int = 1,
          launcher: Optional[Sequence[str]] = None, verbose: bool = False,
          **options: Any) -> Fields:
    """tessera-solver: a .tiles file and a case to a .fields file.

    case: a case file, or its tables as a dict, which are written next to
    the output as NAME.toml. ranks: processes by mpirun; launcher: words in
    front of the program instead, such as ("srun", "-n", "4"). options:
    those of the program, such as backend="cpu", resume=True.
    """
    if isinstance(case, Mapping):
        case = write_case(Path(output).with_suffix(".toml"),
                          with_absolute_files(case))
    programs.call("solver", [
        *programs.words(options), programs.file_word(tiles),
        "--case", programs.file_word(case), *_target(output)],
        ranks=ranks, launcher=launcher, verbose=verbose)
    return Fields(output, tiles)


def postprocess(fields: PathLike, output: PathLike, *,
                tiles: Optional[PathLike] = None, verbose: bool = False,
                **options: Any) -> Results:
    """tessera-postprocess: a .fields file to a folder of results.

    tiles: its .tiles file; None: the one in its folder. options: those of
    the program, such as plane=["neck=1 mm,2 mm,0;0,0,1"], stations=50.
    """
    inputs = [fields] if tiles is None else [fields, tiles]
    programs.call("postprocess", [
        *programs.words(options), *map(programs.file_word, inputs),
        *_target(output)], verbose=verbose)
    return Results(output, Fields(fields, tiles))


def _case_inputs(case: Path) -> list[str]:
    """The case and the files that it names."""
    text = programs.call("info", ["--inputs", programs.file_word(case)],
                         quiet=False)
    return [str(case)] + [line for line in text.split("\n")
                          if line and os.path.exists(line)]


def _stem(source: PathLike) -> str:
    name = Path(source).name
    if name.lower().endswith(".gz"):
        name = name[:-3]
    return Path(name).stem or "geometry"


class Chain:
    """The steps of a chain in a work folder, each made only when its inputs
    or options changed (as make does; a new version of the programs does not
    count).

    source: surface or image. work: folder; None: NAME.tessera here. force:
    make everything again. made: names of the steps that were run.
    """

    def __init__(self, source: PathLike | Sequence[PathLike],
                 work: Optional[PathLike] = None, *, force: bool = False,
                 verbose: bool = False, threads: Optional[int] = None
                 ) -> None:
        self.sources = ([source] if isinstance(source, (str, os.PathLike))
                        else list(source))
        stem = _stem(self.sources[0])
        self.work = Path(work if work is not None else stem + ".tessera")
        self._geometry = self.work / stem
        self._force, self._verbose, self._threads = force, verbose, threads
        self.made: list[str] = []

    def _make(self, recipe: Recipe, step: str, run: Any) -> None:
        if self._force:
            run()
            recipe.make(lambda: None)
        elif not recipe.make(run):
            return
        self.made.append(step)

    def preprocess(self, case: Optional[PathLike] = None,
                   **options: Any) -> Lattice:
        """The lattice; case: a file whose [preprocess] counts."""
        target = self._geometry.with_name(self._geometry.name + ".vdb")
        inputs = [*self.sources, *([case] if case is not None else [])]
        report = target.with_suffix(".preprocess.json")
        recipe = Recipe(target, "preprocess", options, inputs)
        self.work.mkdir(parents=True, exist_ok=True)
        self._make(
            recipe, "preprocess",
            lambda: preprocess(self.sources, target, verbose=self._verbose,
                               case=case, threads=self._threads,
                               report=report, **options))
        return Lattice(target)

    def tiler(self, **options: Any) -> Tiles:
        """The tiles of the lattice."""
        source = self._geometry.with_name(self._geometry.name + ".vdb")
        target = source.with_suffix(".tiles")
        self._make(Recipe(target, "tiler", options, [source]), "tiler",
                   lambda: tiler(source, target, verbose=self._verbose,
                                 threads=self._threads, **options))
        return Tiles(target)

    def solve(self, case: PathLike | Mapping[str, Any], name: str = "run", *,
              ranks: int = 1, launcher: Optional[Sequence[str]] = None,
              resume: bool = False, **options: Any) -> Fields:
        """The fields NAME.fields of a case."""
        tiles = self._geometry.with_name(self._geometry.name + ".tiles")
        if os.path.basename(name) != name or not name:
            raise ValueError(f"{name!r} is no name of a run: one without a "
                             "folder is required")
        target = self.work / f"{name}.fields"
        if isinstance(case, Mapping):
            case = write_case(self.work / f"{name}.toml",
                              with_absolute_files(case))
        recipe = Recipe(target, "solver", options,
                        [tiles, *_case_inputs(Path(case))])
        self._make(recipe, "solve",
                   lambda: solve(tiles, case, target, ranks=ranks,
                                 launcher=launcher, resume=resume,
                                 verbose=self._verbose,
                                 threads=self._threads,
                                 report=target.with_suffix(".solver.json"),
                                 **options))
        return Fields(target, tiles)

    def postprocess(self, name: str = "run", **options: Any) -> Results:
        """The results NAME.out of NAME.fields."""
        tiles = self._geometry.with_name(self._geometry.name + ".tiles")
        fields = self.work / f"{name}.fields"
        target = self.work / f"{name}.out"
        self._make(Recipe(target, "postprocess", options, [fields, tiles]),
                   "postprocess",
                   lambda: postprocess(fields, target, tiles=tiles,
                                       verbose=self._verbose,
                                       threads=self._threads, **options))
        return Results(target, Fields(fields, tiles))


def run(source: PathLike | Sequence[PathLike],
        openings: Sequence[Mapping[str, Any]] = (), *,
        fluid: str | Mapping[str, Any] | None = None,
        walls: Sequence[Mapping[str, Any]] = (),
        solver: Optional[Options] = None, stop: Optional[Options] = None,
        output: Optional[Options] = None,
        case: PathLike | Mapping[str, Any] | None = None,
        name: str = "run", work: Optional[PathLike] = None,
        tiler: Optional[Options] = None, solve: Optional[Options] = None,
        postprocess: Optional[Options] = None, ranks: int = 1,
        launcher: Optional[Sequence[str]] = None,
        threads: Optional[int] = None, resume: bool = False,
        force: bool = False, verbose: bool = False, **preprocess: Any
        ) -> Results:
    """From a surface or an image to results.

    openings, walls, fluid, solver, stop, output: tables of the case, as
    dicts with the keys of a case file; fluid may be a name, "blood" or
    "water". stop: None ends a steady flow when it no longer changes,
    {"converged": 1e-6}. case: further tables, or a case file instead of all
    of these.
    preprocess: options of tessera-preprocess, such as unit="mm", across=30;
    tiler, solve, postprocess: options of the other programs.
    name: of the run; several runs of one source share its geometry. work:
    folder of all files, reused when nothing changed; None: NAME.tessera in
    the current folder. ranks, launcher: as of solve(). resume: continue from
    the checkpoint of a run that was stopped. force: make everything again.
    verbose: progress on stderr.

    Returns Results, whose fields are those of the run. A program that fails
    raises ProgramError with its sentence and exit code.

    >>> tessera.run("tube.stl", unit="mm", across=24, fluid="water",
    ...             openings=[{"id": 1, "kind": "velocity",
    ...                        "profile": "parabolic", "mean": "5 cm/s"},
    ...                       {"id": 2, "kind": "pressure", "value": 0}])
    """
    tables = _tables(openings, fluid, walls, solver, stop, output)
    if case is not None and not isinstance(case, Mapping):
        if tables:
            raise ValueError("a case file was given, and also "
                             + ", ".join(tables) + "; put them into the file")
    else:
        case = {**tables, **(case or {})}
        if "fluid" not in case:
            raise ValueError('the fluid is missing; give fluid="blood", '
                             'fluid="water", or its density and viscosity, '
                             'fluid={"density": "1060 kg/m3", '
                             '"viscosity": "3.5e-3 Pa.s"}')
        if "stop" not in case and _is_steady(case):
            case["stop"] = {"converged": _STEADY}
    chain = Chain(source, work, force=force, verbose=verbose,
                  threads=threads)
    by_case = (None if isinstance(case, Mapping) or preprocess else case)
    chain.preprocess(by_case, **preprocess)
    chain.tiler(**(tiler or {}))
    chain.solve(case, name, ranks=ranks, launcher=launcher, resume=resume,
                **(solve or {}))
    return chain.postprocess(name, **(postprocess or {}))


def _is_steady(case: Mapping[str, Any]) -> bool:
    """Whether nothing in the case changes with time."""
    return "time" not in case and not any(
        "waveform" in opening for opening in case.get("opening", ()))


def _tables(openings: Sequence[Mapping[str, Any]],
            fluid: str | Mapping[str, Any] | None,
            walls: Sequence[Mapping[str, Any]], solver: Optional[Options],
            stop: Optional[Options], output: Optional[Options]
            ) -> dict[str, Any]:
    if isinstance(fluid, str):
        fluid = {"fluid": fluid}
    tables = {"fluid": fluid, "solver": solver, "opening": list(openings),
              "wall": list(walls), "stop": stop, "output": output}
    return {name: content for name, content in tables.items() if content}


@dataclass(frozen=True)
class Permeability:
    """Permeability of a medium along an axis, with the results of its run.

    m2: in m2. axis: "x", "y" or "z". porosity: fluid nodes in the box, 0..1.
    results: Results, with tortuosity and pore Reynolds number in "darcy".
    """

    m2: float
    axis: str
    porosity: float
    results: Results

    @property
    def millidarcy(self) -> float:
        """In mD."""
        return self.m2 / _MILLIDARCY

    def __repr__(self) -> str:
        return (f"<Permeability along {self.axis}: {self.m2:.4g} m2, "
                f"{self.millidarcy:.4g} mD, porosity {self.porosity:.3g}>")


def permeability(image: PathLike | np.ndarray, *, axis: str = "z",
                 voxel: Optional[str] = None, periodic: str = "xyz",
                 converged: float = 1e-5, steps: int = 100000,
                 work: Optional[PathLike] = None,
                 solver: Optional[Options] = None,
                 threads: Optional[int] = None, force: bool = False,
                 verbose: bool = False, **preprocess: Any) -> Permeability:
    """Permeability of a segmented image, by creeping flow along an axis of
    a periodic box.

    image: a file that tessera-preprocess reads, or an array [x, y, z] of
    bools (True: pore) or of u1 labels with pore=LABEL. voxel: size of a
    voxel, "3 um", where the image does not record it. preprocess: its
    options, such as pore=0, threshold=(0, 90), mirror="xyz" for an image
    whose faces do not match, dims=(110, 110, 110) and type="u8" for RAW.
    converged: largest change of the kinetic energy at which it ends. work,
    threads, force, verbose: as of run().

    The force is chosen so that the flow creeps: at a pore of ten spacings
    the Reynolds number is 1e-3.

    >>> tessera.permeability("rock.raw", voxel="3 um", pore=0,
    ...                      dims=(110, 110, 110), type="u8").millidarcy
    """
    if axis not in ("x", "y", "z"):
        raise ValueError(f"axis is {axis!r}; x, y or z is required")
    if isinstance(image, np.ndarray):
        work = Path(work if work is not None else "image.tessera")
        image, preprocess = _raw_image(image, work, preprocess)
    chain = Chain(image, work, force=force, verbose=verbose, threads=threads)
    lattice = chain.preprocess(voxel=voxel, periodic=periodic, **preprocess)
    chain.tiler()
    # Water: the permeability does not depend on the fluid.
    density, viscosity = 1000.0, 1e-3
    force_density = (1e-4 * viscosity ** 2
                     / (density * lattice.frame.spacing ** 3))
    along = [0.0, 0.0, 0.0]
    along["xyz".index(axis)] = force_density
    chain.solve({
        "fluid": {"density": density, "viscosity": viscosity},
        "solver": {"precision": "f64", "body_force": along,
                   **(solver or {})},
        "stop": {"steps": steps, "converged": converged},
        "output": {"monitor_every": 200}}, axis)
    results = chain.postprocess(axis)
    return Permeability(float(results["permeability_m2"]), axis,
                        float(results["darcy"]["porosity"]), results)


def _raw_image(image: np.ndarray, work: Path, options: dict[str, Any]
               ) -> tuple[Path, dict[str, Any]]:
    """Writes an array as a RAW image; returns it and the options."""
    if image.ndim != 3 or image.dtype not in (np.dtype(bool),
                                              np.dtype(np.uint8)):
        raise ValueError("an image is an array [x, y, z] of bools or u1; "
                         f"this one is {image.dtype} of {image.ndim} axes")
    if image.dtype == np.dtype(bool):
        options = {"pore": 1, **options}
    work.mkdir(parents=True, exist_ok=True)
    path = work / "image.raw"
    path.write_bytes(image.astype(np.uint8).tobytes(order="F"))
    return path, {**options, "dims": image.shape, "type": "u8"}
