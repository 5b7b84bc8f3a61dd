# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the files of the tests, or runs one test; exit 77: skipped, because
NumPy or what the test needs is not installed."""
import sys
import unittest
import warnings

SKIPPED = 77


def main(what):
    try:
        if sys.version_info < (3, 10):
            raise ImportError("Python 3.10 is required")
        import numpy  # noqa: F401
    except ImportError as error:
        print(f"skipped: {error} (python3-numpy)")
        return SKIPPED
    warnings.simplefilter("ignore", UserWarning)  # of coarse geometry
    if what == "files":
        import files
        files.make_named()
        return 0
    suite = unittest.defaultTestLoader.loadTestsFromName(what)
    result = unittest.TextTestRunner(verbosity=2, warnings=None).run(suite)
    if not result.wasSuccessful() or result.testsRun == 0:
        return 1
    return SKIPPED if result.skipped else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
