//===- LoadedModel.cpp - What is loaded once for all runs -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LoadedModel.h"

#include "CapCheck.h"
#include "DeviceNotes.h"
#include "DeviceRequests.h"
#include "PlanLoader.h"
#include "PlanTrace.h"
#include "SharedScratch.h"
#include "VariantSelection.h"
#include "weir/Artifact/Format.h"
#include "weir/Support/Alignment.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

using namespace weir;

namespace {

enum class Purpose {
  Run,
  /// Count what the model holds, on counting devices.
  Count,
  /// The same, but on null devices.
  Estimate
};

class ModelLoader {
public:
  /// `failures` are those of variants that are not to be loaded. `devices` are
  /// those that another loader has opened for the first other variant, or none.
  ModelLoader(artifact::Artifact artifact, const SessionOptions &options,
              Purpose purpose, const VariantFailures &failures = {},
              ModelDevices devices = {})
      : model(std::make_unique<LoadedModel>(std::move(artifact))),
        options(options), failures(failures),
        mayAllocate(purpose == Purpose::Run),
        mayAskKernels(purpose != Purpose::Estimate),
        drivers(options.deviceDrivers), opened(std::move(devices)) {}

  StatusOr<std::unique_ptr<LoadedModel>> load();
  /// The number of the variant, if this machine lacks something that kernels of
  /// it need: a library, or a GPU that is new enough for generated code.
  std::optional<uint32_t> unsupportedVariant() const { return unsupported; }
  /// The artifact for another loader, if this one failed.
  artifact::Artifact takeArtifact() { return std::move(model->artifact); }
  /// The devices for another loader, so that the model gets the same ones.
  const ModelDevices &devices() const { return opened; }

private:
  Status checkCode() const;
  /// What the model shares weights through, or null. Models are trusted with
  /// each other's weights if they may bring code.
  SharedWeights *weights() const {
    return mayAllocate && options.allowCode ? &SharedWeights::ofProcess()
                                            : nullptr;
  }
  Status chooseVariant();
  Status chooseEntry();
  Status openDevices();
  void beginStats();
  void countFrames();
  Status loadPlans();
  Status allocateWorkspaces();
  void observePrograms();
  Status checkFilled() const;
  void finishStats();
  void countGroups();
  const Plan &defaultPlan() const;

  std::unique_ptr<LoadedModel> model;
  const SessionOptions &options;
  const VariantFailures failures;
  /// If not, the model is only counted.
  const bool mayAllocate;
  const bool mayAskKernels;
  const DriverSet drivers;
  ModelDevices opened;
  const artifact::Variant *variant = nullptr;
  uint32_t number = 0;
  std::optional<uint32_t> unsupported;
  /// Why an earlier variant does not run here; empty if none was tried.
  std::string lackingDevice;
  std::vector<DeviceRequest> requests;
};

} // namespace

/// Refuses native code in any variant, if it is not allowed.
Status ModelLoader::checkCode() const {
  if (options.allowCode)
    return Status::ok();
  for (const artifact::Variant *each : *model->artifact.model().variants())
    for (const artifact::Kernel *kernel : *each->kernels())
      if (kernel->code() >= 0)
        return invalidArgument(
            "expected an artifact without native code, as the session's "
            "options (graph-run --no-code) ask, found "
            "generated kernels; allow code if you trust who made the artifact");
  return Status::ok();
}

Status ModelLoader::chooseVariant() {
  auto chosen = selectVariant(model->artifact.model(), drivers, failures);
  if (!chosen && mayAllocate)
    return std::move(chosen).status();
  model->isForeign = !chosen || !mayAskKernels;
  variant =
      chosen ? chosen->variant : model->artifact.model().variants()->Get(0);
  if (!chosen)
    return Status::ok();
  number = chosen->number;
  lackingDevice = std::move(chosen->lacking);
  return Status::ok();
}

Status ModelLoader::chooseEntry() {
  auto chosen = selectEntry(*variant, options.entry);
  if (chosen)
    model->defaultEntry = std::string(*chosen);
  else
    model->defaultEntry = std::move(chosen).status();
  // Without a name, the user may name an entry for each run.
  return options.entry.empty() ? Status::ok() : model->defaultEntry.status();
}

