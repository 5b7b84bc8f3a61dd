#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Updates to the steady state: the plain march against the accelerated one ([solver] acceleration), both by
# the shipped program until its monitored quantities change by less than CONVERGED between samples.
#   steady.sh PROGRAMS FOLDER
# CASES (of: tube duct aneurysm aorta expansion network cylinder pack rock), SCALE (nodes across relative to
# the default), CONVERGED (1e-9), THREADS (1), DATA (folder with berea_pore.raw, for rock) replace the
# defaults. Columns: fluid nodes; steps of the ramp; steps after which flow rates, pressures (to their
# spread) and speeds (half the energy) stay within 1e-6 of the plain march's end, plain and accelerated, and
# their ratio; steps at which the runs end, seconds, extrapolations; distance of the ends from each other.
set -euo pipefail
programs=$(cd "$1" && pwd)
data=${DATA:-$(cd "$(dirname "$0")/../.." && pwd)/../shared/data/porous}
mkdir -p "$2" && cd "$2"
scale=${SCALE:-1}
converged=${CONVERGED:-1e-9}

nodes() { awk -v n="$1" -v s="$scale" 'BEGIN { printf "%d", n * s + 0.5 }'; }

# surface NAME ACROSS KIND OPTION...: tiles of a sample's surface.
surface() {
  "$programs/tessera-sample" "${@:3}" --quiet -o "$1.stl" > sample.log
  "$programs/tessera-preprocess" "$1.stl" --unit mm --across "$(nodes "$2")" --quiet -o "$1.vdb" > preprocess.log
}

# image NAME FILE OPTION...: tiles of an image.
image() {
  "$programs/tessera-preprocess" "$2" --pore 0 --quiet -o "$1.vdb" "${@:3}" > preprocess.log
}

geometry() {
  local n
  case $1 in
    tube) surface tube 16 tube --diameter "4 mm" --length "16 mm" --direction 1,2,3 ;;
    duct) surface duct 16 channel --width "2 mm" --height "2 mm" --length "8 mm" ;;
    aneurysm) surface aneurysm 10 aneurysm ;;
    aorta) surface aorta 6 aorta --coarctation 0 ;;
    expansion) surface expansion 12 expansion ;;
    network)
      "$programs/tessera-sample" network2d --cells 6,4 --quiet -o network.pgm > sample.log
      image network network.pgm --voxel "10 um" --faces x-,x+ ;;
    cylinder)
      n=$(nodes 40)
      awk -v n="$n" 'BEGIN { print "P2"; print 4 * n, n; print 255
        for (y = 0; y < n; ++y) for (x = 0; x < 4 * n; ++x)
          print ((x - n) ^ 2 + (y + 0.5 - 0.5 * n) ^ 2 < (n / 8) ^ 2 ? 255 : 0) }' > cylinder.pgm
      image cylinder cylinder.pgm --voxel "$(awk -v n="$n" 'BEGIN { printf "%.9g mm", 4 / n }')" --faces x-,x+ ;;
    pack)
      n=$(nodes 64)
      "$programs/tessera-sample" spheres --size "$n,$n,$n" --diameter "$((n / 2))" --porosity 0.5 --quiet -o pack.raw \
        > sample.log
      image pack pack.raw --dims "$n,$n,$n" --type u8 --voxel 3um --periodic xyz ;;
    rock)
      [ -f "$data/berea_pore.raw" ] || return 1
      image rock "$data/berea_pore.raw" --dims 110,110,110 --type u8 --voxel 3um --crop 0,0,0,63,63,63 \
        --keep connected --faces z-,z+ ;;
    *) echo "steady.sh: unknown case $1" >&2; exit 2 ;;
  esac
  "$programs/tessera-tiler" "$1.vdb" --quiet -o "$1.tiles" > tiler.log
}

# opening ID KIND KEY VALUE
opening() { printf '[[opening]]\nid = %s\nkind = "%s"\n%s = "%s"\n' "$@"; }

conditions() {
  local id
  case $1 in
    tube | duct | cylinder) opening 1 velocity mean "0.05 m/s"; opening 2 pressure value "0 Pa" ;;
    aneurysm)
      opening 1 velocity mean "0.1 m/s"
      for id in 2 3; do opening $id pressure value "0 Pa"; done ;;
    aorta)
      opening 1 velocity mean "0.01 m/s"
      for id in 2 3 4 5; do opening $id pressure value "0 Pa"; done ;;
    expansion) opening 2 velocity mean "0.02 m/s"; opening 1 pressure value "0 Pa" ;;
    network | rock) opening 1 pressure value "1 Pa"; opening 2 pressure value "0 Pa" ;;
  esac
}

