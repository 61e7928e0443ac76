//===- LtLibrary.cpp - The library cuBLASLt ------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LtLibrary.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <map>
#include <mutex>

using namespace weir;

/// The version of cuBLASLt whose types and names of functions are used.
static constexpr int majorVersion = CUBLAS_VER_MAJOR;

template <typename Function>
static Status find(void *library, const std::string &soname, const char *name,
                   Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function
             ? Status::ok()
             : unavailable(fmt::format("{} has no function {}", soname, name));
}

Status LtLibrary::load() {
  const std::string soname = fmt::format("libcublasLt.so.{}", majorVersion);
  WEIR_ASSIGN_OR_RETURN(void *library, openCudaLibrary(soname));
#define WEIR_LT_FUNCTION(name)                                                 \
  WEIR_RETURN_IF_ERROR(find(library, soname, #name, name));
#include "LtFunctions.inc"
  const size_t version = cublasLtGetVersion();
  if (version / 10000 != majorVersion)
    return unavailable(fmt::format("{} is of version {}.{}; expected {}",
                                   soname, version / 10000, version / 100 % 100,
                                   majorVersion));
  return Status::ok();
}

StatusOr<const LtLibrary *> LtLibrary::get() {
  // Never destroyed, since sessions may be loaded while the process ends.
  static LtLibrary &library = *new LtLibrary;
  static const Status &status = *new Status(library.load());
  if (status.isOk())
    return &library;
  return unavailable(fmt::format("{}; install cuBLAS {}, or name its folder in "
                                 "WEIR_CUDA_LIB_PATH",
                                 status.message(), majorVersion));
}

Status LtLibrary::check(cublasStatus_t result, std::string_view call) const {
  if (result == CUBLAS_STATUS_SUCCESS)
    return Status::ok();
  const char *name = cublasLtGetStatusName(result);
  const char *text = cublasLtGetStatusString(result);
  std::string message = oneLine(
      fmt::format("{} failed: {}{}", call,
                  name ? std::string(name)
                       : fmt::format("error {}", static_cast<int>(result)),
                  text ? fmt::format(" ({})", text) : ""));
  if (result == CUBLAS_STATUS_ALLOC_FAILED)
    return resourceExhausted(std::move(message));
  // The GPU is older than all GPUs that cuBLASLt serves.
  if (result == CUBLAS_STATUS_ARCH_MISMATCH)
    return unavailable(std::move(message));
  return internalError(std::move(message));
}

StatusOr<std::shared_ptr<LtDevice>>
LtDevice::of(const std::shared_ptr<CudaContext> &context) {
  WEIR_ASSIGN_OR_RETURN(const LtLibrary *library, LtLibrary::get());
  // A device keeps its context. So no other context gets the same address while
  // the device exists.
  static auto &mutex = *new std::mutex;
  static auto &devices =
      *new std::map<const CudaContext *, std::weak_ptr<LtDevice>>;
  const std::lock_guard lock(mutex);
  std::erase_if(devices,
                [](const auto &each) { return each.second.expired(); });
  std::weak_ptr<LtDevice> &known = devices[context.get()];
  if (std::shared_ptr<LtDevice> device = known.lock())
    return device;
  std::shared_ptr<LtDevice> device(new LtDevice(*library, context));
  WEIR_RETURN_IF_ERROR(device->start());
  known = device;
  return device;
}

Status LtDevice::start() {
  const CudaContext::Use use(*owner);
  WEIR_RETURN_IF_ERROR(use.status());
  return library.check(library.cublasLtCreate(&own), "cublasLtCreate");
}

LtDevice::~LtDevice() {
  if (!own)
    return;
  owner->release([&] { (void)library.cublasLtDestroy(own); });
}
