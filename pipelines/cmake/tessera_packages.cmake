# SPDX-License-Identifier: GPL-3.0-or-later
# Packages that Tessera is built with; their Debian names are listed once, in pipelines/packages.txt.

find_package(Threads REQUIRED)
# Before the modules of OpenVDB are on the path: they include another FindTBB.
find_package(TBB CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
find_package(fmt CONFIG REQUIRED)
# Header-only where nothing can be installed.
add_library(tessera_fmt INTERFACE)
target_link_libraries(tessera_fmt INTERFACE $<IF:$<BOOL:${TESSERA_PORTABLE}>,fmt::fmt-header-only,fmt::fmt>)
if(TESSERA_TESTS)
  find_package(Catch2 2 CONFIG REQUIRED)
  include(Catch)  # catch_discover_tests
endif()
if(NOT TESSERA_PORTABLE)
  find_package(ZLIB REQUIRED)
  find_package(pugixml REQUIRED)
  find_package(PNG REQUIRED)
  find_package(TIFF REQUIRED)
  find_package(HDF5 REQUIRED COMPONENTS C)
  list(APPEND CMAKE_MODULE_PATH /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/OpenVDB)
  find_package(OpenVDB REQUIRED COMPONENTS openvdb)
  # Its target adds -frounding-math, so nothing hot links it.
  find_package(CGAL REQUIRED)
endif()

# The C interface of MPI alone, in one library that programs load on demand.
set(TESSERA_HAS_MPI OFF)
if(TESSERA_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI COMPONENTS CXX)
  set(TESSERA_HAS_MPI ${MPI_CXX_FOUND})
endif()
message(STATUS "Tessera: MPI ${TESSERA_HAS_MPI}")

set(TESSERA_HAS_CUDA OFF)
if(NOT TESSERA_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND EXISTS /usr/local/cuda/bin/nvcc)
    set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${TESSERA_CUDA_ARCHITECTURES})
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(TESSERA_HAS_CUDA ON)
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    # CMake 3.25 asks nvcc for C++17 when 20 is set, so the flag is given to nvcc directly, once, here.
    add_library(tessera_cuda_flags INTERFACE)
    target_compile_options(tessera_cuda_flags INTERFACE
      $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 -O3 --expt-relaxed-constexpr -Xcompiler=-Wall,-Wextra,-march=${TESSERA_ISA},-ffp-contract=off>)
    target_link_libraries(tessera_cuda_flags INTERFACE tessera_flags CUDA::cudart_static)
    target_compile_definitions(tessera_cuda_flags INTERFACE TESSERA_HAS_CUDA=1)
  elseif(TESSERA_CUDA STREQUAL "ON")
    message(FATAL_ERROR "TESSERA_CUDA is ON but no CUDA compiler was found; set CMAKE_CUDA_COMPILER or use AUTO.")
  endif()
endif()
message(STATUS "Tessera: CUDA backend ${TESSERA_HAS_CUDA}")

if(TESSERA_PORTABLE)
  # Copied next to the binaries, whose run path is $ORIGIN.
  add_custom_target(tessera_carried_libraries ALL
    COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:TBB::tbb>
            ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/$<TARGET_SONAME_FILE_NAME:TBB::tbb>)
endif()
