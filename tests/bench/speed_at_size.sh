#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Wall time, processor time and peak memory of the shipped programs at size, on an idle machine:
#   ten    10 million triangles, binary STL to geom.vdb with health, openings and links, --longest 512
#   seed   the seed paper's vessel, a million triangles and 15 million fluid nodes, STL to geom.tiles
#   speed_at_size.sh PROGRAMS FOLDER [RUNS]    default 5 runs; the samples are made in FOLDER and kept
# Prints the medians; "phases" is the run of --verbose nearest to them. The last row is the time that the
# file system takes to copy and sync the two files of the seed case: no program writes them faster.
set -euo pipefail
programs=$(cd "$1" && pwd)
mkdir -p "$2" && cd "$2"
runs=${3:-5}
vessel=(aneurysm --parent-length 20mm --branch1-angle 35 --branch2-angle 35 --branch1-length 13mm
  --branch2-length 13mm --sac-diameter 11mm --sac-height 13mm --neck-diameter 6mm)

make_sample() {  # NAME TRIANGLES
  [ -s "$1.stl" ] || "$programs/tessera-sample" "${vessel[@]}" --triangles "$2" -o "$1.stl" > /dev/null
}

# Appends "wall processor-time kB" of a command to a file; its --verbose lines go to FILE.N.log.
measure() {  # FILE COMMAND...
  local list=$1
  shift
  /usr/bin/time -f '%e %U %S %M' -o "$lists/run.time" "$@" --verbose > /dev/null 2> "$list.$(($(wc -l < "$list") + 1)).log"
  tail -n 1 "$lists/run.time" | awk '{ printf "%.2f %.2f %d\n", $1, $2 + $3, $4 }' >> "$list"
}

row() {  # NAME FILE
  sort -n "$2" | awk -v name="$1" '
    { wall[NR] = $1; cpu[NR] = $2; if ($3 > most) most = $3 }
    END {
      m = int((NR + 1) / 2)
      printf "%-26s %8.2f s wall (%.2f to %.2f), %8.2f s processor, %7.0f MB\n", name, wall[m], wall[1],
        wall[NR], cpu[m], most / 1e3
    }'
}

phases() {  # FILE
  local median line
  median=$(sort -n "$1" | sed -n "$((($(wc -l < "$1") + 1) / 2))p")
  line=$(grep -n -m 1 -F -x "$median" "$1" | cut -d: -f1)
  awk 'NF == 3 && $3 == "s" { printf "%s%s %s", n++ ? ", " : "  phases: ", $1, $2 } END { print "" }' "$1.$line.log"
}

make_sample ten 10000000
make_sample seed 1000000
lists=$(mktemp -d "${TMPDIR:-/tmp}/speed_at_size.XXXXXX")  # of the measurements, nothing of the user's
trap 'rm -rf "$lists"' EXIT
touch "$lists"/{ten,seed,tiler}.list
for _ in $(seq "$runs"); do
  rm -f seed.vdb seed.tiles
  measure "$lists/seed.list" "$programs/tessera-preprocess" --unit mm --longest 730 seed.stl -o seed.vdb
  measure "$lists/tiler.list" "$programs/tessera-tiler" seed.vdb -o seed.tiles
done
for _ in $(seq "$runs"); do
  rm -f ten.vdb
  measure "$lists/ten.list" "$programs/tessera-preprocess" --unit mm --longest 512 ten.stl -o ten.vdb
done
paste -d ' ' "$lists/seed.list" "$lists/tiler.list" | awk '{ print $1 + $4, $2 + $5, ($3 > $6 ? $3 : $6) }' > "$lists/both.list"
row "ten, STL to .vdb" "$lists/ten.list"
phases "$lists/ten.list"
row "seed, STL to .vdb" "$lists/seed.list"
phases "$lists/seed.list"
row "seed, .vdb to .tiles" "$lists/tiler.list"
row "seed, both" "$lists/both.list"
/usr/bin/time -f '%e' -o "$lists/run.time" sh -c 'cat seed.vdb > copy.vdb; cat seed.tiles > copy.tiles; sync copy.vdb copy.tiles'
printf '%-26s %8.2f s wall\n' "seed, both files copied" "$(tail -n 1 "$lists/run.time")"
rm -f copy.vdb copy.tiles
