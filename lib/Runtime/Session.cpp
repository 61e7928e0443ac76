//===- Session.cpp - Loads an artifact and runs it -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Session.h"

#include "Guarded.h"
#include "LoadedEntry.h"
#include "PortCheck.h"
#include "PortTensors.h"
#include "RunLine.h"
#include "weir/Artifact/Artifact.h"
#include "weir/Runtime/LaunchText.h"
#include "weir/Support/HostTensor.h"
#include "weir/Support/Trace.h"

#include <thread>

using namespace weir;

/// Waking a caller costs more than a small run. So a caller spins like a queue,
/// but only if that takes no core from a device.
static int spinsOf(const LoadedEntry &entry) {
  size_t busy = 0;
  for (const DeviceStats &device : entry.stats)
    busy += static_cast<size_t>(device.info.threads);
  return busy < std::thread::hardware_concurrency() ? 200 : 0;
}

class Session::State {
public:
  State(artifact::Artifact artifact, std::unique_ptr<LoadedEntry> entry,
        uint64_t loadNs, bool mayRunHere)
      : artifact(std::move(artifact)), loadNs(loadNs), entry(std::move(entry)),
        line(*this->entry), spins(spinsOf(*this->entry)),
        mayRunHere(mayRunHere) {}

  /// Kernels read its blobs.
  artifact::Artifact artifact;
  uint64_t loadNs;
  std::unique_ptr<LoadedEntry> entry;
  RunLine line;
  /// The number of times a caller polls for the end of its run before it
  /// sleeps.
  int spins;
  /// Whether a caller may execute its own run.
  bool mayRunHere;
};

namespace {

/// A run whose caller sleeps until it is done.
struct BlockingRun : RunRequest {
  Completion done;
  Status status;
};

/// A run that owns its views and deletes itself when it is done.
struct DetachedRun : RunRequest {
  std::vector<ConstTensorView> inputViews;
  std::vector<TensorView> outputViews;
  std::promise<Status> promise;
};

template <typename Info>
std::optional<size_t> findByName(std::span<const Info> infos,
                                 std::string_view name) {
  for (size_t i = 0; i < infos.size(); ++i)
    if (infos[i].name == name)
      return i;
  return std::nullopt;
}

} // namespace

Session::Session(std::unique_ptr<State> state) : state(std::move(state)) {}

Session::~Session() { stop(); }

StatusOr<std::unique_ptr<Session>>
Session::load(const std::string &path, const SessionOptions &options) {
  return guarded("load", [&]() -> StatusOr<std::unique_ptr<Session>> {
    const uint64_t begin = monotonicNs();
    WEIR_ASSIGN_OR_RETURN(artifact::Artifact artifact,
                          artifact::Artifact::open(path));
    auto session = loadArtifact(std::move(artifact), options, begin);
    if (!session)
      return std::move(session).status().withContext(path);
    return session;
  });
}

StatusOr<std::unique_ptr<Session>>
Session::load(std::span<const std::byte> bytes, const SessionOptions &options) {
  return guarded("load", [&]() -> StatusOr<std::unique_ptr<Session>> {
    const uint64_t begin = monotonicNs();
    WEIR_ASSIGN_OR_RETURN(artifact::Artifact artifact,
                          artifact::Artifact::fromBytes(bytes));
    return loadArtifact(std::move(artifact), options, begin);
  });
}

StatusOr<std::unique_ptr<Session>>
Session::load(artifact::Artifact artifact, const SessionOptions &options) {
  return guarded("load", [&] {
    return loadArtifact(std::move(artifact), options, monotonicNs());
  });
}

StatusOr<std::unique_ptr<Session>>
Session::loadArtifact(artifact::Artifact artifact,
                      const SessionOptions &options, uint64_t begin) {
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<LoadedEntry> entry,
                        loadEntry(artifact, options));
  auto state =
      std::make_unique<State>(std::move(artifact), std::move(entry),
                              monotonicNs() - begin, options.runOnCaller);
  return std::unique_ptr<Session>(new Session(std::move(state)));
}

