#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The manual as web pages: built, every local link and picture is there, nothing comes from the network, and
# every option of every program is in the reference. Usage: check_site.sh SOURCE BIN
set -eu
source=$1 bin=$2
command -v mkdocs > /dev/null || { echo "skipped: mkdocs is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$source/pipelines/manual/build.sh" "$bin" "$work/site"
cd "$work/site"
failed=0
complain() { echo "$*" >&2; failed=1; }
for page in $(find . -name '*.html' ! -name 404.html); do
  folder=$(dirname "$page")
  grep -oE '(src|href)="[^"]*"' "$page" | sed 's/^[a-z]*="//; s/"$//; s/#.*//' | sort -u > links
  while read -r link; do
    case $link in
      '' | https://arxiv.org/* | https://doi.org/* | https://www.mkdocs.org* | https://readthedocs.org* | https://github.com/*) ;;
      *://* | //*) complain "$page: $link is not in the manual" ;;
      *) [ -e "$folder/$link" ] || complain "$page: $link is missing" ;;
    esac
  done < links
  # Scripts, styles and pictures are never fetched.
  if grep -E '<(script|img|link)[^>]*(src|href)="(https?:)?//' "$page" | grep -vq 'rel="canonical"'; then complain "$page: loads from the network"; fi
done
if grep -rlE 'url\(["'\'']?(https?:)?//' --include='*.css' . ; then complain "a style sheet loads from the network"; fi
for program in sample preprocess tiler solver postprocess compare info; do
  for option in $("$bin/tessera-$program" --help | sed -nE 's/^  (-[a-zA-Z],)?(--[a-z-]+).*/\2/p'); do
    grep -q -- "<code>$option</code>" reference/tessera-$program.html || complain "reference of tessera-$program: $option is missing"
  done
done
exit $failed
