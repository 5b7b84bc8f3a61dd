#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Accuracy of the shipped programs between two pressures: a tube of three diameters at several angles,
# against Hagen and Poiseuille between the planes of its openings.
#   pressures.sh PROGRAMS FOLDER
# DIRECTIONS, NODES, TAUS, PEAK (velocity in lattice units at the axis), PRECISION, EXTRA (lines of the case's
# [solver]) replace the defaults. Columns, in percent of the exact value: flow rate, pressure drop between the
# planes, wall shear stress of the whole wall (mean, 5th and 95th percentile by area); what flows in and not
# out, seconds; below them the order of the flow rate's error, fitted over all rows of one relaxation time.
set -euo pipefail
. "$(dirname "$0")/common.sh"
programs=$(cd "$1" && pwd)
mkdir -p "$2" && cd "$2"
peak=${PEAK:-0.05}
precision=${PRECISION:-f32}

# row DIRECTION NODES TAU
row() {
  local tiles drop start seconds
  tiles=${1//,/_}_$2.tiles
  tube_tiles "$1" "$2" "$tiles"
  drop=$(awk -v n="$2" -v tau="$3" -v peak="$peak" \
    'BEGIN { printf "%.9g", 48 * 0.5 * peak * (tau - 0.5) / 3 * (2e-3 / n) * 1e-6 / ((tau - 0.5) / 3 * 2e-3 / n) ^ 2 }')
  {
    printf '[fluid]\ndensity = 1000\nviscosity = "1e-6 m2/s"\n[solver]\ntau = %s\nprecision = "%s"\n%b\n' \
      "$3" "$precision" "${EXTRA:-}"
    printf '[[opening]]\nid = 1\nkind = "pressure"\nvalue = %s\n' "$drop"
    printf '[[opening]]\nid = 2\nkind = "pressure"\nvalue = 0\n[stop]\nsteps = 400000\nconverged = 1e-5\n'
  } > case.toml
  start=$(date +%s.%N)
  if ! "$programs/tessera-solver" "$tiles" --case case.toml --threads "${THREADS:-1}" --quiet -o run.fields \
      --report run.json > run.log 2>&1; then
    printf '%-10s %5s %6s  %s\n' "$1" "$2" "$3" "no result: $(tail -1 run.log | cut -c1-90)"
    return
  fi
  seconds=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { print b - a }')
  rm -rf out
  "$programs/tessera-postprocess" run.fields "$tiles" --quiet -o out > post.log 2>&1
  awk -v direction="$1" -v nodes="$2" -v tau="$3" -v drop="$drop" -v seconds="$seconds" \
    -v found="$(number out/summary.json pressure_drop_pa)" -v mass="$(number out/summary.json mass_residual)" \
    -v flow="$(awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "flow_rate[m3/s]") at = i } NR == 2 { print $at }' out/openings.csv)" \
    -v m="$(number out/summary.json wss_pa mean)" -v lo="$(number out/summary.json wss_pa p05)" \
    -v hi="$(number out/summary.json wss_pa p95)" '
    function off(value, exact) { return 100 * (value / exact - 1) }
    BEGIN {
      if (flow < 0) flow = -flow
      exact = 3.14159265358979e-12 * drop / (8e-3 * 6e-3); shear = drop * 0.5e-3 / 6e-3
      printf "%-10s %5d %6.3f %8.3f %8.3f | %8.3f %8.3f %8.3f %9.1e %8.1f\n", direction, nodes, tau,
        off(flow, exact), off(found, drop), off(m, shear), off(lo, shear), off(hi, shear), mass, seconds
    }'
}

echo "Tube between two pressures, peak velocity $peak in lattice units (A2)"
printf '%-10s %5s %6s %8s %8s | %8s %8s %8s %9s %8s\n' direction nodes tau flow drop shear p05 p95 mass seconds
for tau in ${TAUS:-0.8}; do
  for direction in ${DIRECTIONS:-1,2,3 1,0,0 3,-1,2}; do
    for nodes in ${NODES:-8 10 14 20}; do row "$direction" "$nodes" "$tau"; done
  done | tee rows.txt
  awk '$1 != "" && $4 + 0 != 0 {
      x = log($2); y = log($4 < 0 ? -$4 : $4); n++; sx += x; sy += y; sxx += x * x; sxy += x * y }
    END { if (n > 2) printf "order of the flow rate over %d rows: %.2f\n", n, -(n * sxy - sx * sy) / (n * sxx - sx * sx) }' rows.txt
done
