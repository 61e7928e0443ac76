//===- FakeDriver.cpp - The driver's functions on pretended GPUs ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

#include <cstring>
#include <cudaTypedefs.h>
#include <utility>

using namespace weir::test;

namespace {

/// Begins each function: counts the call, and returns if it is to fail.
#define ENTER(name)                                                            \
  FakeState &state = FakeState::get();                                         \
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);               \
  if (const CUresult failure = state.enter(#name); failure != CUDA_SUCCESS)    \
    return failure;

/// The same for a function that releases something, which it does in any case.
#define ENTER_RELEASE(name)                                                    \
  FakeState &state = FakeState::get();                                         \
  const std::lock_guard<std::recursive_mutex> lock(state.mutex);               \
  const CUresult failure = state.enter(#name);

FakeStream &of(CUstream stream) {
  return *reinterpret_cast<FakeStream *>(stream);
}
FakeEvent &of(CUevent event) { return *reinterpret_cast<FakeEvent *>(event); }
char *pointer(CUdeviceptr address) { return reinterpret_cast<char *>(address); }

/// Removes `object` from those that live.
template <typename T>
CUresult destroy(FakeState &state, std::set<T *> &living, void *handle,
                 CUresult failure = CUDA_SUCCESS) {
  T *object = static_cast<T *>(handle);
  if (!living.erase(object)) {
    state.complain("something is destroyed that does not exist");
    return CUDA_ERROR_INVALID_HANDLE;
  }
  delete object;
  return failure;
}

/// A call that a capture of the stream does not survive.
CUresult endsCapture(FakeStream &stream) {
  if (!stream.capture)
    return CUDA_SUCCESS;
  stream.isInvalid = true;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

/// The functions under the names that cuda.h gives them.
struct Driver {
  static CUresult cuInit(unsigned) {
    ENTER(cuInit);
    return CUDA_SUCCESS;
  }
  static CUresult cuDeviceGetCount(int *count) {
    ENTER(cuDeviceGetCount);
    *count = FakeState::numDevices;
    return CUDA_SUCCESS;
  }
  static CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    ENTER(cuDeviceGet);
    *device = ordinal;
    return ordinal < FakeState::numDevices ? CUDA_SUCCESS
                                           : CUDA_ERROR_INVALID_DEVICE;
  }
  static CUresult cuDeviceGetName(char *name, int length, CUdevice) {
    ENTER(cuDeviceGetName);
    std::strncpy(name, "Pretended GPU", static_cast<size_t>(length));
    return CUDA_SUCCESS;
  }
  static CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                                       CUdevice) {
    ENTER(cuDeviceGetAttribute);
    if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
      *value = FakeState::arch / 10;
    else if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
      *value = FakeState::arch % 10;
    else
      return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
  }
  static CUresult cuDeviceTotalMem(size_t *bytes, CUdevice) {
    ENTER(cuDeviceTotalMem);
    *bytes = FakeState::deviceBytes;
    return CUDA_SUCCESS;
  }
  static CUresult cuDevicePrimaryCtxRetain(CUcontext *context,
                                           CUdevice device) {
    ENTER(cuDevicePrimaryCtxRetain);
    ++state.numRetained[static_cast<size_t>(device)];
    *context = reinterpret_cast<CUcontext>(static_cast<uintptr_t>(device) + 1);
    return CUDA_SUCCESS;
  }
  static CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    ENTER_RELEASE(cuDevicePrimaryCtxRelease);
    --state.numRetained[static_cast<size_t>(device)];
    return failure;
  }
  static int deviceOf(CUcontext context) {
    return static_cast<int>(reinterpret_cast<uintptr_t>(context)) - 1;
  }
  static CUresult cuCtxPushCurrent(CUcontext context) {
    ENTER(cuCtxPushCurrent);
    FakeState::current().push_back(deviceOf(context));
    return CUDA_SUCCESS;
  }
  static CUresult cuCtxPopCurrent(CUcontext *) {
    ENTER_RELEASE(cuCtxPopCurrent);
    if (FakeState::current().empty())
      return CUDA_ERROR_INVALID_CONTEXT;
    FakeState::current().pop_back();
    return failure;
  }
  static CUresult cuCtxSetCurrent(CUcontext context) {
    ENTER(cuCtxSetCurrent);
    FakeState::current() = {deviceOf(context)};
    return CUDA_SUCCESS;
  }
  static CUresult cuDeviceCanAccessPeer(int *can, CUdevice, CUdevice) {
    ENTER(cuDeviceCanAccessPeer);
    *can = 1;
    return CUDA_SUCCESS;
  }
  static CUresult cuCtxEnablePeerAccess(CUcontext, unsigned) {
    ENTER(cuCtxEnablePeerAccess);
    return CUDA_SUCCESS;
  }

  static CUresult cuMemAlloc(CUdeviceptr *start, size_t bytes) {
    ENTER(cuMemAlloc);
    char *made = nullptr;
    const CUresult result = state.allocate(made, bytes);
    *start = reinterpret_cast<CUdeviceptr>(made);
    return result;
  }
  static CUresult cuMemFree(CUdeviceptr start) {
    ENTER_RELEASE(cuMemFree);
    const CUresult result = state.release(pointer(start));
    return failure ? failure : result;
  }
  static CUresult cuMemGetInfo(size_t *free, size_t *total) {
    ENTER(cuMemGetInfo);
    *total = FakeState::deviceBytes;
    *free = state.bytesFree();
    return CUDA_SUCCESS;
  }
  static CUresult cuPointerGetAttribute(void *data,
                                        CUpointer_attribute attribute,
                                        CUdeviceptr address) {
    ENTER(cuPointerGetAttribute);
    if (attribute != CU_POINTER_ATTRIBUTE_MEMORY_TYPE ||
        state.deviceOf(pointer(address)) < 0)
      return CUDA_ERROR_INVALID_VALUE;
    *static_cast<CUmemorytype *>(data) = CU_MEMORYTYPE_DEVICE;
    return CUDA_SUCCESS;
  }
  static CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value,
                                  size_t bytes, CUstream stream) {
    ENTER(cuMemsetD8Async);
    char *start = pointer(to);
    if (state.deviceOf(start) < 0)
      return CUDA_ERROR_INVALID_VALUE;
    return state.append(of(stream), {"a fill",
                                     {{start, bytes, true}},
                                     [=] { std::memset(start, value, bytes); },
                                     {}});
  }
  static CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                CUstream stream) {
    ENTER(cuMemcpyAsync);
    char *target = pointer(to), *source = pointer(from);
    const bool crossesHost =
        state.deviceOf(target) < 0 || state.deviceOf(source) < 0;
    if (crossesHost)
      if (const CUresult result = endsCapture(of(stream)))
        return result;
    const CUresult result = state.append(
        of(stream), {"a copy",
                     {{source, bytes, false}, {target, bytes, true}},
                     [=] { std::memmove(target, source, bytes); },
                     {}});
    // With pageable memory, the call may wait for the copy.
    if (crossesHost && result == CUDA_SUCCESS && state.flip())
      state.finish(of(stream));
    return result;
  }

  static CUresult cuStreamCreate(CUstream *stream, unsigned) {
    ENTER(cuStreamCreate);
    auto *made = new FakeStream;
    made->number = state.numStreams++;
    made->device =
        FakeState::current().empty() ? -1 : FakeState::current().back();
    state.streams.insert(made);
    *stream = reinterpret_cast<CUstream>(made);
    return CUDA_SUCCESS;
  }
  static CUresult cuStreamDestroy(CUstream stream) {
    ENTER_RELEASE(cuStreamDestroy);
    if (of(stream).capture)
      state.complain("a stream is destroyed while it is captured");
    state.finish(of(stream));
    return destroy(state, state.streams, stream, failure);
  }
  static CUresult cuStreamSynchronize(CUstream stream) {
    ENTER(cuStreamSynchronize);
    if (const CUresult result = endsCapture(of(stream)))
      return result;
    state.finish(of(stream));
    return state.enter("work");
  }
  static CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
    ENTER(cuStreamWaitEvent);
    if (!of(event).last) {
      state.complain("a stream waits for an event that was never recorded");
      return CUDA_SUCCESS;
    }
    return state.append(of(stream), {"a wait", {}, {}, of(event).last});
  }
  static CUresult cuEventCreate(CUevent *event, unsigned) {
    ENTER(cuEventCreate);
    auto *made = new FakeEvent;
    state.events.insert(made);
    *event = reinterpret_cast<CUevent>(made);
    return CUDA_SUCCESS;
  }
  static CUresult cuEventDestroy(CUevent event) {
    ENTER_RELEASE(cuEventDestroy);
    return destroy(state, state.events, event, failure);
  }
  static CUresult cuEventRecord(CUevent event, CUstream stream) {
    ENTER(cuEventRecord);
    const auto record = std::make_shared<FakeRecord>();
    const CUresult result = state.append(
        of(stream), {"a record", {}, [record] { record->isDone = true; }, {}});
    record->clock = of(stream).clock;
    of(event).last = record;
    return result;
  }
  static CUresult cuEventQuery(CUevent event) {
    ENTER(cuEventQuery);
    state.workABit();
    if (const auto &last = of(event).last; last && !last->isDone)
      return CUDA_ERROR_NOT_READY;
    else if (last)
      state.noteHost(last->clock);
    return state.enter("work");
  }
  static CUresult cuEventSynchronize(CUevent event) {
    ENTER(cuEventSynchronize);
    const std::shared_ptr<FakeRecord> last = of(event).last;
    if (!last)
      return CUDA_SUCCESS;
    if (!state.workUntil([&] { return last->isDone; }))
      state.complain("the host waits for ever");
    state.noteHost(last->clock);
    return state.enter("work");
  }

  static CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode) {
    ENTER(cuStreamBeginCapture);
    if (of(stream).capture) {
      state.complain("a capture begins in a capture");
      return CUDA_ERROR_ILLEGAL_STATE;
    }
    of(stream).capture = *state.graphs.insert(new FakeGraph).first;
    of(stream).isInvalid = false;
    return CUDA_SUCCESS;
  }
  static CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
    ENTER_RELEASE(cuStreamEndCapture);
    FakeGraph *captured = std::exchange(of(stream).capture, nullptr);
    *graph = nullptr;
    if (!captured) {
      state.complain("a capture ends that was not begun");
      return CUDA_ERROR_ILLEGAL_STATE;
    }
    if (failure == CUDA_SUCCESS && !of(stream).isInvalid) {
      *graph = reinterpret_cast<CUgraph>(captured);
      return CUDA_SUCCESS;
    }
    (void)destroy(state, state.graphs, captured);
    return failure ? failure : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  }
  static CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                              unsigned long long) {
    ENTER(cuGraphInstantiateWithFlags);
    auto *made = new FakeGraph(*reinterpret_cast<FakeGraph *>(graph));
    state.execs.insert(made);
    *exec = reinterpret_cast<CUgraphExec>(made);
    return CUDA_SUCCESS;
  }
  static CUresult cuGraphDestroy(CUgraph graph) {
    ENTER_RELEASE(cuGraphDestroy);
    return destroy(state, state.graphs, graph, failure);
  }
  static CUresult cuGraphExecDestroy(CUgraphExec exec) {
    ENTER_RELEASE(cuGraphExecDestroy);
    return destroy(state, state.execs, exec, failure);
  }
  static CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
    ENTER(cuGraphLaunch);
    for (const FakeWork &work : reinterpret_cast<FakeGraph *>(exec)->works)
      (void)state.append(of(stream), work);
    return CUDA_SUCCESS;
  }

  static CUresult cuLibraryLoadData(CUlibrary *library, const void *code,
                                    CUjit_option *, void **values, unsigned,
                                    CUlibraryOption *, void **, unsigned) {
    ENTER(cuLibraryLoadData);
    const std::string text = static_cast<const char *>(code);
    if (text.find("broken") != text.npos) {
      std::strcpy(static_cast<char *>(values[0]), "ptxas: it is broken");
      return CUDA_ERROR_INVALID_PTX;
    }
    state.loaded.push_back(text.substr(0, text.find('\n')));
    auto *made = new FakeModule{text};
    state.modules.insert(made);
    *library = reinterpret_cast<CUlibrary>(made);
    return CUDA_SUCCESS;
  }
  static CUresult cuLibraryUnload(CUlibrary library) {
    ENTER_RELEASE(cuLibraryUnload);
    return destroy(state, state.modules, library, failure);
  }
  static CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library,
                                     const char *name) {
    ENTER(cuLibraryGetKernel);
    const FakeModule &module = *reinterpret_cast<FakeModule *>(library);
    const auto known = state.kernels.find(name);
    if (known == state.kernels.end() ||
        module.text.find(std::string(name) + "(") == std::string::npos)
      return CUDA_ERROR_NOT_FOUND;
    FakeEntry &entry = state.entries[name];
    entry.kernel = &known->second;
    *kernel = reinterpret_cast<CUkernel>(&entry);
    return CUDA_SUCCESS;
  }
  static CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index,
                                       size_t *offset, size_t *bytes) {
    ENTER(cuKernelGetParamInfo);
    const FakeKernel &what = *reinterpret_cast<FakeEntry *>(kernel)->kernel;
    if (index >= what.numReads + what.numWrites)
      return CUDA_ERROR_INVALID_VALUE;
    *offset = 8 * index;
    *bytes = 8;
    return CUDA_SUCCESS;
  }
  static CUresult cuKernelSetAttribute(CUfunction_attribute, int, CUkernel,
                                       CUdevice) {
    ENTER(cuKernelSetAttribute);
    return CUDA_SUCCESS;
  }
  static CUresult cuLaunchKernel(CUfunction function, unsigned blocks, unsigned,
                                 unsigned, unsigned threads, unsigned, unsigned,
                                 unsigned, CUstream stream, void **parameters,
                                 void **) {
    ENTER(cuLaunchKernel);
    if (blocks == 0 || threads == 0)
      return CUDA_ERROR_INVALID_VALUE;
    const FakeKernel &kernel = *reinterpret_cast<FakeEntry *>(function)->kernel;
    const size_t size = size_t(blocks) * threads;
    FakeWork work{"a launch", {}, {}, {}};
    std::vector<float *> buffers;
    for (size_t i = 0; i < kernel.numReads + kernel.numWrites; ++i) {
      buffers.push_back(*static_cast<float **>(parameters[i]));
      char *start = reinterpret_cast<char *>(buffers.back());
      if (state.deviceOf(start) != of(stream).device)
        state.complain("a launch uses memory that is not its GPU's");
      work.uses.push_back({start, size * sizeof(float), i >= kernel.numReads});
    }
    work.run = [&kernel, buffers, size] {
      FakeState::get().runKernel(kernel, buffers, size);
    };
    return state.append(of(stream), std::move(work));
  }

  static CUresult cuGetErrorName(CUresult error, const char **name) {
    *name = error == CUDA_ERROR_OUT_OF_MEMORY     ? "CUDA_ERROR_OUT_OF_MEMORY"
            : error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : error == CUDA_ERROR_UNKNOWN         ? "CUDA_ERROR_UNKNOWN"
                                                  : nullptr;
    return CUDA_SUCCESS;
  }
  static CUresult cuGetErrorString(CUresult, const char **text) {
    *text = "as was asked for";
    return CUDA_SUCCESS;
  }
};

} // namespace

extern "C" __attribute__((visibility("default"))) CUresult
cuGetProcAddress_v2(const char *name, void **function, int, cuuint64_t,
                    CUdriverProcAddressQueryResult *found) {
  *function = nullptr;
  *found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
#define WEIR_CUDA_FUNCTION(wanted, version)                                    \
  if (std::strcmp(name, #wanted) == 0) {                                       \
    const PFN_##wanted##_v##version address = Driver::wanted;                  \
    *function = reinterpret_cast<void *>(address);                             \
    *found = CU_GET_PROC_ADDRESS_SUCCESS;                                      \
  }
#include "../../../../lib/Plugins/CUDA/CudaFunctions.inc"
  // As the real one does for names that it does not know.
  return CUDA_SUCCESS;
}
