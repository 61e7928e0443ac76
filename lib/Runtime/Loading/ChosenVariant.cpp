//===- ChosenVariant.cpp - What a session loads of an artifact ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ChosenVariant.h"

#include "DeviceRequests.h"

#include <algorithm>
#include <utility>

using namespace weir;

/// Refuses native code in any variant, if it is not allowed.
static Status checkCode(const artifact::Model &model,
                        const SessionOptions &options) {
  if (options.allowCode)
    return Status::ok();
  for (const artifact::Variant *each : *model.variants())
    for (const artifact::Kernel *kernel : *each->kernels())
      if (kernel->code() >= 0)
        return invalidArgument(
            "expected an artifact without native code, as the session's "
            "options ask, found generated kernels; allow code if you trust who "
            "made the artifact");
  return Status::ok();
}

size_t weir::compiledFrames(const artifact::Variant &variant) {
  return std::max<size_t>(variant.frames(), 1);
}

/// The number of runs that may be in flight.
static size_t countFrames(const artifact::Variant &variant,
                          const SessionOptions &options) {
  // An observer receives the tensors of one run after the other.
  if (options.observer)
    return 1;
  const size_t compiled = compiledFrames(variant);
  return options.inFlight > 0
             ? std::min(compiled, static_cast<size_t>(options.inFlight))
             : compiled;
}

StatusOr<ChosenVariant> weir::chooseVariant(const artifact::Model &model,
                                            const SessionOptions &options,
                                            const DriverSet &drivers,
                                            const VariantFailures &failures,
                                            Purpose purpose) {
  WEIR_RETURN_IF_ERROR(checkCode(model, options));
  ChosenVariant chosen;
  auto choice = selectVariant(model, drivers, failures);
  if (!choice && purpose == Purpose::Run)
    return std::move(choice).status();
  chosen.isForeign = !choice || purpose == Purpose::Estimate;
  chosen.variant = choice ? choice->variant : model.variants()->Get(0);
  if (choice) {
    chosen.number = choice->number;
    chosen.lacking = std::move(choice->lacking);
  }
  const artifact::Variant &variant = *chosen.variant;
  if (auto entry = selectEntry(variant, options.entry))
    chosen.defaultEntry = std::string(*entry);
  else
    chosen.defaultEntry = std::move(entry).status();
  // If the options name no entry, the user may name an entry for each run.
  if (!options.entry.empty())
    WEIR_RETURN_IF_ERROR(chosen.defaultEntry.status());
  WEIR_ASSIGN_OR_RETURN(chosen.requests,
                        requestDevices(model, variant, options, drivers));
  // Null devices stand for the devices of a foreign variant, and take any
  // options.
  if (!chosen.isForeign)
    WEIR_RETURN_IF_ERROR(checkRequests(chosen.requests, drivers));
  chosen.numFrames = countFrames(variant, options);
  return chosen;
}
