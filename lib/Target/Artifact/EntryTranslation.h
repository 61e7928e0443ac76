//===- EntryTranslation.h - Translates the entries of an artifact ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TARGET_ARTIFACT_ENTRYTRANSLATION_H
#define WEIR_TARGET_ARTIFACT_ENTRYTRANSLATION_H

#include "Blobs.h"
#include "EntryKernels.h"
#include "weir/Dialect/Exec/IR/ExecOps.h"
#include "weir/Dialect/Weir/Transforms/TensorNames.h"

namespace weir {

/// The table for `entry`, or null after an error. `model` has the tensors of
/// the original model. `code` has its generated kernels and may be null.
std::unique_ptr<artifact::EntryT> translateEntry(exec::EntryOp entry,
                                                 BlobTable &blobs,
                                                 const ModelTensors &model,
                                                 const KernelCode *code);

} // namespace weir

#endif // WEIR_TARGET_ARTIFACT_ENTRYTRANSLATION_H
