//===- OpSupport.h - What the generated op classes call -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_OPSUPPORT_H
#define WEIR_DIALECT_WEIR_IR_OPSUPPORT_H

#include "weir/Dialect/Weir/IR/OpRecord.h"
#include "weir/Support/AttrMap.h"

#include "mlir/IR/OpImplementation.h"

namespace weir::opdetail {

/// The shapes of an op that its index spec cannot express.
using InferShapesFn = StatusOr<llvm::SmallVector<mlir::Type>> (*)(
    mlir::TypeRange operands, const AttrMap &attrs);

/// Derives result types from the record's type spec and its index spec, or from
/// `inferShapes` if given. Errors go to `location`, if there is one.
mlir::LogicalResult inferResultTypes(const OpRecord &record,
                                     std::optional<mlir::Location> location,
                                     mlir::TypeRange operands,
                                     mlir::DictionaryAttr attributes,
                                     InferShapesFn inferShapes,
                                     llvm::SmallVectorImpl<mlir::Type> &types);

/// Whether the types are equal, layouts apart; an unknown dim fits any.
bool areEqualUpToLayout(mlir::TypeRange inferred, mlir::TypeRange actual);

/// The syntax of all computing ops:
///   %r = weir.op %a, %b on "cpu:0" {attr = 1} : tensor<..>, tensor<..>
/// with "-> types" behind it where the result types are not the inferred ones.
/// An attribute without a value in `defaults`, which may be null, has to be
/// there.
mlir::ParseResult parseOp(mlir::OpAsmParser &parser,
                          mlir::OperationState &result,
                          mlir::DictionaryAttr defaults);
/// Attributes that stand in `defaults` with the same value are left out.
void printOp(mlir::OpAsmPrinter &printer, mlir::Operation *op,
             mlir::DictionaryAttr defaults);

/// Succeeds if `axis` (negative: from the end) is a dim of operand 0.
mlir::LogicalResult verifyAxis(mlir::Operation *op, int64_t axis);

} // namespace weir::opdetail

#endif // WEIR_DIALECT_WEIR_IR_OPSUPPORT_H
