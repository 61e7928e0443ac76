//===- SessionEntry.cpp - Runs an entry of a session -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "../ForkedChild.h"
#include "PortCheck.h"
#include "PortNames.h"
#include "PortTensors.h"
#include "SessionState.h"
#include "weir/Runtime/Guarded.h"
#include "weir/Runtime/LaunchText.h"
#include "weir/Support/HostTensor.h"

#include <utility>

using namespace weir;

namespace {

/// A run whose caller sleeps until it is done.
struct BlockingRun : RunRequest {
  Completion done;
  Status status;
};

/// A run whose call returns before the run ends. It deletes itself when it is
/// done.
struct DetachedRun : RunRequest {
  explicit DetachedRun(Admission &admission) : admission(admission) {
    isDetached = true;
  }
  virtual ~DetachedRun() = default;

  /// Queues `run` with copies of the views, or ends it with an error.
  static void start(std::unique_ptr<DetachedRun> run,
                    const SessionEntry::Plans &plans,
                    std::span<const ConstTensorView> inputs,
                    std::span<const TensorView> outputs,
                    const RunOptions &options);

protected:
  /// Gets what `end` needs.
  virtual Status prepare() { return Status::ok(); }
  /// Tells the caller that the run has ended. Calls `destroy` at once or later.
  virtual void end(Status status) = 0;
  void destroy();

  /// The admission. It waits for `destroy`.
  Admission &admission;

private:
  Status fill(const SessionEntry::Plans &plans,
              std::span<const ConstTensorView> inputs,
              std::span<const TensorView> outputs, const RunOptions &options);

  std::vector<ConstTensorView> inputViews;
  std::vector<TensorView> outputViews;
  RunOptions ownOptions;
};

/// A run that tells its end by a future.
struct PromisedRun final : DetachedRun {
  using DetachedRun::DetachedRun;
  std::promise<Status> promise;

private:
  void end(Status status) override {
    promise.set_value(std::move(status));
    destroy();
  }
};

/// A run that tells its end by a callback.
struct CalledRun final : DetachedRun, private Callbacks::Call {
  CalledRun(Admission &admission, std::function<void(Status)> callback)
      : DetachedRun(admission), callback(std::move(callback)) {
    function = [](Call &call) { static_cast<CalledRun &>(call).callBack(); };
  }

private:
  Status prepare() override {
    WEIR_ASSIGN_OR_RETURN(callbacks, admission.callbackQueue());
    return Status::ok();
  }
  void end(Status status) override;
  void callBack();

  std::function<void(Status)> callback;
  /// The queue for the callback. Null if its thread could not be started, which
  /// ends the run.
  Callbacks *callbacks = nullptr;
  Status outcome;
};

} // namespace

void DetachedRun::destroy() {
  Admission &waiting = admission;
  delete this;
  waiting.callReturned();
}

void CalledRun::end(Status status) {
  outcome = std::move(status);
  if (callbacks)
    callbacks->add(*this);
  else
    Callbacks::make(*this);
}

void CalledRun::callBack() {
  (void)guarded("a callback", [&] {
    // The objects that the callback has captured are destroyed in the call,
    // too.
    const auto last = std::exchange(callback, nullptr);
    last(std::move(outcome));
    return Status::ok();
  });
  destroy();
}

/// Returns the options of a run, or null if they ask for nothing. Each option
/// must be named here. Otherwise it has no effect if it is the only one that is
/// set.
static const RunOptions *effective(const RunOptions &options) {
  return options.deadline || options.cancelToken ? &options : nullptr;
}

static StatusOr<const Plan *> check(const SessionEntry::Plans &plans,
                                    std::span<const ConstTensorView> inputs,
                                    std::span<const TensorView> outputs) {
  return guarded("the check of tensors", [&]() -> StatusOr<const Plan *> {
    WEIR_RETURN_IF_ERROR(checkNotForked());
    WEIR_ASSIGN_OR_RETURN(const Plan *plan, plans.choose(inputs));
    WEIR_RETURN_IF_ERROR(checkInputs(plan->inputs, inputs));
    WEIR_RETURN_IF_ERROR(checkOutputs(plan->outputs, outputs));
    WEIR_RETURN_IF_ERROR(
        checkOverlaps(plan->inputs, inputs, plan->outputs, outputs));
    return plan;
  });
}

