# SPDX-License-Identifier: GPL-3.0-or-later
# One flag set for our own code, and one line per library, program and test.

# -ffp-contract=off and a fixed instruction set: the CPU path gives the same bits everywhere.
add_library(tessera_flags INTERFACE)
target_include_directories(tessera_flags INTERFACE ${CMAKE_SOURCE_DIR})
# Not CMAKE_CXX_STANDARD: CMake 3.25 would ask the CUDA compiler for the same and not know how.
target_compile_features(tessera_flags INTERFACE cxx_std_20)
# Warnings that are false for joined std::string in g++ 12 and 13 (GCC bug 105329); precompiled, the
# standard headers no longer count as system headers there.
target_compile_options(tessera_flags INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
    -Wno-array-bounds>)
# g++ 13 takes references to elements of static lists for dangling.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  target_compile_options(tessera_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-dangling-reference>)
endif()
target_compile_options(tessera_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-march=${TESSERA_ISA} -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Werror>)
# g++ 12 takes the undefined registers in its own AVX-512 intrinsics for values that were forgotten (GCC bug 105593).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13 AND NOT TESSERA_ISA MATCHES "^(x86-64-v3|armv8)")
  target_compile_options(tessera_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-uninitialized -Wno-maybe-uninitialized>)
endif()
# Hardening, listed by --version: position-independent programs, full RELRO, stack protector and checked
# library calls; the last needs optimisation and hides errors from the sanitizers.
set(type $<TARGET_PROPERTY:TYPE>)
set(inProgram $<NOT:$<OR:$<STREQUAL:${type},MODULE_LIBRARY>,$<STREQUAL:${type},SHARED_LIBRARY>>>)
target_compile_options(tessera_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fstack-protector-strong> $<$<AND:$<COMPILE_LANGUAGE:CXX>,${inProgram}>:-fPIE>)
target_link_options(tessera_flags INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>)
if(NOT TESSERA_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_options(tessera_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>)
endif()
target_link_options(tessera_flags INTERFACE LINKER:-z,relro,-z,now,-z,noexecstack)
if(TESSERA_SANITIZE STREQUAL "THREAD")
  target_compile_options(tessera_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=thread -fno-omit-frame-pointer>)
  target_link_options(tessera_flags INTERFACE -fsanitize=thread)
  # Linked before libtbb into every program: it declares the order of tasks to ThreadSanitizer.
  add_library(tessera_tbb_order OBJECT ${CMAKE_SOURCE_DIR}/tests/reliability/tbb_order.cpp)
  target_compile_features(tessera_tbb_order PRIVATE cxx_std_20)
  target_compile_options(tessera_tbb_order PRIVATE -fsanitize=thread -Wall -Wextra -Werror)
  target_link_libraries(tessera_flags INTERFACE $<TARGET_OBJECTS:tessera_tbb_order> ${CMAKE_DL_LIBS})
elseif(TESSERA_SANITIZE)
  target_compile_options(tessera_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined,float-cast-overflow -fno-omit-frame-pointer -fno-sanitize-recover=undefined,float-cast-overflow -D_GLIBCXX_ASSERTIONS>)
  target_link_options(tessera_flags INTERFACE -fsanitize=address,undefined)
endif()
if(TESSERA_COVERAGE)
  # Programs that are killed or call _exit count nothing; several may write one file at once.
  target_compile_options(tessera_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:--coverage -fprofile-update=atomic -fprofile-abs-path>)
  target_link_options(tessera_flags INTERFACE --coverage)
endif()
if(TESSERA_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "TESSERA_FUZZ is ON but the compiler is ${CMAKE_CXX_COMPILER_ID}; clang is required: use the preset fuzz.")
  endif()
  target_compile_options(tessera_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>)
endif()

# Standard headers that nearly every file includes, precompiled once for libraries and programs. Files
# include what they use all the same: the preset odr compiles without.
add_library(tessera_headers OBJECT ${CMAKE_SOURCE_DIR}/pipelines/cmake/headers.cpp)
target_link_libraries(tessera_headers PRIVATE tessera_flags)
target_precompile_headers(tessera_headers PRIVATE <algorithm> <array> <cmath> <cstdint> <filesystem> <functional>
  <optional> <span> <string> <vector>)

# Up to eight sources of a library, program or test are one compilation (UNITY_BUILD), so file-local names
# are unique in it; the preset odr compiles each source alone.
option(TESSERA_UNITY "Several sources of a library, program or test in one compilation" ON)
function(tessera_compile_together name)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${TESSERA_UNITY} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

function(tessera_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC tessera_flags)
  target_precompile_headers(${name} REUSE_FROM tessera_headers)
  tessera_compile_together(${name})
endfunction()

function(tessera_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE tessera_flags)
  target_precompile_headers(${name} REUSE_FROM tessera_headers)
  tessera_compile_together(${name})
  if(TESSERA_PORTABLE)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
    set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
    add_dependencies(${name} tessera_carried_libraries)
  endif()
  if(name MATCHES "^tessera-")
    install(TARGETS ${name} RUNTIME COMPONENT programs)
    set_property(GLOBAL APPEND PROPERTY TESSERA_PROGRAMS ${name})
  else()
    install(TARGETS ${name} RUNTIME COMPONENT measurements EXCLUDE_FROM_ALL)  # not always built
  endif()
endfunction()

# A program that another one runs to read a format (preprocess/read/child/): in the same folder, without
# help pages.
function(tessera_reader name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE tessera_flags tessera_confined)
  target_precompile_headers(${name} REUSE_FROM tessera_headers)
endfunction()

# A library that programs load at run time from their own folder. SHARES_TEMPLATES: static members of another
# library's templates are one and the same in both, so they are not hidden.
function(tessera_module name)
  cmake_parse_arguments(M SHARES_TEMPLATES "" "" ${ARGN})
  add_library(${name} MODULE ${M_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE tessera_flags)
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  if(NOT M_SHARES_TEMPLATES)
    target_link_options(${name} PRIVATE -Wl,-Bsymbolic)
    set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  endif()
  if(TESSERA_PORTABLE)
    # Their symbols are hidden from other libraries of the program too.
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc LINKER:--exclude-libs,ALL)
  endif()
  install(TARGETS ${name} LIBRARY DESTINATION bin COMPONENT programs)
endfunction()

# Files that users include, copy, submit and read, arranged as in the source: share/tessera/rules.mk and
# Makefile find the programs in bin.
function(tessera_user_files)
  set(share share/tessera)
  install(FILES pipelines/Makefile pipelines/rules.mk pipelines/study.mk pipelines/study.awk
    preprocess/read/formats.def DESTINATION ${share} COMPONENT help)
  install(DIRECTORY pipelines/cases pipelines/batch DESTINATION ${share} COMPONENT help
    USE_SOURCE_PERMISSIONS PATTERN "out" EXCLUDE)
  install(DIRECTORY pipelines/python DESTINATION ${share} COMPONENT help
    PATTERN "__pycache__" EXCLUDE)
  install(FILES pipelines/packaging/modulefile DESTINATION ${share}/modulefiles/tessera COMPONENT help
    RENAME ${PROJECT_VERSION})
  set(doc share/doc/tessera)
  install(FILES LICENSE CITATION.cff CHANGELOG.md DESTINATION ${doc} COMPONENT help)
  install(DIRECTORY pipelines/manual DESTINATION ${doc} COMPONENT help
    FILES_MATCHING PATTERN "*.md" PATTERN "*.png")
endfunction()

# The readers of Tessera's files for programs of others: find_package(tessera), pipelines/cmake/tessera-config.cmake.
function(tessera_reader_libraries)
  include(CMakePackageConfigHelpers)
  foreach(library IN ITEMS tessera_stage tessera_geometry tessera_tiler tessera_fields)
    install(TARGETS ${library} ARCHIVE DESTINATION lib COMPONENT library)
  endforeach()
  foreach(folder IN ITEMS pipelines/stage preprocess/geometry preprocess/file tiler solver/file)
    install(DIRECTORY ${folder}/ DESTINATION include/tessera/${folder} COMPONENT library FILES_MATCHING PATTERN "*.hpp")
  endforeach()
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/tessera-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES pipelines/cmake/tessera-config.cmake ${CMAKE_BINARY_DIR}/tessera-config-version.cmake
    DESTINATION lib/cmake/tessera COMPONENT library)
