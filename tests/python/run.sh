#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs a module of this folder, or "unittest CASE", with the package of the source; exit 77: skipped, because
# Python or NumPy is not installed, or the case skipped itself.
# Usage: tests/python/run.sh PYTHON MODULE [CASE]
set -u
python=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
if ! "$python" -c 'import sys, numpy; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
  echo "skipped: $python with NumPy (python3-numpy) is required"
  exit 77
fi
cd "$here" || exit 1
export PYTHONPATH="$here/../../pipelines/python${PYTHONPATH:+:$PYTHONPATH}" PYTHONDONTWRITEBYTECODE=1
if [ "$1" != unittest ]; then
  exec "$python" -W ignore -m "$@"
fi
shift
said=$("$python" -W ignore::UserWarning -m unittest -v "$@" 2>&1)
status=$?
printf '%s\n' "$said"
[ "$status" = 0 ] || exit "$status"
case $said in
  *"OK (skipped="*) exit 77 ;;
esac
