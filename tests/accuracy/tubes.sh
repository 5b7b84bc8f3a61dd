#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Accuracy of the shipped programs with walls, spacings and time steps: a tube of three diameters along
# (1, 2, 3), parabolic velocity inlet, pressure outlet, against Hagen and Poiseuille.
#   tubes.sh PROGRAMS FOLDER [walls|tau]...    tables to print; default: all
# WALLS, NODES, ACROSS (of the table tau), TAUS, LATTICE, COLLISION, MAGIC, PRECISION (environment) replace the
# defaults; WALLS=default leaves the walls to the program. Columns, in percent of the exact value: pressure drop between the openings; of the wall shear
# stress a radius away from the openings mean, 5th and 95th percentile by area; the 95th percentile of its
# error, bounded by these two; the same of the whole wall; then what flows in and not out (mass), and seconds.
set -euo pipefail
. "$(dirname "$0")/common.sh"
programs=$(cd "$1" && pwd)
mkdir -p "$2" && cd "$2"
shift 2
[ $# -gt 0 ] || set -- walls tau
walls_list=${WALLS-halfway bouzidi multireflection default}
precision=${PRECISION:-f32}

# run_tube WALLS NODES TAU: peak velocity 0.05 in lattice units; the Reynolds number follows.
run_tube() {
  local walls=$1 nodes=$2 tau=$3 mean start seconds
  tube_tiles 1,2,3 "$nodes" "$nodes.tiles"
  mean=$(awk -v n="$nodes" -v tau="$tau" 'BEGIN { printf "%.9g", 0.025 * 1e-6 / ((tau - 0.5) / 3 * 2e-3 / n) }')
  {
    printf '[fluid]\ndensity = 1000\nviscosity = "1e-6 m2/s"\n[solver]\ntau = %s\nprecision = "%s"\n' \
      "$tau" "$precision"
    [ -z "${LATTICE:-}" ] || printf 'lattice = "%s"\n' "$LATTICE"
    [ -z "${COLLISION:-}" ] || printf 'collision = "%s"\n' "$COLLISION"
    [ -z "${MAGIC:-}" ] || printf 'magic = %s\n' "$MAGIC"
    [ -z "$walls" ] || [ "$walls" = default ] || printf 'walls = "%s"\n' "$walls"
    printf '[[opening]]\nid = 1\nkind = "velocity"\nmean = "%s m/s"\n' "$mean"
    printf '[[opening]]\nid = 2\nkind = "pressure"\nvalue = 0\n[stop]\nsteps = 200000\nconverged = 1e-5\n'
  } > case.toml
  start=$(date +%s.%N)
  if ! "$programs/tessera-solver" "$nodes.tiles" --case case.toml --threads "${THREADS:-1}" --quiet \
      -o run.fields --report run.json > run.log 2>&1; then
    printf '%-16s %5s %6s  %s\n' "$walls" "$nodes" "$tau" "no result: $(tail -1 run.log | cut -c1-90)"
    return
  fi
  seconds=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { print b - a }')
  "$programs/tessera-postprocess" run.fields "$nodes.tiles" --quiet -o out > post.log 2>&1
  awk -v walls="$walls" -v nodes="$nodes" -v tau="$tau" -v mean="$mean" -v seconds="$seconds" \
    -v drop="$(number out/summary.json pressure_drop_pa)" -v mass="$(number out/summary.json mass_residual)" \
    -v m="$(number out/summary.json wss_away_pa mean)" -v lo="$(number out/summary.json wss_away_pa p05)" \
    -v hi="$(number out/summary.json wss_away_pa p95)" -v all="$(number out/summary.json wss_pa mean)" \
    -v alllo="$(number out/summary.json wss_pa p05)" -v allhi="$(number out/summary.json wss_pa p95)" '
    function off(value, exact) { return 100 * (value / exact - 1) }
    function size(x) { return x < 0 ? -x : x }
    function larger(a, b) { return size(a) > size(b) ? size(a) : size(b) }
    BEGIN {
      exact = 32e-3 * mean * 6e-3 / 4e-6; shear = 8e-3 * mean / 2e-3
      printf "%-16s %5d %6.3f %8.2f %8.2f %8.2f %8.2f %8.2f | %8.2f %8.2f %9.1e %8.1f\n", walls, nodes, tau,
        off(drop, exact), off(m, shear), off(lo, shear), off(hi, shear),
        larger(off(lo, shear), off(hi, shear)), off(all, shear),
        larger(off(alllo, shear), off(allhi, shear)), mass, seconds
    }'
}

header() {
  printf '%-16s %5s %6s %8s %8s %8s %8s %8s | %8s %8s %9s %8s\n' walls nodes tau drop mean p05 p95 error \
    "mean" error mass seconds
}

for table in "$@"; do
  case $table in
    walls)
      echo "Walls and spacings, Reynolds number 20 (A3)"
      header
      for walls in ${walls_list:-default}; do
        for nodes in ${NODES:-10 20 40}; do
          run_tube "$walls" "$nodes" "$(awk -v n="$nodes" 'BEGIN { print 0.5 + 3 * 0.025 * n / 20 }')"
        done
      done ;;
    tau)
      echo "Time steps: ${ACROSS:-20} nodes across, peak Mach number 0.087, Reynolds number 0.3 to 300 (A4)"
      header
      for walls in ${walls_list:-default}; do
        for tau in ${TAUS:-0.65 0.575 0.53 0.512 0.505}; do run_tube "$walls" "${ACROSS:-20}" "$tau"; done
      done ;;
    *) echo "tubes.sh: unknown table $table; expected walls or tau" >&2; exit 2 ;;
  esac
done
