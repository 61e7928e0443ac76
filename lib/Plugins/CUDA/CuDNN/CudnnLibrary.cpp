//===- CudnnLibrary.cpp - The library cuDNN ------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudnnLibrary.h"

#include "weir/Cache/UserCache.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <map>

using namespace weir;

static constexpr const char *soname = "libcudnn.so.9";
/// The first version of cuDNN that can make plans for a GPU of another machine.
static constexpr size_t oldestVersion = 90800;
static constexpr const char *repair =
    "; install cuDNN 9, or exclude the kernels of cuDNN in a topology file and "
    "compile the model again";

template <typename Function>
static Status find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function
             ? Status::ok()
             : unavailable(fmt::format("{} has no function {}", soname, name));
}

Status CudnnLibrary::load() {
  WEIR_ASSIGN_OR_RETURN(library, openCudaLibrary(soname));
  decltype(&::cudnnGetVersion) getVersion = nullptr;
  WEIR_RETURN_IF_ERROR(find(library, "cudnnGetVersion", getVersion));
  WEIR_RETURN_IF_ERROR(find(library, "cudnnCreate", create));
  WEIR_RETURN_IF_ERROR(find(library, "cudnnDestroy", destroy));
  WEIR_RETURN_IF_ERROR(find(library, "cudnnSetStream", setStream));
  WEIR_RETURN_IF_ERROR(find(library, "cudnnGetErrorString", getErrorString));
  WEIR_RETURN_IF_ERROR(
      find(library, "cudnnGetLastErrorString", getLastErrorString));
  version = getVersion();
  if (version < oldestVersion)
    return unavailable(
        fmt::format("{} is of version {}.{}.{}; expected {}.{} or newer",
                    soname, version / 10000, version / 100 % 100, version % 100,
                    oldestVersion / 10000, oldestVersion / 100 % 100));
  return Status::ok();
}

StatusOr<const CudnnLibrary *> CudnnLibrary::get() {
  // Never destroyed, since sessions may be loaded while the process ends.
  static CudnnLibrary &library = *new CudnnLibrary;
  static const Status &status = *new Status(library.load());
  if (status.isOk())
    return &library;
  return unavailable(std::string(status.message()) + repair);
}

/// Whether `result` says that a part of cuDNN or another library is missing, or
/// that cuDNN does not serve the GPU or its driver.
static bool isLack(cudnnStatus_t result) {
  switch (result) {
  case CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH:
  case CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED:
  case CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER:
  case CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDART:
  case CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH:
  case CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING:
  case CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE:
    return true;
  default:
    return false;
  }
}

Status CudnnLibrary::check(cudnnStatus_t result, std::string_view call) const {
  if (result == CUDNN_STATUS_SUCCESS)
    return Status::ok();
  char text[512] = "";
  getLastErrorString(text, sizeof text);
  const std::string message =
      oneLine(fmt::format("{} failed: {}{}{}", call, getErrorString(result),
                          *text ? ": " : "", text));
  return isLack(result) ? unavailable(message + repair)
                        : internalError(message);
}

StatusOr<std::shared_ptr<CudnnDevice>>
CudnnDevice::of(const std::shared_ptr<CudaContext> &context) {
  WEIR_ASSIGN_OR_RETURN(const CudnnLibrary *library, CudnnLibrary::get());
  // A device keeps its context. So no other context gets the same address while
  // the device exists.
  static auto &mutex = *new std::mutex;
  static auto &devices =
      *new std::map<const CudaContext *, std::weak_ptr<CudnnDevice>>;
  const std::lock_guard<std::mutex> lock(mutex);
  std::erase_if(devices,
                [](const auto &each) { return each.second.expired(); });
  std::weak_ptr<CudnnDevice> &known = devices[context.get()];
  if (std::shared_ptr<CudnnDevice> device = known.lock())
    return device;
  std::shared_ptr<CudnnDevice> device(new CudnnDevice(*library, context));
  WEIR_RETURN_IF_ERROR(device->start());
  known = device;
  return device;
}

Status CudnnDevice::start() {
  const CudaContext::Use use(*owner);
  WEIR_RETURN_IF_ERROR(use.status());
  WEIR_RETURN_IF_ERROR(
      library.check(library.create(&buildHandle), "cudnnCreate"));
  char text[256] = "";
  WEIR_RETURN_IF_ERROR(owner->check(
      owner->api.cuDeviceGetName(text, sizeof text, owner->device()),
      "cuDeviceGetName"));
  name = text;
  // Without a cache, plans are made anew.
  if (StatusOr<std::string> folder = findUserCache(); folder.isOk())
    if (auto file = CacheFile::open(*folder, "plans of cuDNN"); file.isOk())
      store.emplace(*std::move(file));
  return Status::ok();
}

CudnnDevice::~CudnnDevice() {
  owner->release([&] {
    if (buildHandle)
      (void)library.destroy(buildHandle);
    for (const auto &[stream, handle] : runHandles)
      (void)library.destroy(handle);
  });
}

StatusOr<cudnnHandle_t> CudnnDevice::handleFor(CUstream stream) {
  const std::lock_guard<std::mutex> lock(runMutex);
  if (const auto known = runHandles.find(stream); known != runHandles.end())
    return known->second;
  cudnnHandle_t handle = nullptr;
  WEIR_RETURN_IF_ERROR(library.check(library.create(&handle), "cudnnCreate"));
  runHandles.emplace(stream, handle);
  const Status status =
      library.check(library.setStream(handle, stream), "cudnnSetStream");
  if (status.isOk())
    return handle;
  runHandles.erase(stream);
  (void)library.destroy(handle);
  return status;
}
