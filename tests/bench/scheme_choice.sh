#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Which structures of the papers become schemes for runs, over real vessels and rocks and generated geometries.
# Usage: scheme_choice.sh BIN DATA FOLDER [OPTION...]
# BIN: folder of tessera-preprocess, tessera-tiler, tessera-sample and scheme_choice. DATA: folder with vessels/*.stl and
# porous/; what is missing there is left out. ACROSS (20): nodes across the smallest opening of a vessel. FOLDER gets the
# tables, and FOLDER/geometries the .tiles files, which are kept. OPTIONs are those of scheme_choice, such as --count.
# Generated geometries (GENERATED, empty for none): a bent tube, packs of overlapping spheres, a box.
set -eu
[ $# -ge 3 ] || { echo "usage: scheme_choice.sh BIN DATA FOLDER [OPTION...]" >&2; exit 2; }
bin=$1 data=$2 folder=$3
shift 3
across=${ACROSS:-20}
generated=${GENERATED-vessel:300 pack:128x10 pack:128x20 pack:128x40 pack:128x70 dense:128}
made=$folder/geometries
mkdir -p "$made"

# tiles NAME INPUT OPTION...: NAME.tiles from a surface or an image
tiles() {
  name=$1 input=$2
  shift 2
  if [ ! -f "$input" ]; then
    echo "scheme_choice: $input is not there; $name is left out" >&2
    return
  fi
  if [ ! -f "$made/$name.tiles" ]; then
    "$bin/tessera-preprocess" --quiet "$@" "$input" -o "$made/$name.vdb"
    "$bin/tessera-tiler" --quiet "$made/$name.vdb" -o "$made/$name.tiles"
    rm "$made/$name.vdb"
  fi
  found="$found $made/$name.tiles"
}

found=
for vessel in SixBranch aneurysm_vascular_model aorta3d artery caput-AlsterAY caput-sidewall-4; do
  tiles "$vessel-$across" "$data/vessels/$vessel.stl" --unit mm --across "$across"
done
tiles "aneurysm-showcase-$across" "$data/vessels/aneurysm-showcase.stl" --unit m --across "$across"
tiles berea "$data/porous/berea_pore.raw" --voxel 3um --dims 110,110,110 --type u8 --pore 0
ketton=$data/porous/ketton.tif
if [ ! -f "$ketton" ] && [ -f "$data/porous/ketton.zip" ]; then
  ketton=$made/ketton.tif
  [ -f "$ketton" ] ||
    perl -MIO::Uncompress::Unzip=unzip -e 'unzip($ARGV[0], $ARGV[1]) or die "ketton.zip cannot be read\n"' \
      "$data/porous/ketton.zip" "$ketton"
fi
tiles ketton "$ketton" --voxel 15.2um --pore 0
if [ -f "$data/porous/pack125.out" ] && [ ! -f "$made/pack125.raw" ]; then
  "$bin/tessera-sample" spheres --quiet --centres "$data/porous/pack125.out" --size 128,128,128 -o "$made/pack125.raw"
fi
tiles pack125 "$made/pack125.raw" --voxel 7.8125um --dims 128,128,128 --type u8 --pore 0
# shellcheck disable=SC2086 # words
exec "$bin/scheme_choice" $found $generated "$@" -o "$folder"
