//===- LoadedModel.cpp - What is loaded once for all runs -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LoadedModel.h"

#include "CapCheck.h"
#include "ModelStats.h"
#include "PlanTrace.h"
#include "weir/Artifact/Format.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

using namespace weir;

std::vector<DeviceHeld> LoadedModel::heldNow() const {
  std::vector<DeviceHeld> now = held;
  countWeights({artifact->model(), devices, *parameters, loaded}, now);
  return now;
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

/// Checks that random parameters fit into the memory of a device. No file
/// bounds the bytes of such parameters, so a small file could ask for more
/// memory than the machine has.
static Status checkFilled(const artifact::Model &model,
                          const ModelDevices &devices) {
  uint64_t filled = 0, most = 0;
  if (const auto *blobs = model.blobs())
    for (const artifact::Blob *blob : *blobs)
      filled += blob->fill() ? blob->bytes() : 0;
  for (size_t i = 0; i < devices.size(); ++i) {
    const uint64_t bytes = devices[i].info().memoryBytes;
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

namespace {
/// Loads one artifact. May try several variants of it.
class ModelLoader {
public:
  ModelLoader(artifact::Artifact artifact, const SessionOptions &options)
      : artifact(std::make_shared<artifact::Artifact>(std::move(artifact))),
        options(options), drivers(options.deviceDrivers) {}

  /// Loads the first variant whose devices have all that its kernels need.
  /// Whether they have all is known only when the kernels are prepared.
  StatusOr<std::unique_ptr<LoadedModel>> load(Purpose purpose);

private:
  StatusOr<ModelDevices> open(const ChosenVariant &chosen);
  StatusOr<std::unique_ptr<LoadedModel>> load(ChosenVariant chosen,
                                              Purpose purpose);

  const std::shared_ptr<artifact::Artifact> artifact;
  const SessionOptions &options;
  const DriverSet drivers;
  VariantFailures failures;
  /// The devices of the variant that was loaded last.
  ModelDevices opened;
};
} // namespace

StatusOr<ModelDevices> ModelLoader::open(const ChosenVariant &chosen) {
  // A model that is loaded to count its memory leaves its devices to the model
  // that runs.
  ModelDevices known = std::exchange(opened, {});
  if (chosen.isForeign)
    return ModelDevices::openNull(chosen.requests);
  if (known.size() > 0)
    return known;
  // An observer may run other sessions. Their runs must not wait for the
  // observed run.
  const bool mayShare = !options.observer;
  return ModelDevices::open(drivers, chosen.requests, mayShare);
}

StatusOr<std::unique_ptr<LoadedModel>> ModelLoader::load(ChosenVariant chosen,
                                                         Purpose purpose) {
  const bool mayAllocate = purpose == Purpose::Run;
  // A model that may bring code is trusted. So it may share weights with other
  // models.
  SharedWeights *const weights =
      mayAllocate && options.allowCode ? &SharedWeights::ofProcess() : nullptr;
  const artifact::Variant &variant = *chosen.variant;
  WEIR_ASSIGN_OR_RETURN(ModelDevices real, open(chosen));
  const auto locks = real.lockForLoading();
  ModelDevices devices = mayAllocate ? real : real.counting();
  WEIR_RETURN_IF_ERROR(checkFilled(artifact->model(), devices));
  WEIR_ASSIGN_OR_RETURN(
      std::unique_ptr<ParameterMemory> parameters,
      ParameterMemory::create(*artifact, mayAllocate, weights));
  WEIR_ASSIGN_OR_RETURN(ModelMemory memory,
                        ModelMemory::create(*artifact, variant, devices,
                                            chosen.numFrames, *parameters));
  auto loaded = loadPlans(*artifact, variant, devices, *parameters, memory,
                          weights, options);
  if (!loaded) {
    // This machine lacks something that kernels need: a library, or a GPU that
    // is new enough for generated code.
    if (loaded.status().code() == StatusCode::Unavailable)
      failures.emplace(chosen.number, loaded.status());
    return std::move(loaded).status();
  }
  WEIR_ASSIGN_OR_RETURN(ModelWorkspaces workspaces,
                        allocateWorkspaces(loaded->plans, devices));
  VariableTable variables(*artifact, variant, memory, loaded->plans);
  if (options.trace && mayAllocate)
    tracePlans(loaded->plans, devices, *options.trace);
  std::vector<DeviceHeld> held = describeDevices(
      chosen, {artifact->model(), devices, *parameters, *loaded}, memory,
      workspaces, options);
  if (mayAllocate)
    artifact->closeBlobs();
  opened = std::move(real);
  return std::unique_ptr<LoadedModel>(new LoadedModel{
      artifact, std::move(chosen), std::move(devices), std::move(parameters),
      std::move(memory), *std::move(loaded), std::move(workspaces),
      std::move(variables), options.observer != nullptr, std::move(held)});
}

StatusOr<std::unique_ptr<LoadedModel>> ModelLoader::load(Purpose purpose) {
  for (;;) {
    const size_t numFailures = failures.size();
    WEIR_ASSIGN_OR_RETURN(
        ChosenVariant chosen,
        chooseVariant(artifact->model(), options, drivers, failures, purpose));
    auto loaded = load(std::move(chosen), purpose);
    if (loaded || failures.size() == numFailures)
      return loaded;
    // Another variant may do without what the devices of this variant lack.
    WEIR_RETURN_IF_ERROR(
        selectVariant(artifact->model(), drivers, failures).status());
  }
}

StatusOr<std::unique_ptr<LoadedModel>>
weir::countModel(artifact::Artifact artifact, const SessionOptions &options,
                 Status &failure) {
  WEIR_RETURN_IF_ERROR(checkOptions(options));
  ModelLoader loader(std::move(artifact), options);
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
  ModelLoader loader(std::move(artifact), options);
  if (hasCap) {
    WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<LoadedModel> counted,
                          loader.load(Purpose::Count));
    if (!counted->chosen.isForeign)
      WEIR_RETURN_IF_ERROR(checkMemoryCaps(
          counted->held, counted->chosen.numFrames, options.threads));
  }
  return loader.load(Purpose::Run);
}
