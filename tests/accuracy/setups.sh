#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Set-ups that benchmarks ask for, with default settings, and a number of each against the exact one.
#   setups.sh PROGRAMS FOLDER [SETUP]...    formula table bi-parabolic taylor-green throat; default: all
#     formula       tube of three diameters along (1, 2, 3), inflow by a formula, pressures relative to a tap half way
#                   along its axis: flow rate, and pressure at the inlet, half of the pressure drop
#     table         the same, inflow from a CSV of velocities on points of the plane: flow rate
#     bi-parabolic  square duct: peak over mean velocity of the inflow, 2.25
#     taylor-green  vortices in a periodic square: viscosity from the decay of their energy (Taylor & Green 1937)
#     throat        tube that narrows to a third: largest velocity expected before the start, against the run's
# NODES (across tubes; 12), THREADS (environment) replace the defaults. Columns: found, exact, error in percent.
set -euo pipefail
. "$(dirname "$0")/common.sh"
programs=$(cd "$1" && pwd)
mkdir -p "$2" && cd "$2"
shift 2
[ $# -gt 0 ] || set -- formula table bi-parabolic taylor-green throat
nodes=${NODES:-12}

# run NAME TILES: NAME.toml to NAME.fields, NAME.json and NAME.out; 1 with a line where it ends with an error.
run() {
  "$programs/tessera-solver" "$2" --case "$1.toml" --threads "${THREADS:-1}" --quiet -o "$1.fields" --report "$1.json" \
    > "$1.log" 2>&1 && rm -rf "$1.out" &&
    "$programs/tessera-postprocess" "$1.fields" "$2" --quiet -o "$1.out" > "$1.post.log" 2>&1 && return
  printf '%-14s no result: %s\n' "$1" "$(tail -q -n 1 "$1.log" | cut -c1-90)"
  return 1
}

# row SETUP NUMBER FOUND EXACT
row() {
  awk -v head="$(printf '%-14s %-28s' "$1" "$2")" -v found="$3" -v exact="$4" \
    'BEGIN { printf "%s %12.6g %12.6g %+9.3f\n", head, found, exact, 100 * (found / exact - 1) }'
}

# [fluid] of water and [solver].
fluid() { printf '[fluid]\ndensity = 1000\nviscosity = "1e-6 m2/s"\n[solver]\nprecision = "f32"\n'; }

# inflow KEYS: at opening 1, pressure 0 at opening 2, until steady.
inflow() {
  fluid
  printf '[[opening]]\nid = 1\nkind = "velocity"\n%b\n[[opening]]\nid = 2\nkind = "pressure"\nvalue = 0\n' "$1"
  printf '[stop]\nsteps = 400000\nconverged = 1e-5\n'
}

# 10 mm/s through a diameter of 2 mm.
exact_flow=3.14159265e-8

run_formula() {
  tube_tiles 1,2,3 "$nodes" tube.tiles
  inflow 'profile = "formula"\nformula = "0.02*(1 - r^2)"' > formula.toml
  awk 'BEGIN { s = 3 / sqrt(14); printf "[reference]\npressure_at = \"%.6f mm, %.6f mm, %.6f mm\"\n", s, 2 * s, 3 * s }' \
    >> formula.toml
  run formula tube.tiles || return 0
  row formula "flow rate, m3/s" "$(column formula.out/openings.csv "flow_rate[m3/s]" 2)" $exact_flow
  row formula "pressure over the tap, Pa" "$(column formula.out/openings.csv "mean_pressure[Pa]" 1)" \
    "$(awk -v drop="$(number formula.out/summary.json pressure_drop_pa)" 'BEGIN { print drop / 2 }')"
}

run_table() {
  tube_tiles 1,2,3 "$nodes" tube.tiles
  awk 'BEGIN {
    print "x[m],y[m],z[m],normal[m/s]"
    split("-2 1 0", a); split("-3 -6 5", b)  # across (1, 2, 3)
    for (i = -10; i <= 10; ++i) for (k = -10; k <= 10; ++k) {
      if (i * i + k * k > 121) continue
      for (j = 1; j <= 3; ++j) printf "%.9g,", 1e-4 * (i * a[j] / sqrt(5) + k * b[j] / sqrt(70))
      printf "%.9g\n", 0.02 * (1 - (i * i + k * k) / 100) } }' > inflow.csv
  inflow 'profile = "table"\ntable = "inflow.csv"' > table.toml
  run table tube.tiles || return 0
  row table "flow rate, m3/s" "$(column table.out/openings.csv "flow_rate[m3/s]" 2)" $exact_flow
}

