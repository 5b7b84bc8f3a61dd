#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Flow of blood through public and generated vessels with default settings and the demo's stop rule: parabolic inflow
# through one opening, zero pressure at the others.
#   vessels.sh PROGRAMS FOLDER [VESSEL]...    default: the public ones
#     artery caput-sidewall-4 aneurysm_vascular_model aneurysm-showcase aorta3d SixBranch caput-AlsterAY    public, in DATA
#     turn      tube bent by 130 degrees, its axis 2.3 diameters from the centre
#     fork      unequal branches at 25 and 80 degrees
#     stenosis  along (1, 2, 3), half the diameter: time_flows.sh
# RE (200, by diameter and mean velocity of the inlet), PULSE (Womersley number of the inlet; empty: steady), NODES (fluid
# nodes; 60000) or ACROSS (nodes across the smallest opening, in place of NODES), TWICE=yes (again with half the
# spacing), STEPS (40000), LATTICE, COLLISION, DATA, THREADS (environment) replace the defaults. Columns: nodes across the smallest opening,
# fluid nodes; converged, the limit of steps or cycles, or the exit code; recoveries from divergence; steps with those that
# recoveries gave up; largest velocity expected before the start over the largest one found, in percent; largest Mach
# number; what flows in and not out; pressure drop in Pa, of pulsatile flow its mean, and its stated error in percent;
# with TWICE its difference from the one at half the spacing in percent; seconds.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
. "$here/time_flows.sh"
programs=$(cd "$1" && pwd)
data=${DATA:-$here/../../../shared/data/vessels}
mkdir -p "$2" && cd "$2"
shift 2
public=(artery caput-sidewall-4 aneurysm_vascular_model aneurysm-showcase aorta3d SixBranch caput-AlsterAY)
[ $# -gt 0 ] || set -- "${public[@]}"
[ ! -d "$data" ] || data=$(cd "$data" && pwd)

# surface VESSEL: vessel.stl, its unit, and its inlet.
surface() {
  unit=mm inlet=1
  case $1 in
    turn)
      "$programs/tessera-sample" bent-tube --diameter "3 mm" --bend-radius "7 mm" --angle 130 --inlet-length "4 mm" \
        --outlet-length "7 mm" --quiet -o vessel.stl > sample.log ;;
    fork)
      "$programs/tessera-sample" aneurysm --parent-diameter "2.6 mm" --branch1-diameter "2 mm" --branch2-diameter "1.7 mm" \
        --parent-length "10 mm" --branch1-length "10 mm" --branch2-length "9 mm" --branch1-angle 25 --branch2-angle 80 \
        --sac-diameter "3 mm" --sac-height "3 mm" --neck-diameter "2 mm" --bleb-diameter 0mm --quiet -o vessel.stl > sample.log ;;
    stenosis) swept stenosis > vessel.stl ;;
    *)
      [ "$1" != aneurysm-showcase ] || unit=m
      [ "$1" != SixBranch ] || inlet=6
      cp "$data/$1.stl" vessel.stl ;;
  esac
}

# lattice OPTION...: vessel.vdb with that spacing.
lattice() {
  "$programs/tessera-preprocess" vessel.stl --unit $unit "$@" --quiet --report lattice.json -o vessel.vdb > preprocess.log 2>&1
}

# inflow: its condition; m/s.
inflow() {
  local radius mean
  radius=$(awk -v inlet="$inlet" '/"id":/ { id = $2 + 0 } /"radius_m":/ && id == inlet { print $2 + 0; exit }' lattice.json)
  mean=$(awk -v r="$radius" -v re="${RE:-200}" 'BEGIN { printf "%.6g", re * 3.5e-3 / 1060 / (2 * r) }')
  if [ -z "${PULSE:-}" ]; then
    printf 'kind = "velocity"\nmean = "%s m/s"\n' "$mean"
    return
  fi
  awk -v r="$radius" -v mean="$mean" -v alpha="$PULSE" 'BEGIN {
    pi = atan2(0, -1); period = 2 * pi * r * r / (alpha * alpha * 3.5e-3 / 1060)
    print "time[s],velocity[m/s]"
    for (k = 0; k <= 100; ++k) printf "%.9g,%.9g\n", period * k / 100, mean * (1 + 0.6 * sin(2 * pi * k / 100)) }' > inflow.csv
  printf 'kind = "velocity"\nwaveform = "inflow.csv"\nperiodic = true\n'
}

