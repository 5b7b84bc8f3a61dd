# SPDX-License-Identifier: GPL-3.0-or-later
import os

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator


class Tessera(CMakePackage):
    """Lattice Boltzmann flow through vessels, rock and chips, on tiles: from a surface mesh or an image to flow
    rates, pressure drops, wall shear stress and permeability."""

    manual_download = True  # the archive is made by: make -C pipelines archive
    url = f"file://{os.getcwd()}/tessera-0.2.0.tar.gz"

    license("GPL-3.0-or-later")

    version("0.2.0")

    variant("cuda", default=False, description="NVIDIA GPUs")
    variant("mpi", default=True, description="Several processes by MPI")

    generator("ninja")
    requires("target=x86_64_v3:", msg="AVX2 is needed, as the sources are compiled for x86-64-v3")
    conflicts("%gcc@:11", msg="C++20 as of GCC 12 is needed")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("cli11@2.3:", type="build")
    depends_on("nlohmann-json@3.11:")
    depends_on("tomlplusplus@3.4:", type="build")
    depends_on("xxhash")
    depends_on("eigen@3.4", type="build")
    depends_on("boost@1.74:+iostreams")
    depends_on("cgal@5.5:5", type="build")
    depends_on("fmt@9:")
    depends_on("intel-tbb@2021:")
    depends_on("openvdb@10:")
    depends_on("c-blosc")
    depends_on("zlib-api")
    depends_on("pugixml")
    depends_on("hdf5@1.10:")
    depends_on("libpng")
    depends_on("libtiff")
    depends_on("freetype")
    depends_on("harfbuzz")
    depends_on("libraqm")
    depends_on("python@3.10:", type="run")
    depends_on("py-numpy", type="run")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12:", when="+cuda")

    def cmake_args(self):
        return [
            self.define("TESSERA_TESTS", False),
            self.define("TESSERA_CUDA", "ON" if self.spec.satisfies("+cuda") else "OFF"),
            self.define_from_variant("TESSERA_MPI", "mpi"),
        ]

    def setup_run_environment(self, env):
        env.set("TESSERA", self.prefix.share.tessera)
        env.prepend_path("PYTHONPATH", self.prefix.share.tessera.python)
