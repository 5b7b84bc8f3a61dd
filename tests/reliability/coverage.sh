#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Lines of the programs run by the tests, by gcovr, of a build with TESSERA_COVERAGE.
# Usage: coverage.sh BUILD FOLDER
# Writes to FOLDER files.csv, folders.csv and lines.txt, the lines that were not run; prints the
# folders, and the files with most of these lines. GPU code is not part of such a build. Ends with 1
# below LEAST percent of all lines (85).
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:?usage: coverage.sh BUILD FOLDER}
folder=${2:?usage: coverage.sh BUILD FOLDER}
mkdir -p "$folder"
gcovr --root "$root" --object-directory "$build" --gcov-ignore-parse-errors \
  --filter "$root/(preprocess|tiler|solver|postprocess|pipelines)/" \
  --csv "$folder/files.csv" --txt "$folder/lines.txt" "$build"
LC_ALL=C awk -F, -v least="${LEAST:-85}" -v table="$folder/folders.csv" '
  NR == 1 { next }
  {
    name = $1
    sub(/\/[^\/]*$/, "", name)
    lines[name] += $2
    run[name] += $3
    all += $2
    hit += $3
    files[++count] = sprintf("%6d %6.1f %s", $2 - $3, 100 * $4, $1)
  }
  END {
    print "folder,lines,run,percent" >table
    printf "%-28s %7s %7s %7s\n", "folder", "lines", "run", "percent"
    order = "sort"
    for (name in lines) {
      printf "%s,%d,%d,%.1f\n", name, lines[name], run[name], 100 * run[name] / lines[name] >table
      printf "%-28s %7d %7d %7.1f\n", name, lines[name], run[name], 100 * run[name] / lines[name] | order
    }
    close(order)
    percent = all == 0 ? 0 : 100 * hit / all
    printf "%-28s %7d %7d %7.1f\n\n%6s %6s %s\n", "all", all, hit, percent, "not", "%", "file"
    order = "sort -rn | head -n 15"
    for (k = 1; k <= count; ++k) print files[k] | order
    close(order)
    if (percent < least) exit 1
  }' "$folder/files.csv"
