#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A part of the reference, in Markdown, from the READMEs that own it.
# Usage: reference.sh case | results | formats
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

# section FILE TITLE [FROM [TO]]: the README under a title of its own, from the first line that matches FROM to the one
# before TO; links lead into the source tree, so they become text.
section() {
  printf '\n## %s\n\n' "$2"
  awk -v from="${3:-^[^#|]}" -v to="${4:-^@never@}" '
    !on && $0 ~ from { on = 1 }
    on && $0 ~ to { exit }
    on { print }' "$1" |
    sed -E 's/\[(solver|pipelines|postprocess|preprocess)[a-z/]*\]\([^)]*\)/below/g; s/\[([^]]*)\]\((\.\.?\/|[a-zA-Z_]+\/|[a-z_]+\.(hpp|cpp|md))[^)]*\)/\1/g; s/ \(`?[a-z_]+\.(hpp|cpp)`?\)//g'
}

case ${1:-} in
  case)
    section "$root/pipelines/stage/case/README.md" "Tables and keys" '^\| table'
    section "$root/solver/boundary/README.md" "Openings" '^\| `kind` \| keys'
    section "$root/solver/case/README.md" "Fluids, walls, time, forces, guards" '^\| `\[fluid\]`'
    ;;
  results)
    section "$root/postprocess/quantity/README.md" "Definitions"
    section "$root/postprocess/compare/README.md" "Comparison and error bars" '^Compares'
    ;;
  formats)
    cat "$here/formats.md"
    for page in "$here"/formats/*.md; do
      [ ! -e "$page" ] || { echo; sed 's/^#/##/' "$page"; }
    done
    ;;
  *) echo "reference.sh: ${1:-nothing} was asked for; expected case, results or formats." >&2; exit 2 ;;
esac
