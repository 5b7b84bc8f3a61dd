#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The archive of a release knows its commit without git. Usage: check_archive.sh SOURCE
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
commit=$(git -C "$source" rev-parse --short=12 HEAD 2> /dev/null) || { echo "no git history here: skipped"; exit 77; }
git -C "$source" archive --format=tar HEAD pipelines/cmake CMakeLists.txt | tar -x -C "$work"
echo '@TESSERA_GIT_HASH@' > "$work/template"
cmake -DSOURCE="$work" -DTEMPLATE="$work/template" -DOUTPUT="$work/found" -P "$work/pipelines/cmake/git_hash.cmake"
[ "$(cat "$work/found")" = "$commit" ] || { echo "the archive says $(cat "$work/found"), expected $commit"; exit 1; }
