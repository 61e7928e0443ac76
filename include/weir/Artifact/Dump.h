//===- Dump.h - Artifacts in text and JSON -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ARTIFACT_DUMP_H
#define WEIR_ARTIFACT_DUMP_H

#include "weir/Artifact/Artifact.h"

#include <string>

namespace weir::artifact {

/// The contents of the artifact as text: inputs and outputs, devices, memory,
/// parameters, kernels, and the commands of each program.
std::string dumpText(const Artifact &artifact);

/// The same as one JSON object; docs/artifact.md names its keys.
std::string dumpJson(const Artifact &artifact);

} // namespace weir::artifact

#endif // WEIR_ARTIFACT_DUMP_H
