//===- FakeDevices.cpp - Pretended GPUs, contexts and memory --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"

#include <cstdlib>
#include <cstring>
#include <utility>

using namespace weir::test;

CUresult FakeDriver::cuInit(unsigned) {
  ENTER(cuInit);
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuDeviceGetCount(int *count) {
  ENTER(cuDeviceGetCount);
  *count = FakeState::numDevices;
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuDeviceGet(CUdevice *device, int ordinal) {
  ENTER(cuDeviceGet);
  *device = ordinal;
  return ordinal < FakeState::numDevices
             ? CUDA_SUCCESS
             : state.refuse("there is no such GPU", CUDA_ERROR_INVALID_DEVICE);
}

CUresult FakeDriver::cuDeviceGetName(char *name, int length, CUdevice) {
  ENTER(cuDeviceGetName);
  std::strncpy(name, "Pretended GPU", static_cast<size_t>(length));
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuDeviceGetAttribute(int *value,
                                          CUdevice_attribute attribute,
                                          CUdevice device) {
  ENTER(cuDeviceGetAttribute);
  if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
    *value = FakeState::archOf(device) / 10;
  else if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
    *value = FakeState::archOf(device) % 10;
  else
    return state.refuse("there is no such attribute", CUDA_ERROR_INVALID_VALUE);
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuDeviceTotalMem(size_t *bytes, CUdevice) {
  ENTER(cuDeviceTotalMem);
  *bytes = FakeState::deviceBytes;
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuDevicePrimaryCtxRetain(CUcontext *context,
                                              CUdevice device) {
  ENTER(cuDevicePrimaryCtxRetain);
  ++state.numRetained[static_cast<size_t>(device)];
  *context = reinterpret_cast<CUcontext>(static_cast<uintptr_t>(device) + 1);
  return CUDA_SUCCESS;
}

static int deviceOf(CUcontext context) {
  return static_cast<int>(reinterpret_cast<uintptr_t>(context)) - 1;
}

CUresult FakeDriver::cuCtxPushCurrent(CUcontext context) {
  ENTER(cuCtxPushCurrent);
  FakeState::current().push_back(deviceOf(context));
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuCtxPopCurrent(CUcontext *) {
  ENTER_RELEASE(cuCtxPopCurrent);
  if (FakeState::current().empty())
    return state.refuse("a context is popped that was not pushed",
                        CUDA_ERROR_INVALID_CONTEXT);
  FakeState::current().pop_back();
  return failure;
}

CUresult FakeDriver::cuCtxSetCurrent(CUcontext context) {
  ENTER(cuCtxSetCurrent);
  FakeState::current() = {deviceOf(context)};
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuDeviceCanAccessPeer(int *can, CUdevice, CUdevice) {
  ENTER(cuDeviceCanAccessPeer);
  *can = 1;
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuCtxEnablePeerAccess(CUcontext peer, unsigned) {
  ENTER_CURRENT(cuCtxEnablePeerAccess);
  const std::pair pair(FakeState::current().back(), deviceOf(peer));
  return state.peers.insert(pair).second
             ? CUDA_SUCCESS
             : state.refuse("a GPU reaches a peer already",
                            CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
}

CUresult
FakeDriver::cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  ENTER_RELEASE(cuThreadExchangeStreamCaptureMode);
  std::swap(*mode, FakeState::threadMode());
  return failure;
}

CUresult FakeDriver::cuMemAlloc(CUdeviceptr *start, size_t bytes) {
  ENTER_UNSAFE(cuMemAlloc);
  char *made = nullptr;
  const CUresult result = state.allocate(made, bytes);
  *start = reinterpret_cast<CUdeviceptr>(made);
  return result;
}

CUresult FakeDriver::cuMemFree(CUdeviceptr start) {
  ENTER_RELEASE(cuMemFree);
  const CUresult result = state.release(pointer(start));
  return failure ? failure : result;
}

CUresult FakeDriver::cuMemGetInfo(size_t *free, size_t *total) {
  ENTER_CURRENT(cuMemGetInfo);
  *total = FakeState::deviceBytes;
  *free = state.bytesFree();
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuPointerGetAttributes(unsigned count,
                                            CUpointer_attribute *attributes,
                                            void **data, CUdeviceptr address) {
  ENTER_CURRENT(cuPointerGetAttributes);
  if (count != 1 || attributes[0] != CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
    return state.refuse("there is no such attribute", CUDA_ERROR_INVALID_VALUE);
  // The driver knows nothing of pageable memory, which is no error.
  *static_cast<CUmemorytype *>(data[0]) =
      state.deviceOf(pointer(address)) >= 0 ? CU_MEMORYTYPE_DEVICE
      : state.isPinned(pointer(address))    ? CU_MEMORYTYPE_HOST
                                            : static_cast<CUmemorytype>(0);
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuMemHostAlloc(void **start, size_t bytes,
                                    unsigned flags) {
  ENTER_UNSAFE(cuMemHostAlloc);
  constexpr unsigned expected =
      CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
  if (bytes == 0 || flags != expected)
    return state.refuse("memory of the host is allocated in a wrong way",
                        CUDA_ERROR_INVALID_VALUE);
  constexpr size_t alignment = 256;
  *start = std::aligned_alloc(alignment,
                              (bytes + alignment - 1) / alignment * alignment);
  state.pinned[static_cast<char *>(*start)] = bytes;
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuMemFreeHost(void *start) {
  ENTER_RELEASE(cuMemFreeHost);
  const auto known = state.pinned.find(static_cast<char *>(start));
  if (known == state.pinned.end())
    return state.refuse("memory of the host is freed that is not allocated",
                        CUDA_ERROR_INVALID_VALUE);
  state.useOnHost(start, known->second);
  state.pinned.erase(known);
  std::free(start);
  return failure;
}

CUresult FakeDriver::cuMemHostRegister(void *start, size_t bytes,
                                       unsigned flags) {
  ENTER_UNSAFE(cuMemHostRegister);
  auto *begin = static_cast<char *>(start);
  if (bytes == 0 || flags != CU_MEMHOSTREGISTER_PORTABLE)
    return state.refuse("memory of the host is registered in a wrong way",
                        CUDA_ERROR_INVALID_VALUE);
  if (state.isPinned(begin) || state.isPinned(begin + bytes - 1))
    return state.refuse("memory of the host is registered twice",
                        CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  state.pinned[begin] = bytes;
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuMemHostUnregister(void *start) {
  ENTER_RELEASE(cuMemHostUnregister);
  const auto known = state.pinned.find(static_cast<char *>(start));
  if (known == state.pinned.end())
    return state.refuse("memory of the host is not registered",
                        CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  state.useOnHost(start, known->second);
  state.pinned.erase(known);
  return failure;
}
