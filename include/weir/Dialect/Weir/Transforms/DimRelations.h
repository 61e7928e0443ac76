//===- DimRelations.h - How results of ops depend on operands ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// This file alone decides which dims of a result correspond to which dims of an
// operand, for any op. It uses the index spec, the copies or the body of the
// op. Passes call it instead of looking at attributes.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_DIMRELATIONS_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_DIMRELATIONS_H

#include "weir/Analysis/DimRelation.h"
#include "weir/Dialect/Weir/IR/WeirInterfaces.h"

namespace weir {

/// For each result, its relation to each operand.
using DimRelations =
    llvm::SmallVector<llvm::SmallVector<analysis::DimRelation>>;

/// The relations of `op`, whose shapes are static. The relations of a composite
/// are composed through its body, so keep them (MeaningMap) if they are asked
/// for often. Takes time linear in the size of the body.
DimRelations relateDims(WeirOpInterface op);

/// The relations of the values `results`, which ops of `block` compute, to the
/// values `inputs`. Nothing is known about an op that does not compute, such as
/// weir.group.
DimRelations relateDims(mlir::Block &block, mlir::ValueRange inputs,
                        mlir::ValueRange results);

/// The factors of the relation of result `result` of `op` to operand `operand`,
/// divided at dims.
std::vector<analysis::DimFactor>
splitAtDims(WeirOpInterface op, unsigned operand, unsigned result = 0);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_DIMRELATIONS_H
