#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Creeping flow through a circular hole in a sheet, by the shipped programs, against Sampson's
# Q = a^3 dp / (3 mu) (Happel & Brenner 1983, section 4-29). The hole of 1 mm lies in the middle of a box
# of 20 mm, periodic across the flow, between two pressures.
#   sampson.sh PROGRAMS FOLDER [NODES...]    nodes of the radius, default 5 7 10 14: minutes on a GPU
# Prints the flow rate over Sampson's for each, and its limit by a line in the reciprocal of the nodes.
set -euo pipefail
programs=$(cd "$1" && pwd)
mkdir -p "$2" && cd "$2"
shift 2
[ $# -gt 0 ] || set -- 5 7 10 14
awk -v sides=256 -v half=10 '
function facet(a, b, c) {
  print "facet normal 0 0 0\nouter loop\nvertex " a "\nvertex " b "\nvertex " c "\nendloop\nendfacet" > file
}
function corner(i, j, k) { return half * (2 * i - 1) " " half * (2 * j - 1) " " half * (2 * k - 1) }
function quad(a, b, c, d) { facet(a, b, c); facet(a, c, d) }
function ring(k,    t) { t = 2 * pi * k / sides; return x " " cos(t) " " sin(t) }
function square(k,    t, c, s, m) {
  t = 2 * pi * k / sides; c = cos(t); s = sin(t)
  m = c * c > s * s ? sqrt(c * c) : sqrt(s * s)
  return x " " half * c / m " " half * s / m
}
BEGIN {
  pi = atan2(0, -1); x = 0.0137; CONVFMT = "%.9g"
  file = "box.stl"; print "solid box" > file
  quad(corner(0,0,0), corner(0,0,1), corner(0,1,1), corner(0,1,0))
  quad(corner(1,0,0), corner(1,1,0), corner(1,1,1), corner(1,0,1))
  quad(corner(0,0,0), corner(1,0,0), corner(1,0,1), corner(0,0,1))
  quad(corner(0,1,0), corner(0,1,1), corner(1,1,1), corner(1,1,0))
  quad(corner(0,0,0), corner(0,1,0), corner(1,1,0), corner(1,0,0))
  quad(corner(0,0,1), corner(1,0,1), corner(1,1,1), corner(0,1,1))
  print "endsolid box" > file
  file = "sheet.stl"; print "solid sheet" > file
  for (k = 0; k < sides; ++k) {
    facet(ring(k), square(k), square(k + 1)); facet(ring(k), square(k + 1), ring(k + 1))
  }
  print "endsolid sheet" > file
}'
cat > case.toml <<'CASE'
[fluid]
density = "1000 kg/m3"
viscosity = "1e-3 Pa.s"
[solver]
tau = 1.0
precision = "f64"
walls = "halfway"
[[opening]]
id = 1
kind = "pressure"
value = "4.7e-4 Pa"
[[opening]]
id = 2
kind = "pressure"
value = "0 Pa"
[stop]
steps = 60000
converged = 1e-8
[output]
monitor_every = 500
CASE
for nodes in "$@"; do
  spacing=$(awk -v n="$nodes" 'BEGIN { printf "%.12gmm", 1 / n }')
  "$programs/tessera-preprocess" box.stl sheet.stl --unit mm --spacing "$spacing" --periodic yz \
    --faces x-,x+ --max-nodes 1G --quiet -o geom.vdb > /dev/null
  "$programs/tessera-tiler" geom.vdb --quiet -o geom.tiles > /dev/null
  "$programs/tessera-solver" geom.tiles --case case.toml --quiet -o run.fields > run.txt
  awk -v n="$nodes" '$2 == "x+" && $3 == "pressure" { print n, $4 / (1e-9 * 4.7e-4 / 3e-3) }' run.txt
done | tee ratios.txt
awk '{ x = 1 / $1; n += 1; sx += x; sy += $2; sxx += x * x; sxy += x * $2 }
  END { if (n > 1) printf "limit %.4f\n", (sy * sxx - sx * sxy) / (n * sxx - sx * sx) }' ratios.txt
