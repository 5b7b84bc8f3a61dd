#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# From a foreign surface to first numbers: at most three commands and two decisions on the first page of the
# manual (whether they work: manual.index.md). Usage: check_newcomer.sh SOURCE
set -eu
page=$1/pipelines/manual/index.md
commands=$(awk '/^```sh/ { on = 1; next } /^```/ { on = 0 } on && NF { print }' "$page" | grep -vc '\\$' || true)
decisions=$(grep -c '^\*Decision [0-9]' "$page")
echo "$commands commands, $decisions decisions"
[ "$commands" -ge 1 ] && [ "$commands" -le 3 ] && [ "$decisions" -ge 1 ] && [ "$decisions" -le 2 ]
# The README is two screens: 80 lines, with a picture and a link to the manual.
lines=$(wc -l < "$1/README.md")
[ "$lines" -le 85 ] || { echo "README.md has $lines lines" >&2; exit 1; }
grep -q '^!\[' "$1/README.md"
grep -q 'pipelines/manual' "$1/README.md"
