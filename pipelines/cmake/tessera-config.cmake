# SPDX-License-Identifier: GPL-3.0-or-later
# find_package(tessera): the readers of Tessera's files, as static libraries.
#   target_link_libraries(mine PRIVATE tessera::fields)   # "solver/file/fields_file.hpp": run.fields
#   target_link_libraries(mine PRIVATE tessera::tiles)    # "tiler/file/tiles_file.hpp": geom.tiles; geom.vdb
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(fmt)
find_dependency(TBB)
get_filename_component(tessera_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET tessera::stage)
  foreach(part stage geometry tiles fields)
    add_library(tessera::${part} STATIC IMPORTED)
    set_target_properties(tessera::${part} PROPERTIES
      IMPORTED_LOCATION "${tessera_prefix}/lib/libtessera_${part}.a"
      INTERFACE_INCLUDE_DIRECTORIES "${tessera_prefix}/include/tessera"
      INTERFACE_COMPILE_FEATURES cxx_std_20)
  endforeach()
  set_target_properties(tessera::tiles PROPERTIES IMPORTED_LOCATION "${tessera_prefix}/lib/libtessera_tiler.a"
    INTERFACE_LINK_LIBRARIES "tessera::geometry;TBB::tbb")
  set_target_properties(tessera::geometry PROPERTIES INTERFACE_LINK_LIBRARIES "tessera::stage;TBB::tbb")
  set_target_properties(tessera::fields PROPERTIES INTERFACE_LINK_LIBRARIES tessera::stage)
  set_target_properties(tessera::stage PROPERTIES INTERFACE_LINK_LIBRARIES "Threads::Threads;fmt::fmt;TBB::tbb")
endif()
