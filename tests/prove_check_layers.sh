#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Proves that check_layers.sh fails where it must: a small tree that passes, then one fault at a time.
set -eu
check=$(cd "$(dirname "$0")" && pwd)/check_layers.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/tiler/low" "$tree/tiler/high" "$tree/solver/case"
printf '%s\n' '# Tiler' '' '| layer | content |' '|---|---|' '| `low/` | below |' '| `high/` | above |' '| `main` | top |' >"$tree/tiler/README.md"
printf '%s\n' '| layer | content |' '|---|---|' '| `case/` | values |' >"$tree/solver/README.md"
reset() {
  echo 'namespace tessera::tiler::low {' >"$tree/tiler/low/a.hpp"
  printf '%s\n' '#include "tiler/low/a.hpp"' 'namespace tessera::tiler::high {' >"$tree/tiler/high/b.hpp"
  printf '%s\n' '#include "tiler/high/b.hpp"' 'namespace tessera::tiler {' >"$tree/tiler/main.cpp"
  printf '%s\n' '#include "tiler/low/a.hpp"' 'namespace tessera::solver::cases {' >"$tree/solver/case/c.hpp"
  rm -f "$tree/tiler/stray.hpp"
}
passes() {
  sh "$check" "$tree" || { echo "prove_check_layers: $1 was refused"; exit 1; }
}
fails() {
  if said=$(sh "$check" "$tree"); then echo "prove_check_layers: $1 passed"; exit 1; fi
  case $said in *"$2"*) ;; *) echo "prove_check_layers: $1: \"$2\" not in: $said"; exit 1 ;; esac
  reset
}
reset
passes "a tree without a fault"
echo '#include "tiler/high/b.hpp"' >>"$tree/tiler/low/a.hpp"
fails "an upward include" "tiler/low/a.hpp:2: upward include"
echo '#include "solver/case/c.hpp"' >>"$tree/tiler/main.cpp"
fails "an include of a later stage" "later stage solver"
echo 'namespace tessera::tiler {' >"$tree/tiler/low/a.hpp"
fails "a wrong namespace" "required is tessera::tiler::low"
echo 'namespace tessera {' >"$tree/tiler/stray.hpp"
fails "a file without a layer" "stray.hpp is in no layer"
echo '#include "tests/x.hpp"' >>"$tree/tiler/main.cpp"
fails "an include of a test" "the product includes tests/x.hpp"
passes "the tree after all"
echo "prove_check_layers: 5 faults found"
