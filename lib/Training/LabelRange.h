//===- LabelRange.h - Where the labels of a batch are from ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_LABELRANGE_H
#define WEIR_LIB_TRAINING_LABELRANGE_H

#include "weir/Data/Loader.h"

namespace weir {

/// `error` of a step on `batch`, with the least and the largest whole number of
/// each column of single numbers, and where these are from. An op knows only
/// that a label is none of its classes.
Status withLabels(Status error, const Loader &loader, const Batch &batch);

} // namespace weir

#endif // WEIR_LIB_TRAINING_LABELRANGE_H