# solve STEPS: the case on vessel.vdb, results in out; exit code of the solver.
solve() {
  local id
  "$programs/tessera-tiler" vessel.vdb --quiet -o vessel.tiles > tiler.log
  {
    printf '[fluid]\ndensity = 1060\nviscosity = "3.5e-3 Pa.s"\n[solver]\nprecision = "f32"\n'
    [ -z "${LATTICE:-}" ] || printf 'lattice = "%s"\n' "$LATTICE"
    [ -z "${COLLISION:-}" ] || printf 'collision = "%s"\n' "$COLLISION"
    if [ -z "${PULSE:-}" ]; then printf '[stop]\nsteps = %s\nconverged = 3e-4\n[output]\nmonitor_every = 100\n' "$1"; else
      printf '[time]\ncycles = 4\nphases = 1\n'; fi
    for id in $(awk '/"closed_openings":/ { exit } /"id":/ { print $2 + 0 }' lattice.json); do
      printf '[[opening]]\nid = %s\n' "$id"
      if [ "$id" = "$inlet" ]; then inflow; else printf 'kind = "pressure"\nvalue = 0\n'; fi
    done
  } > case.toml
  rm -rf out
  "$programs/tessera-solver" vessel.tiles --case case.toml ${THREADS:+--threads "$THREADS"} --quiet -o run.fields \
    --report run.json > run.log 2>&1 &&
    "$programs/tessera-postprocess" run.fields vessel.tiles --quiet -o out > post.log 2>&1
}

# row VESSEL
row() {
  local code=0 start=$SECONDS drop steps=${STEPS:-40000} twice=-
  surface "$1"
  if [ -n "${ACROSS:-}" ]; then lattice --across "$ACROSS"; else
    lattice --across 8
    lattice --spacing "$(awk -v v="$(number lattice.json volume_mesh_m3)" -v n="${NODES:-60000}" \
      'BEGIN { printf "%.6gm", (v / n) ^ (1 / 3) }')"
  fi
  solve "$steps" || code=$?
  if [ $code != 0 ]; then
    printf '%-24s ended with %s: %s\n' "$1" "$code" "$(tail -1 run.log | cut -c1-90)"
    return
  fi
  drop=$(number out/summary.json pressure_drop_pa)
  cp run.json first.json && cp out/summary.json first.summary.json
  if [ "${TWICE:-no}" = yes ]; then
    lattice --spacing "$(awk -v h="$(number first.json spacing_m)" 'BEGIN { printf "%.9gm", h / 2 }')"
    if solve $((2 * steps)); then
      twice=$(awk -v a="$drop" -v b="$(number out/summary.json pressure_drop_pa)" 'BEGIN { printf "%+.1f", 100 * (a / b - 1) }')
    else
      twice=ended
    fi
  fi
  awk -v name="$1" -v across="$(number first.json nodes_across_smallest_opening)" -v nodes="$(number first.json fluid_nodes)" \
    -v end="$(grep -q '"converged": true' first.json && echo converged || echo limit)" \
    -v recoveries="$(grep -c '"diverged_at_step"' first.json || true)" -v steps="$(number first.json steps_made)" \
    -v expected="$(number first.json expected mach)" -v found="$(number first.json mach_max)" \
    -v mass="$(number first.json mass_residual)" -v drop="$drop" -v twice="$twice" -v seconds=$((SECONDS - start)) \
    -v stated="$(number first.summary.json expected_error pressure_drop_pa)" 'BEGIN {
      printf "%-24s %6.1f %8d %-9s %3d %7d %8.0f %7.3f %9.1e %10.4g %7.1f %7s %7d\n", name, across, nodes, end, recoveries,
        steps, 100 * expected / found, found, mass, drop, 100 * stated, twice, seconds }'
}

echo "Vessels, Reynolds number ${RE:-200}, ${PULSE:+Womersley number $PULSE, }default settings (A7)"
printf '%-24s %6s %8s %-9s %3s %7s %8s %7s %9s %10s %7s %7s %7s\n' vessel across nodes end rec steps "expect %" mach mass \
  "drop Pa" "stated" "twice" seconds
for vessel in "$@"; do
  if [[ " ${public[*]} " == *" $vessel "* ]] && [ ! -d "$data" ]; then
    echo "$vessel: skipped, its folder $data is not there; DATA names another one"
    continue
  fi
  [[ " ${public[*]} turn fork stenosis " == *" $vessel "* ]] || { echo "vessels.sh: unknown vessel $vessel" >&2; exit 2; }
  row "$vessel"
done
