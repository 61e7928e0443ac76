//===- RelayWeights.h - Reorders weights instead of images ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LAYOUTS_RELAYWEIGHTS_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LAYOUTS_RELAYWEIGHTS_H

#include "weir/Dialect/Weir/Transforms/Folding/DerivableValues.h"

namespace weir {

/// If `relayout` only changes an image to the order that a dense layer behind
/// it expects, reorders the weight of that layer instead and erases `relayout`.
/// Returns whether the weight was reordered.
bool relayWeight(WeirOpInterface relayout, const DerivableValues &derivable);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_LAYOUTS_RELAYWEIGHTS_H
