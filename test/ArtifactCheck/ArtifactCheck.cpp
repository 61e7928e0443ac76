//===- ArtifactCheck.cpp - Compares artifacts with stored results ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//   weir-artifact-check [--device=cuda:0] [--steps] ARTIFACT.weir...
//
// runs each entry of each artifact, and compares its outputs with those in
// ARTIFACT.safetensors: `NAME.in0`, ... are the inputs of entry NAME and
// `NAME.out0`, ... its outputs, as in test/Ops/Inputs. If an output is stored
// as a vector of fewer elements, these are its first ones. An entry whose name
// begins with `outside` may fail since an index is out of range. Each entry is
// run several times, so that what a device captures is replayed; all runs must
// give the same bits. The text `tolerance` in the file's metadata says how much
// floats may differ, in units of the largest element. With --device, it is an
// error if an artifact does not run on that device.
//
// With --steps, the entry `train` of FOLDER/NAME.weir and that of
// FOLDER/cpu/NAME.weir are run on the inputs of some steps, from equal
// variables. FOLDER/NAME.safetensors has the inputs of all steps in one tensor,
// one behind the other. Outputs may differ by a thousandth of their largest
// element. So may variables by a thousandth of how far the second artifact has
// moved them. A second training by the first one must give the same bits.
//
//===----------------------------------------------------------------------===//

#include "CheckSteps.h"

#include <cstdio>
#include <fmt/format.h>
#include <span>
#include <string>
#include <vector>

using namespace weir;

int main(int argc, char **argv) {
  // What was printed is seen if the process is ended from outside.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::string device;
  auto *check = opcheck::checkArtifact;
  std::vector<std::string> paths;
  constexpr std::string_view flag = "--device=";
  for (const std::string argument : std::span(argv + 1, argv + argc))
    if (argument.starts_with(flag))
      device = argument.substr(flag.size());
    else if (argument == "--steps")
      check = opcheck::checkSteps;
    else
      paths.push_back(argument);
  if (paths.empty()) {
    fmt::print(stderr, "usage: weir-artifact-check [--device=NAME] [--steps] "
                       "ARTIFACT...\n");
    return 2;
  }
  opcheck::Totals totals;
  for (const std::string &path : paths)
    if (Status status = check(path, device, totals); !status.isOk()) {
      ++totals.failures;
      fmt::print("{}: {}\n", path, status.message());
    }
  fmt::print("{} artifacts, {} entries, {} failures\n", paths.size(),
             totals.cases, totals.failures);
  return totals.failures == 0 ? 0 : 1;
}
