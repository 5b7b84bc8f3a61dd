#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Generates man pages and completion for bash, zsh and fish from the programs' options, and the man pages of the
# case file and of the formats from the pages that own them; run by the build.
# Usage: pipelines/help_pages.sh BIN OUT PROGRAM...    into OUT/man1, OUT/man5, OUT/bash, OUT/zsh and OUT/fish
# TESSERA_EMULATOR (environment): runs programs of another processor
set -eu
bin=$1
out=$2
shift 2
emulator=${TESSERA_EMULATOR:-}
manual=$(dirname "$0")/manual
rm -rf "$out/man1" "$out/man5" "$out/bash" "$out/zsh" "$out/fish"
mkdir -p "$out/man1" "$out/man5" "$out/bash" "$out/zsh" "$out/fish"

# other NAME...: the pages that a page refers to.
see_also() {
  printf '.SH SEE ALSO\n'
  self=$1
  shift
  for page in "$@"; do
    case $page in "$self"\(*) ;; *) printf '.BR %s ,\n' "$(echo "$page" | sed 's/(/ (/; s/-/\\-/g')" ;; esac
  done | sed '$s/ ,$//'
}
pages=""
for program in "$@"; do pages="$pages $program(1)"; done
pages="$pages tessera-case(5) tessera-formats(5)"

# A man page with SEE ALSO: page FILE NAME, from stdin.
# shellcheck disable=SC2086
page() { { cat; see_also "$2" $pages; } > "$1"; }

for program in "$@"; do
  $emulator "$bin/$program" --help-as man | page "$out/man1/$program.1" "$program"
  for shell in bash zsh fish; do
    case $shell in bash) name=$program ;; zsh) name=_$program ;; fish) name=$program.fish ;; esac
    $emulator "$bin/$program" --help-as $shell > "$out/$shell/$name"
  done
done
# Each kind of sample has its own options. In zsh the functions of the kinds stand before the one that calls them.
case " $* " in
  *" tessera-sample "*)
    zsh=$out/zsh/_tessera-sample
    mv "$zsh" "$zsh.main"
    head -n 1 "$zsh.main" > "$zsh"
    for kind in $($emulator "$bin/tessera-sample" --help | awk '/^  [a-z0-9-]+ +\./ { print $1 }'); do
      $emulator "$bin/tessera-sample" "$kind" --help-as man | page "$out/man1/tessera-sample-$kind.1" "tessera-sample-$kind"
      $emulator "$bin/tessera-sample" "$kind" --help-as bash >> "$out/bash/tessera-sample"
      $emulator "$bin/tessera-sample" "$kind" --help-as zsh >> "$zsh"
      $emulator "$bin/tessera-sample" "$kind" --help-as fish >> "$out/fish/tessera-sample.fish"
    done
    tail -n +2 "$zsh.main" >> "$zsh"
    rm "$zsh.main" ;;
esac

version=$($emulator "$bin/$1" --version | awk 'NR == 1 { print $2 }')
for topic in case formats; do
  case $topic in
    case) what="what flows through a geometry, for all Tessera programs" ;;
    formats) what="files that Tessera's programs read and write" ;;
  esac
  { [ $topic = formats ] || grep -v '<!-- source tree -->' "$manual/reference/case.md"; "$manual/reference.sh" $topic; } |
    awk -v name="tessera-$topic" -v what="$what" -v version="$version" -f "$manual/md_to_man.awk" |
    page "$out/man5/tessera-$topic.5" "tessera-$topic"
done
