//===- EntryTranslation.h - Translates the entries of an artifact ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TARGET_ARTIFACT_ENTRYTRANSLATION_H
#define WEIR_TARGET_ARTIFACT_ENTRYTRANSLATION_H

#include "VariantTables.h"
#include "weir/Dialect/Weir/Transforms/TensorNames.h"

namespace weir {

/// Translates `entry`. The result is null after an error. `model` has the
/// tensors of the original model.
std::unique_ptr<artifact::EntryT> translateEntry(exec::EntryOp entry,
                                                 VariantTables &tables,
                                                 const ModelTensors &model);

} // namespace weir

#endif // WEIR_TARGET_ARTIFACT_ENTRYTRANSLATION_H
