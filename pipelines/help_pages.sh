#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Generates man pages and bash completion from the programs' options; run by the build.
# Usage: pipelines/help_pages.sh BIN OUT PROGRAM...    into OUT/man1 and OUT/completions
set -eu
bin=$1
out=$2
shift 2
mkdir -p "$out/man1" "$out/completions"
for program in "$@"; do
  "$bin/$program" --help-as man > "$out/man1/$program.1"
  "$bin/$program" --help-as bash > "$out/completions/$program"
done
# Each kind of sample has its own options.
case " $* " in
  *" tessera-sample "*)
    for kind in $("$bin/tessera-sample" --help | awk '/^  [a-z0-9-]+ +\./ { print $1 }'); do
      "$bin/tessera-sample" "$kind" --help-as man > "$out/man1/tessera-sample-$kind.1"
      "$bin/tessera-sample" "$kind" --help-as bash >> "$out/completions/tessera-sample"
    done ;;
esac