run_bi-parabolic() {
  "$programs/tessera-sample" channel --width "2 mm" --height "2 mm" --length "4 mm" --direction 1,2,3 --quiet -o duct.stl > sample.log
  "$programs/tessera-preprocess" duct.stl --unit mm --spacing "$(awk -v n="$nodes" 'BEGIN { printf "%.9gmm", 2 / n }')" --quiet \
    -o duct.vdb > preprocess.log 2>&1
  "$programs/tessera-tiler" duct.vdb --quiet -o duct.tiles > tiler.log
  inflow 'mean = 0.01\nprofile = "bi-parabolic"' > bi-parabolic.toml
  run bi-parabolic duct.tiles || return 0
  row bi-parabolic "peak over mean velocity" "$(awk -v a="$(number bi-parabolic.json plan openings peak_velocity_m_s)" \
    -v b="$(number bi-parabolic.json plan openings mean_velocity_m_s)" 'BEGIN { print a / b }')" 2.25
}

run_taylor-green() {
  local n=$((4 * nodes))
  "$programs/tessera-sample" box2d --size "$n,$n" --quiet -o square.pgm > sample.log
  "$programs/tessera-preprocess" square.pgm --pore 0 --periodic xy --voxel "$(awk -v n="$n" 'BEGIN { printf "%.9g mm", 1 / n }')" \
    --quiet -o square.vdb > preprocess.log 2>&1
  "$programs/tessera-tiler" square.vdb --quiet -o square.tiles > tiler.log
  {
    fluid
    printf '[initial]\nfield = "taylor-green"\namplitude = "0.02 m/s"\nwaves = [1, 1, 0]\n[stop]\nsteps = %d\n' $((50 * n))
    printf '[output]\nmonitor_every = %d\n' "$n"
  } > taylor-green.toml
  run taylor-green square.tiles || return 0
  row taylor-green "viscosity, m2/s" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    { t = $at["time[s]"]; e = $at["kinetic_energy[J]"]; if (NR == 2) { t0 = t; e0 = e } }
    END { k = 2 * atan2(0, -1) / 1e-3; printf "%.9g", log(e0 / e) / (4 * k * k * (t - t0)) }' taylor-green.monitor.csv)" 1e-6
}

run_throat() {
  "$programs/tessera-sample" expansion --ratio 3 --diameter "2 mm" --inlet-length "4 mm" --outlet-length "6 mm" \
    --direction 1,2,3 --quiet -o narrowing.stl > sample.log
  "$programs/tessera-preprocess" narrowing.stl --unit mm --across "$nodes" --quiet -o narrowing.vdb > preprocess.log 2>&1
  "$programs/tessera-tiler" narrowing.vdb --quiet -o narrowing.tiles > tiler.log
  inflow 'mean = 0.002' > throat.toml  # into the wide end
  run throat narrowing.tiles || return 0
  row throat "largest velocity, Mach" "$(number throat.json expected mach)" "$(number throat.json mach_max)"
}

echo "Set-ups for benchmarks, default settings (A7, A9)"
printf '%-14s %-28s %12s %12s %9s\n' set-up number found exact "error, %"
for setup in "$@"; do
  declare -F "run_$setup" > /dev/null || { echo "setups.sh: unknown set-up $setup" >&2; exit 2; }
  "run_$setup"
done
