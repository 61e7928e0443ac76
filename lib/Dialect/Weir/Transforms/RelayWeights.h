//===- RelayWeights.h - Relayouts taken into known weights -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_RELAYWEIGHTS_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_RELAYWEIGHTS_H

#include "weir/Dialect/Weir/Transforms/DerivableValues.h"

namespace weir {

/// Where `relayout` only brings an image into the order in which a dense layer
/// behind it expects the elements, reorders the weight of that layer instead
/// and erases `relayout`. Returns whether it did.
bool relayWeight(WeirOpInterface relayout, const DerivableValues &derivable);

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_RELAYWEIGHTS_H
