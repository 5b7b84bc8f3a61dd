#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Balance of forces in periodic steady flow driven by a body force: the force on the walls is that on the fluid, whose
# volume is its nodes times spacing^3. Body-centred spheres (surface, an eighth solid, two in a cell of four radii) and
# square arrays of cylinders (image, a fifth solid); creeping, all settings left to the program.
#   balance.sh PROGRAMS FOLDER [spheres|cylinders]...    flows to print; default: both
# RADII (of spheres, in nodes), CELLS (nodes along a cell of cylinders), PRECISION, CONVERGED, THREADS (environment)
# replace the defaults. Columns, in percent of the force on the fluid: error of the force on the walls by momentum
# exchange and by the integral of the stress; its largest part across the flow; steps, seconds.
set -euo pipefail
. "$(dirname "$0")/common.sh"
programs=$(cd "$1" && pwd)
mkdir -p "$2" && cd "$2"
shift 2
[ $# -gt 0 ] || set -- spheres cylinders

spheres() {  # RADIUS
  "$programs/tessera-sample" lattice --lattice bcc --radius 0.25 --side "1 mm" --quiet -o spheres.stl > sample.log
  "$programs/tessera-preprocess" spheres.stl --unit mm --periodic xyz --longest $((4 * $1)) --quiet -o cell.vdb \
    > preprocess.log 2>&1
}

cylinders() {  # CELL
  awk -v n="$1" 'BEGIN {
    r = n * sqrt(0.2 / atan2(0, -1)); c = (n - 1) / 2
    printf "P2\n%d %d\n255\n", n, n
    for (y = 0; y < n; ++y) { for (x = 0; x < n; ++x) printf "%d ", (x - c) ^ 2 + (y - c) ^ 2 < r ^ 2 ? 255 : 0; print "" }
  }' > cell.pgm
  "$programs/tessera-preprocess" cell.pgm --pore 0 --periodic xy --voxel "$(awk -v n="$1" 'BEGIN { printf "%.9g mm", 1 / n }')" \
    --quiet -o cell.vdb > preprocess.log 2>&1
}

# row FLOW NODES
row() {
  local start seconds force=1
  "$1" "$2"
  "$programs/tessera-tiler" cell.vdb --quiet -o cell.tiles > tiler.log
  printf '[fluid]\ndensity = 1000\nviscosity = "1e-6 m2/s"\n[solver]\nprecision = "%s"\nbody_force = [%s, 0, 0]\n' \
    "${PRECISION:-f32}" "$force" > case.toml
  printf '[stop]\nsteps = 400000\nconverged = %s\n' "${CONVERGED:-1e-5}" >> case.toml
  start=$(date +%s.%N)
  if ! "$programs/tessera-solver" cell.tiles --case case.toml --threads "${THREADS:-1}" --quiet -o run.fields \
      --report run.json > run.log 2>&1; then
    printf '%-10s %5s  no result: %s\n' "$1" "$2" "$(tail -1 run.log | cut -c1-90)"
    return
  fi
  seconds=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { print b - a }')
  rm -rf out
  "$programs/tessera-postprocess" run.fields cell.tiles --quiet -o out > post.log 2>&1
  awk -F, -v flow="$1" -v nodes="$2" -v fluid="$(number run.json fluid_nodes)" -v spacing="$(number run.json spacing_m)" \
    -v steps="$(number run.json steps)" -v seconds="$seconds" -v density="$force" '
    NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    { x += $at["force_x[N]"]; y += $at["force_y[N]"]; z += $at["force_z[N]"]; stress += $at["stress_force_x[N]"] }
    END {
      force = density * fluid * spacing ^ 3; across = y * y > z * z ? y : z
      printf "%-10s %5d %9.4f %8.2f %8.4f %7d %8.1f\n", flow, nodes, 100 * (x / force - 1), 100 * (stress / force - 1),
        100 * (across < 0 ? -across : across) / force, steps, seconds
    }' out/forces.csv
}

echo "Force on walls in periodic steady flow (A1)"
printf '%-10s %5s %9s %8s %8s %7s %8s\n' flow nodes force stress across steps seconds
for flow in "$@"; do
  case $flow in
    spheres) for nodes in ${RADII:-4 8 12}; do row spheres "$nodes"; done ;;
    cylinders) for nodes in ${CELLS:-32 64}; do row cylinders "$nodes"; done ;;
    *) echo "balance.sh: unknown flow $flow; expected spheres or cylinders" >&2; exit 2 ;;
  esac
done