Status ModelLoader::openDevices() {
  WEIR_ASSIGN_OR_RETURN(requests, requestDevices(model->artifact.model(),
                                                 *variant, options, drivers));
  // Null devices stand for those of another machine, and take any options.
  if (!model->isForeign)
    WEIR_RETURN_IF_ERROR(checkRequests(requests, drivers));
  // An observer may run other sessions, which must not wait for its own run.
  model->isObserved = options.observer != nullptr;
  const bool mayShare = !model->isObserved;
  if (model->isForeign) {
    WEIR_ASSIGN_OR_RETURN(opened, ModelDevices::openNull(requests));
  } else if (opened.size() == 0) {
    WEIR_ASSIGN_OR_RETURN(opened,
                          ModelDevices::open(drivers, requests, mayShare));
  }
  return Status::ok();
}

/// Other models may change what devices say about themselves while they are
/// loaded, so the devices must be locked.
void ModelLoader::beginStats() {
  model->devices = mayAllocate ? opened : opened.counting();
  for (size_t i = 0; i < requests.size(); ++i) {
    DeviceStats &stats = model->stats.emplace_back();
    stats.info = model->devices[i].info();
    stats.isolated = requests[i].isolated;
    stats.memoryCap =
        variant->devices()->Get(static_cast<uint32_t>(i))->memory_cap();
  }
}

void ModelLoader::countFrames() {
  model->numFrames = std::max<size_t>(variant->frames(), 1);
  if (options.inFlight > 0)
    model->numFrames =
        std::min(model->numFrames, static_cast<size_t>(options.inFlight));
  // An observer receives the tensors of one run after the other.
  if (options.observer)
    model->numFrames = 1;
}

Status ModelLoader::loadPlans() {
  model->kernels = std::make_unique<KernelCache>(*variant, model->artifact,
                                                 *model->parameters, weights());
  const PlanSources sources{
      model->artifact, *variant,           model->devices,  model->memory,
      *model->kernels, model->readInPlace, options.observer};
  for (const artifact::Entry *entry : *variant->entries()) {
    auto plan = std::make_unique<Plan>();
    plan->index = model->plans.size();
    if (entry->num_groups())
      plan->groupsOfDevices.assign(entry->num_groups()->begin(),
                                   entry->num_groups()->end());
    WEIR_RETURN_IF_ERROR(loadPlan(sources, *entry, *plan));
    model->plans.push_back(std::move(plan));
  }
  for (const auto &[blob, device] : model->readInPlace)
    WEIR_RETURN_IF_ERROR(model->parameters->readInPlace(blob));
  model->parameters->finish();
  model->variables = VariableTable(model->artifact, *variant, model->memory);
  model->variables.formClasses(model->plans);
  return Status::ok();
}

Status ModelLoader::allocateWorkspaces() {
  std::map<std::pair<size_t, int>, size_t> largest;
  for (const std::unique_ptr<Plan> &plan : model->plans)
    for (const PlanProgram &program : plan->programs)
      for (const Step &step : program.steps)
        if (step.kind == StepKind::Launch) {
          size_t &bytes = largest[{program.device, program.queueIndex}];
          bytes = std::max(bytes, step.kernel->workspaceBytes());
        }
  std::map<std::pair<size_t, int>, void *> places;
  for (const auto &[queue, bytes] : largest) {
    if (bytes == 0)
      continue;
    auto memory = shareScratch(model->devices[queue.first], queue.second,
                               ScratchUse::Workspace, bytes);
    if (!memory)
      return std::move(memory).status().withContext(
          "cannot allocate workspace");
    places[queue] = (*memory)->data();
    model->workspaces.push_back(*std::move(memory));
    model->stats[queue.first].workspaceBytes += bytes;
  }
  for (const std::unique_ptr<Plan> &plan : model->plans)
    for (PlanProgram &program : plan->programs)
      if (const auto at = places.find({program.device, program.queueIndex});
          at != places.end())
        program.list.workspace = at->second;
  return Status::ok();
}

