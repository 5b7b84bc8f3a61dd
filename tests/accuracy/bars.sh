#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Trials of the error bars of the shipped programs: flows with known answers at three spacings, each with default
# settings but for what the trial names (bars_trials.txt).
#   bars.sh PROGRAMS FOLDER [PATTERN]...    the parts of the list and the names of trials; default: all
# JOBS (trials at a time; 2), BACKEND (cpu), ROWS=yes (a row for every number) replace the defaults. Printed for each part: the share
# of numbers whose error bar by tessera-compare from three spacings covers the truth, and the median of the bar over
# the value; the same from the two finer spacings; the share of single runs whose stated error covers the truth, and
# the median of stated over true error. Finished trials of FOLDER are not run again.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
. "$here/bars_flows.sh"
programs=$(cd "$1" && pwd)
mkdir -p "$2" && cd "$2"
folder=$PWD
shift 2
[ $# -gt 0 ] || set -- first second third

# trial PART NAME FLOW KEY=VALUE...: runs it unless it is finished, in a folder of its name.
trial() {
  local name=$2 flow=$3 across word start=$SECONDS
  local -A given=()
  local -a results=()
  shift 3
  [ ! -f "$name/done" ] || return 0
  for word in "$@"; do given[${word%%=*}]=${word#*=}; done
  rm -rf "$name" && mkdir "$name" && cd "$name"
  for across in ${given[across]//,/ }; do
    run_at "$across" > "$across.log" 2>&1 || { echo "$name at $across: $(tail -1 "$across.log")" >&2; return 0; }
    results+=("$across.out")
  done
  "$programs/tessera-compare" "${results[@]}" --quiet -o three.cmp > compare.log 2>&1
  "$programs/tessera-compare" "${results[@]:1}" --quiet -o two.cmp >> compare.log 2>&1
  echo "$((SECONDS - start))" > done
}

# run_at ACROSS: the chain at that many nodes across, and the file exact: lines of a number's name and its true value.
run_at() {
  "$flow" "$1" &&
    "$programs/tessera-preprocess" $(cat source) --quiet -o geom.vdb &&
    "$programs/tessera-tiler" geom.vdb --quiet -o geom.tiles &&
    "$programs/tessera-solver" geom.tiles --case case.toml --backend "${BACKEND:-cpu}" --threads 1 --quiet -o "$1.fields" --report "$1.json" &&
    "$programs/tessera-postprocess" "$1.fields" geom.tiles --quiet -o "$1.out"
}

# rows PART: part, trial, number, truth, then of tessera-compare from three and from two spacings value and bar, and for
# each spacing across, value and stated relative error.
rows() {
  local line name number truth
  grep "^$1 " "$here/bars_trials.txt" | while read -r line; do
    set -- $line
    [ -f "$folder/$2/done" ] || continue
    while read -r number truth; do
      printf '%s %s %s %s %s %s' "$1" "$2" "$number" "$truth" "$(bar "$folder/$2/three.cmp" "$number")" \
        "$(bar "$folder/$2/two.cmp" "$number")"
      singles "$folder/$2" "$number"
      echo
    done < "$folder/$2/exact"
  done
}

# bar COMPARISON NUMBER: value of the finest run and uncertainty; - where there is none.
bar() {
  awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; ++i) { if ($i == "uncertainty") bar = i
        if (!first && $i ~ /^relative_difference/) first = i } }
    $1 == name { print $(first - 1), $bar == "" ? "-" : $bar; found = 1 }
    END { if (!found) print "-", "-" }' "$1/comparison.csv"
}

# singles TRIAL NUMBER: across, value and stated error of each run.
singles() {
  local out value
  for out in $(cd "$1" && ls -d -- *.out | sort -n); do
    value=$(awk -F, -v run="${out%.out}" -v name="$2" '$1 == run && $2 == name { print $3 }' "$1/three.cmp/values.csv")
    printf ' %s %s %s' "${out%.out}" "${value:--}" "$(stated "$1/$out/summary.json" "$2")"
  done
}

# stated SUMMARY NUMBER: relative, - where there is none; of a component that of its vector.
stated() {
  local path=$2
  case $path in *.[xyz]) path=${path%.*} ;; esac
  awk -v name="\"$path\":" '/"expected_error":/ { inside = 1 } inside && $1 == name { gsub(/,/, "", $2); print $2; found = 1; exit }
    inside && /}/ { exit } END { if (!found) print "-" }' "$1"
}

# table PART < rows
table() {
  awk -v part="$1" -v each="${ROWS:-no}" '
    function size(x) { return x < 0 ? -x : x }
    function median(list, n,   i, k, v) {
      for (i = 2; i <= n; ++i) { v = list[i]; for (k = i - 1; k >= 1 && list[k] > v; --k) list[k + 1] = list[k]; list[k + 1] = v }
      return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
    }
    # A number that is exact to one part in 10^5 is right to the digits of the fields; its error counts as that.
    function error(value, truth) { return size(value / truth - 1) > 1e-5 ? size(value / truth - 1) : 1e-5 }
    function add(kind, value, bar, truth,   covers) {
      if (value == "-") return
      ++numbers[kind]
      if (bar == "-") return
      covers = size(value - truth) <= bar
      covered[kind] += covers
      width[kind, ++widths[kind]] = bar / size(truth)
      ratio[kind, widths[kind]] = bar / size(truth) / error(value, truth)
      return covers ? "" : "!"
    }
    # The size of a force: which of two equal openings is the first is not known.
    $3 ~ /^forces/ { for (i = 4; i <= NF; ++i) if ($i != "-") $i = size($i) }
    {
      trials[$2] = 1
      line = sprintf("%-26s %-28s %+8.3f %7.3f%-1s", $2, $3, 100 * ($5 / $4 - 1), $6 == "-" ? -1 : 100 * $6 / size($4), "")
      mark = add("three spacings", $5, $6, $4); if (mark == "!") missed[$2] = 1
      line = line mark
      add("two spacings", $7, $8, $4)
      for (i = 9; i + 2 <= NF; i += 3) {
        mark = add("single runs", $(i + 1), $(i + 2) == "-" ? "-" : $(i + 2) * size($(i + 1)), $4)
        line = line sprintf(" | %3d %+8.3f %7.3f%s", $i, 100 * ($(i + 1) / $4 - 1), $(i + 2) == "-" ? -1 : 100 * $(i + 2), mark)
      }
      if (each == "yes") print line
    }
    END {
      for (t in trials) { ++count; whole += !(t in missed) }
      printf "%s part: %d trials, in %d of them every bar from three spacings covers the truth\n", part, count, whole
      split("three spacings,two spacings,single runs", kinds, ",")
      for (k = 1; k <= 3; ++k) {
        kind = kinds[k]
        for (i = 1; i <= widths[kind]; ++i) { list[i] = width[kind, i]; other[i] = ratio[kind, i] }
        printf "  %-15s covered %3d of %3d numbers (%.1f %%), median bar %.2f %%, median of bar over error %.1f\n", kind,
          covered[kind], numbers[kind], 100 * covered[kind] / (numbers[kind] ? numbers[kind] : 1),
          100 * median(list, widths[kind]), median(other, widths[kind])
      }
    }'
}

for pattern in "$@"; do
  while read -r line; do
    while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-2}" ]; do wait -n || true; done
    # shellcheck disable=SC2086
    (trial $line) &
  done < <(grep -E "^($pattern) |^[a-z]+ ($pattern) " "$here/bars_trials.txt")
done
wait
for part in first second third; do
  rows "$part" > "$part.rows"
  [ ! -s "$part.rows" ] || table "$part" < "$part.rows"
done
