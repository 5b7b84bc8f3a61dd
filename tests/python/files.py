# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that the programs write, for the tests: each kind of geometry and
of run, small. Made once into the folder TESSERA_PYTHON_FILES (a fixture of
ctest), or for one run of a test into a folder of its own."""
import atexit
import json
import os
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path

import numpy as np

import tessera

FLUID = {"density": 1000, "viscosity": "0.15 Pa.s"}
TUBE_OPENINGS = [
    {"id": 1, "kind": "velocity", "profile": "parabolic", "mean": "5 cm/s"},
    {"id": 2, "kind": "pressure", "value": 0}]
RADIUS, LENGTH = 2e-3, 8e-3  # m, of the tube from the origin
AXIS = np.array([1, 2, 3]) / 14 ** 0.5
STEPS = 300
MPIRUN = ["mpirun", "-np", "2", "--allow-run-as-root", "--oversubscribe",
          "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
# Rotation of the image in the world (axes as columns), its voxel and origin.
TURN = np.array([[0.8, 0.6, 0], [-0.6, 0.8, 0], [0, 0, 1]])
VOXEL, ORIGIN = 4e-4, np.array([-31.5e-3, 12.25e-3, 140.75e-3])
BLOB = np.zeros((12, 10, 9), bool)  # [x, y, z]
BLOB[2:9, 3:8, :] = True
BLOB[9, 4, 2:5] = True


def tube_case(solver, **tables):
    """A run of exactly STEPS steps that leaves fields and the checkpoint of
    the step before, and ends with 1 because it did not converge."""
    return {"fluid": FLUID, "opening": TUBE_OPENINGS,
            "solver": {"lattice": "D3Q19", "collision": "trt",
                       "velocity_scale": 0.05, "ramp": "5 ms", **solver},
            "stop": {"steps": STEPS, "converged": 1e-15,
                     "require_convergence": True},
            "output": {"monitor_every": 100,
                       "fields_every": STEPS}, **tables}


def run_to_checkpoint(tiles, case, output, **options):
    try:
        tessera.solve(tiles, case, output, **options)
    except tessera.ProgramError as error:
        assert error.exit_code == 1 and "converge" in error.message, error
        return
    raise AssertionError("the run converged")


def write_mha(path, image):
    """MetaImage of [x, y, z], turned and shifted in the world, in mm."""
    direction = " ".join(repr(float(x)) for x in TURN.T.reshape(-1))
    header = ("ObjectType = Image\nNDims = 3\nBinaryData = True\n"
              "BinaryDataByteOrderMSB = False\nCompressedData = False\n"
              f"TransformMatrix = {direction}\n"
              f"Offset = {' '.join(repr(1e3 * x) for x in ORIGIN)}\n"
              f"ElementSpacing = {' '.join([repr(1e3 * VOXEL)] * 3)}\n"
              f"DimSize = {' '.join(map(str, image.shape))}\n"
              "ElementType = MET_UCHAR\nElementDataFile = LOCAL\n")
    path.write_bytes(header.encode() + image.astype("u1").tobytes("F"))


def make_tubes(folder):
    tessera.sample("tube", folder / "tube.stl", diameter="4 mm",
                   length="8 mm", direction="1,2,3")
    tessera.preprocess(folder / "tube.stl", folder / "tube.vdb", unit="mm",
                       across=12)
    tessera.tiler(folder / "tube.vdb", folder / "tube.tiles")
    tessera.tiler(folder / "tube.vdb", folder / "rows.tiles",
                  placement="rows")
    for name, solver in (("tube", {"precision": "f32"}),
                         ("half", {"precision": "f16"}),
                         ("moments", {"precision": "f64",
                                      "collision": "regularised",
                                      "state": "moments"}),
                         ("mixed", {"precision": "m32/16",
                                    "collision": "regularised"}),
                         ("single", {"precision": "f32",
                                     "lattice": "D3Q27",
                                     "walls": "single-node"})):
        run_to_checkpoint(folder / "tube.tiles", tube_case(solver),
                          folder / f"{name}.fields")
    run_to_checkpoint(folder / "rows.tiles",
                      tube_case({"precision": "f32"}),
                      folder / "rows.fields")
    if shutil.which("mpirun"):
        run_to_checkpoint(folder / "tube.tiles",
                          tube_case({"precision": "f32"}),
                          folder / "ranks.fields", launcher=MPIRUN)
    tessera.postprocess(folder / "tube.0001.fields", folder / "tube.out",
                        export="vtu")


def make_pulse(folder):
    (folder / "pulse.csv").write_text(
        "time[s],velocity[m/s]\n0,0.04\n0.02,0.06\n0.04,0.04\n")
    case = tube_case({"precision": "f32", "velocity_scale": 0.1})
    case["opening"] = [{"id": 1, "kind": "velocity", "profile": "plug",
                        "waveform": folder / "pulse.csv", "periodic": True},
                       TUBE_OPENINGS[1]]
    case["time"] = {"cycles": 2, "cycle_converged": 0.99, "phases": 2}
    case["stop"] = {"steps": 20000}
    case["output"] = {"monitor_every": 20}
    tessera.solve(folder / "tube.tiles", case, folder / "pulse.fields")
    # The same, stopped in its second cycle, which is recorded.
    case["time"]["cycle_converged"] = 1e-9
    report = json.loads((folder / "pulse.solver.json").read_text())
    case["stop"] = {"steps": 3 * report["cycles"]["steps"] // 2,
                    "require_convergence": True}
    run_to_checkpoint(folder / "tube.tiles", case, folder / "beat.fields")


def make_images(folder):
    tessera.sample("spheres", folder / "rock.raw", size="24,24,24",
                   diameter=10, porosity=0.5)
    tessera.preprocess(folder / "rock.raw", folder / "rock.vdb",
                       dims=(24, 24, 24), type="u8", pore=0, voxel="3 um",
                       periodic="xyz")
    write_mha(folder / "blob.mha", BLOB)
    tessera.preprocess(folder / "blob.mha", folder / "blob.vdb", pore=1,
                       faces="z-,z+")
    tessera.sample("channel2d", folder / "plane.pgm", size="40,18")
    tessera.preprocess(folder / "plane.pgm", folder / "plane.vdb",
                       pore=0, voxel="0.1 mm", faces="x-,x+")
    # Sections of several chunks.
    tessera.sample("box", folder / "box.raw", size="128,120,128")
    tessera.preprocess(folder / "box.raw", folder / "box.vdb", pore=0,
                       dims=(128, 120, 128), type="u8", voxel="1 um")
    for name in ("rock", "blob", "plane", "box"):
        tessera.tiler(folder / f"{name}.vdb", folder / f"{name}.tiles")
    few = {"fluid": FLUID, "stop": {"steps": 1000}}
    tessera.solve(folder / "rock.tiles", {
        **few, "solver": {"precision": "f64",
                          "body_force": [0, 0, 1000.0]}},
                  folder / "rock.fields")
    ends = [{"id": 1, "kind": "pressure", "value": "1 Pa"},
            {"id": 2, "kind": "pressure", "value": 0}]
    tessera.solve(folder / "blob.tiles", {**few, "opening": ends},
                  folder / "blob.fields")
    tessera.solve(folder / "plane.tiles", {
        **few, "solver": {"lattice": "D2Q9", "precision": "f64"},
        "opening": ends}, folder / "plane.fields")
    run_to_checkpoint(folder / "rock.tiles", tube_case(
        {"precision": "f64", "velocity_scale": None, "ramp": None,
         "body_force": [0, 0, 1e8]}, opening=[]), folder / "force.fields")
    flat = tube_case({"lattice": "D2Q9", "precision": "f64",
                      "velocity_scale": None}, opening=ends)
    run_to_checkpoint(folder / "plane.tiles", flat, folder / "flat.fields")
    del flat["output"]["fields_every"]  # which rules out an accelerated march
    flat["stop"]["steps"] = 3 * STEPS
    run_to_checkpoint(folder / "plane.tiles", flat, folder / "march.fields")
    tessera.postprocess(folder / "blob.fields", folder / "blob.out",
                        export="vtu")


def make(folder):
    """Makes all files."""
    folder.mkdir(parents=True, exist_ok=True)
    make_tubes(folder)
    make_pulse(folder)
    make_images(folder)


@lru_cache(maxsize=None)
def folder():
    """The folder with the files."""
    named = os.environ.get("TESSERA_PYTHON_FILES")
    if named:
        return Path(named)
    own = Path(tempfile.mkdtemp(prefix="tessera-python-"))
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    make(own)
    return own


def path(name):
    return folder() / name


def make_named():
    """Makes the files of the fixture anew."""
    target = Path(os.environ["TESSERA_PYTHON_FILES"])
    shutil.rmtree(target, ignore_errors=True)
    make(target)
