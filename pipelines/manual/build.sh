#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The manual as web pages that need no network: pages of this folder, and those that are made here of the
# programs' own help and of the READMEs that own the case file and the results.
# Usage: build.sh BIN OUT    into OUT, which is replaced; needs mkdocs
set -eu
[ $# = 2 ] || { echo "build.sh: $# arguments were given; expected the folder of the programs and that of the pages." >&2; exit 2; }
command -v mkdocs > /dev/null || { echo "build.sh: mkdocs is missing; apt-get install mkdocs, or read pipelines/manual/*.md as they are." >&2; exit 5; }
bin=$(cd "$1" && pwd)
case $2 in /*) out=$2 ;; *) out=$PWD/$2 ;; esac
[ ! -e "$out" ] || [ -e "$out/reference/tessera-solver.html" ] || {
  echo "build.sh: $out is there and is no manual; name another folder." >&2
  exit 4
}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/docs"
for part in index.md install.md settings.md formats.md theory.md manual.css lessons howto reference pictures; do
  cp -R "$here/$part" "$work/docs/"
done
[ ! -d "$here/formats" ] || cp -R "$here/formats" "$work/docs/"

# Lines for those who read the pages in the source tree.
sed -i '/<!-- source tree -->/d' "$work"/docs/reference/*.md
"$here/reference.sh" case >> "$work/docs/reference/case.md"
"$here/reference.sh" results >> "$work/docs/reference/results.md"

programs="" formats=""
for program in sample preprocess tiler solver postprocess compare info; do
  page=reference/tessera-$program.md
  "$bin/tessera-$program" --help-as markdown > "$work/docs/$page"
  programs="$programs    - tessera-$program: $page\\n"
done
for kind in $("$bin/tessera-sample" --help | awk '/^  [a-z0-9-]+ +\./ { print $1 }'); do
  { echo; "$bin/tessera-sample" "$kind" --help-as markdown; } >> "$work/docs/reference/tessera-sample.md"
done
for page in "$here"/formats/*.md; do
  [ ! -e "$page" ] || formats="$formats    - $(sed -n 's/^# *//p' "$page" | head -1 | tr -d ':`'): formats/${page##*/}\\n"
done
"$bin/tessera-info" --formats | awk '
  BEGIN { print "\n| ending | kind | name |\n|---|---|---|" }
  $1 !~ /\.gz$/ { ending = $1; kind = $2; $1 = $2 = ""; sub(/^ +/, ""); gsub(/\|/, "\\|"); print "| " ending " | " kind " | " $0 " |" }' \
  >> "$work/docs/formats.md"
sed "s,^@programs@\$,$programs,; s,^@formats@\$,$formats," "$here/mkdocs.yml" | sed 's/\\n$//' | awk 'NF' > "$work/mkdocs.yml"
(cd "$work" && mkdocs build --quiet --strict)
# Debian's theme names scripts by versions that its packages do not have: jQuery is copied, others are left out.
cd "$work/site"
for script in $(grep -rohE --include='*.html' 'js/[^"/]*\.js"' . | tr -d '"' | sort -u); do
  [ ! -e "$script" ] || continue
  case $script in
    js/jquery-*) cp js/jquery-*.min.js "$script" ;;
    *) find . -name '*.html' -exec sed -i "s,<script[^>]*$script\"[^>]*></script>,," {} + ;;
  esac
done
cd "$work"
rm -rf "$out"
mkdir -p "$(dirname "$out")"
cp -R "$work/site" "$out"
