# How Weir's libraries, tools and tests are declared.

# A part of the runtime half: objects that end up in libWeirRuntime. No LLVM
# header is on its include path.
function(weir_runtime_part name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_library(${name} OBJECT ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include")
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
endfunction()

# A part of the compiler half: a static library that sees LLVM and MLIR.
function(weir_compiler_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} WeirMLIR WeirRuntime)
endfunction()

# A GoogleTest program; its tests run in ctest and in `ninja check-weir`.
function(weir_unit_test name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} WeirRuntime
    GTest::gtest GTest::gtest_main)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test/Unit")
  add_test(NAME Unit.${name} COMMAND ${name})
  set_property(GLOBAL APPEND PROPERTY WEIR_UNIT_TESTS ${name})
endfunction()
