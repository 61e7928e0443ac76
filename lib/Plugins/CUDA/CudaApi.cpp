//===- CudaApi.cpp - The driver of NVIDIA's GPUs -------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudaApi.h"

#include "weir/Support/LibraryFile.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

using namespace weir;
namespace fs = std::filesystem;

static constexpr const char *pathVariable = "WEIR_CUDA_LIB_PATH";
/// The oldest version of CUDA that has all functions. The driver writes 12.4 as
/// 12040.
static constexpr int oldestVersion = 12040;

/// The first file called `soname` in the folders that the user lists, or
/// `soname`. A program with more rights than its user opens nothing that the
/// user names.
static std::string findLibrary(const std::string &soname) {
  const char *listed = secure_getenv(pathVariable);
  std::string_view rest = listed ? listed : "";
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    const fs::path path = fs::path(folder) / soname;
    std::error_code error;
    if (!folder.empty() && fs::exists(path, error))
      return path.string();
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
  }
  return soname;
}

std::string weir::oneLine(std::string text) {
  const auto isControl = [](unsigned char each) {
    return each < ' ' || each == 0x7f;
  };
  std::replace_if(text.begin(), text.end(), isControl, ' ');
  return text;
}

StatusOr<void *> weir::openCudaLibrary(const std::string &soname) {
  const std::string path = findLibrary(soname);
  // The loader would crash or hang on some files.
  const Status status = path == soname ? Status::ok() : checkLibraryFile(path);
  if (!status.isOk())
    return unavailable(fmt::format("{}: {}", path, status.message()));
  if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
    return library;
  const char *why = dlerror();
  return unavailable(oneLine(why ? why : "unknown error of the loader"));
}

Status CudaApi::check(CUresult result, std::string_view call) const {
  if (result == CUDA_SUCCESS)
    return Status::ok();
  const char *name = nullptr, *text = nullptr;
  (void)cuGetErrorName(result, &name);
  (void)cuGetErrorString(result, &text);
  std::string message =
      fmt::format("{} failed: {}{}", call,
                  name ? std::string(name)
                       : fmt::format("error {}", static_cast<int>(result)),
                  text ? fmt::format(" ({})", text) : "");
  return result == CUDA_ERROR_OUT_OF_MEMORY
             ? resourceExhausted(std::move(message))
             : internalError(std::move(message));
}

/// Sets `function` to the function `name` of the driver.
template <typename Function>
static Status find(PFN_cuGetProcAddress_v12000 getProcAddress, const char *name,
                   Function &function) {
  void *address = nullptr;
  CUdriverProcAddressQueryResult found{};
  const CUresult result =
      getProcAddress(name, &address, oldestVersion, 0, &found);
  // For a name that it does not know, the driver reports success as well.
  if (result != CUDA_SUCCESS || !address)
    return unavailable(fmt::format(
        "the driver has no function {}; install one for CUDA {}.{} or newer",
        name, oldestVersion / 1000, oldestVersion % 1000 / 10));
  function = reinterpret_cast<Function>(address);
  return Status::ok();
}

Status CudaApi::load() {
  WEIR_ASSIGN_OR_RETURN(void *library, openCudaLibrary("libcuda.so.1"));
  const auto getProcAddress = reinterpret_cast<PFN_cuGetProcAddress_v12000>(
      dlsym(library, "cuGetProcAddress_v2"));
  if (!getProcAddress)
    return unavailable(
        "the driver has no function cuGetProcAddress_v2; install one for CUDA "
        "12.4 or newer");
#define WEIR_CUDA_FUNCTION(name, version)                                      \
  WEIR_RETURN_IF_ERROR(find(getProcAddress, #name, name));
#include "CudaFunctions.inc"
  WEIR_RETURN_IF_ERROR(check(cuInit(0), "cuInit"));
  WEIR_RETURN_IF_ERROR(
      check(cuDeviceGetCount(&numDevices), "cuDeviceGetCount"));
  return numDevices > 0 ? Status::ok() : unavailable("the driver finds none");
}

StatusOr<const CudaApi *> CudaApi::get() {
  // Never destroyed, since sessions may be loaded while the process ends.
  static CudaApi &api = *new CudaApi;
  static const Status &status = *new Status(api.load());
  if (status.isOk())
    return &api;
  // Whichever call fails, there is no GPU that can be used.
  return unavailable(fmt::format("no GPU: {}", status.message()));
}