endfunction()

# Man pages and completion of all programs so far, made by the programs themselves.
function(tessera_help_pages)
  get_property(programs GLOBAL PROPERTY TESSERA_PROGRAMS)
  set(pages ${CMAKE_BINARY_DIR}/help)
  set(source ${CMAKE_SOURCE_DIR}/pipelines)
  file(GLOB sources CONFIGURE_DEPENDS ${source}/manual/*.sh ${source}/manual/*.awk ${source}/manual/formats*.md
    ${source}/manual/formats/*.md ${source}/manual/reference/*.md)
  list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
  add_custom_command(OUTPUT ${pages}/made
    COMMAND ${CMAKE_COMMAND} -E env "TESSERA_EMULATOR=${emulator}" sh ${source}/help_pages.sh
      ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${pages} ${programs}
    COMMAND ${CMAKE_COMMAND} -E touch ${pages}/made
    DEPENDS ${programs} ${source}/help_pages.sh ${sources} ${source}/stage/case/README.md
      ${CMAKE_SOURCE_DIR}/solver/case/README.md ${CMAKE_SOURCE_DIR}/solver/boundary/README.md
    COMMENT "Man pages and completion" VERBATIM)
  add_custom_target(help_pages ALL DEPENDS ${pages}/made)
  install(DIRECTORY ${pages}/man1 ${pages}/man5 DESTINATION share/man COMPONENT help)
  install(DIRECTORY ${pages}/bash/ DESTINATION share/bash-completion/completions COMPONENT help)
  install(DIRECTORY ${pages}/zsh/ DESTINATION share/zsh/site-functions COMPONENT help)
  install(DIRECTORY ${pages}/fish/ DESTINATION share/fish/vendor_completions.d COMPONENT help)
endfunction()

# tessera_test(name LABELS unit slow SOURCES a.cpp b.cpp LIBRARIES tessera_stage [PROPERTIES TIMEOUT 300])
# One Catch2 program; each of its cases is a ctest entry "name.title" with its tag, one of LABELS, as label.
# Cases with other tags only, such as [.large], are run by hand.
function(tessera_test name)
  cmake_parse_arguments(T "" "" "LABELS;SOURCES;LIBRARIES;PROPERTIES" ${ARGN})
  add_executable(${name} ${T_SOURCES})
  target_link_libraries(${name} PRIVATE tessera_flags tessera_catch_main ${T_LIBRARIES})
  target_precompile_headers(${name} REUSE_FROM tessera_test_headers)
  target_compile_options(${name} PRIVATE ${TESSERA_TEST_OPTIONS})
  tessera_compile_together(${name})
  if(TESSERA_PORTABLE)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
    set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
    add_dependencies(${name} tessera_carried_libraries)
  endif()
  target_compile_definitions(${name} PRIVATE
    TESSERA_BIN="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
    TESSERA_SOURCE="${CMAKE_SOURCE_DIR}"
    TESSERA_SHARED_DATA="${CMAKE_SOURCE_DIR}/../shared/data")
  foreach(label IN LISTS T_LABELS)
    catch_discover_tests(${name} TEST_SPEC "[${label}]" TEST_PREFIX "${name}." TEST_LIST ${name}_${label}
      PROPERTIES LABELS ${label} ${T_PROPERTIES})
  endforeach()
endfunction()