std::span<const TensorInfo> Session::inputs() const {
  return state->entry->inputs;
}

std::span<const TensorInfo> Session::outputs() const {
  return state->entry->outputs;
}

std::optional<size_t> Session::findInput(std::string_view name) const {
  return findByName(inputs(), name);
}

std::optional<size_t> Session::findOutput(std::string_view name) const {
  return findByName(outputs(), name);
}

Status Session::check(std::span<const ConstTensorView> inputs,
                      std::span<const TensorView> outputs) const {
  return guarded("the check of tensors", [&] {
    WEIR_RETURN_IF_ERROR(checkInputs(this->inputs(), inputs));
    WEIR_RETURN_IF_ERROR(checkOutputs(this->outputs(), outputs));
    return checkOverlaps(this->inputs(), inputs, this->outputs(), outputs);
  });
}

Status Session::run(std::span<const ConstTensorView> inputs,
                    std::span<const TensorView> outputs) {
  WEIR_RETURN_IF_ERROR(check(inputs, outputs));
  if (!state->entry->tensors.empty() && state->line.isObservedHere())
    return guarded("run", [] {
      return invalidArgument("a run in a call of the session's own observer "
                             "would wait for itself; call runAsync, and wait "
                             "for its result elsewhere");
    });
  BlockingRun run;
  run.inputs = inputs;
  run.outputs = outputs;
  run.mayRunHere = state->mayRunHere;
  run.onDone = [](RunRequest &request, Status status) {
    auto &run = static_cast<BlockingRun &>(request);
    run.status = std::move(status);
    run.done.notify();
  };
  state->line.enqueue(run);
  run.done.wait(state->spins);
  return std::move(run.status);
}

StatusOr<std::vector<HostTensor>>
Session::run(std::span<const HostTensor> inputs) {
  return guarded("run", [&]() -> StatusOr<std::vector<HostTensor>> {
    WEIR_ASSIGN_OR_RETURN(std::vector<HostTensor> results, zerosFor(outputs()));
    WEIR_RETURN_IF_ERROR(run(inputViews(inputs), outputViews(results)));
    return results;
  });
}

std::future<Status> Session::runAsync(std::span<const ConstTensorView> inputs,
                                      std::span<const TensorView> outputs) {
  std::promise<Status> promise;
  std::future<Status> future = promise.get_future();
  std::unique_ptr<DetachedRun> owner;
  Status status = guarded("runAsync", [&] {
    WEIR_RETURN_IF_ERROR(check(inputs, outputs));
    owner = std::make_unique<DetachedRun>();
    owner->inputViews.assign(inputs.begin(), inputs.end());
    owner->outputViews.assign(outputs.begin(), outputs.end());
    return Status::ok();
  });
  if (!status.isOk()) {
    promise.set_value(std::move(status));
    return future;
  }
  owner->inputs = owner->inputViews;
  owner->outputs = owner->outputViews;
  owner->promise = std::move(promise);
  owner->onDone = [](RunRequest &request, Status status) {
    std::unique_ptr<DetachedRun> run(static_cast<DetachedRun *>(&request));
    run->promise.set_value(std::move(status));
  };
  state->line.enqueue(*owner.release());
  return future;
}

void Session::stop() { state->line.stop(); }

SessionStats Session::stats() const {
  SessionStats stats = state->line.stats();
  stats.loadNs = state->loadNs;
  return stats;
}

std::span<const PlanTensor> Session::tensors() const {
  return state->entry->tensors;
}

std::vector<LaunchInfo> Session::launches() const {
  std::vector<LaunchInfo> launches;
  for (const LoadedProgram &program : state->entry->programs) {
    const std::string &device =
        state->entry->devices[program.device]->info().name;
    for (size_t i = 0; i < program.steps.size(); ++i)
      if (program.steps[i].kind == StepKind::Launch) {
        const StepInfo &info = program.infos[i];
        launches.push_back({device, std::string(info.op), info.spec->name,
                            program.steps[i].kernel->implementation(),
                            describeShapes(*info.spec), countBytes(*info.spec),
                            info.flops});
      }
  }
  return launches;
}
