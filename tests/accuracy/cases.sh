#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Cases of pipelines/cases by the shipped programs, each at a modest size, against references: exact, published, or
# the limit of finer spacings. A number whose error exceeds its limit is marked, and the exit code is then 1.
#   cases.sh PROGRAMS FOLDER [CASE]...    cavity, surface, spheres, porous, aneurysm; default: all
# THREADS (environment) is passed to the programs. Columns: case, size, number, found, reference, error, the error of
# version 0.1 (or of the first version that had the case; - where it was not recorded), limit, source of the reference.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
programs=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
[ $# -gt 0 ] || set -- cavity surface spheres porous aneurysm
failed=0

# run CASE VARIABLE=VALUE...: into FOLDER/CASE; 1 with the last line of its log where it ends with an error.
run() {
  local name=$1
  shift
  make -C "$here/../../pipelines/cases/$name" --no-print-directory TESSERA_BIN="$programs" OUT="$folder/$name" \
    ${THREADS:+THREADS="$THREADS"} "$@" > "$folder/$name.log" 2>&1 && return
  echo "$name ended: $(tail -n 1 "$folder/$name.log")"
  failed=1
  return 1
}

# row CASE SIZE NUMBER FOUND REFERENCE BEFORE LIMIT SOURCE: errors in percent of the reference.
row() {
  awk -v found="$4" -v reference="$5" -v limit="$7" -v head="$(printf '%-12s %-16s %-28s' "$1" "$2" "$3")" \
    -v before="$6" -v source="$8" 'BEGIN {
      error = 100 * (found / reference - 1); far = error > limit || error < -limit
      printf "%s %11.5g %11.5g %+8.2f%s %8s %6.3g  %s\n", head, found, reference, error, far ? "!" : " ", before, limit, source
      exit far }' || failed=1
}

run_cavity() {  # a hundredth of the speed of the lid is 1 %
  run cavity NODES=64 || return 0
  row cavity "64 nodes" "1 + largest difference / lid" \
    "$(awk '/^# largest/ { print 1 + $4 }' "$folder/cavity/cavity.ghia.csv")" 1 - 1 "Ghia et al. 1982, Re 100"
}

run_surface() {
  run surface ACROSS=16 || return 0
  local out=$folder/surface/tube-16.out/summary.json
  row surface "16 across" "pressure drop, Pa" "$(number "$out" pressure_drop_pa)" 4.8 +17 1 "Hagen & Poiseuille"
  row surface "16 across" "mean wall shear stress, Pa" "$(number "$out" wss_pa mean)" 0.3 - 1 "the same"
}

run_spheres() {
  run spheres NODES="16 24" || return 0
  local nodes
  for nodes in 16 24; do
    row spheres "$nodes a cell" "permeability, m2" "$(number "$folder/spheres/spheres-$nodes.out/summary.json" permeability_m2)" \
      1.9152e-8 "$([ "$nodes" = 16 ] && echo +2.1 || echo +1.2)" 2 "Zick & Homsy 1982"
  done
}

run_porous() {
  run porous NODES=24 || return 0
  row porous "24^3 voxels" "permeability, m2" "$(number "$folder/porous/pack.out/summary.json" permeability_m2)" 6.0e-12 +25 27 \
    "limit of 3, 1.5 and 1 um: walls are those of the voxels"
}

run_aneurysm() {
  run aneurysm NODES=50000 || return 0
  row aneurysm "50,000 nodes" "pressure drop, Pa" "$(number "$folder/aneurysm/aneurysm.out/summary.json" pressure_drop_pa)" 90.5 +24 \
    2 "multireflection, 400,000 nodes"
}

printf '%-12s %-16s %-28s %11s %11s %9s %8s %6s  %s\n' case size number found reference "error, %" before limit source
for name in "$@"; do
  declare -F "run_$name" > /dev/null || { echo "cases.sh: unknown case $name" >&2; exit 2; }
  "run_$name"
done
exit "$failed"
