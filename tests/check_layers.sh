#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks the architecture: includes point down, and a folder is a namespace.
#   tests/check_layers.sh [ROOT]      exit 0: all is well; 1: one line for each violation
#
# The first table of each stage's README lists its layers, bottom first: one row a layer, in its first
# column folders (`file/`) and files without suffix (`tile*`) in backquotes. A file may include files of
# its own layer and of those below, and of the stages before its own. Each file is in one layer.
# namespace tessera::<stage>[::<folder>]; subfolders share the namespace of their folder. `case` and
# `export` are keywords of C++, so these two folders have the namespaces `cases` and `exports`.
set -eu
root=${1:-$(dirname "$0")/..}
cd "$root"
# In the order of the data's way. A stage includes nothing of a later one.
stages="pipelines/stage pipelines/picture preprocess tiler solver postprocess pipelines/info"

for stage in $stages; do
  [ -d "$stage" ] || continue
  find "$stage" -name '*.hpp' -o -name '*.cpp' -o -name '*.cuh' -o -name '*.cu' -o -name '*.in'
done | LC_ALL=C sort | awk -v stages="$stages" '
function fail(text) { print "check_layers: " text; failed = 1 }
# Layer of a path within its stage; 0: none. The longest matching pattern counts.
function layerOf(stage, path,    rest, stem, best, length_, i, p) {
  rest = substr(path, length(stage) + 2)
  stem = rest
  sub(/\.[^\/]*$/, "", stem)
  best = 0
  length_ = -1
  for (i = 1; i <= patterns[stage]; ++i) {
    p = pattern[stage, i]
    if (length(p) <= length_) continue
    if (p ~ /\/$/ ? index(rest, p) == 1 : p ~ /\*$/ ? stem !~ /\// && index(stem, substr(p, 1, length(p) - 1)) == 1 : stem == p) {
      best = layer[stage, i]
      length_ = length(p)
    }
  }
  return best
}
function stageOf(path,    i) {
  for (i = 1; i <= count; ++i)
    if (index(path, name[i] "/") == 1) return i
  return 0
}
function readLayers(stage,    file, line, inTable, row, cell) {
  file = stage "/README.md"
  row = 0
  while ((getline line < file) > 0) {
    if (line !~ /^\|/) {
      if (inTable) break
      continue
    }
    inTable = 1
    if (line ~ /^\|[-| :]*\|$/) { body = 1; continue }
    if (!body) continue
    split(line, cells, "|")
    cell = cells[2]
    ++row
    while (match(cell, /`[^`]*`/)) {
      ++patterns[stage]
      pattern[stage, patterns[stage]] = substr(cell, RSTART + 1, RLENGTH - 2)
      layer[stage, patterns[stage]] = row
      cell = substr(cell, RSTART + RLENGTH)
    }
  }
  body = 0
  close(file)
  if (row == 0) fail(file " has no table of layers")
}
function namespaceOf(stage, path,    rest, folder, own) {
  own = "tessera::" stage
  sub(/pipelines\//, "", own)
  rest = substr(path, length(stage) + 2)
  if (stage == "pipelines/stage" || rest !~ /\//) return own
  folder = rest
  sub(/\/.*/, "", folder)
  if (folder == "case") folder = "cases"
  if (folder == "export") folder = "exports"
  return own "::" folder
}
BEGIN {
  count = split(stages, name, " ")
}
{
  path = $0
  s = stageOf(path)
  stage = name[s]
  if (!(stage in known)) { known[stage] = 1; readLayers(stage) }
  own = layerOf(stage, path)
  if (own == 0) fail(path " is in no layer of " stage "/README.md")
  ++files
  opened = 0
  number = 0
  while ((getline line < path) > 0) {
    ++number
    if (match(line, /^ *# *include "[^"]*"/)) {
      target = line
      sub(/^[^"]*"/, "", target)
      sub(/".*/, "", target)
      t = stageOf(target)
      if (target ~ /^tests\//) fail(path ":" number ": the product includes " target)
      if (t == 0) continue
      ++includes
      if (t > s) fail(path ":" number ": " stage " includes " target " of the later stage " name[t])
      else if (t == s) {
        there = layerOf(stage, target)
        if (there > own) fail(path ":" number ": upward include of " target)
      }
    } else if (line ~ /^namespace tessera/ && !opened) {
      opened = 1
      found = line
      sub(/^namespace /, "", found)
      sub(/ *\{.*/, "", found)
      wanted = namespaceOf(stage, path)
      vocabulary = path == "pipelines/stage/vec3.hpp" && found == "tessera"
      if (!vocabulary && found != wanted && index(found, wanted "::") != 1)
        fail(path ":" number ": namespace " found "; required is " wanted)
    }
  }
  close(path)
}
END {
  if (!files) fail("no files of stages here")
  if (!failed) print "check_layers: " files " files, " includes " includes, none points up"
  exit failed
}'
