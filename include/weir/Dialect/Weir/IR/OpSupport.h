//===- OpSupport.h - Functions that the generated op classes call ---------===//
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

/// Infers the shapes of an op whose index spec cannot express them.
using InferShapesFn = StatusOr<llvm::SmallVector<mlir::Type>> (*)(
    mlir::TypeRange operands, const AttrMap &attrs);

/// Infers result types from the record's type spec and its index spec, or with
/// `inferShapes` if given. Errors go to `location`, if there is one.
mlir::LogicalResult inferResultTypes(const OpRecord &record,
                                     std::optional<mlir::Location> location,
                                     mlir::TypeRange operands,
                                     mlir::DictionaryAttr attributes,
                                     InferShapesFn inferShapes,
                                     llvm::SmallVectorImpl<mlir::Type> &types);

/// Whether the types are equal except for layouts. An unknown dim matches any.
bool areEqualUpToLayout(mlir::TypeRange inferred, mlir::TypeRange actual);

/// The syntax of all computing ops:
///   %r = weir.op %a, %b on "cpu:0" {attr = 1} : tensor<..>, tensor<..>
/// "-> types" follows if the result types differ from the inferred ones. An
/// attribute must be present unless `defaults`, which may be null, has a value
/// for it.
mlir::ParseResult parseOp(mlir::OpAsmParser &parser,
                          mlir::OperationState &result,
                          mlir::DictionaryAttr defaults);
/// An attribute is not printed if its value is the value in `defaults`.
void printOp(mlir::OpAsmPrinter &printer, mlir::Operation *op,
             mlir::DictionaryAttr defaults);

/// Succeeds if `axis` is a dim of operand 0. A negative axis counts from the
/// end.
mlir::LogicalResult verifyAxis(mlir::Operation *op, int64_t axis);

/// Checks the float attribute `name` of an op with integer results: it must not
/// be so large that it may have been rounded from another integer. `repair`
/// says what to use instead.
mlir::LogicalResult verifyExact(mlir::Operation *op, llvm::StringRef name,
                                const llvm::APFloat &value,
                                llvm::StringRef repair);

} // namespace weir::opdetail

#endif // WEIR_DIALECT_WEIR_IR_OPSUPPORT_H
