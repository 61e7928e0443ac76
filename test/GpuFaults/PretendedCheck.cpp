//===- PretendedCheck.cpp - Compares artifacts on pretended GPUs ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// usage: weir-pretended-check [--steps] ARTIFACT.weir...
//
// What weir-artifact-check does on a GPU, on a pretended one. The artifacts
// were compiled with the plug-in that emulates.
//
//===----------------------------------------------------------------------===//

#include "../ArtifactCheck/CheckSteps.h"
#include "EmulatedEntries.h"

#include <fmt/format.h>
#include <string>
#include <string_view>

using namespace weir;
using namespace weir::test;

static Status check(FakeCuda &driver, const std::string &path, bool isOfSteps,
                    opcheck::Totals &totals) {
  WEIR_RETURN_IF_ERROR(defineEntries(path, driver));
  WEIR_RETURN_IF_ERROR(isOfSteps
                           ? opcheck::checkSteps(path, "cuda:0", totals)
                           : opcheck::checkArtifact(path, "cuda:0", totals));
  for (const std::string &complaint : driver.takeComplaints())
    return internalError(complaint);
  for (const std::string &leak : driver.leaks())
    return internalError("left behind: " + leak);
  return Status::ok();
}

int main(int argc, char **argv) {
  const StatusOr<FakeCuda *> driver = openPretendedDriver();
  if (!driver.isOk()) {
    fmt::print(stderr, "error: {}\n", driver.status().message());
    return 1;
  }
  opcheck::Totals totals;
  const bool isOfSteps = argc > 1 && std::string_view(argv[1]) == "--steps";
  const int first = isOfSteps ? 2 : 1;
  for (int i = first; i < argc; ++i)
    if (const Status status = check(**driver, argv[i], isOfSteps, totals);
        !status.isOk()) {
      ++totals.failures;
      fmt::print("{}: {}\n", argv[i], status.message());
    }
  fmt::print("{} artifacts, {} entries, {} failures\n", argc - first,
             totals.cases, totals.failures);
  return totals.failures == 0 ? 0 : 1;
}
