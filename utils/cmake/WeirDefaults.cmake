# Language level, build type, warnings, linker, sanitizers and caching. Every
# target of Weir links WeirFlags for the flags among these.
# WEIR_TEST_ENVIRONMENT is what every test runs under, WEIR_SANITIZER_FLAGS what
# a program needs that links Weir's libraries.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache leaves alone what is compiled with precompiled headers, unless it is
  # told that these two ways in which they might mislead it do not matter here.
  set(CMAKE_C_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros "${CCACHE_PROGRAM}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_C_COMPILER_LAUNCHER}")
endif()

add_library(WeirFlags INTERFACE)
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  target_link_options(WeirFlags INTERFACE -fuse-ld=mold)
endif()

target_compile_options(WeirFlags INTERFACE -Wall -Wextra -Wno-unused-parameter)
if(WEIR_WERROR)
  target_compile_options(WeirFlags INTERFACE -Werror)
endif()
# Assertions name their source without the folder of the checkout, so that
# ccache finds in one checkout what was compiled in another.
target_compile_options(WeirFlags INTERFACE
  "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")

set(WEIR_TEST_ENVIRONMENT)
set(WEIR_SANITIZER_FLAGS)
set(_suppressions "${PROJECT_SOURCE_DIR}/utils/sanitizers")
if(WEIR_SANITIZER MATCHES "^(address|fuzzer)$")
  set(WEIR_SANITIZER_FLAGS -fsanitize=address,undefined)
  if(WEIR_SANITIZER STREQUAL "fuzzer")
    list(APPEND WEIR_SANITIZER_FLAGS -fsanitize=fuzzer-no-link)
  endif()
  # LLVM's own libraries are not instrumented: they fill containers and bump
  # allocators whose poisoning only our half of the code would see.
  list(APPEND WEIR_TEST_ENVIRONMENT
    "ASAN_OPTIONS=detect_container_overflow=0:allow_user_poisoning=0"
    "LSAN_OPTIONS=suppressions=${_suppressions}/asan.supp:print_suppressions=0"
    "UBSAN_OPTIONS=print_stacktrace=1")
elseif(WEIR_SANITIZER STREQUAL "thread")
  set(WEIR_SANITIZER_FLAGS -fsanitize=thread)
  list(APPEND WEIR_TEST_ENVIRONMENT
    "TSAN_OPTIONS=suppressions=${_suppressions}/tsan.supp:halt_on_error=1")
elseif(WEIR_SANITIZER)
  message(FATAL_ERROR "WEIR_SANITIZER is '${WEIR_SANITIZER}'; expected "
    "'address', 'thread', 'fuzzer' or empty")
endif()
if(WEIR_SANITIZER)
  target_compile_options(WeirFlags INTERFACE
    ${WEIR_SANITIZER_FLAGS} -fno-omit-frame-pointer)
  target_link_options(WeirFlags INTERFACE ${WEIR_SANITIZER_FLAGS})
endif()
if(WEIR_SANITIZER MATCHES "^(address|fuzzer)$")
  # The last word counts, so these follow what they take back. LLVM is built
  # without the type information by which vptr tells objects.
  target_compile_options(WeirFlags INTERFACE
    -fno-sanitize-recover=undefined -fno-sanitize=vptr)
endif()
if(WEIR_SANITIZER STREQUAL "address")
  add_library(WeirFlagsOfTests INTERFACE)
  target_compile_options(WeirFlagsOfTests INTERFACE -fno-sanitize=undefined)
elseif(WEIR_SANITIZER STREQUAL "thread")
  add_library(WeirFlagsOfReferences INTERFACE)
  target_compile_options(WeirFlagsOfReferences INTERFACE -fno-sanitize=thread)
endif()
