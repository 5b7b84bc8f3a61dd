#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Accuracy of pulsatile flow by the shipped programs: a round tube and a duct twice as wide as high, along (1, 2, 3),
# with a flow of Reynolds number 40 by its amplitude and a mean of half of that. Into the tube, one and a half diameters
# long, it comes with Womersley's profile, and leaves at a constant pressure, with the program's time step; the duct,
# 2.25 heights long, lies between two pressures, with the relaxation time of the tube; `pressures` is the tube between
# two pressures, with the program's time step. Exact are Womersley (1955) and for the duct the series of cosines across
# it, both of a fluid without sound.
#   pulse.sh PROGRAMS FOLDER [tube|duct|pressures]...    flows to print; default: tube duct
# LAYERS, ACROSS (nodes across the height), LENGTH (in heights), DIRECTION, WALLS, TAU, LATTICE, COLLISION, MAGIC,
# CYCLES, THREADS, BACKEND (cpu) (environment) replace the defaults; a layer is (2 nu / omega)^1/2 in nodes. Columns:
# mean outflow in percent of the exact one, its amplitude and phase in degrees beyond the exact ones, those of the mean
# wall shear stress, all from the fields of eight phases; time-averaged
# magnitude of the wall shear (TAWSS) away from the openings, mean, median, 5th and 95th percentile by area against the
# exact ones (the 5th percentile of the duct is in its corners); oscillatory shear index less the exact one; relaxation
# time; steps; seconds.
set -euo pipefail
. "$(dirname "$0")/common.sh"
programs=$(cd "$1" && pwd)
mkdir -p "$2" && cd "$2"
shift 2
[ $# -gt 0 ] || set -- tube duct
phases=8

# geometry FLOW NODES: 4 mm high. Sets tiles and long, mm.
geometry() {
  local file sample=(tube --diameter "4 mm" --segments 256)
  long=$(awk -v l="${LENGTH:-$([ "$1" = duct ] && echo 2.25 || echo 1.5)}" 'BEGIN { print 4 * l }')
  [ "$1" != duct ] || sample=(channel --width "8 mm" --height "4 mm")
  file=${1/pressures/tube}-$2-$long-${DIRECTION:-1,2,3}
  tiles=$file.tiles
  [ ! -f "$tiles" ] || return 0
  "$programs/tessera-sample" "${sample[@]}" --length "$long mm" --direction "${DIRECTION:-1,2,3}" --quiet -o "$file.stl" > /dev/null
  "$programs/tessera-preprocess" "$file.stl" --unit mm --quiet -o "$file.vdb" \
    --spacing "$(awk -v n="$2" 'BEGIN { printf "%.9gmm", 4 / n }')" > /dev/null 2> "$file.log"
  "$programs/tessera-tiler" "$file.vdb" --quiet -o "$tiles" > /dev/null
}

# write_case FLOW PERIOD MEAN AMPLITUDE TAU: s; m/s or, between pressures, Pa. TAU may be empty.
write_case() {
  local what=velocity unit="m/s"
  [ "$1" = tube ] || { what=pressure unit=Pa; }
  awk -v period="$2" -v mean="$3" -v swing="$4" -v name="$what[$unit]" 'BEGIN { print "time[s]," name; pi = atan2(0, -1)
    for (k = 0; k <= 200; ++k) printf "%.12g,%.12g\n", period * k / 200, mean + swing * sin(2 * pi * k / 200) }' > inlet.csv
  {
    printf '[fluid]\ndensity = 1000\nviscosity = "1e-6 m2/s"\n[solver]\nprecision = "f32"\n'
    [ -z "$5" ] || printf 'tau = %s\n' "$5"
    [ -z "${LATTICE:-}" ] || printf 'lattice = "%s"\n' "$LATTICE"
    [ -z "${COLLISION:-}" ] || printf 'collision = "%s"\n' "$COLLISION"
    [ -z "${MAGIC:-}" ] || printf 'magic = %s\n' "$MAGIC"
    [ -z "${WALLS:-}" ] || [ "$WALLS" = default ] || printf 'walls = "%s"\n' "$WALLS"
    printf '[[opening]]\nid = 1\nkind = "%s"\nwaveform = "inlet.csv"\ninterpolation = "cubic"\n' "$what"
    [ "$1" != tube ] || printf 'profile = "womersley"\n'
    printf 'periodic = true\n[[opening]]\nid = 2\nkind = "pressure"\nvalue = 0\n'
    # From rest the mean flow between two pressures comes 31 % nearer to its limit with each of the pulses of Womersley
    # number 10.
    printf '[time]\ncycles = %s\ncycle_converged = 1e-3\nphases = %s\n' "${CYCLES:-$([ "$1" = tube ] && echo 8 || echo 30)}" "$phases"
  } > case.toml
}

