# What `cmake --install` lays down: a tree that can be moved as a whole, found
# by find_package(Weir). It must come after all targets are declared.

include(CMakePackageConfigHelpers)
set(_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Weir")
set(_doc_dir "${CMAKE_INSTALL_DATAROOTDIR}/doc/weir")

set_target_properties(WeirRuntime PROPERTIES
  EXPORT_NAME Runtime INSTALL_RPATH "$ORIGIN")
set_target_properties(WeirData PROPERTIES
  EXPORT_NAME Data INSTALL_RPATH "$ORIGIN")
set_target_properties(WeirTraining PROPERTIES
  EXPORT_NAME Training INSTALL_RPATH "$ORIGIN")
set(_libraries WeirRuntime WeirData WeirTraining)
if(WEIR_BUILD_COMPILER)
  # Debian's loader does not look where Debian puts LLVM's own libraries.
  set_target_properties(WeirBuilder PROPERTIES
    EXPORT_NAME Builder INSTALL_RPATH "$ORIGIN;${LLVM_LIBRARY_DIR}")
  list(APPEND _libraries WeirBuilder)
endif()

install(TARGETS ${_libraries} EXPORT WeirTargets
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
get_property(_tools GLOBAL PROPERTY WEIR_TOOLS)
if(_tools)
  install(TARGETS ${_tools})
endif()

# Beside the runtime library, which looks for them there.
get_property(_plugins GLOBAL PROPERTY WEIR_PLUGINS)
set_target_properties(${_plugins} PROPERTIES INSTALL_RPATH "$ORIGIN/../..")
install(TARGETS ${_plugins} LIBRARY
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/weir/plugins")

# All that has to be built for that.
add_custom_target(weir-installed)
add_dependencies(weir-installed ${_libraries} ${_tools} ${_plugins})
if(WEIR_BUILD_COMPILER)
  add_dependencies(weir-installed weir-references)
endif()

get_property(_headers GLOBAL PROPERTY WEIR_PUBLIC_HEADERS)
foreach(header IN LISTS _headers)
  string(REGEX REPLACE ".*/include/(weir/.*)/[^/]+$" "\\1" folder "${header}")
  install(FILES "${header}"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${folder}")
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
