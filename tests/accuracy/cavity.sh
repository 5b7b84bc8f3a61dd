#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Order of the shipped programs in cavities with a sliding lid, whose velocity in lattice units falls with
# the spacing (diffusive scaling): extrema of the velocity on the middle lines.
#   cavity.sh PROGRAMS FOLDER [cavity|cavity3d]...    tables to print; default: both
# SIZES, SIZES3D (nodes along a side), RE, LID (lid's velocity at 64 nodes), PRECISION, CROSSINGS (of the lid
# over the side, the time simulated) replace the defaults. Columns: extrema over the lid's velocity, their
# errors in percent of the published value (O. Botella & R. Peyret, Comput. Fluids 27 (1998) 421, 2D;
# S. Albensoeder & H. C. Kuhlmann, J. Comput. Phys. 206 (2005) 536, 3D; both at Re 1000), order of the
# differences between three successive sizes, seconds.
set -euo pipefail
programs=$(cd "$1" && pwd)
mkdir -p "$2" && cd "$2"
shift 2
[ $# -gt 0 ] || set -- cavity cavity3d
re=${RE:-1000}
lid=${LID:-0.08}
precision=${PRECISION:-f64}

# box DIMENSIONS NODES: box.tiles of one metre, NODES along a side; the lid is its upper end in y.
box() {
  local image options
  if [ "$1" = 2 ]; then
    image=box.pgm options=()
    "$programs/tessera-sample" box2d --size "$2,$2" --quiet -o $image > sample.log
  else
    image=box.raw options=(--dims "$2,$2,$2" --type u8)
    "$programs/tessera-sample" box --size "$2,$2,$2" --quiet -o $image > sample.log
  fi
  "$programs/tessera-preprocess" $image ${options[@]+"${options[@]}"} --pore 0 --wall y+=lid --quiet \
    --voxel "$(awk -v n="$2" 'BEGIN { printf "%.17g m", 1 / n }')" -o box.vdb > preprocess.log
  "$programs/tessera-tiler" box.vdb --quiet -o box.tiles > tiler.log
}

# extrema LINES: smallest u on the line u, largest and smallest v on the line v, by the parabola of fourth
# degree through the five nodes about the extremum.
extrema() {
  awk -F, '
    function through(k, middle, t,    p, q, weight, sum) {
      for (p = -2; p <= 2; ++p) {
        weight = 1
        for (q = -2; q <= 2; ++q) if (q != p) weight *= (t - q) / (p - q)
        sum += weight * value[k, middle + p]
      }
      return sum
    }
    function extremum(k, sign,    i, at, t, best, found) {
      at = 3
      for (i = 3; i <= points[k] - 2; ++i) if (sign * value[k, i] > sign * value[k, at]) at = i
      best = value[k, at]
      for (t = -1; t <= 1; t += 1e-3) { found = through(k, at, t); if (sign * found > sign * best) best = found }
      return best
    }
    FNR > 1 { value[$1, ++points[$1]] = $1 == "u" ? $6 : $7 }
    END { printf "%.7f %.7f %.7f", extremum("u", -1), extremum("v", 1), extremum("v", -1) }' "$1"
}

# cavity DIMENSIONS NODES: its extrema and the seconds of the solver.
cavity() {
  local dimensions=$1 n=$2 scale middle high start
  box "$dimensions" "$n"
  scale=$(awk -v lid="$lid" -v n="$n" 'BEGIN { printf "%.9g", lid * 64 / n }')
  {
    printf '[fluid]\ndensity = 1\nviscosity = "%s m2/s"\n' "$(awk -v re="$re" 'BEGIN { printf "%.12g", 1 / re }')"
    printf '[solver]\nprecision = "%s"\nlattice_velocity = %s\n' "$precision" "$scale"
    printf '[[wall]]\nname = "lid"\nkind = "moving"\nvelocity = ["1 m/s", 0, 0]\n[stop]\nsteps = %d\n' \
      "$(awk -v n="$n" -v lid="$scale" -v t="${CROSSINGS:-140}" 'BEGIN { print int(t * n / lid) }')"
    printf '[output]\nmonitor_every = 1000000000\n'
  } > case.toml
  start=$(date +%s.%N)
  "$programs/tessera-solver" box.tiles --case case.toml --threads "${THREADS:-1}" --quiet -o run.fields > run.log 2>&1 ||
    { tail -1 run.log >&2; return 1; }
  seconds=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { print b - a }')
  # Node 0 is at 0; the middle lies between two nodes.
  middle=$(awk -v n="$n" 'BEGIN { printf "%.12g", 0.5 - 0.5 / n }')
  high=$(awk -v n="$n" 'BEGIN { printf "%.12g", 1 - 1 / n }')
  local z=0
  [ "$dimensions" = 2 ] || z=$middle
  rm -rf out
  "$programs/tessera-postprocess" run.fields --quiet -o out --line "u=$middle,0,$z;$middle,$high,$z;$n" \
    --line "v=0,$middle,$z;$high,$middle,$z;$n" > post.log 2>&1
  printf '%d %s %.1f\n' "$n" "$(extrema out/lines.csv)" "$seconds"
}

table() {
  awk -v re="$re" -v reference="$1" '
    function order(k) {
      if (NR < 3 || size[NR - 1] ^ 2 != size[NR] * size[NR - 2]) return "-"
      top = found[NR - 2, k] - found[NR - 1, k]; bottom = found[NR - 1, k] - found[NR, k]
      return top * bottom > 0 ? sprintf("%.2f", log(top / bottom) / log(size[NR] / size[NR - 1])) : "none"
    }
    BEGIN {
      split(reference, exact, " ")
      printf "%5s", "nodes"
      for (k = 1; k <= 3; ++k) printf " %10s %8s %6s", k == 1 ? "u_min" : k == 2 ? "v_max" : "v_min", "error", "order"
      printf " %8s\n", "seconds"
    }
    {
      size[NR] = $1
      printf "%5d", $1
      for (k = 1; k <= 3; ++k) {
        found[NR, k] = $(k + 1)
        printf " %10.6f %8s %6s", $(k + 1), re == 1000 ? sprintf("%+.3f", 100 * ($(k + 1) / exact[k] - 1)) : "-", order(k)
      }
      printf " %8.1f\n", $5
      fflush()
    }'
}

for name in "$@"; do
  echo "Lid-driven $name, Reynolds number $re, lid at $lid x 64 / nodes (A9)"
  case $name in
    cavity)
      for n in ${SIZES:-32 64 128}; do cavity 2 "$n"; done | table "-0.3885698 0.3769447 -0.5270771" ;;
    cavity3d)
      for n in ${SIZES3D:-16 32 64}; do cavity 3 "$n"; done | table "-0.2803831 0.2466508 -0.4350151" ;;
    *) echo "cavity.sh: unknown table $name; expected cavity or cavity3d" >&2; exit 2 ;;
  esac
done
