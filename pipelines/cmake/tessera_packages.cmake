# SPDX-License-Identifier: GPL-3.0-or-later
# Packages that Tessera is built with; their Debian names are listed once, in pipelines/packages.txt.

# tessera_optional_library(NAME HEADER SUFFIXES LIBRARY...): TESSERA_NAME is an interface target of the
# libraries, or empty where the header or one of them is missing. -DTESSERA_NAME_HEADERS=OFF leaves it out.
function(tessera_optional_library name header suffixes)
  set(TESSERA_${name} "" PARENT_SCOPE)
  find_path(TESSERA_${name}_HEADERS ${header} PATH_SUFFIXES ${suffixes})
  set(found ${TESSERA_${name}_HEADERS})
  foreach(library IN LISTS ARGN)
    find_library(TESSERA_${name}_${library} ${library})
    list(APPEND libraries ${TESSERA_${name}_${library}})
    if(NOT TESSERA_${name}_${library})
      set(found "")
    endif()
  endforeach()
  if(found)
    add_library(tessera_${name} INTERFACE)
    target_include_directories(tessera_${name} SYSTEM INTERFACE ${TESSERA_${name}_HEADERS})
    target_link_libraries(tessera_${name} INTERFACE ${libraries})
    set(TESSERA_${name} tessera_${name} PARENT_SCOPE)
    message(STATUS "Tessera: ${name} found")
  else()
    message(STATUS "Tessera: ${name} not found; its format is refused")
  endif()
endfunction()

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
  # Text in pictures: Raqm orders and shapes it by HarfBuzz.
  find_package(Freetype REQUIRED)
  find_path(TESSERA_RAQM_HEADERS raqm.h REQUIRED)
  find_library(TESSERA_RAQM raqm REQUIRED)
  find_path(TESSERA_HARFBUZZ_HEADERS hb.h PATH_SUFFIXES harfbuzz REQUIRED)
  find_library(TESSERA_HARFBUZZ harfbuzz REQUIRED)
  add_library(tessera_text_shaping INTERFACE)
  target_include_directories(tessera_text_shaping SYSTEM INTERFACE ${TESSERA_RAQM_HEADERS} ${TESSERA_HARFBUZZ_HEADERS})
  target_link_libraries(tessera_text_shaping INTERFACE ${TESSERA_RAQM} ${TESSERA_HARFBUZZ} Freetype::Freetype)
  find_package(TIFF REQUIRED)
  find_package(HDF5 REQUIRED COMPONENTS C)
  list(APPEND CMAKE_MODULE_PATH ${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/OpenVDB)
  find_package(OpenVDB REQUIRED COMPONENTS openvdb)
  # Its target adds -frounding-math, so nothing hot links it.
  find_package(CGAL REQUIRED)
  # Optional: formats whose reader is a program of its own (preprocess/read/child). By name, since Debian's
  # GDCMConfig.cmake asks for VTK.
  tessera_optional_library(GDCM gdcmReader.h "gdcm-3.0;gdcm-3.2" gdcmMSFF gdcmDSED gdcmCommon)
  tessera_optional_library(3MF Model/COM/NMR_DLLInterfaces.h lib3mf 3MF)
endif()

# The C interface of MPI alone, in one library that programs load on demand.
set(TESSERA_HAS_MPI OFF)
if(TESSERA_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI COMPONENTS CXX)
  set(TESSERA_HAS_MPI ${MPI_CXX_FOUND})
endif()
message(STATUS "Tessera: MPI ${TESSERA_HAS_MPI}")

set(TESSERA_HAS_GPU OFF)
if(TESSERA_HIP)
  # Sources of the GPU are C++ with a flag to clang, which compiles all others as well.
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15)
    message(FATAL_ERROR "TESSERA_HIP is ${TESSERA_HIP} but the compiler is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}; clang 15 or newer is required: set CMAKE_CXX_COMPILER=clang++-15.")
  endif()
  find_path(TESSERA_HIP_HEADERS hip/hip_runtime.h REQUIRED)
  find_library(TESSERA_HIP_RUNTIME amdhip64 REQUIRED)
  find_path(TESSERA_HIP_DEVICE_LIBRARIES ocml.bc PATHS /opt/rocm
    PATH_SUFFIXES amdgcn/bitcode lib/${CMAKE_LIBRARY_ARCHITECTURE}/amdgcn/bitcode REQUIRED)
  get_filename_component(root ${TESSERA_HIP_HEADERS} DIRECTORY)
  set(TESSERA_HAS_GPU ON)
  add_library(tessera_gpu_flags INTERFACE)
  target_include_directories(tessera_gpu_flags SYSTEM INTERFACE ${TESSERA_HIP_HEADERS})
  target_link_libraries(tessera_gpu_flags INTERFACE tessera_flags ${TESSERA_HIP_RUNTIME})
  target_compile_definitions(tessera_gpu_flags INTERFACE TESSERA_HAS_GPU=1 __HIP_PLATFORM_AMD__=1)
  # Products and sums of one expression are contracted, where the model does not say otherwise.
  set(TESSERA_HIP_FLAGS -x hip --offload-arch=${TESSERA_HIP} --rocm-path=${root}
    --rocm-device-lib-path=${TESSERA_HIP_DEVICE_LIBRARIES} -Xarch_device -ffp-contract=on
    -Xarch_device -fno-stack-protector
    -Wno-conversion -Wno-sign-conversion -Wno-cuda-compat -Wno-pedantic -Wno-unused-command-line-argument)
elseif(NOT TESSERA_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND EXISTS /usr/local/cuda/bin/nvcc)
    set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${TESSERA_CUDA_ARCHITECTURES})
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(TESSERA_HAS_GPU ON)
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    # CMake 3.25 asks nvcc for C++17 when 20 is set, so the flag is given to nvcc directly, once, here.
    add_library(tessera_gpu_flags INTERFACE)
    target_compile_options(tessera_gpu_flags INTERFACE
      $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 -O3 --expt-relaxed-constexpr -Xcompiler=-Wall,-Wextra,-march=${TESSERA_ISA},-ffp-contract=off>)
    if(TESSERA_KERNELS_ONLY)
      # The host's part is parsed, the device's goes to PTX without optimisation: two thirds of the time.
      target_compile_options(tessera_gpu_flags INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fsyntax-only -Xcicc=-O0>)
    endif()
    target_link_libraries(tessera_gpu_flags INTERFACE tessera_flags CUDA::cudart_static)
    target_compile_definitions(tessera_gpu_flags INTERFACE TESSERA_HAS_GPU=1)
  elseif(TESSERA_CUDA STREQUAL "ON")
    message(FATAL_ERROR "TESSERA_CUDA is ON but no CUDA compiler was found; set CMAKE_CUDA_COMPILER or use AUTO.")
  endif()
endif()
message(STATUS "Tessera: GPU backend ${TESSERA_HAS_GPU}")

# Sources of kernels, in the folder that calls it. Each is compiled alone: CMake 3.31 and later would join
# CUDA sources as well, and nvcc 13.0 takes populations for local memory in kernels of such a compilation.
function(tessera_gpu_sources)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(TESSERA_HIP)
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "${TESSERA_HIP_FLAGS}"
      SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

if(TESSERA_PORTABLE)
  # Copied next to the binaries, whose run path is $ORIGIN.
  add_custom_target(tessera_carried_libraries ALL
    COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:TBB::tbb>
            ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/$<TARGET_SONAME_FILE_NAME:TBB::tbb>)
endif()
