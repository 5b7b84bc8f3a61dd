# SPDX-License-Identifier: GPL-3.0-or-later
# Functions of the scripts beside this one; programs: the folder of the shipped programs.

# number FILE KEY...: the value of a nested key of a file of JSON with one key a line.
number() {
  awk -v keys="${*:2}" 'BEGIN { n = split(keys, key, " "); at = 1 }
    index($0, "\"" key[at] "\":") && at++ == n { gsub(/[^-+.0-9e]/, "", $NF); print $NF; exit }' "$1"
}

# column FILE NAME ROW: a value of a table with commas and a row of names.
column() {
  awk -F, -v name="$2" -v row="$3" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) at = i }
    NR == row + 1 { print $at }' "$1"
}

# tube_tiles DIRECTION NODES TILES: a tube of 2 mm, three diameters long, NODES across, unless it exists.
tube_tiles() {
  [ -f "$3" ] && return
  "$programs/tessera-sample" tube --diameter "2 mm" --length "6 mm" --direction "$1" --segments 256 --quiet \
    -o tube.stl > sample.log
  "$programs/tessera-preprocess" tube.stl --unit mm --across "$2" --quiet -o tube.vdb > preprocess.log
  "$programs/tessera-tiler" tube.vdb --quiet -o "$3" > tiler.log
}