# exact FLOW ALPHA, in units of rho nu U / R, R half the height, U the amplitude of the mean velocity, twice its mean:
# amplitude of the mean wall shear stress as a complex number, TAWSS (mean, 5th percentile, median, 95th percentile) and
# OSI. Then in units of rho nu U / R^2 the amplitude of the pressure gradient as a complex number, and its mean.
exact() {
  awk -v flow="$1" -v alpha="$2" '
    # Complex numbers are pairs in the array z by name.
    function set(a, re, im) { z[a, 0] = re; z[a, 1] = im }
    function times(to, a, b,   re) {
      re = z[a, 0] * z[b, 0] - z[a, 1] * z[b, 1]
      z[to, 1] = z[a, 0] * z[b, 1] + z[a, 1] * z[b, 0]; z[to, 0] = re
    }
    function over(to, a, b,   s, re) {
      s = z[b, 0] ^ 2 + z[b, 1] ^ 2
      re = (z[a, 0] * z[b, 0] + z[a, 1] * z[b, 1]) / s
      z[to, 1] = (z[a, 1] * z[b, 0] - z[a, 0] * z[b, 1]) / s; z[to, 0] = re
    }
    function root(to, a,   r) {  # with a positive real part
      r = sqrt(z[a, 0] ^ 2 + z[a, 1] ^ 2)
      set(to, sqrt((r + z[a, 0]) / 2), (z[a, 1] < 0 ? -1 : 1) * sqrt((r - z[a, 0]) / 2))
    }
    function tanh_of(to, a,   e, c, s) {  # of a number with a positive real part
      e = exp(-2 * z[a, 0]); c = e * cos(2 * z[a, 1]); s = -e * sin(2 * z[a, 1])
      set("num", 1 - c, -s); set("den", 1 + c, s); over(to, "num", "den")
    }
    function bessel(to, order, a,   k, i) {  # modified, by its series
      set("half", z[a, 0] / 2, z[a, 1] / 2); set("term", 1, 0)
      for (k = 1; k <= order; ++k) { times("term", "term", "half"); set("term", z["term", 0] / k, z["term", 1] / k) }
      times("square", "half", "half"); set(to, z["term", 0], z["term", 1])
      for (i = 1; i < 100; ++i) {
        times("term", "term", "square")
        set("term", z["term", 0] / (i * (i + order)), z["term", 1] / (i * (i + order)))
        set(to, z[to, 0] + z["term", 0], z[to, 1] + z["term", 1])
      }
    }
    # Mean over a period of |steady + amplitude cos t|.
    function magnitude(steady, amplitude,   k, sum) {
      for (k = 0; k < 720; ++k) { sum += size(steady + amplitude * cos(2 * pi * (k + 0.5) / 720)) }
      return sum / 720
    }
    function size(x) { return x < 0 ? -x : x }
    # Pressure gradient over mean velocity in a duct of sides a and b: complex, at a frequency; a sum over cosines
    # along a. wall(x): shear on the sides of length a, at x from their middle.
    function beta_of(n, a, squared) { set("beta2", (n * pi / a) ^ 2, squared); root("beta", "beta2") }
    function gradient(to, a, b, squared,   n, re, im) {
      for (n = 1; n < 400; n += 2) {
        beta_of(n, a, squared)
        set("x", z["beta", 0] * b / 2, z["beta", 1] * b / 2); tanh_of("t", "x"); over("t", "t", "x")
        set("t", 1 - z["t", 0], -z["t", 1]); over("t", "t", "beta2")
        re += 8 / (n * pi) ^ 2 * z["t", 0]; im += 8 / (n * pi) ^ 2 * z["t", 1]
      }
      set("one", 1, 0); set("sum", re, im); over(to, "one", "sum")
    }
    function wall(to, a, b, squared, x,   n, sign, re, im) {
      sign = 1
      for (n = 1; n < 400; n += 2) {
        beta_of(n, a, squared)
        set("x", z["beta", 0] * b / 2, z["beta", 1] * b / 2); tanh_of("t", "x"); over("t", "t", "beta")
        re += sign * 4 / (n * pi) * cos(n * pi * x / a) * z["t", 0]
        im += sign * 4 / (n * pi) * cos(n * pi * x / a) * z["t", 1]
        sign = -sign
      }
      set("sum", re, im); times(to, "g", "sum")
    }
    function along(a, b,   i, k, n, steady) {  # sums over two sides of length a
      n = 40
      for (k = 0; k < n; ++k) {
        set("g", z["g0", 0], 0); wall("w", a, b, 0, ((k + 0.5) / n - 0.5) * a); steady = z["w", 0] / 2
        set("g", z["g1", 0], z["g1", 1]); wall("w", a, b, alpha ^ 2, ((k + 0.5) / n - 0.5) * a)
        part = magnitude(steady, sqrt(z["w", 0] ^ 2 + z["w", 1] ^ 2))
        mean += part * a / n; index_sum += 0.5 * (1 - steady / part) * a / n
        for (i = 0; i < a; ++i) sorted[++count] = part  # as many as the side is long
      }
    }
    function percentile(share,   i, k, v) {
      for (i = 2; i <= count; ++i) {
        v = sorted[i]
        for (k = i - 1; k >= 1 && sorted[k] > v; --k) sorted[k + 1] = sorted[k]
        sorted[k + 1] = v
      }
      return sorted[int(share * count) + 1]
    }
    BEGIN {
      pi = atan2(0, -1)
      if (flow != "duct") {
        set("i", 0, alpha ^ 2); root("z", "i")
        bessel("one", 1, "z"); bessel("two", 2, "z"); times("tau", "z", "one"); over("tau", "tau", "two")
        steady = 2; tawss = magnitude(steady, sqrt(z["tau", 0] ^ 2 + z["tau", 1] ^ 2))
        osi = 0.5 * (1 - steady / tawss); sorted[1] = tawss; count = 1
        set("g0", 8, 0); set("g1", 2 * z["tau", 0], 2 * z["tau", 1] + alpha ^ 2)
      } else {  # 4 by 2; area over perimeter 2/3
        gradient("g0", 4, 2, 0); gradient("g1", 4, 2, alpha ^ 2)
        along(4, 2); along(2, 4)
        set("tau", z["g1", 0] * 2 / 3, (z["g1", 1] - alpha ^ 2) * 2 / 3)
        tawss = mean / 6; osi = index_sum / 6
      }
      print z["tau", 0], z["tau", 1], tawss, percentile(0.05), percentile(0.5), percentile(0.95), osi, z["g1", 0],
        z["g1", 1], z["g0", 0] / 2
    }'
}

