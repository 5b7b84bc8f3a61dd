# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases written from dictionaries, and options of programs."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import tessera
from tessera import programs
from tessera.case_file import FILE_KEYS

try:
    import tomllib
except ImportError:
    tomllib = None

SOURCE = Path(__file__).resolve().parents[2]


@unittest.skipIf(tomllib is None, "Python 3.11 is required to read TOML")
class Cases(unittest.TestCase):
    CASE = {
        "fluid": {"density": 1060, "viscosity": "3.5e-3 Pa.s"},
        "solver": {"body_force": [0, 1.5, -2e-3], "velocity_scale": 0.05,
                   "converged": 1e-20, "big": 1e22, "whole": 3.0},
        "opening": [
            {"id": 1, "kind": "velocity",
             "name": 'a "quoted" \\ back\nslash\t\x01\x7f'},
            {"id": 2, "odd key = ]": True, "unit": "µm – Ω"}],
        "stop": {"require_convergence": False}}

    def test_toml_is_read_back(self):
        self.assertEqual(tomllib.loads(tessera.case_text(self.CASE)),
                         self.CASE)

    def test_text_cannot_become_a_key_or_a_table(self):
        text = 'x"\n[stop]\nsteps = 1\n"'
        case = {"opening": [{"name": text}]}
        self.assertEqual(tomllib.loads(tessera.case_text(case)), case)
        case = {'fluid]\nx = "1': {"a\nb": 1}}
        self.assertEqual(tomllib.loads(tessera.case_text(case)), case)

    def test_numbers_of_numpy_and_paths(self):
        case = {"a": {"i": np.int32(3), "f": np.float32(0.5),
                      "b": np.bool_(True), "v": np.array([1.0, 2.0]),
                      "table": Path("x.csv"), "none": None}}
        self.assertEqual(tomllib.loads(tessera.case_text(case)),
                         {"a": {"i": 3, "f": 0.5, "b": True,
                                "v": [1.0, 2.0], "table": "x.csv"}})

    def test_what_is_no_value_is_refused(self):
        for case, error in (({"a": {"x": float("nan")}}, ValueError),
                            ({"a": {"x": float("inf")}}, ValueError),
                            ({"a": {"x": object()}}, TypeError),
                            ({"a": {"x": "\ud800"}}, ValueError),
                            ({"a": 3}, TypeError), ({"a": [3]}, TypeError)):
            with self.assertRaises(error):
                tessera.case_text(case)

    def test_keys_of_files_are_those_of_the_programs(self):
        source = (SOURCE / "pipelines/stage/case/case_file.cpp").read_text()
        start = source.index("fileKeys{") + len("fileKeys{")
        listed = source[start:source.index("}", start)]
        self.assertEqual([word.strip(' "') for word in listed.split(",")],
                         list(FILE_KEYS))


class Options(unittest.TestCase):
    def test_words_of_options(self):
        self.assertEqual(
            programs.words({"across": 30, "smooth": True, "x": None,
                            "y": False, "open": ["1", "2,3,4"],
                            "dims": (3, 4, 5), "max_nodes": "5e8",
                            "n": np.int64(7), "list_of": [True],
                            "with_": ["y.fields"]}),
            ["--across=30", "--smooth", "--open=1", "--open=2,3,4",
             "--dims=3,4,5", "--max-nodes=5e8", "--n=7", "--list-of",
             "--with=y.fields"])

    def test_progress_goes_to_stderr(self):
        code = ("import tessera, files, sys; "
                "tessera.preprocess(files.path('tube.stl'), sys.argv[1], "
                "unit='mm', across=6, verbose=True)")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, "-c", code, folder + "/x.vdb"],
                capture_output=True, text=True, check=True,
                cwd=Path(__file__).parent)
        self.assertEqual(done.stdout, "")
        self.assertIn("surface of", done.stderr)


if __name__ == "__main__":
    unittest.main()