void ModelLoader::observePrograms() {
  for (const std::unique_ptr<Plan> &plan : model->plans)
    for (PlanProgram &program : plan->programs)
      program.list.checkNumerics = options.checkNumerics;
  if (options.trace && mayAllocate)
    tracePlans(model->plans, model->devices, *options.trace);
}

const Plan &ModelLoader::defaultPlan() const {
  for (const std::unique_ptr<Plan> &plan : model->plans)
    if (model->defaultEntry && plan->name == *model->defaultEntry)
      return *plan;
  return *model->plans.front();
}

void ModelLoader::countGroups() {
  const std::vector<uint64_t> &groups = defaultPlan().groupsOfDevices;
  for (size_t i = 0; i < groups.size(); ++i)
    model->stats[i].groups = groups[i];
}

LoadedModel::~LoadedModel() {
  bool mayBeInUse = false;
  for (size_t i = 0; i < devices.size(); ++i)
    mayBeInUse |= devices[i].isGivenUp();
  if (!mayBeInUse)
    return;
  memory.keepForever();
  for (const std::shared_ptr<DeviceMemory> &workspace : workspaces)
    stopSharing(workspace);
}

void LoadedModel::countWeights(std::span<DeviceStats> devices) const {
  for (size_t i = 0; i < devices.size(); ++i) {
    const PackedOperands::Bytes packed = kernels->packedBytes(this->devices[i]);
    devices[i].packedBytes = packed.all - packed.countedElsewhere;
    devices[i].inPlaceBytes = 0;
    devices[i].sharedBytes = packed.countedElsewhere;
  }
  for (const auto &[blob, device] : readInPlace) {
    const uint64_t bytes = alignTo(artifact.model().blobs()->Get(blob)->bytes(),
                                   deviceMemoryAlignment);
    DeviceStats &to = devices[device];
    (parameters->isCounted(blob) ? to.inPlaceBytes : to.sharedBytes) += bytes;
  }
}

void ModelLoader::finishStats() {
  countGroups();
  for (size_t i = 0; i < requests.size(); ++i) {
    const Device &device = model->devices[i];
    DeviceStats &stats = model->stats[i];
    // Devices may have remarks about the kernels that they prepared.
    stats.info = device.info();
    stats.kernels = model->kernels->numKernels(device);
  }
  model->countWeights(model->stats);
  noteDevices(model->plans, requests, model->stats);
  noteTuning(model->plans, devicesToTune(requests, options), model->stats);
  noteVariant(lackingDevice, model->stats);
  noteRunsInFlight(static_cast<size_t>(options.inFlight),
                   std::max<size_t>(variant->frames(), 1), model->stats);
}

/// No file bounds the bytes of random parameters, so a small one could ask for
/// more memory than there is.
Status ModelLoader::checkFilled() const {
  uint64_t filled = 0, most = 0;
  if (const auto *blobs = model->artifact.model().blobs())
    for (const artifact::Blob *blob : *blobs)
      filled += blob->fill() ? blob->bytes() : 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    const uint64_t bytes = model->devices[i].info().memoryBytes;
    if (bytes == 0)
      return Status::ok();
    most = std::max(most, bytes);
  }
  if (filled <= most)
    return Status::ok();
  return resourceExhausted(
      fmt::format("the parameters with random elements have {} bytes, and no "
                  "device has more than {}",
                  filled, most));
}

