#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Accuracy before and after: the cases of the findings of version 0.1 (before_after.txt) by the present programs with
# default settings, in one table.
#   before_after.sh PROGRAMS FOLDER [FINDING]...    A1 to A9; default: all
# SIZE=large (environment): resolutions up to those of the findings, for a GPU. BARS (patterns of trials of bars.sh that are run;
# all finished ones of FOLDER/bars count), THREADS, DATA (folder of the public vessels) as in the scripts that it calls.
# Tables of these are in FOLDER. Exit code 1 where a number is worse than 0.1's and than what was asked, or is missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
programs=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
[ $# -gt 0 ] || set -- A1 A2 A3 A4 A5 A6 A7 A8 A9
size=${SIZE:-quick}
case $size in quick | large) ;; *) echo "before_after.sh: SIZE is $size; expected quick or large" >&2; exit 2 ;; esac

# pick QUICK LARGE: the one of SIZE.
pick() { if [ "$size" = quick ]; then echo "$1"; else echo "$2"; fi; }

# table SCRIPT ARGUMENT...: its table, kept in a file of FOLDER; on stdout.
table() {
  echo "$(date +%H:%M:%S) ${1%.sh} ${*:2}" >&2
  "$here/$1" "$programs" "$folder/${1%.sh}" "${@:2}" | tee -a "$folder/${1%.sh}.table"
}

# Each function prints lines of a key and its figure; `none` where a run ended without a result.
A1() {
  RADII=$(pick "4 8" "4 8 12 16") CELLS=$(pick "32" "32 64") table balance.sh |
    awk '$1 == "spheres" || $1 == "cylinders" { print "force." $1 "." $2, $3 == "no" ? "none" : $3 }'
}

# Reynolds number 20 at every spacing. Errors below 0.05 % pass through 0 and count as that in the order.
A2() {
  local n along
  for n in $(pick "10 20" "10 20 28 40"); do
    along=1,2,3
    [ "$n" != 20 ] || along="1,2,3 1,0,0"
    DIRECTIONS=$along NODES=$n TAUS=$(awk -v n="$n" 'BEGIN { print 0.5 + 3 * 0.025 * n / 20 }') table pressures.sh
  done | awk '
    $1 ~ /,/ { print "flow." $1 "." $2, $4 == "no" ? "none" : $4 }
    $1 == "1,2,3" && $4 != "no" {
      e = $4 < 0 ? -$4 : $4; x = log($2); y = log(e < 0.05 ? 0.05 : e); n++; sx += x; sy += y; sxx += x * x; sxy += x * y }
    END { print "flow.order", n > 1 ? -(n * sxy - sx * sy) / (n * sxx - sx * sx) : "none" }'
}

A3() {
  WALLS=default NODES=$(pick "10 20" "10 20 40 80") table tubes.sh walls | awk '$1 == "default" {
    key = "walls." $2 "."
    if ($4 == "no") { print key "drop none"; next }
    print key "drop", $4; print key "mean", $5; print key "p95", $8; print key "whole", $10; print key "whole95", $11 }'
}

A4() {
  WALLS=default ACROSS=20 TAUS=$(pick "0.575 0.53 0.512" "0.65 0.575 0.53 0.512 0.505") table tubes.sh tau |
    awk '$1 == "default" { printf "tau.%.3f.drop %s\n", $3, $4 == "no" ? "none" : $4 }'
}

A5() {
  # shellcheck disable=SC2086
  table bars.sh ${BARS:-plane-slow couette-fast cylinders-0.2 tube-short} | awk '
    /three spacings/ { covered += $4; all += $6; widths += $6 * $12 }
    /single runs/ { single += $4; singles += $6 }
    END {
      if (!all || !singles) { print "bars.missed none"; exit }
      print "bars.missed", 100 - 100 * covered / all; print "bars.width", widths / all
      print "bars.single", 100 - 100 * single / singles }'
}

# pulse FLOW ACROSS ALPHA: three diameters long.
pulse() {
  LENGTH=3 ACROSS=$2 LAYERS=$(awk -v n="$2" -v a="$3" 'BEGIN { printf "%.4f", n / a / sqrt(2) }') table pulse.sh "$1" |
    awk -v flow="$1" '$1 == flow { key = "pulse." flow "." $3 "." $2 "."
      if ($4 == "no") { print key (flow == "tube" ? "tawss" : "mean"), "none"; next }
      print key "mean", $5; print key "outflow", $6; print key "tawss", $12 }'
}

