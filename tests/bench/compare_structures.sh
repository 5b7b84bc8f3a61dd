#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Speed and memory of tiles and of the papers' other structures over geometries, as one table.
# Usage: compare_structures.sh SOLVER [--precision f64|f32] [GEOMETRY...] > table.csv
# GEOMETRY: a .tiles file or a built-in one of --bench; without any a box, a vessel, spheres, and packs of porosity 0.1
# to 0.9. A geometry that fails is reported, and the others are measured.
set -eu
solver=$1
shift
precision=
if [ "${1:-}" = --precision ]; then
  precision="--precision $2"
  shift 2
fi
[ $# -gt 0 ] || set -- dense:256 vessel:730 spheres:352 pack:256x10 pack:256x20 pack:256x30 pack:256x40 pack:256x50 \
  pack:256x60 pack:256x70 pack:256x80 pack:256x90
failed=0
first=1
for geometry; do
  # shellcheck disable=SC2086 # two words or none
  if table=$("$solver" "$geometry" --bench comparators $precision); then
    printf '%s\n' "$table" | awk -v geometry="$geometry" -v first="$first" '
      NR == 1 { if (first) print "geometry," $0; next }
      { print geometry "," $0 }'
    first=0
  else
    echo "compare_structures: $geometry could not be measured" >&2
    failed=1
  fi
done
exit $failed
