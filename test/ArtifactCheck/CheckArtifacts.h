//===- CheckArtifacts.h - Compares artifacts with stored results *- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_ARTIFACTCHECK_CHECKARTIFACTS_H
#define WEIR_TEST_ARTIFACTCHECK_CHECKARTIFACTS_H

#include "weir/Runtime/Session.h"

#include <string>
#include <vector>

namespace weir::opcheck {

struct Totals {
  int cases = 0, failures = 0;
};

/// Runs each entry of the artifact `path`, and compares its outputs with those
/// in PATH.safetensors, as ArtifactCheck.cpp says. Entries that fail are
/// printed and counted. It is an error if the artifact cannot be loaded, or
/// runs without `device`.
Status checkArtifact(const std::string &path, const std::string &device,
                     Totals &totals);

/// Ok, or an error if the session does without `device`, unless that is empty.
Status checkDevice(const Session &session, const std::string &device);

bool haveSameBits(const std::vector<HostTensor> &left,
                  const std::vector<HostTensor> &right);

} // namespace weir::opcheck

#endif // WEIR_TEST_ARTIFACTCHECK_CHECKARTIFACTS_H
