//===- LaunchTimer.cpp - Times launches on scratch memory ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LaunchTimer.h"

#include "StreamCapture.h"
#include "weir/Support/Alignment.h"
#include "weir/Support/DType.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

using namespace weir;

/// The number after which random numbers repeat. It is prime, so few strides
/// are multiples of it.
static constexpr size_t period = 65521;
/// About how long a replay should take, and the most launches in it.
static constexpr uint64_t replayNs = 100'000, mostLaunches = 16;
/// How many replays are timed.
static constexpr int numReplays = 5;

StatusOr<std::unique_ptr<LaunchTimer>>
LaunchTimer::create(std::shared_ptr<CudaContext> context, Device &device,
                    std::span<const TensorDesc> tensors) {
  std::unique_ptr<LaunchTimer> timer(
      new LaunchTimer(std::move(context), device));
  WEIR_RETURN_IF_ERROR(timer->start(tensors));
  return timer;
}

/// Random numbers in [-1, 1] for the memory of a tensor. They are the same in
/// each process.
static std::vector<std::byte> makeNumbers(const TensorDesc &desc) {
  std::vector<std::byte> bytes(desc.spanBytes());
  const size_t size = bytes.size() / byteSize(desc.type);
  std::minstd_rand random;
  const double half = static_cast<double>(random.max()) / 2;
  for (size_t i = 0; i < std::min(size, period); ++i)
    storeFloat(desc.type, bytes.data(), static_cast<int64_t>(i),
               static_cast<double>(random()) / half - 1);
  for (size_t done = period * byteSize(desc.type); done < bytes.size();
       done *= 2)
    std::memcpy(bytes.data() + done, bytes.data(),
                std::min(done, bytes.size() - done));
  return bytes;
}

Status LaunchTimer::start(std::span<const TensorDesc> tensors) {
  std::vector<size_t> offsets;
  size_t size = 0;
  for (const TensorDesc &tensor : tensors) {
    offsets.push_back(size);
    size += alignTo(tensor.spanBytes(), deviceMemoryAlignment);
  }
  WEIR_ASSIGN_OR_RETURN(memory, device.allocate(size));
  for (const size_t offset : offsets)
    buffers.push_back(static_cast<std::byte *>(memory->data()) + offset);
  for (size_t i = 0; i + 1 < tensors.size(); ++i) {
    const std::vector<std::byte> numbers = makeNumbers(tensors[i]);
    WEIR_RETURN_IF_ERROR(
        device.copyFromHost(buffers[i], numbers.data(), numbers.size()));
  }
  resultBytes = tensors.back().spanBytes();
  return context->check(
      context->api.cuStreamCreate(&own, CU_STREAM_NON_BLOCKING),
      "cuStreamCreate");
}

Status LaunchTimer::clearResult() {
  if (resultBytes == 0)
    return Status::ok();
  return context->check(context->api.cuMemsetD8Async(
                            reinterpret_cast<CUdeviceptr>(buffers.back()), 0xff,
                            resultBytes, own),
                        "cuMemsetD8Async");
}

StatusOr<std::vector<std::byte>> LaunchTimer::result() {
  std::vector<std::byte> bytes(resultBytes);
  WEIR_RETURN_IF_ERROR(
      device.copyToHost(bytes.data(), buffers.back(), bytes.size()));
  return bytes;
}

LaunchTimer::~LaunchTimer() {
  if (!own)
    return;
  // The stream may still have work that uses the memory.
  context->drain(own);
  context->release([&] { (void)context->api.cuStreamDestroy(own); });
}

StatusOr<uint64_t> LaunchTimer::elapsed(const std::function<Status()> &ask) {
  WEIR_RETURN_IF_ERROR(events.begin(own));
  WEIR_RETURN_IF_ERROR(ask());
  WEIR_RETURN_IF_ERROR(events.end(own));
  WEIR_RETURN_IF_ERROR(context->await(own));
  return events.elapsedNs();
}

StatusOr<double> LaunchTimer::measure(const std::function<Status()> &ask,
                                      CUgraphExec &exec) {
  WEIR_RETURN_IF_ERROR(clearResult());
  // The first launch loads the kernel.
  WEIR_RETURN_IF_ERROR(elapsed(ask).status());
  WEIR_ASSIGN_OR_RETURN(const uint64_t eagerNs, elapsed(ask));
  const uint64_t numLaunches = std::clamp<uint64_t>(
      replayNs / std::max<uint64_t>(eagerNs, 1), 1, mostLaunches);
  const auto askForAll = [&]() -> Status {
    for (uint64_t i = 0; i < numLaunches; ++i)
      WEIR_RETURN_IF_ERROR(ask());
    return Status::ok();
  };
  WEIR_ASSIGN_OR_RETURN(exec, captureGraph(*context, own, askForAll));
  const auto replay = [&] {
    return context->check(context->api.cuGraphLaunch(exec, own),
                          "cuGraphLaunch");
  };
  // The first replay brings the graph to the GPU.
  WEIR_RETURN_IF_ERROR(elapsed(replay).status());
  uint64_t leastNs = std::numeric_limits<uint64_t>::max();
  for (int i = 0; i < numReplays; ++i) {
    WEIR_ASSIGN_OR_RETURN(const uint64_t ns, elapsed(replay));
    leastNs = std::min(leastNs, ns);
  }
  return static_cast<double>(leastNs) / static_cast<double>(numLaunches);
}

StatusOr<double> LaunchTimer::time(const AskFunction &ask,
                                   size_t workspaceBytes) {
  if (workspaceBytes > (workspace ? workspace->size() : 0)) {
    workspace.reset();
    WEIR_ASSIGN_OR_RETURN(workspace, device.allocate(workspaceBytes));
  }
  void *const place = workspace ? workspace->data() : nullptr;
  CUgraphExec exec = nullptr;
  StatusOr<double> ns =
      measure([&] { return ask(buffers.data(), place); }, exec);
  // The stream may still use the workspace and the graph.
  if (!ns.isOk())
    context->drain(own);
  if (exec)
    context->release([&] { (void)context->api.cuGraphExecDestroy(exec); });
  return ns;
}
