//===- Measure.cpp - Runs an artifact and measures the runs -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Measure.h"

#include "Allocations.h"
#include "Runtime/Tools/RunTarget.h"
#include "Runtime/Tools/RunTensors.h"
#include "Runtime/Tools/TensorArguments.h"

#include "weir/Runtime/Session.h"

#include <atomic>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

using namespace weir;
using namespace weir::batch;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {
/// Runs a session repeatedly with the same buffers.
class Caller {
public:
  static StatusOr<Caller> create(const RunTarget &target,
                                 std::span<const HostTensor> inputs);

  Status run() {
    WEIR_RETURN_IF_ERROR(target.run(reads.views(), writes.views()));
    return writes.fetch();
  }
  /// Runs `count` times, as long as runs succeed.
  Status run(int count, const Caller &expected, uint64_t &numDiffering);
  Status save(const std::string &path) const;

private:
  explicit Caller(const RunTarget &target) : target(target) {}
  bool differs(const Caller &expected) const;

  RunTarget target;
  RunInputs reads;
  std::vector<HostTensor> tensors;
  RunOutputs writes;
};
} // namespace

StatusOr<Caller> Caller::create(const RunTarget &target,
                                std::span<const HostTensor> inputs) {
  Caller caller(target);
  WEIR_ASSIGN_OR_RETURN(caller.reads, RunInputs::of(target, inputs));
  caller.tensors.reserve(target.outputs().size());
  for (const TensorInfo &output : target.outputs()) {
    WEIR_ASSIGN_OR_RETURN(
        HostTensor tensor,
        HostTensor::zeros(output.desc.type, output.desc.dims));
    caller.tensors.push_back(std::move(tensor));
  }
  WEIR_ASSIGN_OR_RETURN(caller.writes, RunOutputs::of(target, caller.tensors));
  return caller;
}

bool Caller::differs(const Caller &expected) const {
  for (size_t i = 0; i < tensors.size(); ++i)
    if (std::memcmp(tensors[i].data(), expected.tensors[i].data(),
                    tensors[i].bytes().size()))
      return true;
  return false;
}

Status Caller::run(int count, const Caller &expected, uint64_t &numDiffering) {
  for (int i = 0; i < count; ++i) {
    for (HostTensor &tensor : tensors)
      std::memset(tensor.data(), 0xff, tensor.bytes().size());
    WEIR_RETURN_IF_ERROR(run());
    numDiffering += differs(expected);
  }
  return Status();
}

// These are not .npy files, because those are synced to disk, which takes long.
Status Caller::save(const std::string &path) const {
  std::ofstream file(path, std::ios::binary);
  for (const HostTensor &tensor : tensors)
    file.write(static_cast<const char *>(tensor.data()),
               static_cast<std::streamsize>(tensor.bytes().size()));
  return file.flush() ? Status() : internalError("cannot write '" + path + "'");
}

static ordered_json describe(const DeviceStats &device) {
  return {{"name", device.info.name},
          {"launches", device.launches},
          {"crossings", device.crossings},
          {"bytes_crossed", device.bytesCrossed},
          {"planned_bytes", device.plannedBytes},
          {"lower_bound_bytes", device.lowerBoundBytes},
          {"allocated_bytes", device.allocatedBytes},
          {"held_bytes", device.heldBytes()}};
}

/// Repeats the run of `first` on this thread, and counts allocations.
static Status repeat(const RunTarget &target,
                     std::span<const HostTensor> inputs, const Caller &first,
                     int count, ordered_json &answer) {
  WEIR_ASSIGN_OR_RETURN(Caller caller, Caller::create(target, inputs));
  uint64_t numDiffering = 0;
  startCounting();
  const Status status = caller.run(count, first, numDiffering);
  const Allocations allocations = stopCounting();
  if (canCountAllocations())
    answer["allocations"] = {{"own", allocations.own},
                             {"vendor", allocations.vendor}};
  answer["differing_runs"] = numDiffering;
  return status;
}

/// Repeats the run of `first` on several threads concurrently.
static Status repeatAtOnce(const RunTarget &target,
                           std::span<const HostTensor> inputs,
                           const Caller &first, int count, size_t numCallers,
                           ordered_json &answer) {
  std::vector<Caller> callers;
  for (size_t i = 0; i < numCallers; ++i) {
    WEIR_ASSIGN_OR_RETURN(Caller caller, Caller::create(target, inputs));
    callers.push_back(std::move(caller));
  }
  std::vector<Status> statuses(numCallers);
  std::vector<uint64_t> differing(numCallers);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < numCallers; ++i)
    threads.emplace_back(
        [&, i] { statuses[i] = callers[i].run(count, first, differing[i]); });
  for (std::thread &thread : threads)
    thread.join();
  for (const Status &status : statuses)
    WEIR_RETURN_IF_ERROR(status);
  answer["differing_runs_of_callers"] = differing;
  return Status();
}

StatusOr<ordered_json> weir::batch::measure(const std::string &artifact,
                                            const json &request) {
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                        Session::load(artifact));
  const SessionEntry entry = session->entry();
  WEIR_ASSIGN_OR_RETURN(
      InputArguments given,
      readInputs(request.value("inputs", std::vector<std::string>()),
                 entry.inputs()));
  WEIR_ASSIGN_OR_RETURN(RunTarget target,
                        RunTarget::choose(*session, entry, {}, given));
  WEIR_ASSIGN_OR_RETURN(const std::vector<HostTensor> inputs,
                        makeInputs(std::move(given), target.inputs()));
  WEIR_ASSIGN_OR_RETURN(Caller first, Caller::create(target, inputs));
  WEIR_RETURN_IF_ERROR(first.run());
  ordered_json answer;
  const int repeats = request.value("repeats", 0);
  if (repeats)
    WEIR_RETURN_IF_ERROR(repeat(target, inputs, first, repeats, answer));
  if (const size_t callers = request.value("callers", 0); callers)
    WEIR_RETURN_IF_ERROR(
        repeatAtOnce(target, inputs, first, repeats, callers, answer));
  if (const auto path = request.value("outputs", std::string()); !path.empty())
    WEIR_RETURN_IF_ERROR(first.save(path));
  for (const DeviceStats &device : session->stats().devices)
    answer["devices"].push_back(describe(device));
  return answer;
}