std::string_view SessionEntry::name() const {
  return plans->size() ? std::string_view((*plans)[0].name) : "";
}

size_t SessionEntry::numShapes() const { return plans->size(); }

std::span<const TensorInfo> SessionEntry::inputs(size_t shape) const {
  if (shape >= plans->size())
    return {};
  return (*plans)[shape].inputs;
}

std::span<const TensorInfo> SessionEntry::outputs(size_t shape) const {
  if (shape >= plans->size())
    return {};
  return (*plans)[shape].outputs;
}

std::vector<VariableUse> SessionEntry::variables(size_t shape) const {
  std::vector<VariableUse> uses;
  if (shape >= plans->size())
    return uses;
  const VariableTable &table = state->model->variables;
  // All variables of a class are used alike.
  std::vector<const ClassUse *> useOf(table.numClasses());
  for (const ClassUse &use : (*plans)[shape].classes)
    useOf[use.variableClass] = &use;
  for (size_t i = 0; i < table.size(); ++i)
    if (const ClassUse *use = useOf[table[i].variableClass])
      uses.push_back({table[i].name, use->writes});
  return uses;
}

std::span<const PlanTensor> SessionEntry::tensors(size_t shape) const {
  if (shape >= plans->size())
    return {};
  return (*plans)[shape].tensors;
}

std::span<const uint64_t> SessionEntry::groups(size_t shape) const {
  if (shape >= plans->size())
    return {};
  return (*plans)[shape].groupsOfDevices;
}

std::vector<LaunchInfo> SessionEntry::launches(size_t shape) const {
  std::vector<LaunchInfo> launches;
  if (shape >= plans->size())
    return launches;
  for (const PlanProgram &program : (*plans)[shape].programs) {
    const std::string &device =
        state->model->devices[program.device].info().name;
    for (size_t i = 0; i < program.steps.size(); ++i)
      if (program.steps[i].kind == StepKind::Launch) {
        const StepInfo &info = program.infos[i];
        const Kernel &kernel = *program.steps[i].kernel;
        launches.push_back({device, std::string(info.op), info.spec->name,
                            kernel.implementation(), describeShapes(*info.spec),
                            countBytes(*info.spec), info.flops,
                            kernel.tuning()});
      }
  }
  return launches;
}

Status SessionEntry::run(std::span<const ConstTensorView> inputs,
                         std::span<const TensorView> outputs,
                         const RunOptions &options) const {
  WEIR_ASSIGN_OR_RETURN(const Plan *plan, check(*plans, inputs, outputs));
  WEIR_RETURN_IF_ERROR(
      guarded("run", [&] { return state->checkMayWait("run"); }));
  BlockingRun run;
  run.claim.plan = plan;
  run.inputs = inputs;
  run.outputs = outputs;
  run.claim.uses = plan->classes;
  run.options = effective(options);
  run.onDone = [](RunRequest &request, Status status) {
    auto &run = static_cast<BlockingRun &>(request);
    run.status = std::move(status);
    run.done.notify();
  };
  // Once the run has ended, an observer or callback may destroy the session.
  const int spins = state->spins;
  // A team that the thread of callbacks got would disturb the device's.
  if (state->mayRunHere && !Callbacks::isHere()) {
    if (state->admission->runHere(run, run.status))
      return std::move(run.status);
  } else {
    state->admission->enqueue(run);
  }
  run.done.wait(spins);
  return std::move(run.status);
}

