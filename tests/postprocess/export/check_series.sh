#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A series of postprocess is read by VTK 9.2 or newer. Usage: check_series.sh FOLDER_OF_PROGRAMS
# TESSERA_VTK_PYTHON (environment): Python with such a VTK; default pvpython, else python3
set -eu
programs=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=${TESSERA_VTK_PYTHON:-$(command -v pvpython || echo /usr/bin/python3)}
$python "$here/read_series.py" "$work" > "$work/said" 2>&1 || [ $? -ne 77 ] || { cat "$work/said"; exit 77; }
cd "$work"
cat > run.toml << 'END'
[fluid]
density = 1000
viscosity = "4e-3 Pa.s"
[output]
fields_every = "20 steps"
[stop]
steps = 60
[[opening]]
id = 1
kind = "velocity"
mean = "5 cm/s"
[[opening]]
id = 2
kind = "pressure"
value = 0
END
{
  "$programs/tessera-sample" tube --quiet --diameter "2 mm" --length "6 mm" -o tube.stl
  "$programs/tessera-preprocess" tube.stl --quiet --unit mm --across 8 -o tube.vdb
  "$programs/tessera-tiler" tube.vdb --quiet -o tube.tiles
  "$programs/tessera-solver" tube.tiles --case run.toml --backend cpu --quiet -o run.fields
  "$programs/tessera-postprocess" run.0*.fields --no-pictures --quiet --export vtkhdf,vtu -o out
} > log 2>&1 || { cat log; exit 1; }
$python "$here/read_series.py" out