StatusOr<std::unique_ptr<LoadedModel>> ModelLoader::load() {
  WEIR_RETURN_IF_ERROR(checkCode());
  WEIR_RETURN_IF_ERROR(chooseVariant());
  WEIR_RETURN_IF_ERROR(chooseEntry());
  WEIR_RETURN_IF_ERROR(openDevices());
  const auto locks = opened.lockForLoading();
  beginStats();
  countFrames();
  WEIR_RETURN_IF_ERROR(checkFilled());
  WEIR_ASSIGN_OR_RETURN(
      model->parameters,
      ParameterMemory::create(model->artifact, mayAllocate, weights()));
  WEIR_ASSIGN_OR_RETURN(model->memory,
                        ModelMemory::create(model->artifact, *variant,
                                            model->devices, model->numFrames,
                                            *model->parameters, model->stats));
  if (Status status = loadPlans(); !status.isOk()) {
    if (status.code() == StatusCode::Unavailable)
      unsupported = number;
    return status;
  }
  WEIR_RETURN_IF_ERROR(allocateWorkspaces());
  observePrograms();
  finishStats();
  if (mayAllocate)
    model->artifact.closeBlobs();
  return std::move(model);
}

static Status checkOptions(const SessionOptions &options) {
  constexpr auto mostThreads = static_cast<int>(artifact::maxThreads);
  if (options.threads < 0 || options.threads > mostThreads)
    return invalidArgument(fmt::format(
        "expected 1 to {} threads for each device, or 0 for what the artifact "
        "says, found {}",
        mostThreads, options.threads));
  if (options.inFlight < 0)
    return invalidArgument(fmt::format(
        "expected 1 or more runs in flight, or 0 for what the artifact says, "
        "found {}",
        options.inFlight));
  if (std::ranges::count(options.deviceDrivers, nullptr))
    return invalidArgument("a driver in SessionOptions::deviceDrivers is a "
                           "null pointer; leave it out");
  return Status::ok();
}

namespace {
/// Loads one artifact, if need be more than once.
class VariantLoader {
public:
  VariantLoader(artifact::Artifact artifact, const SessionOptions &options)
      : artifact(std::move(artifact)), options(options),
        drivers(options.deviceDrivers) {}

  StatusOr<std::unique_ptr<LoadedModel>> load(Purpose purpose);
  /// Takes the artifact of a model that is not needed, for another load.
  void takeBack(LoadedModel &model) { artifact = std::move(model.artifact); }

private:
  artifact::Artifact artifact;
  const SessionOptions &options;
  const DriverSet drivers;
  VariantFailures failures;
  /// The devices of the variant that was loaded last.
  ModelDevices devices;
};
} // namespace

/// Loads the first variant whose devices have all that its kernels need, which
/// shows when these are prepared.
StatusOr<std::unique_ptr<LoadedModel>> VariantLoader::load(Purpose purpose) {
  for (;;) {
    ModelLoader loader(std::move(artifact), options, purpose, failures,
                       std::exchange(devices, {}));
    auto loaded = loader.load();
    if (loaded) {
      devices = loader.devices();
      return loaded;
    }
    artifact = loader.takeArtifact();
    if (!loader.unsupportedVariant())
      return loaded;
    failures.emplace(*loader.unsupportedVariant(), std::move(loaded).status());
    WEIR_RETURN_IF_ERROR(
        selectVariant(artifact.model(), drivers, failures).status());
  }
}

StatusOr<std::unique_ptr<LoadedModel>>
weir::countModel(artifact::Artifact artifact, const SessionOptions &options,
                 Status &failure) {
  WEIR_RETURN_IF_ERROR(checkOptions(options));
  VariantLoader loader(std::move(artifact), options);
  auto counted = loader.load(Purpose::Count);
  if (counted)
    return counted;
  failure = std::move(counted).status();
  return loader.load(Purpose::Estimate);
}

StatusOr<std::unique_ptr<LoadedModel>>
weir::loadModel(artifact::Artifact artifact, const SessionOptions &options) {
  WEIR_RETURN_IF_ERROR(checkOptions(options));
  const bool hasCap = isMemoryCapped(artifact.model());
  VariantLoader loader(std::move(artifact), options);
  if (hasCap) {
    WEIR_ASSIGN_OR_RETURN(std::unique_ptr<LoadedModel> counted,
                          loader.load(Purpose::Count));
    if (!counted->isForeign)
      WEIR_RETURN_IF_ERROR(
          checkMemoryCaps(counted->stats, counted->numFrames, options.threads));
    loader.takeBack(*counted);
  }
  return loader.load(Purpose::Run);
}
