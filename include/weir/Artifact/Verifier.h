//===- Verifier.h - Checks that a model is well-formed ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_ARTIFACT_VERIFIER_H
#define WEIR_ARTIFACT_VERIFIER_H

#include "weir/Artifact/Schema.h"
#include "weir/Support/Status.h"

#include <cstdint>

namespace weir::artifact {

/// Where the blobs of a model may be in the file.
struct BlobSection {
  uint64_t begin;
  uint64_t end;
};

/// Checks everything that a reader of `model` relies on: every index, range,
/// size and name, and that its programs can run to their end. `model` has
/// passed the FlatBuffers verifier. `modelBytes` is its size, which bounds the
/// work done here. docs/artifact.md lists the rules.
Status verifyModel(const Model &model, uint64_t modelBytes,
                   BlobSection section);

} // namespace weir::artifact

#endif // WEIR_ARTIFACT_VERIFIER_H
