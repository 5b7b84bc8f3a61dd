#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Creeping flow through a circular hole of 1 mm radius, by the shipped programs, between two pressures in a box
# that is periodic across the flow.
#   orifice.sh PROGRAMS FOLDER sampson|plate
# sampson: in a sheet without thickness, a box of 20 mm; flow rate over Sampson's Q = a^3 dp / (3 mu) (Happel &
# Brenner 1983, section 4-29) for nodes of the radius (NODES, default 5 7 10 14: minutes on a GPU), and the limit
# of a line in their reciprocal. Halfway walls, f64 (WALLS, PRECISION).
# plate: in a plate of 0.18 mm, a box of 8 mm; the same ratio for nodes of the box (NODES, default 39 40 41 56).
# An even number of up to 44 has no layer of nodes in the plate, which then only cuts links; its flow rate over
# the mean of its neighbours, which have one. Walls and precision are left to the program.
set -euo pipefail
. "$(dirname "$0")/common.sh"
programs=$(cd "$1" && pwd)
mkdir -p "$2" && cd "$2"

# surfaces HALF THICKNESS: the fluid in a box of +-HALF mm as box.stl; with a plate in it, or, for a thickness
# of 0, without, and the sheet as sheet.stl.
surfaces() {
  awk -v half="$1" -v thick="$2" -v sides=256 '
  function facet(a, b, c) {
    print "facet normal 0 0 0\nouter loop\nvertex " a "\nvertex " b "\nvertex " c "\nendloop\nendfacet" > file
  }
  function ring(x, k,    t) { t = 2 * pi * k / sides; return x " " cos(t) " " sin(t) }
  function square(x, k,    t, c, s, m) {
    t = 2 * pi * k / sides; c = cos(t); s = sin(t)
    m = c * c > s * s ? sqrt(c * c) : sqrt(s * s)
    return x " " half * c / m " " half * s / m
  }
  function part(name) { file = name ".stl"; print "solid " name > file }
  BEGIN {
    pi = atan2(0, -1); CONVFMT = "%.9g"
    low = thick > 0 ? -thick / 2 : 0; high = -low; off = thick > 0 ? 0 : 0.0137
    part("box")
    for (k = 0; k < sides; ++k) {
      facet(-half " 0 0", square(-half, k + 1), square(-half, k))
      facet(half " 0 0", square(half, k), square(half, k + 1))
      facet(square(-half, k), square(-half, k + 1), square(low, k + 1))
      facet(square(-half, k), square(low, k + 1), square(low, k))
      facet(square(high, k), square(high, k + 1), square(half, k + 1))
      facet(square(high, k), square(half, k + 1), square(half, k))
      if (thick == 0) continue
      facet(square(low, k), square(low, k + 1), ring(low, k + 1)); facet(square(low, k), ring(low, k + 1), ring(low, k))
      facet(ring(low, k), ring(low, k + 1), ring(high, k + 1)); facet(ring(low, k), ring(high, k + 1), ring(high, k))
      facet(ring(high, k), ring(high, k + 1), square(high, k + 1)); facet(ring(high, k), square(high, k + 1), square(high, k))
    }
    print "endsolid box" > file
    if (thick > 0) exit
    part("sheet")
    for (k = 0; k < sides; ++k) {
      facet(ring(off, k), square(off, k), square(off, k + 1)); facet(ring(off, k), square(off, k + 1), ring(off, k + 1))
    }
    print "endsolid sheet" > file
  }'
}

# flow SPACING SURFACE...: flow rate over Sampson's, and the links that are cut.
flow() {
  "$programs/tessera-preprocess" "${@:2}" --unit mm --spacing "$1mm" --periodic yz --faces x-,x+ --max-nodes 1G \
    --quiet -o geom.vdb --report geom.json > preprocess.log 2>&1
  "$programs/tessera-tiler" geom.vdb --quiet -o geom.tiles > tiler.log
  "$programs/tessera-solver" geom.tiles --case case.toml --quiet -o run.fields > run.log
  awk -v cut="$(number geom.json cut_links)" \
    '$2 == "x+" && $3 == "pressure" { print $4 / (1e-9 * 4.7e-4 / 3e-3), cut + 0 }' run.log
}

{
  printf '[fluid]\ndensity = "1000 kg/m3"\nviscosity = "1e-3 Pa.s"\n[solver]\ntau = 1.0\n'
  [ "$3" = plate ] && [ -z "${PRECISION:-}" ] || printf 'precision = "%s"\n' "${PRECISION:-f64}"
  [ "$3" = plate ] && [ -z "${WALLS:-}" ] || printf 'walls = "%s"\n' "${WALLS:-halfway}"
  printf '[[opening]]\nid = %d\nkind = "pressure"\nvalue = "%s Pa"\n' 1 4.7e-4 2 0
  printf '[stop]\nsteps = 60000\nconverged = %s\n[output]\nmonitor_every = 500\n' \
    "$([ "$3" = plate ] && echo 1e-6 || echo 1e-8)"
} > case.toml

case $3 in
  sampson)
    echo "Hole in a sheet: flow rate over Sampson's"
    surfaces 10 0
    for nodes in ${NODES:-5 7 10 14}; do
      echo "$nodes $(flow "$(awk -v n="$nodes" 'BEGIN { printf "%.12g", 1 / n }')" box.stl sheet.stl)"
    done | tee rows.txt
    awk '{ x = 1 / $1; n += 1; sx += x; sy += $2; sxx += x * x; sxy += x * $2 }
      END { if (n > 1) printf "limit %.4f\n", (sy * sxx - sx * sxy) / (n * sxx - sx * sx) }' rows.txt ;;
  plate)
    echo "Hole in a plate of 0.18 mm: nodes of the box and across the hole, flow rate over Sampson's, cut links"
    surfaces 4 0.18
    for nodes in ${NODES:-39 40 41 56}; do
      echo "$nodes $(awk -v n="$nodes" 'BEGIN { print n / 4 }') $(flow "$(awk -v n="$nodes" 'BEGIN { printf "%.12g", 8 / n }')" box.stl)"
    done | tee rows.txt
    awk '{ flow[$1] = $3 }
      END {
        for (n in flow) if (n <= 44 && n % 2 == 0 && (n - 1 in flow) && (n + 1 in flow))
          printf "lost over resolved, %d nodes %.4f\n", n, 2 * flow[n] / (flow[n - 1] + flow[n + 1])
      }' rows.txt ;;
  *) echo "orifice.sh: unknown table $3; expected sampson or plate" >&2; exit 2 ;;
esac
