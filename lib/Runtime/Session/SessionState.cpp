//===- SessionState.cpp - What a session consists of -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SessionState.h"

#include "../DeviceCall.h"
#include "../ForkedChild.h"
#include "../Running/Callbacks.h"
#include "../Running/EndingThread.h"
#include "PortCheck.h"
#include "weir/Support/Printable.h"

#include <algorithm>
#include <fmt/format.h>
#include <thread>

using namespace weir;

void SessionState::end(std::unique_ptr<SessionState> state) {
  if (!state->isAwaited() && state->admission->isIdle())
    return;
  // The end of a session waits for its callbacks. So a callback in which the
  // session is destroyed must not wait for that end.
  const bool mustNotWait = state->isAwaited() || Callbacks::isHere();
  SessionState *const ended = state.release();
  if (mustNotWait)
    return endOnThread(AtExit::Wait, [ended] {
      ended->admission->stop();
      end(std::unique_ptr<SessionState>(ended));
    });
  // The device may never answer.
  endOnThread(AtExit::Leave, [ended] {
    ended->admission->awaitIdle();
    delete ended;
  });
}

/// To wake a caller takes more time than a small run. So a caller spins like a
/// queue, but only if that takes no core from a device.
static int spinsOf(const LoadedModel &model) {
  size_t busy = 0;
  for (const DeviceHeld &device : model.held)
    busy += static_cast<size_t>(device.info.threads);
  return busy < std::thread::hardware_concurrency() ? 200 : 0;
}

/// The plans of all entries.
static std::map<std::string, SessionEntry::Plans, std::less<>>
findEntries(const LoadedModel &model) {
  std::map<std::string, std::vector<const Plan *>> plans;
  for (const std::unique_ptr<Plan> &plan : model.plans())
    plans[plan->name].push_back(plan.get());
  std::map<std::string, SessionEntry::Plans, std::less<>> entries;
  for (auto &[name, plansOfName] : plans)
    entries.emplace_hint(entries.end(), name,
                         SessionEntry::Plans(std::move(plansOfName)));
  return entries;
}

SessionState::SessionState(std::unique_ptr<LoadedModel> loaded, uint64_t loadNs,
                           bool mayRunHere)
    : loadNs(loadNs), model(std::move(loaded)),
      admission(std::make_shared<Admission>(*model)), spins(spinsOf(*model)),
      mayRunHere(mayRunHere), entries(findEntries(*model)),
      defaultEntry(
          model->chosen.defaultEntry
              ? entries.at(*model->chosen.defaultEntry)
              : SessionEntry::Plans(model->chosen.defaultEntry.status())) {}

bool SessionState::isAwaited() const {
  return isForkedChild() || (model->isObserved && admission->isObservedHere());
}

Status SessionState::checkMayWait(std::string_view what) const {
  WEIR_RETURN_IF_ERROR(checkNotForked());
  if (!isAwaited())
    return Status::ok();
  const std::string_view repair =
      what == "run" ? "start a run in the background there, or run" : "do so";
  return invalidArgument(
      fmt::format("cannot {} in the session's own observer, since the run "
                  "waits for it; {} elsewhere",
                  what, repair));
}

namespace {
/// The memory of a tensor of the host.
class HostTensorMemory final : public DeviceMemory {
public:
  explicit HostTensorMemory(HostTensor &&from)
      : DeviceMemory(from.data(), from.bytes().size()),
        tensor(std::move(from)) {}

private:
  HostTensor tensor;
};
} // namespace

StatusOr<DeviceTensor> SessionState::allocate(const TensorInfo &port) const {
  const TensorDesc &desc = port.desc;
  if (port.space.isHost()) {
    WEIR_ASSIGN_OR_RETURN(HostTensor tensor,
                          HostTensor::zeros(desc.type, desc.dims));
    return DeviceTensor(nullptr,
                        std::make_unique<HostTensorMemory>(std::move(tensor)),
                        TensorDesc::rowMajor(desc.type, desc.dims));
  }
  WEIR_RETURN_IF_ERROR(checkMayWait("allocate tensors"));
  std::shared_ptr<Device> device = model->devices.find(port.space);
  if (!device)
    return invalidArgument(fmt::format(
        "'{}' lies in the memory of {}, but this session has another device of "
        "that name or none; allocate it with the session of that input or "
        "output",
        printable(port.name), port.space.deviceName()));
  WEIR_RETURN_IF_ERROR(checkDType(desc.type));
  WEIR_ASSIGN_OR_RETURN(const size_t bytes,
                        rowMajorBytes(desc.type, desc.dims));
  // With `PagePlacement::Now`, this could wait until the device has prepared
  // kernels.
  auto memory = allocateOn(*device, bytes, PagePlacement::FirstWrite);
  if (!memory)
    return std::move(memory).status().withContext(
        fmt::format("cannot allocate '{}'", printable(port.name)));
  return DeviceTensor(std::move(device), *std::move(memory),
                      TensorDesc::rowMajor(desc.type, desc.dims));
}

Status SessionState::orderBehind(std::string_view device, void *stream) const {
  WEIR_RETURN_IF_ERROR(checkNotForked());
  std::string names;
  for (size_t i = 0; i < model->devices.size(); ++i) {
    Device &known = model->devices[i];
    if (known.info().name == device)
      return known.orderBehind(stream);
    names += fmt::format("{}{}", names.empty() ? "" : ", ", known.info().name);
  }
  return invalidArgument(
      fmt::format("the session has no device '{}'; its devices are {}",
                  printable(device), names));
}

/// Whether `inputs` have the types and shapes of `expected`.
static bool fits(std::span<const TensorInfo> expected,
                 std::span<const ConstTensorView> inputs) {
  return std::ranges::equal(
      expected, inputs,
      [](const TensorInfo &info, const ConstTensorView &view) {
        // A view that is not read may be null.
        if (!info.isRead && !view.data)
          return true;
        return info.desc.type == view.type &&
               std::ranges::equal(info.desc.dims, view.dims);
      });
}

StatusOr<const Plan *>
SessionEntry::Plans::choose(std::span<const ConstTensorView> inputs) const {
  if (plans.size() == 1)
    return plans.front();
  if (plans.empty())
    return whyNone;
  for (const Plan *plan : plans)
    if (fits(plan->inputs, inputs))
      return plan;
  std::string found, shapes;
  for (const ConstTensorView &view : inputs)
    found += fmt::format(
        "{}{}", found.empty() ? "" : ", ",
        TensorDesc::rowMajor(view.type, {view.dims.begin(), view.dims.end()})
            .toString());
  for (const Plan *plan : plans)
    shapes += fmt::format("{}({})", shapes.empty() ? "" : ", ",
                          describePorts(plan->inputs));
  return invalidArgument(fmt::format(
      "expected the inputs of entry '{}' in one of its shapes {}, found ({}); "
      "compile the entry for this shape, too",
      printable(plans.front()->name), shapes, found));
}
