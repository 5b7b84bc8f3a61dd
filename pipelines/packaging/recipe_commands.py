#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands that a recipe builds with, as a shell script, without Spack or EasyBuild.

Usage: recipe_commands.py RECIPE    RECIPE: a package.py of Spack with cmake_args(), or a .eb with CMakeNinja

The script takes SOURCE, BUILD and PREFIX from the environment, and TESSERA_CMAKE: further options of CMake. It runs
what CMakePackage and CMakeNinja run, with the recipe's options, and then the recipe's own sanity checks.
"""
import pathlib
import shlex
import sys
import types


def spack(path):
    """Options by cmake_args() of a package with the default values of its variants."""
    variants = {}

    class CMakePackage:
        @staticmethod
        def define(name, value):
            return f"-D{name}={'ON' if value is True else 'OFF' if value is False else value}"

        def define_from_variant(self, name, variant):
            return self.define(name, variants[variant])

        class spec:
            @staticmethod
            def satisfies(what):
                sign, name = what[0], what[1:]
                if sign not in "+~" or name not in variants:
                    sys.exit(f"{path}: {what} is not a variant with + or ~.")
                return variants[name] == (sign == "+")

    def variant(name, default, description):
        variants[name] = default

    directives = types.ModuleType("spack.package")
    directives.__dict__.update({name: lambda *args, **named: None for name in (
        "license", "version", "requires", "conflicts", "depends_on")}, variant=variant)
    build = types.ModuleType("spack_repo.builtin.build_systems.cmake")
    build.CMakePackage = CMakePackage
    build.generator = lambda name: variants.setdefault("generator", name)
    for module in (directives, build):
        parts = module.__name__.split(".")
        for k in range(1, len(parts)):
            sys.modules.setdefault(".".join(parts[:k]), types.ModuleType(".".join(parts[:k])))
        sys.modules[module.__name__] = module
    names = {}
    exec(compile(path.read_text(), path, "exec"), names)
    package, = (each for each in names.values()
                if isinstance(each, type) and issubclass(each, CMakePackage) and each is not CMakePackage)
    if variants.get("generator") != "ninja":
        sys.exit(f"{path}: generator(\"ninja\") is required.")
    return shlex.join(package().cmake_args()), [], []


def easybuild(path):
    """Options, paths and commands of an easyconfig."""
    names = {"SOURCELOWER_TAR_GZ": "", "SHLIB_EXT": "so"}
    exec(compile(path.read_text(), path, "exec"), names)
    if names["easyblock"] != "CMakeNinja":
        sys.exit(f"{path}: easyblock is {names['easyblock']}, expected CMakeNinja.")
    paths = names["sanity_check_paths"]
    return names["configopts"], paths["files"] + paths["dirs"], names["sanity_check_commands"]


def main():
    recipe = pathlib.Path(sys.argv[1])
    options, paths, commands = (spack if recipe.name == "package.py" else easybuild)(recipe)
    print("set -eu\n"
          'cmake -G Ninja -S "$SOURCE" -B "$BUILD" -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_BUILD_TYPE=Release '
          f'-Wno-dev {options} ${{TESSERA_CMAKE:-}}\n'
          'ninja -C "$BUILD"\nninja -C "$BUILD" install\n'
          'export PATH="$PREFIX/bin:$PATH" PYTHONPATH="$PREFIX/share/tessera/python"')
    for each in paths:
        print(f'[ -e "$PREFIX"/{shlex.quote(each)} ] || {{ echo "{recipe.name}: {each} is missing" >&2; exit 1; }}')
    for each in commands:
        print(each)


if __name__ == "__main__":
    main()
