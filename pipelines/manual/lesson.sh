#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the commands of a page of the manual, as a reader would, in an empty folder.
# Usage: lesson.sh [--quick] [--keep FOLDER] [--print] PAGE.md
#   --quick  the edits of the page's comments, for seconds instead of minutes
#   --keep   the folder to work in, which stays (default: a temporary one)
#   --print  only print the script
# The programs are those on the PATH (and of TESSERA_BIN); TESSERA is the source tree or the installed
# PREFIX/share/tessera (default: that of this file).
#
# In a page a block ```sh is run. A block ```toml, ```csv or ```make is written to the file that the last `name` in the
# line before it names. Comments of Markdown steer what follows:
#   <!-- quick: SCRIPT -->       sed script that makes the next block quick
#   <!-- check: COMMAND -->      run as well, unseen by the reader
#   <!-- not run: REASON -->     the next block is not run
#   <!-- needs: PROGRAM -->      the next block is not run where that program is missing
#   <!-- after: PAGE.md -->      that page is run before this one
set -eu
quick=0 keep='' print=0
while [ $# -gt 1 ]; do
  case $1 in
    --quick) quick=1 ;;
    --keep) keep=$2; shift ;;
    --print) print=1 ;;
    *) echo "lesson.sh: unknown option $1; expected --quick, --keep FOLDER or --print." >&2; exit 2 ;;
  esac
  shift
done
page=${1:?"lesson.sh: a page is required, such as lessons/4-chip.md"}
[ -r "$page" ] || { echo "lesson.sh: $page cannot be read." >&2; exit 3; }
here=$(cd "$(dirname "$0")" && pwd)

# The page as a script, pages that come before it first.
script() {
  first=$(sed -n 's/^<!-- after: *\(.*[^ ]\) *-->$/\1/p' "$1")
  for before in $first; do script "$(dirname "$1")/$before"; done
  awk -v quick="$quick" -v page="$1" '
    function flush(   command, line) {
      if (!kind) return
      if (edit != "" && quick) {
        command = "sed '\''" edit "'\''"
        printf "%s", text | (command " > \"" scratch "\"")
        close(command " > \"" scratch "\"")
        text = ""
        while ((getline line < scratch) > 0) text = text line "\n"
        close(scratch)
      }
      if (kind == "sh") printf "echo; sed \"s/^/\\$ /\" <<'\''TESSERA_SHOWN'\''\n%sTESSERA_SHOWN\n%s", text, text
      else printf "cat > \"%s\" <<'\''TESSERA_FILE'\''\n%sTESSERA_FILE\n", name, text
    }
    BEGIN { "mktemp" | getline scratch }
    END { system("rm -f \"" scratch "\"") }
    inside && /^```/ { flush(); inside = 0; kind = edit = ""; skip = 0; next }
    inside { text = text $0 "\n"; next }
    /^<!-- quick: / { edit = $0; sub(/^<!-- quick: /, "", edit); sub(/ *-->$/, "", edit); next }
    /^<!-- check: / { line = $0; sub(/^<!-- check: /, "", line); sub(/ *-->$/, "", line); print line; next }
    /^<!-- not run: / { skip = 1; next }
    /^<!-- needs: / { if (system("command -v " $3 " > /dev/null") != 0) skip = 1; next }
    /^```/ {
      inside = 1; text = ""; kind = substr($0, 4)
      if (skip || (kind !~ /^(sh|toml|csv|make)$/) || (kind != "sh" && name == "")) kind = ""
      next
    }
    NF { name = ""; line = $0; while (match(line, /`[^`]+`/)) { name = substr(line, RSTART + 1, RLENGTH - 2); line = substr(line, RSTART + RLENGTH) }
         if ($0 !~ /:$/) name = "" }
  ' "$1"
}

if [ "$print" = 1 ]; then script "$page"; exit; fi
commands=$(script "$page")
export TESSERA="${TESSERA:-$(cd "$here/.." && pwd)}"
if [ -n "$keep" ]; then
  mkdir -p "$keep"
else
  keep=$(mktemp -d)
  trap 'rm -rf "$keep"' EXIT
fi
cd "$keep"
sh -eu -c "$commands"
