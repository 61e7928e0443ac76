//===- CudaContext.cpp - A GPU as this process uses it -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudaContext.h"

#include "weir/Support/Trace.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <immintrin.h>
#include <map>
#include <thread>

using namespace weir;

StatusOr<std::shared_ptr<CudaContext>> CudaContext::open(const CudaApi &api,
                                                         int ordinal) {
  // Never destroyed, since devices may outlive statics. The driver releases the
  // contexts when the process ends.
  static auto *mutex = new std::mutex;
  static auto *contexts = new std::map<int, std::shared_ptr<CudaContext>>;
  const std::lock_guard lock(*mutex);
  if (const auto known = contexts->find(ordinal); known != contexts->end()) {
    WEIR_RETURN_IF_ERROR(known->second->checkPresent());
    return known->second;
  }
  std::shared_ptr<CudaContext> context(
      new CudaContext(api, fmt::format("cuda:{}", ordinal)));
  WEIR_RETURN_IF_ERROR(context->retain(ordinal).withContext(context->name));
  (*contexts)[ordinal] = context;
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

/// Whether `result` means that every later call in the context fails, too.
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
  case CUDA_ERROR_MPS_CLIENT_TERMINATED:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    return true;
  default:
    // Headers of CUDA 12.4 lack the names of these two errors,
    // CUDA_ERROR_CONTAINED and CUDA_ERROR_TENSOR_MEMORY_LEAK.
    return static_cast<int>(result) == 226 || static_cast<int>(result) == 721;
  }
}

Status CudaContext::check(CUresult result, std::string_view call) {
  Status status = api.check(result, call);
  if (!status.isOk() && endsContext(result))
    lose(State::Lost, status.message());
  return status;
}

void CudaContext::lose(State newState, std::string_view why) {
  const std::lock_guard lock(mutex);
  if (firstLoss.empty())
    firstLoss = why;
  // The state becomes `GivenUp` in one step. A thread that saw `Lost` before
  // that would free memory.
  state = std::max(state.load(), newState);
}

void CudaContext::giveUp() {
  lose(State::GivenUp,
       fmt::format("it has not answered within {} s after a run was cancelled, "
                   "so {} bytes of its memory are never freed",
                   patience.load().count(), allocatedBytes.load()));
}

void CudaContext::release(const std::function<void()> &free) {
  if (!answers())
    return;
  const Use use(*this);
  free();
}

