//===- EmulatedEntries.h - Generated code on pretended GPUs -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_GPUFAULTS_EMULATEDENTRIES_H
#define WEIR_TEST_GPUFAULTS_EMULATEDENTRIES_H

#include "../Unit/Plugins/FakeCuda/FakeCuda.h"

#include "weir/Support/Status.h"

#include <string>

namespace weir::test {

/// The pretended driver, which plug-ins of this process then use.
StatusOr<FakeCuda *> openPretendedDriver();

/// Gives the entries of the generated code in the artifact `path` their
/// meaning. It was compiled with the plug-in that emulates.
Status defineEntries(const std::string &path, FakeCuda &driver);

} // namespace weir::test

#endif // WEIR_TEST_GPUFAULTS_EMULATEDENTRIES_H