A6() {
  pulse tube 24 10
  [ "$size" = large ] || return 0
  pulse tube 24 4
  pulse tube 48 10
  pulse pressures 24 10
}

A7() {
  local nodes
  nodes=$(pick "" 60000)
  # shellcheck disable=SC2046
  ACROSS=$(pick 8 "") NODES=$nodes TWICE=$(pick no yes) table vessels.sh $(pick "artery caput-sidewall-4" "") |
    awk -v key="vessels.${nodes:-8}." '
      $2 == "ended" { ++all; ++ended }
      $4 == "converged" || $4 == "limit" { ++all; d = $12 + 0; if (d < 0) d = -d; if ($12 ~ /[0-9]/ && d > twice) twice = d }
      END { if (all) print key "ended", 100 * ended / all; if (twice) print key "twice", twice }'
  table setups.sh throat | awk '$1 == "throat" { print "throat.largest", $2 == "no" ? "none" : $NF }'
}

cavity() {  # TABLE
  table cavity.sh "$1" | awk -v name="$1" '
    function size(x) { return x < 0 ? -x : x }
    $1 ~ /^[0-9]+$/ {
      worst = $3
      for (k = 6; k <= 9; k += 3) if (size($k) > size(worst)) worst = $k
      print name "." $1, worst; x[++n] = log($1); y[n] = log(size(worst))
    }
    END { if (n > 1) print name ".order", (y[n - 1] - y[n]) / (x[n] - x[n - 1]) }'
}

A8() {
  SIZES=$(pick 64 "64 128 256") cavity cavity
  [ "$size" = quick ] || SIZES3D="32 64 128" cavity cavity3d
}

A9() {
  table setups.sh formula table bi-parabolic taylor-green | awk '
    $1 == "formula" { print "formula." ($2 == "pressure" ? "tap" : "flow"), $2 == "no" ? "none" : $NF }
    $1 == "table" { print "table.flow", $2 == "no" ? "none" : $NF }
    $1 == "bi-parabolic" { print "bi-parabolic.peak", $2 == "no" ? "none" : $NF }
    $1 == "taylor-green" { print "taylor-green.viscosity", $2 == "no" ? "none" : $NF }'
}

for finding in "$@"; do
  [[ $finding =~ ^A[1-9]$ ]] || { echo "before_after.sh: unknown finding $finding; expected A1 to A9" >&2; exit 2; }
done
rm -f "$folder"/*.table
failed=0
for finding in "$@"; do
  "$finding" || { echo "before_after.sh: $finding ended early" >&2; failed=1; }
done > "$folder/figures"

awk -F' *[|] *' -v failed="$failed" '
  function size(x) { x += 0; return x < 0 ? -x : x }
  NR == FNR { split($0, part, " "); figure[part[1]] = part[2]; next }
  /^#/ || NF < 6 { next }
  $2 != "" { quantity = $2 }
  !($6 in figure) { next }
  {
    now = figure[$6]; wanted = $5; larger = sub(/^>/, "", wanted)
    if (now == "none") { verdict = "no result"; ++bad }
    else if (wanted != "-" && (larger ? now >= wanted + 0 : size(now) <= wanted + 0)) { verdict = "as asked"; ++met }
    else if ($4 != "-" && (larger ? now + 0 <= $4 + 0 : size(now) > size($4))) { verdict = "worse"; ++bad }
    else if (wanted != "-") { verdict = $4 == "-" ? "short" : "better, short"; ++short }
    else { verdict = "better"; ++met }
    if (!rows++) printf "%-3s %-54s %-16s %8s %9s %7s  %s\n", "", "error in %", "resolution", "0.1", "now", "asked", "verdict"
    printf "%-3s %-54s %-16s %8s %9s %7s  %s\n", $1, quantity, $3, $4,
      now == "none" ? "-" : larger || now == 0 ? sprintf("%.2f", now) : sprintf("%+.3g", now), $5, verdict
  }
  END {
    if (!rows) { print "before_after.sh: no figure" > "/dev/stderr"; exit 1 }
    printf "%d numbers: %d as asked or better, %d better but short of what was asked or without a figure of 0.1, %d worse or missing\n",
      rows, met, short, bad
    exit bad > 0 || failed
  }' "$folder/figures" "$here/before_after.txt"
