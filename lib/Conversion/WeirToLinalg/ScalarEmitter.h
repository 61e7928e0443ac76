//===- ScalarEmitter.h - Scalar expressions as arith ops ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Scalars are SSA values of signless types. Each value has a DType, which says
// what the value means. Arithmetic follows weir/Support/Arithmetic.h: integers
// wrap, a division by zero gives zero, NaN wins in a maximum.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_WEIRTOLINALG_SCALAREMITTER_H
#define WEIR_LIB_CONVERSION_WEIRTOLINALG_SCALAREMITTER_H

#include "weir/Dialect/Weir/IR/OpRecord.h"
#include "weir/Support/DType.h"

#include "mlir/IR/Builders.h"

namespace weir {

/// The signless MLIR type that holds a `type`.
mlir::Type toSignlessType(DType type, mlir::MLIRContext *context);

/// `value` as an attribute of type `type`; integers clamp.
mlir::TypedAttr makeNumber(DType type, double value,
                           mlir::MLIRContext *context);

/// The type in which an expression over elements of `type` is computed: f32 for
/// small floats, u64 for u64, i64 for all other integers.
DType getWorkType(DType type);

class ScalarEmitter {
public:
  ScalarEmitter(mlir::OpBuilder &builder, mlir::Location location)
      : builder(builder), location(location) {}

  struct Scalar {
    mlir::Value value;
    DType type;
  };

  /// The value of `expression`, computed in `workType` and converted to
  /// `resultType`. Sums, differences and comparisons of positions and indices
  /// are computed in i64. The indices of the expression have the operand
  /// numbers from `ScalarExpr::maxOperands` on.
  mlir::Value emit(const ScalarExpr &expression,
                   llvm::ArrayRef<Scalar> operands, const AttrMap &attrs,
                   DType workType, DType resultType);

  /// Combines `known` and `value`, both of type `type`.
  mlir::Value combine(Combiner combiner, mlir::Value known, mlir::Value value,
                      DType type);

  /// Conversion as weir.cast does it.
  mlir::Value convert(mlir::Value value, DType from, DType to);

  mlir::Value constant(DType type, double value);

private:
  mlir::Value emitNode(const ScalarExpr::Node &node,
                       llvm::ArrayRef<Scalar> earlier, DType workType);
  mlir::Value emitOnPositions(const ScalarExpr &expression,
                              const ScalarExpr::Node &node,
                              llvm::ArrayRef<Scalar> earlier,
                              const AttrMap &attrs);
  mlir::Value emitRandom(const ScalarExpr::Node &node,
                         llvm::ArrayRef<Scalar> earlier);
  mlir::Value emitFloatUnary(ScalarExpr::Op op, mlir::Value x);
  mlir::Value emitFloatBinary(ScalarExpr::Op op, mlir::Value x, mlir::Value y);
  mlir::Value emitIntUnary(ScalarExpr::Op op, mlir::Value x, DType type);
  mlir::Value emitIntBinary(ScalarExpr::Op op, mlir::Value x, mlir::Value y);
  mlir::Value emitUnsignedBinary(ScalarExpr::Op op, mlir::Value x,
                                 mlir::Value y);
  mlir::Value divideInts(mlir::Value x, mlir::Value y);
  mlir::Value remainderOfFloats(mlir::Value x, mlir::Value y, bool floors);
  mlir::Value remainderOfInts(mlir::Value x, mlir::Value y, bool floors);
  mlir::Value shiftInts(mlir::Value x, mlir::Value y, bool toLeft);
  mlir::Value raiseInts(mlir::Value base, mlir::Value exponent);
  mlir::Value raiseUnsigned(mlir::Value base, mlir::Value exponent);
  mlir::Value floatToInt(mlir::Value value, DType from, DType to);

  template <typename OpTy, typename... Args> mlir::Value make(Args &&...args) {
    return OpTy::create(builder, location, std::forward<Args>(args)...);
  }

  mlir::OpBuilder &builder;
  mlir::Location location;
};

} // namespace weir

#endif // WEIR_LIB_CONVERSION_WEIRTOLINALG_SCALAREMITTER_H
