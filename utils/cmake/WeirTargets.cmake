# How Weir's libraries, tools and tests are declared.

# Compiles and links `name` with Weir's flags. No user of `name` gets them.
function(weir_use_flags name)
  target_link_libraries(${name} PRIVATE "$<BUILD_INTERFACE:WeirFlags>")
endfunction()

# A part of the runtime half: objects that end up in libWeirRuntime. No LLVM
# header is on its include path.
function(weir_runtime_part name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_library(${name} OBJECT ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include")
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
  # So that the library has nothing that it does not use. Functions that are
  # defined in headers are no symbols of the library.
  target_compile_options(${name} PRIVATE
    -ffunction-sections -fdata-sections -fvisibility-inlines-hidden)
  weir_use_flags(${name})
endfunction()

# An archive of what the tools and the compiler need beyond the runtime's
# library.
function(weir_tool_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC WeirRuntime PRIVATE ${ARG_DEPENDS})
  weir_use_flags(${name})
endfunction()

# Makes the object `out` of those listed in the file `list`, which share MLIR's
# static variables: see utils/share-statics.py.
function(weir_share_statics out list)
  set(editor "${PROJECT_SOURCE_DIR}/utils/share-statics.py")
  add_custom_command(OUTPUT "${out}"
    COMMAND "${Python3_EXECUTABLE}" -B "${editor}" --ld "${CMAKE_LINKER}"
      --nm "${CMAKE_NM}" --library "$<TARGET_FILE:MLIR>"
      --objects "${list}" --output "${out}"
    DEPENDS "${editor}" "${list}" ${ARGN}
    COMMENT "Merging the objects of ${out}"
    VERBATIM)
  set_source_files_properties("${out}" PROPERTIES
    EXTERNAL_OBJECT ON GENERATED ON)
endfunction()

# Makes the shared library `name` export what `name`.public lists of the objects
# that are listed in the file `list`: see utils/export-symbols.py.
function(weir_export_symbols name list)
  cmake_parse_arguments(ARG "" "" "OPTIONS;OBJECTS" ${ARGN})
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${name}.exports")
  set(patterns "${CMAKE_CURRENT_SOURCE_DIR}/${name}.public")
  set(generator "${PROJECT_SOURCE_DIR}/utils/export-symbols.py")
  add_custom_command(OUTPUT "${script}"
    COMMAND "${Python3_EXECUTABLE}" -B "${generator}" --nm "${CMAKE_NM}"
      --cxxfilt "${CXXFILT_PROGRAM}" --objects "${list}" --public "${patterns}"
      ${ARG_OPTIONS} --version "${PROJECT_VERSION}" --output "${script}"
    DEPENDS "${generator}" "${patterns}" "${list}" ${ARG_OBJECTS}
    COMMENT "Listing what ${name} exports"
    VERBATIM)
  add_custom_target(${name}Exports DEPENDS "${script}")
  add_dependencies(${name} ${name}Exports)
  target_link_options(${name} PRIVATE "-Wl,--version-script=${script}"
    -Wl,--gc-sections -Wl,-Bsymbolic-functions)
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS "${script}")
endfunction()

# A shared library `name` that programs link, made of the objects of the targets
# OBJECTS. It exports what is public, and with PRIVATE also what only programs
# of the same build may use. Programs ask for it by the first two numbers of the
# version, within which what is public is kept. SHARES_MLIR is for a library
# that uses MLIR. With sanitizers, whose objects cannot be edited, such a one
# exports all.
function(weir_public_library name)
  cmake_parse_arguments(ARG "PRIVATE;SHARES_MLIR" "" "OBJECTS" ${ARGN})
  # CMake counts precompiled headers among the objects.
  list(TRANSFORM ARG_OBJECTS REPLACE ".+"
    "$<FILTER:$<TARGET_OBJECTS:\\0>,EXCLUDE,[.][gp]ch>")
  set(list "${CMAKE_CURRENT_BINARY_DIR}/${name}.objects")
  file(GENERATE OUTPUT "${list}" CONTENT "$<JOIN:${ARG_OBJECTS},\n>\n")
  set(sources ${ARG_OBJECTS})
  if(ARG_SHARES_MLIR AND NOT WEIR_SANITIZER)
    set(sources "${CMAKE_CURRENT_BINARY_DIR}/${name}.o")
    weir_share_statics("${sources}" "${list}" ${ARG_OBJECTS})
  endif()
  add_library(${name} SHARED ${sources})
  target_compile_features(${name} PUBLIC cxx_std_20)
  weir_use_flags(${name})
  set_target_properties(${name} PROPERTIES
    LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set(options)
  if(ARG_PRIVATE)
    set(options OPTIONS --private)
  endif()
  if(NOT (ARG_SHARES_MLIR AND WEIR_SANITIZER))
    weir_export_symbols(${name} "${list}" ${options} OBJECTS ${ARG_OBJECTS})
  endif()
endfunction()

# Makes what GCC preprocesses for ccache name the precompiled headers.
function(weir_preprocess_with_headers name)
  target_compile_options(${name} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()

# A part of the compiler half: a static library that sees LLVM and MLIR. The
# headers that take most of the time to compile are WeirIR's precompiled ones;
# sources include what they use nevertheless.
function(weir_compiler_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} WeirMLIR
    WeirArtifactTools WeirToolSupport WeirRuntime)
  weir_use_flags(${name})
  if(TARGET WeirIR AND NOT name STREQUAL "WeirIR")
    target_precompile_headers(${name} REUSE_FROM WeirIR)
  endif()
  weir_preprocess_with_headers(${name})
  set_property(GLOBAL APPEND PROPERTY WEIR_COMPILER_LIBRARIES ${name})
endfunction()

# The plug-in for the device kind `kind`: libweir-KIND.so in `folder`. It
# exports one function.
function(weir_device_plugin kind folder)
  add_library(weir-${kind} MODULE ${ARGN})
  target_link_libraries(weir-${kind} PRIVATE WeirRuntime)
  weir_use_flags(weir-${kind})
  set(script "${PROJECT_SOURCE_DIR}/utils/cmake/DevicePlugin.exports")
  target_link_options(weir-${kind} PRIVATE "-Wl,--version-script=${script}")
  set_target_properties(weir-${kind} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY "${folder}" LINK_DEPENDS "${script}")
endfunction()

# A command line tool: built into build/bin and installed.
function(weir_tool name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS})
  weir_use_flags(${name})
  set_property(GLOBAL APPEND PROPERTY WEIR_TOOLS ${name})
  # Debian's loader does not look where Debian puts LLVM's own libraries.
  get_property(compiler_libraries GLOBAL PROPERTY WEIR_COMPILER_LIBRARIES)
  foreach(library IN LISTS ARG_DEPENDS)
    if(library IN_LIST compiler_libraries)
      set_property(TARGET ${name} PROPERTY
        INSTALL_RPATH "${CMAKE_INSTALL_RPATH}" "${LLVM_LIBRARY_DIR}")
    endif()
  endforeach()
endfunction()

# A test of any kind: add_test, with the sanitizers' settings. LONG keeps it
# out of the quick whole; `utils/test.sh --full` runs it. ONCE is for what does
# not depend on the build: utils/test.sh does not repeat it with sanitizers.
# SOURCES is for what looks at sources alone: utils/test.sh runs it first.
function(weir_test name)
  cmake_parse_arguments(ARG "LONG;ONCE;SOURCES" "" "" ${ARGN})
  add_test(NAME ${name} ${ARG_UNPARSED_ARGUMENTS})
  # Without a home, the compiler has no cache of kernels: it compiles all.
  set_tests_properties(${name} PROPERTIES
    ENVIRONMENT "${WEIR_TEST_ENVIRONMENT}"
    ENVIRONMENT_MODIFICATION "HOME=unset:;XDG_CACHE_HOME=unset:")
  if(ARG_LONG)
    set_tests_properties(${name} PROPERTIES LABELS long)
  elseif(ARG_ONCE)
    set_tests_properties(${name} PROPERTIES LABELS once)
  elseif(ARG_SOURCES)
    set_tests_properties(${name} PROPERTIES LABELS sources)
  endif()
endfunction()

# A GoogleTest program; its tests run in ctest and in `ninja check-weir`. A
# third of the time of a build went into these programs. So they are not
# optimised, except for OPTIMIZED ones, which compute much themselves. The
# larger ones precompile GoogleTest's headers, unless a unity build reads these
# only a few times. APART are sources that a unity build compiles by themselves,
# because others of the program use the same names. NOT_WITH are sanitizers with
# which there is no such program.
function(weir_unit_test name)
  cmake_parse_arguments(ARG "OPTIMIZED" "" "APART;DEPENDS;NOT_WITH" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS} ${ARG_APART})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} WeirArtifactTools
    WeirToolSupport WeirRuntime GTest::gtest GTest::gtest_main)
  weir_use_flags(${name})
  if(NOT ARG_OPTIMIZED)
    target_compile_options(${name} PRIVATE
      $<$<OR:$<CONFIG:Release>,$<BOOL:${WEIR_SANITIZER}>>:-O0>)
  endif()
  # Tests are not what is tested, and these checks take 40 % of the time to
  # compile them. This has to come behind the flags of all targets.
  if(WEIR_SANITIZER STREQUAL "address")
    target_link_libraries(${name} PRIVATE WeirFlagsOfTests)
  elseif(WEIR_SANITIZER STREQUAL "thread" AND ARG_OPTIMIZED)
    # One thread computes what kernels are compared with. The kernels
    # themselves are checked.
    target_link_libraries(${name} PRIVATE WeirFlagsOfReferences)
  endif()
  list(LENGTH ARG_UNPARSED_ARGUMENTS num_sources)
  if(WEIR_UNITY_BUILD)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON)
    set_source_files_properties(${ARG_APART} PROPERTIES
      SKIP_UNITY_BUILD_INCLUSION ON)
    # Sources have unnamed namespaces, which are included in a unity build.
    target_compile_options(${name} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  elseif(num_sources GREATER 3)
    target_precompile_headers(${name} PRIVATE <gtest/gtest.h> <algorithm>
      <cmath> <filesystem> <fstream> <random> <thread>)
    weir_preprocess_with_headers(${name})
  endif()
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test/Unit")
  if(WEIR_SANITIZER IN_LIST ARG_NOT_WITH)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  else()
    weir_test(Unit.${name} COMMAND ${name})
  endif()
endfunction()

# Gives the sources of `name` paths as constants of the namespace weir::paths,
# which TestPaths.h declares: weir_test_paths(name CONSTANT PATH ...). Paths in
# definitions would keep ccache from finding a source that another checkout has
# compiled. One small source defines them.
function(weir_test_paths name)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}Paths")
  set(declared)
  set(defined)
  while(ARGN)
    list(POP_FRONT ARGN constant path)
    string(APPEND declared "extern const char *const ${constant};\n")
    string(APPEND defined "const char *const ${constant} = R\"(${path})\";\n")
  endwhile()
  file(GENERATE OUTPUT "${folder}/TestPaths.h"
    CONTENT "#pragma once\nnamespace weir::paths {\n${declared}}\n")
  file(GENERATE OUTPUT "${folder}/TestPaths.cpp" CONTENT
    "#include \"TestPaths.h\"\nnamespace weir::paths {\n${defined}}\n")
  target_sources(${name} PRIVATE "${folder}/TestPaths.cpp")
  set_source_files_properties("${folder}/TestPaths.cpp" PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  target_include_directories(${name} PRIVATE "${folder}")
endfunction()

# Sets `out` to every program and library that the build makes below `dir`.
function(weir_collect_targets out dir)
  get_property(targets DIRECTORY "${dir}" PROPERTY BUILDSYSTEM_TARGETS)
  get_property(children DIRECTORY "${dir}" PROPERTY SUBDIRECTORIES)
  set(found)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(skipped ${target} EXCLUDE_FROM_ALL)
    if(type MATCHES "EXECUTABLE|_LIBRARY" AND NOT skipped)
      list(APPEND found ${target})
    endif()
  endforeach()
  foreach(child IN LISTS children)
    weir_collect_targets(below "${child}")
    list(APPEND found ${below})
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()
