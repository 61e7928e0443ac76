//===- FakeCudnn.cpp - cuDNN of pretended GPUs ----------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Stands in for libcudnn: the backend API, as far as cuDNN's front end uses it
// for convolutions. Its first choices are engines that Weir must not use.
//
//===----------------------------------------------------------------------===//

#include "FakeConvolution.h"
#include "FakeCuda.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <sstream>
#include <unistd.h>
#include <utility>

using namespace weir::test;

struct cudnnContext {
  cudaStream_t stream = nullptr;
  bool hasStream = false;
};

namespace {

/// What a program has of a descriptor.
struct Handle {
  std::shared_ptr<FakeDescriptor> descriptor;
};

/// The pretended driver, which counts calls and has the memory.
FakeCuda &driver() {
  static FakeCuda *const found = [] {
    const std::string path = std::getenv("WEIR_CUDA_LIB_PATH");
    void *library = dlopen((path + "/libcuda.so.1").c_str(), RTLD_NOW);
    return reinterpret_cast<FakeCuda *(*)()>(dlsym(library, "weirFakeCuda"))();
  }();
  return *found;
}

cudnnStatus_t enter(const char *name) {
  return static_cast<cudnnStatus_t>(driver().enterLibrary(name));
}

cudnnStatus_t refuse(const std::string &why) {
  driver().complain("cuDNN: " + why);
  return CUDNN_STATUS_BAD_PARAM;
}

FakeDescriptor &of(cudnnBackendDescriptor_t handle) {
  return *static_cast<Handle *>(handle)->descriptor;
}

/// What a call on `descriptor` ends with before it does anything. The front end
/// passes on null where a descriptor could not be made.
cudnnStatus_t enter(const char *name, cudnnBackendDescriptor_t descriptor) {
  if (const cudnnStatus_t failure = enter(name))
    return failure;
  return descriptor ? CUDNN_STATUS_SUCCESS
                    : CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
}

size_t elementBytes(cudnnBackendAttributeType_t type) {
  switch (type) {
  case CUDNN_TYPE_HANDLE:
  case CUDNN_TYPE_INT64:
  case CUDNN_TYPE_DOUBLE:
  case CUDNN_TYPE_VOID_PTR:
    return 8;
  case CUDNN_TYPE_FRACTION:
    return 16;
  case CUDNN_TYPE_BOOLEAN:
  case CUDNN_TYPE_CHAR:
    return 1;
  default:
    return 4;
  }
}

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

struct Engine {
  int64_t number;
  std::vector<cudnnBackendNumericalNote_t> notes;
  int64_t workspaceBytes;
  /// How long a launch takes, in units of 10 ns.
  uint64_t units = 1;
  /// Whether cuDNN can make a plan of it.
  bool canBuild = true;
  /// Whether it computes anything.
  bool computes = true;
};

/// In the order in which the heuristics give them. Those that Weir must not use
/// are the fastest ones.
const std::vector<Engine> engines = {
    {7, {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC}, 512},
    {3, {CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION}, 0},
    {4, {CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS}, 0},
    {6, {CUDNN_NUMERICAL_NOTE_TENSOR_CORE}, 1024, 8000},
    {1, {}, 4096, 6000},
    {5, {}, 0, 1, false},
    {2, {}, 2048, 4000},
    {8, {}, 8192, 2000},
    {9, {}, 0, 1000, true, false},
};
const Engine fallback = {0, {}, 0, 1};

const Engine &engineOf(int64_t number) {
  const auto found = std::ranges::find(engines, number, &Engine::number);
  return found == engines.end() ? fallback : *found;
}

std::vector<FakeDescriptorRef> operationsOf(const FakeDescriptor &graph) {
  return graph.children(CUDNN_ATTR_OPERATIONGRAPH_OPS);
}

/// Whether cuDNN has a kernel at hand: a convolution alone, or with an added
/// image, a bias and ReLU.
bool isAtHand(const FakeDescriptor &graph) {
  for (const FakeDescriptorRef &operation : operationsOf(graph)) {
    const FakeDescriptorRef how =
        operation->child(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
    if (!how)
      continue;
    const auto mode = how->get<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE);
    if (mode != CUDNN_POINTWISE_ADD && mode != CUDNN_POINTWISE_RELU_FWD)
      return false;
  }
  return true;
}

FakeDescriptorRef makeConfig(const Engine &from,
                             const FakeDescriptorRef &graph) {
  auto engine = std::make_shared<FakeDescriptor>();
  *engine = {CUDNN_BACKEND_ENGINE_DESCRIPTOR, true, {}};
  engine->setChildren(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, {graph});
  engine->set<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64,
                       {from.number});
  engine->set(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
              from.notes);
  std::vector<cudnnBackendBehaviorNote_t> behaviour;
  if (!isAtHand(*graph))
    behaviour.push_back(CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION);
  engine->set(CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE,
              behaviour);
  auto config = std::make_shared<FakeDescriptor>();
  *config = {CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, true, {}};
  config->setChildren(CUDNN_ATTR_ENGINECFG_ENGINE, {engine});
  config->setChildren(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, {});
  config->set<int64_t>(CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE, CUDNN_TYPE_INT64,
                       {from.workspaceBytes});
  config->set<int32_t>(CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED,
                       CUDNN_TYPE_INT32, {0});
  return config;
}