# run NAME MARCH: run.MARCH.*, seconds on standard output.
run() {
  local start
  {
    printf '[fluid]\ndensity = 1060\nviscosity = "3.3e-6 m2/s"\n[solver]\nprecision = "f64"\nacceleration = "%s"\n' "$2"
    case $1 in network | rock) echo 'tau = 1.0' ;; pack) printf 'tau = 1.0\nbody_force = [0, 0, 10]\n' ;; esac
    conditions "$1"
    printf '[stop]\nsteps = 400000\nconverged = %s\n' "$converged"
  } > "$1.$2.toml"
  start=$(date +%s.%N)
  "$programs/tessera-solver" "$1.tiles" --case "$1.$2.toml" --threads "${THREADS:-1}" --verbose \
    -o "$1.$2.fields" --report "$1.$2.json" > "$1.$2.log" 2>&1 || { tail -n 1 "$1.$2.log" >&2; return 1; }
  awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }'
}

ramp() { sed -n 's/.*inflow ramped over the first \([0-9]*\).*/\1/p' "$1.none.log" | head -n 1; }
fluid() { sed -n 's/^nodes  *\([0-9]*\) fluid.*/\1/p' "$1.none.log" | head -n 1; }
jumps() { tr -d '\n ' < "$1.extrapolation.json" | sed 's/.*"jumps":\[\([^]]*\)\].*/\1/' | awk -F, '{ print $0 == "" ? 0 : NF }'; }

# reached NAME: the columns that follow from the two monitors.
reached() {
  awk -F, '
    function size(x) { return x < 0 ? -x : x }
    # Distance of a row from the reference.
    function off(row,    c, i, each, worst) {
      split(row, c, ",")
      for (i = 3; i <= width; ++i) {
        each = size(c[i] - reference[i]) / (scale[i] > 0 ? scale[i] : 1)
        if (used[i] && each > worst) worst = each
      }
      return worst + 0
    }
    function within(rows, many,    k, step, c) {
      step = -1
      for (k = 1; k <= many; ++k)
        if (off(rows[k]) >= 1e-6) step = -1
        else if (step < 0) { split(rows[k], c, ","); step = c[1] }
      return step
    }
    FNR == 1 { width = NF; for (i = 1; i <= NF; ++i) name[i] = $i; next }
    NR == FNR { for (i = 1; i <= NF; ++i) reference[i] = $i; plain[++plains] = $0; next }
    { fast[++fasts] = $0 }
    END {
      low = 1e300; high = -1e300
      for (i = 3; i <= width; ++i) {
        if (name[i] ~ /^flow_rate/ && size(reference[i]) > flow) flow = size(reference[i])
        if (name[i] ~ /^pressure/) { if (reference[i] < low) low = reference[i]; if (reference[i] > high) high = reference[i] }
      }
      for (i = 3; i <= width; ++i) {
        used[i] = name[i] ~ /^(flow_rate|pressure|kinetic)/
        scale[i] = name[i] ~ /^flow_rate/ ? flow : name[i] ~ /^pressure/ ? high - low : 2 * reference[i]
      }
      a = within(plain, plains); b = within(fast, fasts)
      split(plain[plains], p, ","); split(fast[fasts], f, ",")
      printf "%8d %8d %7.2f %8d %8d %10.1e", a, b, (b > 0 ? a / b : 0), p[1], f[1], off(fast[fasts])
    }' "$1.none.monitor.csv" "$1.extrapolation.monitor.csv"
}

echo "Updates to the steady state, plain and accelerated"
printf '%-10s %8s %6s %8s %8s %7s %8s %8s %10s %8s %8s %6s\n' case nodes ramp plain fast factor end end apart \
  seconds seconds jumps
for name in ${CASES:-tube duct aneurysm aorta expansion network cylinder pack rock}; do
  [ -f "$name.tiles" ] || geometry "$name" || { echo "$name: no data"; continue; }
  plain=$(run "$name" none)
  fast=$(run "$name" extrapolation)
  printf '%-10s %8d %6d %s %8.1f %8.1f %6d\n' "$name" "$(fluid "$name")" "$(ramp "$name")" "$(reached "$name")" \
    "$plain" "$fast" "$(jumps "$name")"
done