# run_pulse FLOW LAYER NODES
run_pulse() {
  local mean swing flow=$1 layer=$2 nodes=$3 alpha u period unit area exact k start seconds tau
  alpha=$(awk -v d="$layer" -v n="$nodes" 'BEGIN { printf "%.9g", n / d / sqrt(2) }')
  period=$(awk -v a="$alpha" 'BEGIN { printf "%.9g", 2 * atan2(0, -1) * 4e-6 / (a * a * 1e-6) }')
  u=0.01 unit=5e-3  # Reynolds number 40; rho nu U / R
  exact=$(exact "$flow" "$alpha")
  geometry "$flow" "$nodes"
  if [ "$flow" = tube ]; then
    write_case tube "$period" "$(awk -v u="$u" 'BEGIN { print u / 2 }')" "$u" "${TAU:-}"
  else
    read -r mean swing <<< "$(awk -v e="$exact" -v unit="$unit" -v long="$long" 'BEGIN { split(e, v, " ")
      print v[10] * unit * long / 2, sqrt(v[8] ^ 2 + v[9] ^ 2) * unit * long / 2 }')"
    tau=${TAU:-}
    [ "$flow" != duct ] || tau=${TAU:-$(awk -v n="$nodes" 'BEGIN { print 0.5 + 0.00125 * n }')}
    write_case "$flow" "$period" "$mean" "$swing" "$tau"
  fi
  start=$(date +%s.%N)
  if ! "$programs/tessera-solver" "$tiles" --backend "${BACKEND:-cpu}" --case case.toml --threads "${THREADS:-1}" --quiet -o run.fields \
      --report run.json > run.log 2>&1; then
    printf '%-9s %5.2f %5d  no result: %s\n' "$flow" "$layer" "$nodes" "$(tail -1 run.log | cut -c1-90)"
    return
  fi
  seconds=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { print b - a }')
  "$programs/tessera-postprocess" run.fields "$tiles" --quiet -o out > post.log 2>&1
  area=$(column out/openings.csv "area[m2]" 1)
  for ((k = 1; k <= phases; ++k)); do
    "$programs/tessera-postprocess" "run.000$k.fields" "$tiles" --quiet -o phase > post.log 2>&1
    echo "$(column phase/openings.csv "flow_rate[m3/s]" 2)" "$(column phase/forces.csv "viscous_x[N]" 1)" \
      "$(column phase/forces.csv "viscous_y[N]" 1)" "$(column phase/forces.csv "viscous_z[N]" 1)"
  done > phases.txt
  awk -v flow="$flow" -v layer="$layer" -v nodes="$nodes" -v seconds="$seconds" -v u="$u" -v unit="$unit" -v long="$long" \
    -v area="$area" -v exact="$exact" -v direction="${DIRECTION:-1,2,3}" \
    -v m="$(number out/summary.json tawss_away_pa mean)" -v median="$(number out/summary.json tawss_away_pa p50)" \
    -v lo="$(number out/summary.json tawss_away_pa p05)" -v hi="$(number out/summary.json tawss_away_pa p95)" \
    -v osi="$(number out/summary.json osi mean)" \
    -v tau="$(number run.json tau)" -v steps="$(number run.json steps)" '
    function degrees(x) { x *= 180 / pi; return x > 180 ? x - 360 : x < -180 ? x + 360 : x }
    function off(value, exact) { return 100 * (value / exact - 1) }
    BEGIN { split(direction, d, ","); norm = sqrt(d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2); pi = atan2(0, -1) }
    { q[NR] = $1; w[NR] = ($2 * d[1] + $3 * d[2] + $4 * d[3]) / norm }
    END {
      for (k = 1; k <= NR; ++k) {
        c = cos(2 * pi * k / NR) * 2 / NR; s = sin(2 * pi * k / NR) * 2 / NR
        flow_sum += q[k]; qs += q[k] * s; qc += q[k] * c; ws += w[k] * s; wc += w[k] * c
      }
      split(exact, e, " ")
      wetted = (flow == "duct" ? 24e-3 : 4e-3 * pi) * long / 1e3
      late = flow == "tube" ? 0 : atan2(e[9], e[8])  # of the flow, behind what drives it
      printf "%-9s %5.2f %5d | %7.2f %7.2f %6.2f | %7.2f %6.2f | %7.2f %7.2f %7.2f %7.2f | %7.4f | %.4f %6d %7.1f\n", flow, layer,
        nodes, off(flow_sum / NR, area * u / 2), off(sqrt(qs ^ 2 + qc ^ 2), area * u), degrees(atan2(qc, qs) + late),
        off(sqrt(ws ^ 2 + wc ^ 2), unit * wetted * sqrt(e[1] ^ 2 + e[2] ^ 2)),
        degrees(atan2(wc, ws) + late - atan2(e[2], e[1])), off(m, unit * e[3]), off(median, unit * e[5]),
        off(lo, unit * e[4]), off(hi, unit * e[6]), osi - e[7], tau, steps, seconds
    }' phases.txt
}

echo "Pulsatile flow along ${DIRECTION:-1,2,3}: Stokes layer in nodes, time step and walls of the program (A6)"
printf '%-9s %5s %5s | %22s | %14s | %31s | %7s | %6s %6s %7s\n' flow layer nodes "outflow: mean, % deg" "shear % deg" \
  "TAWSS %, p50, p05, p95" "OSI" tau steps seconds
for flow in "$@"; do
  case $flow in
    tube | duct | pressures)
      for layer in ${LAYERS:-1.7 3.4}; do run_pulse "$flow" "$layer" "${ACROSS:-16}"; done ;;
    *) echo "pulse.sh: unknown flow $flow; expected tube, duct or pressures" >&2; exit 2 ;;
  esac
done
