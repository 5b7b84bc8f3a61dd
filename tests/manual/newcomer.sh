#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A newcomer by script: a fresh clone, built programs, and nothing but the commands of a page, as they stand, in one go.
# Counts commands, choices and time: one line a page, for the table of the manual (pipelines/manual/index.md).
# Usage: newcomer.sh SOURCE BIN [PAGE...]
#   commands  lines of blocks ```sh, continued ones once, without those that make the data in place of the reader's own
#   choices   options of these (but -o) and values of the case and its tables that the reader writes
#   minutes   of the clock, all commands of the page, those that make the data too; processor seconds of all threads
set -eu
source=$(cd "$1" && pwd) bin=$(cd "$2" && pwd)
shift 2
[ $# -gt 0 ] || set -- index.md lessons/1-aneurysm.md lessons/2-aorta.md lessons/3-rock.md lessons/4-chip.md lessons/5-cluster.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone --quiet --no-hardlinks "$source" "$work/clone"
export PATH=$bin:$PATH TESSERA_BIN=$bin TESSERA=$work/clone/pipelines
TIMEFORMAT='%R %U %S'

# Commands of a page, continued lines joined.
commandsOf() {
  awk '/^<!-- (not run|needs): / { skip = 1; next }
       /^```/ { on = !on && $0 == "```sh" && !skip; if ($0 != "```") skip = 0; next }
       on && NF { line = line $0; if (sub(/\\$/, "", line)) next; print line; line = "" }' "$1" | grep -v '^tessera-sample' || true
}
# Values of the files that the reader writes.
valuesOf() {
  awk '/^```toml/ { on = 1; next } /^```/ { on = 0 } on && /^[a-z_]+ *=/' "$1" | wc -l
}

printf '%-24s %8s %8s %8s %12s\n' page commands choices minutes 'processor s'
for page; do
  file=$work/clone/pipelines/manual/$page
  commands=$(commandsOf "$file" | wc -l)
  options=$(commandsOf "$file" | grep -oE ' (--[a-z-]+|[A-Z_]+=)' | wc -l)
  times=$( { time bash "$work/clone/pipelines/manual/lesson.sh" --keep "$work/here" "$file" > "$work/log" 2>&1 ||
             { tail -5 "$work/log" >&3; echo "newcomer: $page failed" >&3; exit 1; }; } 3>&2 2>&1)
  rm -rf "$work/here"
  echo "$page $commands $((options + $(valuesOf "$file"))) $times" |
    awk '{ printf "%-24s %8d %8d %8.1f %12.0f\n", $1, $2, $3, $4 / 60, $5 + $6 }'
done
