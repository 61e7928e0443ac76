# What Weir is built with. Nothing is downloaded here: utils/bootstrap.sh
# installs everything by package name.

set(_deps_hint "run utils/bootstrap.sh to install what is missing")
list(APPEND CMAKE_PREFIX_PATH "${WEIR_DEPS_DIR}/venv")
if(EXISTS "${WEIR_DEPS_DIR}/venv/bin/python3" AND NOT Python3_EXECUTABLE)
  set(Python3_EXECUTABLE "${WEIR_DEPS_DIR}/venv/bin/python3")
endif()

find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_path(FLATBUFFERS_INCLUDE_DIR flatbuffers/flatbuffers.h REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_program(FLATC_PROGRAM flatc REQUIRED)
find_program(CXXFILT_PROGRAM c++filt REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)

find_package(dnnl 3.2 QUIET CONFIG)
if(NOT dnnl_FOUND)
  message(FATAL_ERROR "oneDNN 3.2 or newer was not found; ${_deps_hint}")
endif()

# For the plug-in of `cuda` devices alone: headers, no library.
find_path(CUDA_INCLUDE_DIR cudaTypedefs.h
  HINTS ENV CUDA_PATH /usr/local/cuda/include PATH_SUFFIXES include)
if(CUDA_INCLUDE_DIR)
  file(STRINGS "${CUDA_INCLUDE_DIR}/cuda.h" CUDA_VERSION
    REGEX "^#define CUDA_VERSION ")
  string(REGEX MATCH "[0-9]+" CUDA_VERSION "${CUDA_VERSION}")
  # The first with all functions that the plug-in calls.
  if(CUDA_VERSION LESS 12040)
    message(STATUS "CUDA's headers in ${CUDA_INCLUDE_DIR} are older than 12.4")
    set(CUDA_INCLUDE_DIR "")
  elseif(NOT EXISTS "${CUDA_INCLUDE_DIR}/cublasLt.h")
    message(STATUS "${CUDA_INCLUDE_DIR} has no header of cuBLAS, cublasLt.h")
    set(CUDA_INCLUDE_DIR "")
  endif()
endif()

# For the kernels of cuDNN in that plug-in: headers again.
find_path(CUDNN_INCLUDE_DIR cudnn_graph.h
  HINTS "${CUDA_INCLUDE_DIR}" ENV CUDNN_PATH PATH_SUFFIXES include)
find_path(CUDNN_FRONTEND_INCLUDE_DIR cudnn_frontend.h
  HINTS "${Python3_SITELIB}/include")
set(CUDNN_FOUND FALSE)
if(CUDA_INCLUDE_DIR AND CUDNN_INCLUDE_DIR AND CUDNN_FRONTEND_INCLUDE_DIR)
  file(STRINGS "${CUDNN_INCLUDE_DIR}/cudnn_version.h" _numbers
    REGEX "^#define CUDNN_(MAJOR|MINOR|PATCHLEVEL) ")
  list(TRANSFORM _numbers REPLACE ".* " "")
  list(JOIN _numbers "." CUDNN_VERSION)
  # The first that makes plans for a GPU of another machine.
  if(CUDNN_VERSION VERSION_GREATER_EQUAL 9.8)
    set(CUDNN_FOUND TRUE)
  endif()
endif()

# With it, tests make cuDNN's plans without a GPU.
find_file(CUDA_DRIVER_STUB libcuda.so
  HINTS "${CUDA_INCLUDE_DIR}/.." PATH_SUFFIXES lib64/stubs lib/stubs
  NO_DEFAULT_PATH)

# For what lib/Data reads: .npz and compressed files, and images. libpng is for
# curves as images and for docs/examples/ocr, too.
find_package(ZLIB QUIET)
find_package(PNG QUIET)
find_package(JPEG QUIET)

if(WEIR_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()

if(WEIR_BUILD_COMPILER)
  find_package(MLIR 22.1 QUIET CONFIG
    HINTS /usr/lib/llvm-22/lib/cmake/mlir)
  if(NOT MLIR_FOUND)
    message(FATAL_ERROR "MLIR 22.1 was not found; ${_deps_hint}, or configure "
      "with -DWEIR_BUILD_COMPILER=OFF")
  endif()
  list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
  include(TableGen)
  include(AddLLVM)
  include(AddMLIR)

  # Everything the compiler half needs to see LLVM and MLIR: the two shared
  # libraries, never their static twins beside them.
  add_library(WeirMLIR INTERFACE)
  separate_arguments(_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_options(WeirMLIR INTERFACE
    ${_llvm_definitions} -fno-exceptions)
  target_include_directories(WeirMLIR SYSTEM INTERFACE
    ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_include_directories(WeirMLIR INTERFACE
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include")
  target_link_libraries(WeirMLIR INTERFACE MLIR LLVM)
  if(WEIR_ASSERTIONS)
    # Assertions in generated headers would name the build folder.
    target_compile_options(WeirMLIR INTERFACE
      -fmacro-prefix-map=${PROJECT_BINARY_DIR}/=)
    # The point is assertions in LLVM's headers. They change no class of LLVM:
    # that depends on how LLVM was built (LLVM_ENABLE_ABI_BREAKING_CHECKS). GCC
    # 12 warns of faults that are not there once assertions are compiled in, in
    # fmt for one: what it concludes while optimising is no error here.
    set(_guesses array-bounds dangling-pointer maybe-uninitialized restrict
      stringop-overflow stringop-overread)
    list(TRANSFORM _guesses PREPEND "-Wno-error=")
    target_compile_options(WeirMLIR INTERFACE
      -UNDEBUG ${_guesses})
  endif()
endif()

function(weir_print_summary)
  message(STATUS "Weir ${PROJECT_VERSION}")
  message(STATUS "  build type   ${CMAKE_BUILD_TYPE}")
  message(STATUS "  compiler     ${WEIR_BUILD_COMPILER} ${MLIR_VERSION}")
  message(STATUS "  oneDNN       ${dnnl_VERSION} (${dnnl_DIR})")
  if(CUDA_INCLUDE_DIR)
    message(STATUS "  CUDA         ${CUDA_VERSION} (${CUDA_INCLUDE_DIR})")
  else()
    message(STATUS "  CUDA         left out: no headers of its toolkit 12.4 or "
      "newer, cuBLAS among them; -DCUDA_INCLUDE_DIR=... says where they are")
  endif()
  if(CUDNN_FOUND)
    message(STATUS "  cuDNN        ${CUDNN_VERSION} (${CUDNN_INCLUDE_DIR}), "
      "front end (${CUDNN_FRONTEND_INCLUDE_DIR})")
  elseif(CUDA_INCLUDE_DIR)
    message(STATUS "  cuDNN        left out: no headers of cuDNN 9.8 or newer "
      "(-DCUDNN_INCLUDE_DIR=...) and of its front end "
      "(-DCUDNN_FRONTEND_INCLUDE_DIR=...)")
  endif()
  foreach(_row "ZLIB;zlib        ;${ZLIB_VERSION_STRING};.npz and .gz files"
      "PNG;libpng      ;${PNG_VERSION_STRING};PNG images"
      "JPEG;libjpeg     ;${JPEG_VERSION};JPEG images")
    list(GET _row 0 _name)
    list(GET _row 1 _shown)
    list(GET _row 2 _version)
    list(GET _row 3 _files)
    if(${_name}_FOUND)
      message(STATUS "  ${_shown} ${_version}")
    else()
      message(STATUS "  ${_shown} left out: ${_files} cannot be read")
    endif()
  endforeach()
  message(STATUS "  assertions   ${WEIR_ASSERTIONS}")
  message(STATUS "  unity build  ${WEIR_UNITY_BUILD}")
  message(STATUS "  sanitizer    ${WEIR_SANITIZER}")
  message(STATUS "  tests        ${WEIR_BUILD_TESTS}")
endfunction()
