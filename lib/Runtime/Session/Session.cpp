//===- Session.cpp - Loads an artifact and runs it -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Runtime/Session.h"

#include "../ForkedChild.h"
#include "SessionState.h"
#include "weir/Artifact/Artifact.h"
#include "weir/Runtime/Guarded.h"
#include "weir/Support/HostTensor.h"
#include "weir/Support/NearNames.h"
#include "weir/Support/Printable.h"
#include "weir/Support/Trace.h"

#include <fmt/format.h>

using namespace weir;

static std::optional<size_t> findByName(std::span<const TensorInfo> infos,
                                        std::string_view name) {
  for (size_t i = 0; i < infos.size(); ++i)
    if (infos[i].name == name)
      return i;
  return std::nullopt;
}

Session::Session(std::unique_ptr<SessionState> state)
    : state(std::move(state)) {}

Session::~Session() {
  if (isForkedChild()) {
    (void)state.release();
    return;
  }
  stop();
  SessionState::end(std::move(state));
}

static std::vector<std::pair<std::string, std::string>>
readMetadata(const artifact::Model &model) {
  std::vector<std::pair<std::string, std::string>> pairs;
  if (const auto *all = model.metadata())
    for (const artifact::Metadata *pair : *all)
      pairs.emplace_back(pair->key()->str(), pair->value()->str());
  return pairs;
}

static StatusOr<std::unique_ptr<Session>>
loadArtifact(artifact::Artifact artifact, const SessionOptions &options,
             uint64_t begin) {
  WEIR_RETURN_IF_ERROR(checkNotForked());
  auto metadata = readMetadata(artifact.model());
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<LoadedModel> model,
                        loadModel(std::move(artifact), options));
  auto state = std::make_unique<SessionState>(
      std::move(model), monotonicNs() - begin, options.runOnCaller);
  state->metadata = std::move(metadata);
  return SessionState::makeSession(std::move(state));
}

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

const std::vector<std::pair<std::string, std::string>> &
Session::metadata() const {
  return state->metadata;
}

std::vector<DeviceInfo> Session::devices() const {
  std::vector<DeviceInfo> devices;
  for (const DeviceHeld &device : state->model->held)
    devices.push_back(device.info);
  return devices;
}

std::vector<std::string> Session::entryNames() const {
  std::vector<std::string> names;
  for (const auto &[name, plans] : state->entries)
    names.push_back(name);
  return names;
}

StatusOr<SessionEntry> Session::entry(std::string_view name) const {
  if (const auto at = state->entries.find(name); at != state->entries.end())
    return state->entry(at->second);
  return guarded("entry", [&]() -> StatusOr<SessionEntry> {
    if (name.empty()) {
      WEIR_RETURN_IF_ERROR(state->defaultEntry.status());
      return entry();
    }
    std::vector<std::string> names;
    for (const auto &[known, plans] : state->entries)
      names.emplace_back(known);
    return notFound(fmt::format("there is no entry '{}'; {}", printable(name),
                                offerNames(name, names, "entries")));
  });
}

SessionEntry Session::entry() const {
  return state->entry(state->defaultEntry);
}

std::span<const TensorInfo> Session::inputs() const { return entry().inputs(); }

std::span<const TensorInfo> Session::outputs() const {
  return entry().outputs();
}

std::optional<size_t> Session::findInput(std::string_view name) const {
  return findByName(inputs(), name);
}

std::optional<size_t> Session::findOutput(std::string_view name) const {
  return findByName(outputs(), name);
}

Status Session::run(std::span<const ConstTensorView> inputs,
                    std::span<const TensorView> outputs,
                    const RunOptions &options) {
  return entry().run(inputs, outputs, options);
}

Status Session::run(std::span<const NamedInput> inputs,
                    std::span<const NamedOutput> outputs,
                    const RunOptions &options) {
  return entry().run(inputs, outputs, options);
}

StatusOr<std::vector<HostTensor>>
Session::run(std::span<const HostTensor> inputs, const RunOptions &options) {
  return entry().run(inputs, options);
}

std::future<Status> Session::runAsync(std::span<const ConstTensorView> inputs,
                                      std::span<const TensorView> outputs,
                                      const RunOptions &options) {
  return entry().runAsync(inputs, outputs, options);
}

StatusOr<DeviceTensor> Session::allocate(const TensorInfo &port) const {
  return guarded("allocate", [&] { return state->allocate(port); });
}

Status Session::orderBehind(std::string_view device, void *stream) {
  return guarded("orderBehind",
                 [&] { return state->orderBehind(device, stream); });
}

void Session::stop() {
  if (!isForkedChild())
    state->admission->stop();
}

SessionStats Session::stats() const {
  // Another thread may have held the locks when the process was forked.
  if (isForkedChild())
    return {};
  const RunCounts counts = state->admission->counts();
  SessionStats stats;
  stats.runs = counts.runs;
  stats.failedRuns = counts.failedRuns;
  stats.loadNs = state->loadNs;
  std::vector<DeviceHeld> held = state->model->heldNow();
  for (size_t i = 0; i < held.size(); ++i) {
    for (DeviceNote &remark : state->model->devices[i].remarks())
      held[i].info.addNote(std::move(remark));
    stats.devices.push_back({std::move(held[i]), counts.devices[i]});
  }
  return stats;
}

std::span<const PlanTensor> Session::tensors() const {
  return entry().tensors();
}

std::vector<LaunchInfo> Session::launches() const { return entry().launches(); }
