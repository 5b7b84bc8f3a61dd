# SPDX-License-Identifier: GPL-3.0-or-later
"""Driving the programs: run(), its work folder, cases, errors."""
import os
import shutil
import signal
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

import files
import tessera
from tessera import programs

RUN = dict(unit="mm", across=6, fluid=files.FLUID,
           solver={"lattice": "D3Q19", "collision": "trt"},
           stop={"steps": 200, "converged": 0.01},
           output={"monitor_every": 50},
           postprocess={"no_pictures": True})


class InFolder(unittest.TestCase):
    """A test in a folder of its own."""

    def setUp(self):
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        self.folder = Path(tempfile.mkdtemp(prefix="a place "))
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copy(files.path("tube.stl"), self.folder)
        os.chdir(self.folder)


class Runs(InFolder):
    def test_a_run_gives_results_and_reuses_its_work(self):
        work = Path("tube.tessera")
        names = ["tube.vdb", "tube.tiles", "run.fields",
                 "run.out/summary.json"]

        def made(**changed):
            results = tessera.run("tube.stl", files.TUBE_OPENINGS,
                                  **{**RUN, **changed})
            return results, [(work / name).stat().st_mtime_ns
                             for name in names]

        results, first = made()
        self.assertEqual(results["run"]["steps"], results.fields.step)
        self.assertAlmostEqual(results["openings"][0]["flow_rate_m3_s"]
                               / results.fields.openings[0].flow_rate, 1)
        self.assertTrue(results.report.is_file())
        self.assertEqual(made()[1], first)
        middle = ",".join(map(str, files.LENGTH / 2 * files.AXIS))
        results, again = made(postprocess={
            "no_pictures": True, "plane": f"middle={middle};0,0,1"})
        self.assertEqual(results["planes"][0]["name"], "middle")
        self.assertEqual([a == b for a, b in zip(first, again)],
                         [True] * 3 + [False])

    def test_steps_are_made_again_when_something_changed(self):
        case = {"fluid": files.FLUID, "opening": files.TUBE_OPENINGS,
                "stop": {"steps": 20}}

        def made(across=6, mean="5 cm/s", force=False):
            case["opening"] = [{**files.TUBE_OPENINGS[0], "mean": mean},
                               files.TUBE_OPENINGS[1]]
            chain = tessera.Chain("tube.stl", force=force)
            chain.preprocess(unit="mm", across=across)
            chain.tiler()
            chain.solve(case)
            return chain.made

        every = ["preprocess", "tiler", "solve"]
        self.assertEqual(made(), every)
        self.assertEqual(made(), [])
        self.assertEqual(made(mean="4 cm/s"), every[2:])
        self.assertEqual(made(across=7, mean="4 cm/s"), every)
        # A target that was changed is made again.
        shutil.copy(files.path("rows.tiles"), "tube.tessera/tube.tiles")
        self.assertEqual(made(across=7, mean="4 cm/s"), every[1:2])
        # A surface of the same name and another content.
        tessera.sample("tube", "tube.stl", diameter="4 mm", length="7 mm")
        self.assertEqual(made(across=7, mean="4 cm/s"), every)
        self.assertEqual(made(across=7, mean="4 cm/s", force=True), every)

    def test_a_steady_run_ends_when_nothing_changes(self):
        fluid = {"fluid": {"fluid": "water"}}
        steady = {**fluid, "opening": [{"id": 1, "mean": "1 cm/s"}]}
        pulse = {**fluid, "opening": [{"id": 1, "waveform": "pulse.csv"}]}
        with mock.patch.object(tessera.chain.Chain, "preprocess"), \
                mock.patch.object(tessera.chain.Chain, "tiler"), \
                mock.patch.object(tessera.chain.Chain, "postprocess"), \
                mock.patch.object(tessera.chain.Chain, "solve") as solve:
            for case, stop in ((steady, {"converged": 1e-6}), (pulse, None),
                               ({**fluid, "time": {"cycles": 3}}, None),
                               ({**steady, "stop": {"steps": 9}},
                                {"steps": 9})):
                tessera.run("tube.stl", case=case)
                self.assertEqual(solve.call_args.args[0].get("stop"), stop)

    def test_a_waveform_that_changes_is_noticed(self):
        shutil.copy(files.path("pulse.csv"), "wave.csv")
        openings = [{"id": 1, "kind": "velocity", "waveform": "wave.csv"},
                    files.TUBE_OPENINGS[1]]
        chain = tessera.Chain("tube.stl")
        chain.preprocess(unit="mm", across=6)
        chain.tiler()
        case = {"fluid": files.FLUID, "opening": openings,
                "stop": {"steps": 20}}
        chain.solve(case)
        chain.solve(case)
        self.assertEqual(chain.made, ["preprocess", "tiler", "solve"])
        Path("wave.csv").write_text(Path("wave.csv").read_text()
                                    + "0.05,0.03\n")
        chain.solve(case)
        self.assertEqual(chain.made[3:], ["solve"])

    def test_a_case_file_and_its_preprocess_table(self):
        case = tessera.write_case("tube.toml", {
            "preprocess": {"unit": "mm", "across": 6}, "fluid": files.FLUID,
            "opening": files.TUBE_OPENINGS, "stop": {"steps": 20}})
        results = tessera.run("tube.stl", case=case, name="rest")
        self.assertEqual(results.fields.step, 20)
        self.assertTrue(Path("tube.tessera/rest.fields").is_file())
        with self.assertRaisesRegex(ValueError, "no name of a run"):
            tessera.run("tube.stl", case=case, name="../rest")
        with self.assertRaisesRegex(ValueError, "put them into the file"):
            tessera.run("tube.stl", files.TUBE_OPENINGS, case=case)
        with self.assertRaisesRegex(ValueError, 'fluid="blood"'):
            tessera.run("tube.stl", files.TUBE_OPENINGS, name="dry")
        self.assertFalse(Path("dry.tessera").exists())

    def test_names_are_taken_literally(self):
        for name in ("-o.stl", "$(touch x);'\" tube.stl", "--help.stl"):
            shutil.copy("tube.stl", "./" + name)
            lattice = tessera.preprocess(name, "./-out.vdb", unit="mm",
                                         across=6)
            self.assertEqual(lattice.provenance[0].inputs[0].name, name)
        self.assertFalse(Path("x").exists())


