//===- CudaContext.cpp - A GPU as this process uses it -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudaContext.h"

#include <fmt/format.h>

using namespace weir;

StatusOr<std::shared_ptr<CudaContext>>
CudaContext::open(const CudaApi &api, int ordinal, std::string name) {
  std::shared_ptr<CudaContext> context(new CudaContext(api, std::move(name)));
  WEIR_RETURN_IF_ERROR(context->retain(ordinal).withContext(context->name));
  return context;
}

Status CudaContext::retain(int ordinal) {
  WEIR_RETURN_IF_ERROR(check(api.cuDeviceGet(&gpu, ordinal), "cuDeviceGet"));
  int major = 0, minor = 0;
  WEIR_RETURN_IF_ERROR(
      check(api.cuDeviceGetAttribute(
                &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, gpu),
            "cuDeviceGetAttribute"));
  WEIR_RETURN_IF_ERROR(
      check(api.cuDeviceGetAttribute(
                &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, gpu),
            "cuDeviceGetAttribute"));
  archNumber = static_cast<uint32_t>(10 * major + minor);
  return check(api.cuDevicePrimaryCtxRetain(&handle, gpu),
               "cuDevicePrimaryCtxRetain");
}

CudaContext::~CudaContext() {
  if (handle)
    (void)api.cuDevicePrimaryCtxRelease(gpu);
}

/// Whether every later call in the context fails, too.
static bool endsContext(CUresult result) {
  switch (result) {
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_DEINITIALIZED:
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_EXTERNAL_DEVICE:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    return true;
  default:
    return false;
  }
}

Status CudaContext::check(CUresult result, std::string_view call) {
  Status status = api.check(result, call);
  if (status.isOk() || !endsContext(result))
    return status;
  const std::lock_guard lock(mutex);
  if (firstLoss.empty())
    firstLoss = status.message();
  isLost = true;
  return status;
}

Status CudaContext::checkPresent() const {
  if (!isLost)
    return Status::ok();
  const std::lock_guard lock(mutex);
  return unavailable(fmt::format(
      "{} is lost to this process since {}; start the process again", name,
      firstLoss));
}

Status CudaContext::makeCurrent() {
  return check(api.cuCtxSetCurrent(handle), "cuCtxSetCurrent");
}

Status CudaContext::enablePeer(CudaContext &other) {
  int canAccess = 0;
  WEIR_RETURN_IF_ERROR(
      check(api.cuDeviceCanAccessPeer(&canAccess, gpu, other.gpu),
            "cuDeviceCanAccessPeer"));
  // Without a link the driver copies by way of the host.
  if (!canAccess)
    return Status::ok();
  const Use use(*this);
  WEIR_RETURN_IF_ERROR(use.status());
  const CUresult result = api.cuCtxEnablePeerAccess(other.handle, 0);
  return result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
             ? Status::ok()
             : check(result, "cuCtxEnablePeerAccess");
}

CudaContext::Use::Use(CudaContext &context)
    : context(context),
      entered(context.check(context.api.cuCtxPushCurrent(context.handle),
                            "cuCtxPushCurrent")) {}

CudaContext::Use::~Use() {
  CUcontext popped = nullptr;
  if (entered.isOk())
    (void)context.api.cuCtxPopCurrent(&popped);
}
