//===- FakeCode.cpp - Code, launches and graphs of pretended GPUs ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "FakeCubin.h"
#include "FakeDriver.h"

#include <cstring>

using namespace weir::test;

CUresult FakeDriver::cuGraphInstantiateWithFlags(CUgraphExec *exec,
                                                 CUgraph graph,
                                                 unsigned long long) {
  ENTER_CURRENT(cuGraphInstantiateWithFlags);
  auto *made = new FakeGraph(*reinterpret_cast<FakeGraph *>(graph));
  state.execs.insert(made);
  *exec = reinterpret_cast<CUgraphExec>(made);
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuGraphDestroy(CUgraph graph) {
  ENTER_RELEASE(cuGraphDestroy);
  return destroy(state, state.graphs, graph, failure);
}

CUresult FakeDriver::cuGraphExecDestroy(CUgraphExec exec) {
  ENTER_RELEASE(cuGraphExecDestroy);
  return destroy(state, state.execs, exec, failure);
}

CUresult FakeDriver::cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  ENTER_CURRENT(cuGraphLaunch);
  for (const FakeWork &work : reinterpret_cast<FakeGraph *>(exec)->works)
    (void)state.append(of(stream), work);
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuLibraryLoadData(CUlibrary *library, const void *code,
                                       CUjit_option *options, void **values,
                                       unsigned numOptions, CUlibraryOption *,
                                       void **, unsigned) {
  ENTER_UNSAFE(cuLibraryLoadData);
  const std::string text = fakeCodeText(code);
  const std::string firstLine = text.substr(0, text.find('\n'));
  char *log = nullptr;
  for (unsigned i = 0; i < numOptions; ++i)
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      log = static_cast<char *>(values[i]);
  if (text.empty() || text.find("refuse " + firstLine) != text.npos)
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (text.find("broken at load") != text.npos) {
    std::strcpy(log, "ptxas: it is broken");
    return CUDA_ERROR_INVALID_PTX;
  }
  state.loaded.push_back(firstLine);
  auto *made = new FakeModule{text, log};
  state.modules.insert(made);
  *library = reinterpret_cast<CUlibrary>(made);
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuLibraryUnload(CUlibrary library) {
  ENTER_RELEASE(cuLibraryUnload);
  const auto *module = reinterpret_cast<FakeModule *>(library);
  std::erase_if(state.functions, [&](const auto &one) {
    return one.first.first->module == module;
  });
  std::erase_if(state.entries,
                [&](const auto &one) { return one.first.first == module; });
  return destroy(state, state.modules, library, failure);
}

/// The entry `name` of `module`, or null.
static FakeEntry *findEntry(FakeState &state, const FakeModule *module,
                            const std::string &name) {
  const auto known = state.kernels.find(name);
  if (known == state.kernels.end() ||
      module->text.find(name + "(") == std::string::npos)
    return nullptr;
  FakeEntry &entry = state.entries[{module, name}];
  entry.kernel = &known->second;
  entry.module = module;
  return &entry;
}

CUresult FakeDriver::cuLibraryEnumerateKernels(CUkernel *kernels,
                                               unsigned numKernels,
                                               CUlibrary library) {
  ENTER_CURRENT(cuLibraryEnumerateKernels);
  const auto *module = reinterpret_cast<FakeModule *>(library);
  for (const auto &[name, kernel] : state.kernels)
    if (FakeEntry *entry = findEntry(state, module, name);
        entry && numKernels) {
      *kernels++ = reinterpret_cast<CUkernel>(entry);
      --numKernels;
    }
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuLibraryGetKernel(CUkernel *kernel, CUlibrary library,
                                        const char *name) {
  ENTER_CURRENT(cuLibraryGetKernel);
  *kernel = reinterpret_cast<CUkernel>(
      findEntry(state, reinterpret_cast<FakeModule *>(library), name));
  return *kernel ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult FakeDriver::cuKernelGetParamInfo(CUkernel kernel, size_t index,
                                          size_t *offset, size_t *bytes) {
  ENTER_CURRENT(cuKernelGetParamInfo);
  const FakeKernel &what = *reinterpret_cast<FakeEntry *>(kernel)->kernel;
  if (index >= what.numParameters())
    return state.refuse("there is no such parameter", CUDA_ERROR_INVALID_VALUE);
  *offset = 8 * index;
  *bytes = 8;
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuKernelGetAttribute(int *value,
                                          CUfunction_attribute attribute,
                                          CUkernel kernel, CUdevice) {
  ENTER_CURRENT(cuKernelGetAttribute);
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
    return state.refuse("an attribute is asked for that is not known",
                        CUDA_ERROR_INVALID_VALUE);
  const std::string &text = reinterpret_cast<FakeEntry *>(kernel)->module->text;
  *value = text.find("one thread") == text.npos ? 1024 : 1;
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuKernelSetAttribute(CUfunction_attribute attribute,
                                          int value, CUkernel kernel,
                                          CUdevice) {
  ENTER_CURRENT(cuKernelSetAttribute);
  constexpr int mostShared = 227 << 10;
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ||
      value > mostShared)
    return state.refuse("an attribute has a value that no kernel can have",
                        CUDA_ERROR_INVALID_VALUE);
  reinterpret_cast<FakeEntry *>(kernel)->mostShared =
      static_cast<unsigned>(value);
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuKernelGetFunction(CUfunction *function,
                                         CUkernel kernel) {
  ENTER_UNSAFE(cuKernelGetFunction);
  auto *entry = reinterpret_cast<FakeEntry *>(kernel);
  const int device = FakeState::current().back();
  FakeFunction &made = state.functions[{entry, device}];
  made.entry = entry;
  made.device = device;
  *function = reinterpret_cast<CUfunction>(&made);
  return CUDA_SUCCESS;
}

/// Compiles the function if that is still to be done.
static CUresult loadFunction(FakeFunction &function) {
  const std::string &text = function.entry->module->text;
  if (text.find("lazily refuse " + text.substr(0, text.find('\n'))) !=
      text.npos)
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (function.entry->module->text.find("broken later") != std::string::npos) {
    std::strcpy(function.entry->module->log, "ptxas: it is broken later");
    return CUDA_ERROR_INVALID_PTX;
  }
  function.isLoaded = true;
  return CUDA_SUCCESS;
}

CUresult FakeDriver::cuFuncLoad(CUfunction function) {
  ENTER_UNSAFE(cuFuncLoad);
  return loadFunction(*reinterpret_cast<FakeFunction *>(function));
}

CUresult FakeDriver::cuLaunchKernel(CUfunction handle, unsigned blocks,
                                    unsigned, unsigned, unsigned threads,
                                    unsigned, unsigned, unsigned sharedBytes,
                                    CUstream stream, void **parameters,
                                    void **) {
  ENTER_CURRENT(cuLaunchKernel);
  auto &function = *reinterpret_cast<FakeFunction *>(handle);
  if (function.device != of(stream).device)
    return state.refuse("a stream launches a function of another context",
                        CUDA_ERROR_INVALID_HANDLE);
  if (blocks == 0 || threads == 0 || threads > 1024 ||
      blocks > unsigned(INT32_MAX) || sharedBytes > function.entry->mostShared)
    return state.refuse("a launch is larger than it may be",
                        CUDA_ERROR_INVALID_VALUE);
  if (!function.isLoaded) {
    if (of(stream).capture)
      return state.spoil(of(stream), "the load of a function");
    if (const CUresult result = loadFunction(function))
      return result;
  }
  const FakeKernel &kernel = *function.entry->kernel;
  const size_t size = size_t(blocks) * threads;
  FakeWork work{"a launch", {}, {}, {}};
  std::vector<float *> buffers;
  for (size_t i = 0; i < kernel.numBuffers(); ++i) {
    buffers.push_back(*static_cast<float **>(parameters[i]));
    char *start = reinterpret_cast<char *>(buffers.back());
    const size_t bytes =
        kernel.bytes.empty() ? size * kernel.elementBytes : kernel.bytes[i];
    // Tensors without elements are nowhere.
    if (bytes == 0)
      continue;
    if (state.deviceOf(start) != of(stream).device)
      state.complain("a launch uses memory that is not its GPU's");
    work.uses.push_back({start, bytes, i >= kernel.numReads});
  }
  if (kernel.numFlags > 0) {
    buffers.push_back(*static_cast<float **>(parameters[kernel.numBuffers()]));
    char *start = reinterpret_cast<char *>(buffers.back());
    if (!state.isPinned(start))
      state.complain("a launch has flags that its GPU does not reach");
    work.uses.push_back({start, kernel.numFlags * sizeof(float), true});
  }
  for (size_t i = 0; i < kernel.numNumbers; ++i)
    buffers.push_back(
        *static_cast<float **>(parameters[kernel.numBuffers() + i]));
  work.run = [&kernel, device = function.device, buffers, size] {
    FakeState::get().runKernel(kernel, device, buffers, size);
  };
  return state.append(of(stream), std::move(work));
}