class Errors(InFolder):
    def test_the_sentence_and_the_exit_code(self):
        with self.assertRaises(tessera.ProgramError) as caught:
            tessera.run("tube.stl", [{"id": 1, "kind": "velocty"}], **RUN)
        error = caught.exception
        self.assertEqual((error.program, error.exit_code),
                         ("tessera-solver", 2))
        self.assertIn("velocty", error.message)  # one of two mistakes
        self.assertIn("run.toml", error.message)
        self.assertEqual(error.command[-1], "--quiet")
        with self.assertRaises(tessera.ProgramError) as caught:
            tessera.preprocess("tube.stl", "x.vdb", unit="mm", acros=6)
        self.assertEqual(caught.exception.exit_code, 2)
        self.assertIn("--across", caught.exception.message)
        with self.assertRaises(tessera.ProgramError) as caught:
            tessera.tiler("tube.stl", "x.tiles")
        self.assertEqual(caught.exception.exit_code, 3)
        self.assertFalse(Path("x.tiles").exists())
        with self.assertRaisesRegex(tessera.FileError, "cannot be opened"):
            tessera.run("none.stl", files.TUBE_OPENINGS, **RUN)
        self.assertFalse(Path("none.tessera").exists())

    def test_a_failed_step_is_not_taken_for_done(self):
        with self.assertRaises(tessera.ProgramError):
            tessera.run("tube.stl", files.TUBE_OPENINGS, **{
                **RUN, "stop": {"steps": 20, "converged": 1e-15,
                                "require_convergence": True}})
        results = tessera.run("tube.stl", files.TUBE_OPENINGS, **{
            **RUN, "stop": {"steps": 20}})
        self.assertEqual(results.fields.step, 20)

    def test_warnings_of_programs_are_warnings(self):
        with self.assertWarns(tessera.TesseraWarning) as caught:
            tessera.run("tube.stl", files.TUBE_OPENINGS, **{
                **RUN, "stop": {"steps": 20, "converged": 1e-15}})
        self.assertEqual(caught.filename, __file__)

    def test_programs_that_are_nowhere(self):
        with mock.patch.dict(os.environ, {"TESSERA_BIN": "/nowhere"}):
            with self.assertRaisesRegex(tessera.TesseraError,
                                        "set TESSERA_BIN"):
                programs.find("solver")

    def test_an_interrupted_run_can_be_resumed(self):
        """As the stop button of a notebook: SIGINT to Python alone."""
        long = dict(stop={"steps": 50000})

        def stop():
            monitor = Path("tube.tessera/run.monitor.csv")
            for _ in range(600):
                if monitor.is_file() and monitor.read_text().count("\n") > 2:
                    break
                time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=stop)
        thread.start()
        with self.assertRaises(KeyboardInterrupt):
            tessera.run("tube.stl", files.TUBE_OPENINGS, **{**RUN, **long})
        thread.join()
        checkpoint = tessera.read("tube.tessera/run.ckpt")
        self.assertGreater(checkpoint.step, 0)
        results = tessera.run("tube.stl", files.TUBE_OPENINGS, resume=True,
                              **{**RUN, "stop": {
                                  "steps": checkpoint.step + 10}})
        self.assertEqual(results.fields.step, checkpoint.step + 10)


class Media(InFolder):
    def test_permeability_of_a_cubic_array_of_spheres(self):
        """Zick & Homsy 1982: 1.9152e-2 of the square of the cell's side at
        a solid fraction of 0.216; voxels of 1/16 of it are coarse."""
        tessera.sample("lattice", "sc.raw", solid=0.216, nodes=16)
        result = tessera.permeability(
            "sc.raw", voxel="62.5 um", dims=(16, 16, 16), type="u8", pore=0,
            axis="x")
        self.assertAlmostEqual(result.m2 / 1.9152e-8, 1, delta=0.1)
        self.assertAlmostEqual(result.millidarcy,
                               result.results["permeability_md"], 3)
        self.assertAlmostEqual(result.porosity, 0.784, 1)
        # The same as an array, and along another axis.
        image = np.fromfile("sc.raw", "u1").reshape(16, 16, 16).T
        other = tessera.permeability(image == 0, voxel="62.5 um", axis="z")
        self.assertAlmostEqual(other.m2 / result.m2, 1, 3)

    def test_an_array_keeps_its_axes(self):
        image = np.zeros((6, 5, 4), np.uint8)
        image[1:5, 2, 1:4] = 7
        image[5, 2, 3] = 7
        path, options = tessera.chain._raw_image(image, Path("w"),
                                                 {"pore": 7})
        lattice = tessera.preprocess(path, "x.vdb", voxel="1 um",
                                     periodic="xyz", **options)
        np.testing.assert_array_equal(lattice.to_grid() != 0, image == 7)

    def test_what_is_no_image_is_refused(self):
        with self.assertRaisesRegex(ValueError, "bools or u1"):
            tessera.permeability(np.zeros((3, 3)), voxel="1 um")
        with self.assertRaisesRegex(ValueError, "x, y or z"):
            tessera.permeability("x.raw", axis="w")


if __name__ == "__main__":
    unittest.main()
