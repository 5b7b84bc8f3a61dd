#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Accuracy of the force on a wall that ends at openings: a tube of three diameters along (1, 2, 3) at Reynolds
# number 20, behind a velocity inlet or between two pressures, against Hagen and Poiseuille, whose wall receives
# the pressure drop times the area, 2 pi R L times the wall shear stress.
#   forces.sh PROGRAMS FOLDER
# DIRECTIONS, NODES, INLETS, WALLS, PRECISION (environment) replace the defaults; WALLS=default leaves the walls to
# the program. Columns, in percent of the exact force: error of the force on the wall along the tube, by
# momentum exchange and by the stress integral; the force across the tube; the pressure drop; how far the forces on
# wall and openings are from balance; seconds.
set -euo pipefail
. "$(dirname "$0")/common.sh"
programs=$(cd "$1" && pwd)
mkdir -p "$2" && cd "$2"

# csv_vector FILE COLUMN: x, y and z of COLUMN_x[N].., a line for each row.
csv_vector() {
  awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name "_x[N]") at = i; next }
    { print $at, $(at + 1), $(at + 2) }' "$1"
}

# row DIRECTION NODES INLET WALLS
row() {
  local tiles tau mean drop start seconds
  tiles=${1//,/_}_$2.tiles
  tube_tiles "$1" "$2" "$tiles"
  # Peak velocity 0.05 in lattice units.
  tau=$(awk -v n="$2" 'BEGIN { print 0.5 + 3 * 0.025 * n / 20 }')
  mean=0.01
  drop=$(awk -v mean="$mean" 'BEGIN { printf "%.9g", 32e-3 * mean * 6e-3 / 4e-6 }')
  {
    printf '[fluid]\ndensity = 1000\nviscosity = "1e-6 m2/s"\n[solver]\ntau = %s\nprecision = "%s"\n' \
      "$tau" "${PRECISION:-f32}"
    [ "$4" = default ] || printf 'walls = "%s"\n' "$4"
    printf '[[opening]]\nid = 1\n'
    if [ "$3" = velocity ]; then printf 'kind = "velocity"\nmean = %s\n' "$mean"; else
      printf 'kind = "pressure"\nvalue = %s\n' "$drop"; fi
    printf '[[opening]]\nid = 2\nkind = "pressure"\nvalue = 0\n[stop]\nsteps = 400000\nconverged = 1e-5\n'
  } > case.toml
  start=$(date +%s.%N)
  if ! "$programs/tessera-solver" "$tiles" --case case.toml --threads "${THREADS:-1}" --quiet -o run.fields \
      --report run.json > run.log 2>&1; then
    printf '%-8s %-8s %5s %-10s %s\n' "$1" "$3" "$2" "$4" "no result: $(tail -1 run.log | cut -c1-90)"
    return
  fi
  seconds=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { print b - a }')
  rm -rf out
  "$programs/tessera-postprocess" run.fields "$tiles" --quiet -o out > post.log 2>&1
  {
    csv_vector out/forces.csv force
    csv_vector out/forces.csv stress_force
    csv_vector out/openings.csv force
  } | awk -v direction="$1" -v nodes="$2" -v inlet="$3" -v walls="$4" -v exact="$drop" -v seconds="$seconds" \
    -v found="$(number out/summary.json pressure_drop_pa)" '
    BEGIN { split(direction, d, ","); size = sqrt(d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2); force = 3.14159265358979e-6 * exact }
    { along[NR] = ($1 * d[1] + $2 * d[2] + $3 * d[3]) / size
      if (NR == 1) across = sqrt($1 ^ 2 + $2 ^ 2 + $3 ^ 2 - along[1] ^ 2)
      if (NR != 2) { x += $1; y += $2; z += $3 } }
    END {
      printf "%-8s %-8s %5d %-10s %8.2f %8.2f %8.2f %8.2f %9.1e %8.1f\n", direction, inlet, nodes, walls,
        100 * (along[1] / force - 1), 100 * (along[2] / force - 1), 100 * across / force, 100 * (found / exact - 1),
        100 * sqrt(x * x + y * y + z * z) / force, seconds
    }'
}

echo "Force on a slanted tube between its openings, Reynolds number 20 (A1)"
printf '%-8s %-8s %5s %-10s %8s %8s %8s %8s %9s %8s\n' along inlet nodes walls force stress across drop balance seconds
for walls in ${WALLS:-default}; do
  for direction in ${DIRECTIONS:-1,2,3}; do
    for inlet in ${INLETS:-velocity pressure}; do
      for nodes in ${NODES:-10 14 20 30 40}; do row "$direction" "$nodes" "$inlet" "$walls"; done
    done
  done
done
