//===- PretendedCheck.cpp - Compares artifacts on pretended GPUs ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// usage: weir-pretended-check ARTIFACT.weir...
//
// What weir-artifact-check does on a GPU, on a pretended one. The artifacts
// were compiled with the plug-in that emulates.
//
//===----------------------------------------------------------------------===//

#include "../ArtifactCheck/CheckArtifacts.h"
#include "EmulatedEntries.h"

#include <fmt/format.h>
#include <string>

using namespace weir;
using namespace weir::test;

static Status check(FakeCuda &driver, const std::string &path,
                    opcheck::Totals &totals) {
  WEIR_RETURN_IF_ERROR(defineEntries(path, driver));
  WEIR_RETURN_IF_ERROR(opcheck::checkArtifact(path, "cuda:0", totals));
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
  for (int i = 1; i < argc; ++i)
    if (const Status status = check(**driver, argv[i], totals);
        !status.isOk()) {
      ++totals.failures;
      fmt::print("{}: {}\n", argv[i], status.message());
    }
  fmt::print("{} artifacts, {} entries, {} failures\n", argc - 1, totals.cases,
             totals.failures);
  return totals.failures == 0 ? 0 : 1;
}
