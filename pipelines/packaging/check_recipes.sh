#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds the release archive by the commands of the Spack and EasyBuild recipes, with the libraries of this machine, then
# loads the installed module file in Lmod and Environment Modules and uses what it sets.
# Usage: check_recipes.sh ARCHIVE.tar.gz [OPTION OF CMAKE...]
# -DTESSERA_VARIANTS=tests/reliability/few_variants.def makes it quicker, CMAKE_CXX_COMPILER_LAUNCHER=ccache the second build.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
archive=$(readlink -f "$1")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "check_recipes: $1" >&2; exit 1; }
tar -C "$work" -xzf "$archive"
export SOURCE BUILD=$work/build PREFIX TESSERA_CMAKE="$*"
SOURCE=$(echo "$work"/tessera-*)
version=$(sed -n 's/^project(tessera VERSION \([0-9.]*\).*/\1/p' "$SOURCE/CMakeLists.txt")
# The archive's own recipes, not those of this folder.
recipes=$SOURCE/pipelines/packaging/recipes
for recipe in "$recipes/spack/packages/tessera/package.py" "$recipes"/easybuild/tessera-*.eb; do
  grep -q "version.*[('\"]$version['\"]" "$recipe" || fail "$recipe has another version than $version."
  PREFIX=$work/installed
  rm -rf "$BUILD" "$PREFIX"
  "$here/recipe_commands.py" "$recipe" > "$work/commands"
  start=$SECONDS
  sh "$work/commands" > "$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; fail "the commands of ${recipe##*/} failed."; }
  echo "${recipe##*/}: built, installed and checked in $((SECONDS - start)) s"
done

# --- module file, in an installation that was moved -----------------------------------------------
mv "$PREFIX" "$work/moved"
cat > "$work/use" <<END
set -eu
module use $work/moved/share/tessera/modulefiles
module load tessera/$version
[ "\$(command -v tessera-solver)" = $work/moved/bin/tessera-solver ]
[ -f "\$TESSERA/rules.mk" ]
python3 -c 'import tessera; assert tessera.__file__.startswith("$work/moved/")'
case \$CMAKE_PREFIX_PATH in $work/moved*) ;; *) exit 1 ;; esac
module unload tessera
! command -v tessera-solver || exit 1
[ -z "\${TESSERA:-}" ]
END
tried=
# Debian's packages lmod and environment-modules exclude each other; either may be unpacked elsewhere and named.
for init in "${LMOD_INIT:-/usr/share/lmod/lmod/init/bash}" "${MODULES_INIT:-/usr/share/modules/init/bash}"; do
  [ -f "$init" ] || { echo "module file: $init is not here, not tried"; continue; }
  env -i PATH=/usr/bin:/bin HOME="$work" bash -c ". $init; . $work/use" > "$work/log" 2>&1 ||
    { cat "$work/log" >&2; fail "the module file does not work with $init."; }
  echo "module file: loaded and unloaded by $init"
  tried=1
done
[ -n "$tried" ] || fail "apt-get install lmod or environment-modules first."
