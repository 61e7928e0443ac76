# What `cmake --install` lays down: a tree that can be moved as a whole, found
# by find_package(Weir). It must come after all targets are declared.

include(CMakePackageConfigHelpers)
set(_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Weir")
set(_doc_dir "${CMAKE_INSTALL_DATAROOTDIR}/doc/weir")

set_target_properties(WeirRuntime PROPERTIES
  EXPORT_NAME Runtime INSTALL_RPATH "$ORIGIN")
set(_exported WeirRuntime)
set(_public_folders Support Artifact Runtime)
if(WEIR_BUILD_COMPILER)
  get_property(_compiler_libraries GLOBAL PROPERTY WEIR_COMPILER_LIBRARIES)
  list(APPEND _exported WeirMLIR ${_compiler_libraries})
  list(APPEND _public_folders Builder)
  # The compiler's other headers need MLIR's, which users need not have.
  install(FILES "${PROJECT_SOURCE_DIR}/include/weir/Compiler/Compiler.h"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/weir/Compiler")
  set_target_properties(WeirBuilder PROPERTIES EXPORT_NAME Builder)
endif()

install(TARGETS ${_exported} EXPORT WeirTargets
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
get_property(_tools GLOBAL PROPERTY WEIR_TOOLS)
if(_tools)
  install(TARGETS ${_tools})
endif()

foreach(root IN ITEMS "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
  foreach(folder IN LISTS _public_folders)
    install(DIRECTORY "${root}/include/weir/${folder}" OPTIONAL
      DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/weir"
      FILES_MATCHING PATTERN "*.h" PATTERN "CMakeFiles" EXCLUDE)
  endforeach()
endforeach()

# oneDNN comes from no distribution, so it goes along under the name that the
# loader asks for.
install(PROGRAMS "$<TARGET_FILE:DNNL::dnnl>"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  RENAME "$<TARGET_SONAME_FILE_NAME:DNNL::dnnl>")

# The licence asks to go along; the pages link to each other, and to the
# references that the build writes.
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md"
  "${PROJECT_SOURCE_DIR}/CHANGELOG.md" DESTINATION "${_doc_dir}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs"
  DESTINATION "${_doc_dir}"
  REGEX "(docs|examples|digits|ocr)/CMakeLists\\.txt$" EXCLUDE)
if(WEIR_BUILD_COMPILER)
  install(FILES "${PROJECT_BINARY_DIR}/docs/Ops.md"
    "${PROJECT_BINARY_DIR}/docs/Passes.md"
    DESTINATION "${_doc_dir}/docs")
endif()

# Headers lie elsewhere than in the repository, and not all that the pages link
# to is installed.
install(CODE "execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND
  \"${Python3_EXECUTABLE}\" -B \"${PROJECT_SOURCE_DIR}/utils/install-docs.py\"
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${_doc_dir}\"
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")")

install(EXPORT WeirTargets NAMESPACE Weir:: DESTINATION "${_package_dir}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/WeirConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/WeirConfig.cmake"
  INSTALL_DESTINATION "${_package_dir}")
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/WeirConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/WeirConfig.cmake"
  "${PROJECT_BINARY_DIR}/WeirConfigVersion.cmake"
  DESTINATION "${_package_dir}")
