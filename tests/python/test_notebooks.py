# SPDX-License-Identifier: GPL-3.0-or-later
"""The notebooks: their code cells, run in order without Jupyter. Cells
tagged needs-MODULE are left out where the module is not installed."""
import importlib.util
import json
import os
import shutil
import tempfile
import unittest
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parents[2] / "pipelines/python/notebooks"


def code_cells(path):
    notebook = json.loads(path.read_text("utf-8"))
    if notebook["nbformat"] != 4 or "kernelspec" not in notebook["metadata"]:
        raise AssertionError(f"{path} is no notebook of format 4")
    ids = [cell["id"] for cell in notebook["cells"]]
    if len(set(ids)) != len(ids):
        raise AssertionError(f"{path} has cells of the same id")
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        if cell["outputs"] or cell["execution_count"] is not None:
            raise AssertionError(f"{path} has outputs")
        needed = [tag[len("needs-"):] for tag in
                  cell["metadata"].get("tags", [])
                  if tag.startswith("needs-")]
        if all(importlib.util.find_spec(module) for module in needed):
            yield cell["id"], "".join(cell["source"])


class Notebooks(unittest.TestCase):
    def run_notebook(self, name):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder)
        os.environ["MPLBACKEND"] = "agg"
        os.environ["PYVISTA_OFF_SCREEN"] = "true"
        names = {"__name__": "__main__"}
        cells = list(code_cells(NOTEBOOKS / f"{name}.ipynb"))
        self.assertGreater(len(cells), 2)
        for cell, code in cells:
            exec(compile(code, f"{name}.ipynb {cell}", "exec"), names)
        return names

    def test_vessel(self):
        names = self.run_notebook("vessel")
        results = names["results"]
        if "grid" in names:  # with VTK
            fields = names["fields"]
            self.assertEqual(names["grid"].GetNumberOfCells(),
                             len(fields.pressure))
            self.assertAlmostEqual(names["grid"].GetBounds()[1],
                                   1e3 * (fields.positions[:, 0].max()
                                          + fields.frame.spacing / 2), 3)
        # Poiseuille's 32 mu mean length / diameter^2 of the straight length
        # and the bend is the order of magnitude.
        self.assertGreater(results["pressure_drop_pa"], 1)
        self.assertLess(results["pressure_drop_pa"], 100)
        self.assertAlmostEqual(results["wss_pa"]["mean"] / (
            8 * 3.5e-3 * 0.05 / 2e-3), 1, delta=0.3)

    def test_rock(self):
        names = self.run_notebook("rock")
        self.assertGreater(names["rock"].m2, 1e-13)
        self.assertLess(names["rock"].m2, 1e-10)

    def test_every_notebook_has_a_test(self):
        self.assertEqual({path.stem for path in NOTEBOOKS.glob("*.ipynb")},
                         {"vessel", "rock"})


if __name__ == "__main__":
    unittest.main()