//===----------------------------------------------------------------------===//
// Final descriptors
//===----------------------------------------------------------------------===//

cudnnStatus_t finishGraph(FakeDescriptor &graph) {
  for (const FakeDescriptorRef &operation : operationsOf(graph))
    if (const std::string reason = whyNot(*operation); !reason.empty())
      return refuse(reason);
  graph.set<int64_t>(CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT,
                     CUDNN_TYPE_INT64, {int64_t(engines.size())});
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t choose(FakeDescriptor &heuristics) {
  const FakeDescriptorRef graph =
      heuristics.child(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  std::vector<FakeDescriptorRef> found;
  if (heuristics.get<cudnnBackendHeurMode_t>(CUDNN_ATTR_ENGINEHEUR_MODE) ==
      CUDNN_HEUR_MODE_FALLBACK)
    found.push_back(makeConfig(fallback, graph));
  else
    for (const Engine &engine : engines)
      found.push_back(makeConfig(engine, graph));
  heuristics.setChildren(CUDNN_ATTR_ENGINEHEUR_RESULTS, std::move(found));
  return CUDNN_STATUS_SUCCESS;
}

/// Plans as this process has written them: a text is the process and the number
/// of one.
struct Plans {
  std::mutex mutex;
  std::vector<FakeDescriptorRef> configs;
};
Plans &plans() {
  static Plans all;
  return all;
}

cudnnStatus_t readPlan(FakeDescriptor &plan) {
  const std::vector<char> text =
      plan.list<char>(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION);
  long process = 0;
  size_t number = 0;
  std::istringstream(std::string(text.begin(), text.end())) >> process >>
      number;
  const std::lock_guard lock(plans().mutex);
  if (process != getpid() || number >= plans().configs.size())
    return CUDNN_STATUS_NOT_SUPPORTED;
  plan.setChildren(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
                   {plans().configs[number]});
  return CUDNN_STATUS_SUCCESS;
}

void writePlan(FakeDescriptor &plan) {
  const std::lock_guard lock(plans().mutex);
  const std::string text =
      std::to_string(getpid()) + " " + std::to_string(plans().configs.size());
  plans().configs.push_back(
      plan.child(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG));
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
           std::vector<char>(text.begin(), text.end()));
}

cudnnStatus_t finishPlan(FakeDescriptor &plan) {
  if (plan.find(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION)) {
    if (const cudnnStatus_t failure = readPlan(plan))
      return failure;
  } else {
    writePlan(plan);
  }
  const FakeDescriptorRef config =
      plan.child(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  if (!config)
    return refuse("a plan has no engine");
  const FakeDescriptorRef engine = config->child(CUDNN_ATTR_ENGINECFG_ENGINE);
  if (!engineOf(engine->get<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX)).canBuild)
    return CUDNN_STATUS_NOT_SUPPORTED;
  plan.attributes[CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE] =
      *config->find(CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE);
  return CUDNN_STATUS_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Why Weir must not use the engine for this graph, or "".
std::string whyNotAllowed(const Engine &engine, const FakeDescriptor &graph) {
  const bool isF32 =
      tensorsOf(*operationsOf(graph)[0])[0].type == CUDNN_DATA_FLOAT;
  if (engine.number == 0)
    return "the slowest engine is used";
  for (const cudnnBackendNumericalNote_t note : engine.notes)
    if (note != CUDNN_NUMERICAL_NOTE_TENSOR_CORE || isF32)
      return "engine " + std::to_string(engine.number) +
             " gives other bits than the graph says";
  return {};
}

/// A launch of a plan.
struct Launch {
  std::vector<FakeDescriptorRef> operations;
  std::vector<FakeRange> ranges;
  /// The numbers of the tensors in the ranges.
  std::vector<int64_t> uids;
  /// Numbers of the host, which are read when the launch is asked for.
  std::map<int64_t, std::vector<char>> numbers;
  size_t workspaceBytes = 0;
  uint64_t units = 1;
  bool computes = true;

  void compute(const std::vector<char *> &memory) {
    if (!computes)
      return;
    std::map<int64_t, char *> places;
    for (size_t i = 0; i < uids.size(); ++i)
      places[uids[i]] = memory[i];
    for (auto &[uid, number] : numbers)
      places[uid] = number.data();
    computeGraph(operations, places);
    if (workspaceBytes)
      std::memset(memory.back(), 0xcd, workspaceBytes);
  }
};

std::string addTensor(Launch &launch, const FakeTensor &tensor, bool isResult,
                      const std::map<int64_t, void *> &given) {
  if (tensor.isVirtual)
    return {};
  const auto found = given.find(tensor.uid);
  if (found == given.end() || !found->second)
    return "a launch lacks a tensor";
  const auto *start = static_cast<const char *>(found->second);
  if (tensor.isByValue) {
    launch.numbers[tensor.uid].assign(start, start + tensor.bytes());
    return {};
  }
  if (reinterpret_cast<uintptr_t>(start) %
      static_cast<uintptr_t>(tensor.alignment))
    return "a tensor is aligned less than was said";
  launch.ranges.push_back({start, tensor.bytes(), isResult});
  launch.uids.push_back(tensor.uid);
  return {};
}

std::map<int64_t, void *> pointersOf(const FakeDescriptor &pack) {
  const auto uids = pack.list<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const auto pointers =
      pack.list<void *>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  std::map<int64_t, void *> given;
  for (size_t i = 0; i < std::min(uids.size(), pointers.size()); ++i)
    given[uids[i]] = pointers[i];
  return given;
}

/// Describes the launch, or says what is wrong with it.
std::string describe(Launch &launch, const FakeDescriptor &plan,
                     const FakeDescriptor &pack) {
  const FakeDescriptorRef engine =
      plan.child(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)
          ->child(CUDNN_ATTR_ENGINECFG_ENGINE);
  const FakeDescriptorRef graph =
      engine->child(CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
  const Engine &used =
      engineOf(engine->get<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX));
  if (std::string reason = whyNotAllowed(used, *graph); !reason.empty())
    return reason;
  launch.units = used.units;
  launch.computes = used.computes;
  launch.operations = operationsOf(*graph);
  const std::map<int64_t, void *> given = pointersOf(pack);
  for (const FakeDescriptorRef &operation : launch.operations) {
    const std::vector<FakeTensor> tensors = tensorsOf(*operation);
    for (const FakeTensor &tensor : tensors)
      if (std::string reason = addTensor(
              launch, tensor, tensor.uid == tensors.back().uid, given);
          !reason.empty())
        return reason;
  }
  launch.workspaceBytes = static_cast<size_t>(
      plan.get<int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
  void *workspace = pack.get<void *>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  if (launch.workspaceBytes && !workspace)
    return "a launch lacks its workspace";
  if (launch.workspaceBytes)
    launch.ranges.push_back({workspace, launch.workspaceBytes, true});
  return {};
}

} // namespace

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

size_t cudnnGetVersion() { return CUDNN_VERSION; }

const char *cudnnGetErrorString(cudnnStatus_t) { return "as was asked for"; }

void cudnnGetLastErrorString(char *message, size_t size) {
  if (size)
    *message = '\0';
}

cudnnStatus_t cudnnCreate(cudnnHandle_t *handle) {
  if (const cudnnStatus_t failure = enter("cudnnCreate"))
    return failure;
  driver().noteLibrary("handles of cuDNN", 1);
  *handle = new cudnnContext;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  const cudnnStatus_t failure = enter("cudnnDestroy");
  driver().noteLibrary("handles of cuDNN", -1);
  delete handle;
  return failure;
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  if (const cudnnStatus_t failure = enter("cudnnSetStream"))
    return failure;
  handle->stream = stream;
  handle->hasStream = true;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t *stream) {
  if (const cudnnStatus_t failure = enter("cudnnGetStream"))
    return failure;
  *stream = handle->stream;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t
cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                             cudnnBackendDescriptor_t *descriptor) {
  if (const cudnnStatus_t failure = enter("cudnnBackendCreateDescriptor"))
    return failure;
  driver().noteLibrary("descriptors of cuDNN", 1);
  auto made = std::make_shared<FakeDescriptor>();
  made->type = type;
  *descriptor = new Handle{std::move(made)};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t
cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  const cudnnStatus_t failure = enter("cudnnBackendDestroyDescriptor");
  if (!descriptor)
    return CUDNN_STATUS_BAD_PARAM;
  driver().noteLibrary("descriptors of cuDNN", -1);
  delete static_cast<Handle *>(descriptor);
  return failure;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type,
                                       int64_t count, const void *elements) {
  if (const cudnnStatus_t failure =
          enter("cudnnBackendSetAttribute", descriptor))
    return failure;
  if (of(descriptor).isFinal)
    return refuse("an attribute of a final descriptor is set");
  const auto number = static_cast<size_t>(count);
  if (type != CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    const auto *from = static_cast<const char *>(elements);
    of(descriptor).attributes[name] = {
        type, number, {from, from + number * elementBytes(type)}, {}};
    return CUDNN_STATUS_SUCCESS;
  }
  const auto *from = static_cast<const cudnnBackendDescriptor_t *>(elements);
  std::vector<FakeDescriptorRef> children;
  for (size_t i = 0; i < number; ++i) {
    if (!from[i])
      return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (!of(from[i]).isFinal)
      return refuse("an attribute is a descriptor that is not final");
    children.push_back(static_cast<Handle *>(from[i])->descriptor);
  }
  of(descriptor).setChildren(name, std::move(children));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type,
                                       int64_t wanted, int64_t *count,
                                       void *elements) {
  // The front end asks for the number of elements first. If that fails, it goes
  // on, and would read as many as the next call tells of from an empty list.
  static thread_local cudnnStatus_t lastFailure = CUDNN_STATUS_SUCCESS;
  cudnnStatus_t failure = enter("cudnnBackendGetAttribute", descriptor);
  if (!failure && !elements && wanted > 0 && count && !*count)
    failure = std::exchange(lastFailure, CUDNN_STATUS_SUCCESS);
  if (failure) {
    lastFailure = elements ? CUDNN_STATUS_SUCCESS : failure;
    return failure;
  }
  lastFailure = CUDNN_STATUS_SUCCESS;
  const FakeAttribute *found = of(descriptor).find(name);
  if (!of(descriptor).isFinal || !found || found->type != type)
    return refuse("an attribute is asked for that a descriptor lacks");
  if (count)
    *count = static_cast<int64_t>(found->count);
  if (!elements)
    return CUDNN_STATUS_SUCCESS;
  const size_t number = std::min(found->count, static_cast<size_t>(wanted));
  if (type != CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    std::memcpy(elements, found->bytes.data(), number * elementBytes(type));
    return CUDNN_STATUS_SUCCESS;
  }
  auto *to = static_cast<cudnnBackendDescriptor_t *>(elements);
  for (size_t i = 0; i < number; ++i) {
    if (!to[i])
      return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    of(to[i]) = *found->descriptors[i];
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  if (const cudnnStatus_t failure = enter("cudnnBackendFinalize", descriptor))
    return failure;
  cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
  if (of(descriptor).type == CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR)
    status = finishGraph(of(descriptor));
  else if (of(descriptor).type == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR)
    status = choose(of(descriptor));
  else if (of(descriptor).type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)
    status = finishPlan(of(descriptor));
  of(descriptor).isFinal = status == CUDNN_STATUS_SUCCESS;
  return status;
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle,
                                  cudnnBackendDescriptor_t plan,
                                  cudnnBackendDescriptor_t pack) {
  if (const cudnnStatus_t failure = enter("cudnnBackendExecute", pack))
    return failure;
  if (!handle->hasStream)
    return refuse("a launch has no stream");
  Launch launch;
  if (const std::string reason = describe(launch, of(plan), of(pack));
      !reason.empty())
    return refuse(reason);
  std::vector<FakeRange> ranges = launch.ranges;
  const uint64_t units = launch.units;
  driver().launch(
      handle->stream, "a convolution", std::move(ranges),
      [launch = std::move(launch)](std::vector<char *> memory) mutable {
        launch.compute(memory);
      },
      units);
  return CUDNN_STATUS_SUCCESS;
}