/// Passes some time between two questions to the driver. A question takes the
/// driver's lock, and a thread that asks the stream for work needs this lock,
/// too. `waitedNs` is the time that has passed since the calling thread may
/// sleep. It is negative if the thread may not sleep yet.
static void rest(int64_t waitedNs) {
  if (waitedNs > 0) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(
        std::clamp<int64_t>(waitedNs / 64, 20'000, 2'000'000)));
    return;
  }
  for (int i = 0; i < 16; ++i)
    _mm_pause();
}

uint64_t RunWait::overdueNs(uint64_t nowNs) {
  if (!run || !run->isCancelled())
    return 0;
  if (!dueNs || (isBehindOthers && isBehindOthers(*run)))
    dueNs = nowNs;
  return nowNs - *dueNs;
}

Status CudaContext::await(RunWait &wait, std::string_view call,
                          const std::function<CUresult()> &ask,
                          uint64_t restlessUntil) {
  CUresult result = ask();
  while (result == CUDA_ERROR_NOT_READY && answers()) {
    const uint64_t now = monotonicNs();
    if (std::chrono::nanoseconds(wait.overdueNs(now)) > patience.load())
      giveUp();
    rest(static_cast<int64_t>(now) - static_cast<int64_t>(restlessUntil));
    result = ask();
  }
  return result == CUDA_ERROR_NOT_READY ? checkPresent() : check(result, call);
}

/// The time for which a thread asks about a stream without sleeping.
static constexpr uint64_t restlessNs = 2'000'000;

Status CudaContext::await(RunWait &wait, CUstream stream) {
  return await(
      wait, "cuStreamQuery", [&] { return api.cuStreamQuery(stream); },
      monotonicNs() + restlessNs);
}

Status CudaContext::await(CUstream stream) {
  RunWait wait;
  return await(wait, stream);
}

StatusOr<bool> CudaContext::awaitUnlessCancelled(const RunControl &run,
                                                 CUstream stream) {
  bool isDone = true;
  const auto ask = [&] {
    const CUresult result = api.cuStreamQuery(stream);
    if (result != CUDA_ERROR_NOT_READY || !run.isCancelled())
      return result;
    isDone = false;
    return CUDA_SUCCESS;
  };
  RunWait wait;
  WEIR_RETURN_IF_ERROR(
      await(wait, "cuStreamQuery", ask, monotonicNs() + restlessNs));
  return isDone;
}

void CudaContext::awaitSurely(RunWait &wait,
                              const std::function<CUresult()> &ask) {
  using namespace std::chrono_literals;
  auto refusedSince = std::chrono::steady_clock::time_point::max();
  while (state == State::Present) {
    // The GPU may be at work for as long as it likes.
    const Status status =
        await(wait, "the wait for the GPU", ask, monotonicNs() + restlessNs);
    if (status.isOk())
      return;
    const auto now = std::chrono::steady_clock::now();
    refusedSince = std::min(refusedSince, now);
    if (now - refusedSince > 10s)
      lose(State::Lost, status.message());
    std::this_thread::sleep_for(1ms);
  }
}

void CudaContext::drain(RunWait &wait, CUstream stream) {
  awaitSurely(wait, [&] { return api.cuStreamQuery(stream); });
}

void CudaContext::drain(CUstream stream) {
  RunWait wait;
  drain(wait, stream);
}

Status CudaContext::checkPresent() const {
  if (state == State::Present)
    return Status::ok();
  const std::lock_guard lock(mutex);
  return unavailable(fmt::format(
      "{} is lost to this process since {}; start the process again", name,
      firstLoss));
}

std::optional<CUmemorytype> CudaContext::memoryType(CUdeviceptr address) const {
  CUmemorytype type{};
  CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
  void *value = &type;
  // The driver does not know pageable memory, which is no error.
  if (api.cuPointerGetAttributes(1, &attribute, &value, address) !=
          CUDA_SUCCESS ||
      type == CUmemorytype())
    return std::nullopt;
  return type;
}

Status CudaContext::makeCurrent() {
  WEIR_RETURN_IF_ERROR(check(api.cuCtxSetCurrent(handle), "cuCtxSetCurrent"));
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  return check(api.cuThreadExchangeStreamCaptureMode(&mode),
               "cuThreadExchangeStreamCaptureMode");
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
  const std::lock_guard lock(mutex);
  if (peers.contains(other.gpu))
    return Status::ok();
  const CUresult result = api.cuCtxEnablePeerAccess(other.handle, 0);
  // Another library of the process may have asked for the access.
  if (result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
    WEIR_RETURN_IF_ERROR(api.check(result, "cuCtxEnablePeerAccess"));
  peers.insert(other.gpu);
  return Status::ok();
}

CudaContext::Use::Use(CudaContext &context)
    : context(context), entered(enter()) {}

Status CudaContext::Use::enter() {
  WEIR_RETURN_IF_ERROR(context.check(
      context.api.cuCtxPushCurrent(context.handle), "cuCtxPushCurrent"));
  isPushed = true;
  return context.check(
      context.api.cuThreadExchangeStreamCaptureMode(&outerMode),
      "cuThreadExchangeStreamCaptureMode");
}

CudaContext::Use::~Use() {
  if (!isPushed)
    return;
  (void)context.api.cuThreadExchangeStreamCaptureMode(&outerMode);
  CUcontext popped = nullptr;
  (void)context.api.cuCtxPopCurrent(&popped);
}
