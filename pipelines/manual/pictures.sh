#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The pictures of the lessons anew, by the commands of the lessons: their results are reduced to 760 pixels across
# and 256 colours. Needs python3-pil.
# Usage: pictures.sh FOLDER    a lesson is run in FOLDER/NAME as lesson.sh runs it, unless its results are there
set -eu
[ $# = 1 ] || { echo "pictures.sh: $# arguments were given; expected a folder to run the lessons in." >&2; exit 2; }
/usr/bin/python3 -c 'import PIL' 2> /dev/null || { echo "pictures.sh: python3-pil is missing; apt-get install python3-pil." >&2; exit 5; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
work=$(cd "$1" && pwd)
# Picture, lesson, the result that it shows.
pictures='aneurysm 1-aneurysm rest.out/wall_wss.png
aorta 2-aorta beat.out/monitors.png
tawss 2-aorta beat.out/wall_tawss.png
rock 3-rock rock.out/velocity_slice.png
tiles 4-chip tiles.png
chip 4-chip chip.out/velocity_slice.png
study 5-cluster out/bend/study.cmp/monitors.png'
echo "$pictures" | while read -r name lesson result; do
  [ -e "$work/$lesson/$result" ] || "$here/lesson.sh" --keep "$work/$lesson" "$here/lessons/$lesson.md" < /dev/null
  /usr/bin/python3 - "$work/$lesson/$result" "$here/pictures/$name.png" << 'END'
import sys
from PIL import Image

source, target = sys.argv[1:]
picture = Image.open(source).convert("RGB")
height = round(picture.height * 760 / picture.width)
small = picture.resize((760, height), Image.LANCZOS)
colours = small.quantize(256, method=Image.MAXCOVERAGE, kmeans=4)
reduced = small.quantize(palette=colours, dither=Image.FLOYDSTEINBERG)
values = reduced.getpalette()
page = 3 * max(reduced.getcolors())[1]  # the most frequent colour, which is white
values[page:page + 3] = [255] * 3
reduced.putpalette(values)
reduced.save(target, optimize=True)
END
  echo "$here/pictures/$name.png"
done