StatusOr<std::vector<HostTensor>>
SessionEntry::run(std::span<const HostTensor> inputs,
                  const RunOptions &options) const {
  return guarded("run", [&]() -> StatusOr<std::vector<HostTensor>> {
    const std::vector<ConstTensorView> from = inputViews(inputs);
    WEIR_ASSIGN_OR_RETURN(const Plan *plan, plans->choose(from));
    WEIR_ASSIGN_OR_RETURN(std::vector<HostTensor> results,
                          zerosFor(plan->outputs));
    WEIR_RETURN_IF_ERROR(run(from, outputViews(results), options));
    return results;
  });
}

Status SessionEntry::run(std::span<const NamedInput> inputs,
                         std::span<const NamedOutput> outputs,
                         const RunOptions &options) const {
  return guarded("run", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(plans->status());
    WEIR_RETURN_IF_ERROR(state->checkMayWait("run"));
    WEIR_ASSIGN_OR_RETURN(const std::vector<ConstTensorView> from,
                          inputsByName((*plans)[0].inputs, inputs));
    WEIR_ASSIGN_OR_RETURN(const Plan *plan, plans->choose(from));
    std::vector<DeviceTensor> dropped;
    auto allocate = [this](const TensorInfo &output) {
      return state->allocate(output);
    };
    WEIR_ASSIGN_OR_RETURN(
        const std::vector<TensorView> to,
        outputsByName(plan->outputs, outputs, allocate, dropped));
    return run(from, to, options);
  });
}

Status DetachedRun::fill(const SessionEntry::Plans &plans,
                         std::span<const ConstTensorView> inputsOfRun,
                         std::span<const TensorView> outputsOfRun,
                         const RunOptions &optionsOfRun) {
  return guarded("runAsync", [&]() -> Status {
    WEIR_RETURN_IF_ERROR(prepare());
    WEIR_ASSIGN_OR_RETURN(claim.plan, check(plans, inputsOfRun, outputsOfRun));
    claim.uses = claim.plan->classes;
    inputViews.assign(inputsOfRun.begin(), inputsOfRun.end());
    outputViews.assign(outputsOfRun.begin(), outputsOfRun.end());
    inputs = inputViews;
    outputs = outputViews;
    ownOptions = optionsOfRun;
    options = effective(ownOptions);
    return Status::ok();
  });
}

void DetachedRun::start(std::unique_ptr<DetachedRun> run,
                        const SessionEntry::Plans &plans,
                        std::span<const ConstTensorView> inputs,
                        std::span<const TensorView> outputs,
                        const RunOptions &options) {
  run->onDone = [](RunRequest &request, Status status) {
    static_cast<DetachedRun &>(request).end(std::move(status));
  };
  Status status = run->fill(plans, inputs, outputs, options);
  // The callback may destroy the run and its session before this call returns.
  const std::shared_ptr<Admission> admission =
      run->admission.shared_from_this();
  if (status.isOk())
    admission->enqueue(*run.release());
  else
    admission->refuse(*run.release(), std::move(status));
}

std::future<Status>
SessionEntry::runAsync(std::span<const ConstTensorView> inputs,
                       std::span<const TensorView> outputs,
                       const RunOptions &options) const {
  auto run = std::make_unique<PromisedRun>(*state->admission);
  std::future<Status> future = run->promise.get_future();
  if (Status status = checkNotForked(); status.isOk())
    DetachedRun::start(std::move(run), *plans, inputs, outputs, options);
  else
    run->promise.set_value(std::move(status));
  return future;
}

void SessionEntry::runAsync(std::span<const ConstTensorView> inputs,
                            std::span<const TensorView> outputs,
                            std::function<void(Status)> onDone,
                            const RunOptions &options) const {
  if (Status status = checkNotForked(); !status.isOk()) {
    (void)guarded("a callback", [&] {
      onDone(std::move(status));
      return Status::ok();
    });
    return;
  }
  DetachedRun::start(
      std::make_unique<CalledRun>(*state->admission, std::move(onDone)), *plans,
      inputs, outputs, options);
}
