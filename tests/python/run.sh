#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs tests/python/run.py with the package of the source; exit 77 (skipped) without Python.
# Usage: tests/python/run.sh PYTHON files|MODULE.CLASS.TEST
python=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
[ -x "$python" ] || { echo "skipped: $python is not installed"; exit 77; }
PYTHONPATH=$here/../../pipelines/python PYTHONDONTWRITEBYTECODE=1 exec "$python" "$here/run.py" "$@"
