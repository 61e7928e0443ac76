//===- BodyBuilder.h - Builds the bodies of composite ops -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The body of a composite op is a few lines of C++ in its record. This class
// provides operators and functions over tensors, so that a body reads like its
// formula:
//
//   auto e = b.exp(x - b.maximum(x, axes));
//   return {e / b.sum(e, axes)};
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_BODYBUILDER_H
#define WEIR_DIALECT_WEIR_IR_BODYBUILDER_H

#include "weir/Dialect/Weir/IR/OpRecord.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace weir {

class BodyBuilder;

/// A tensor in a body, with the builder for ops on it.
class BodyValue {
public:
  BodyValue(mlir::Value value, BodyBuilder *builder)
      : value(value), builder(builder) {}
  operator mlir::Value() const { return value; }
  mlir::RankedTensorType getType() const {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  }

  BodyBuilder &getBuilder() const { return *builder; }

private:
  mlir::Value value;
  BodyBuilder *builder;
};

BodyValue operator+(BodyValue lhs, BodyValue rhs);
BodyValue operator-(BodyValue lhs, BodyValue rhs);
BodyValue operator*(BodyValue lhs, BodyValue rhs);
BodyValue operator/(BodyValue lhs, BodyValue rhs);
BodyValue operator+(BodyValue lhs, double rhs);
BodyValue operator*(BodyValue lhs, double rhs);

/// Builds the body of the composite `op` and inserts it before the op.
class BodyBuilder {
public:
  using Axes = llvm::SmallVector<int64_t>;

  BodyBuilder(mlir::OpBuilder &builder, mlir::Operation *op)
      : builder(builder), op(op) {}

  /// The op's operands, with small floats as f32. A body rounds to the small
  /// types once, at its end.
  llvm::SmallVector<mlir::Value> widenedOperands();
  /// The results `values` of a body, cast to the element types of the op's
  /// results.
  llvm::SmallVector<mlir::Value> narrowed(mlir::ValueRange values);

  /// `values` with small floats as f32; null stays null.
  llvm::SmallVector<mlir::Value> widened(mlir::ValueRange values);
  /// The gradients `values` of the op's operands, cast to their element types.
  llvm::SmallVector<mlir::Value> asOperands(mlir::ValueRange values);

  BodyValue value(mlir::Value value) { return {value, this}; }
  llvm::SmallVector<BodyValue> values(mlir::ValueRange values);
  /// The value of the numeric attribute `name` of the op. A boolean is 0 or 1.
  double attr(llvm::StringRef name);
  BodyValue constant(mlir::DenseElementsAttr elements);
  /// A scalar of element type `type`.
  BodyValue scalar(double value, mlir::Type type);

  /// `expression` at each element of `operands`, which broadcast. The result
  /// has the element type of the first operand.
  BodyValue pointwise(llvm::StringRef expression,
                      llvm::ArrayRef<mlir::Value> operands);
  /// A `leaf` with elements of `type`, by default the element type of the first
  /// operand.
  BodyValue leaf(llvm::StringRef spec, llvm::StringRef expression,
                 Combiner combiner, llvm::ArrayRef<mlir::Value> operands,
                 mlir::Type type = {});
  /// A tensor of zeros with the type of `like`.
  BodyValue zerosLike(mlir::Value like);

  /// The type of indices.
  mlir::Type indexType() { return builder.getI64Type(); }
  /// A scalar index.
  BodyValue integer(int64_t value);

  BodyValue erf(BodyValue x);
  BodyValue exp(BodyValue x);
  /// `x` with infinities replaced by the largest finite numbers.
  BodyValue finite(BodyValue x);
  BodyValue log(BodyValue x);
  BodyValue pow(BodyValue x, double exponent);
  BodyValue rsqrt(BodyValue x);
  BodyValue sigmoid(BodyValue x);

  /// Reductions that keep the reduced dims as 1.
  BodyValue maximum(BodyValue x, llvm::ArrayRef<int64_t> axes);
  BodyValue minimum(BodyValue x, llvm::ArrayRef<int64_t> axes);
  BodyValue mean(mlir::Value x, llvm::ArrayRef<int64_t> axes);
  BodyValue sum(BodyValue x, llvm::ArrayRef<int64_t> axes);
  /// (x - mean) / sqrt(variance + epsilon) over `axes`.
  BodyValue standardize(BodyValue x, llvm::ArrayRef<int64_t> axes,
                        double epsilon);

  /// The axis `axis`. A negative axis counts from the end.
  Axes oneAxis(BodyValue x, int64_t axis);
  /// All axes from `first` on.
  Axes trailingAxes(BodyValue x, int64_t first);
  /// The axes in the op's attribute `axes`; all if it is empty.
  Axes reducedAxes(BodyValue x);
  /// All axes except channels.
  Axes exceptChannels(mlir::Value x);
  /// All axes except batch and channels.
  Axes spatialAxes(mlir::Value x);

  /// Reshapes [C] to [C, 1, ...], which broadcasts along the channels of
  /// `like`, [N, C, ...].
  BodyValue alongChannels(mlir::Value perChannel, mlir::Value like);
  /// Reshapes [N, C, ...] to [N, groups, everything else].
  BodyValue splitChannels(mlir::Value x, int64_t groups);
  /// Reshapes `x`, a reduction of `like` over `axes`, so that the reduced dims
  /// have size 1.
  BodyValue keepReduced(mlir::Value x, mlir::Value like,
                        llvm::ArrayRef<int64_t> axes);
  /// The shape of `x` with 1 as its last dim.
  llvm::SmallVector<int64_t> keepRows(mlir::Value x);
  /// Reshapes `x` to the shape of `like`.
  BodyValue reshapeLike(BodyValue x, mlir::Value like);
  BodyValue reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);

  /// `value` cast to the element type `type`.
  BodyValue cast(mlir::Value value, mlir::Type type);

  /// The sum over each window of `x`. The windows are those of the op, which is
  /// a pooling op.
  BodyValue windowSum(mlir::Value x);
  /// The attributes that describe these windows.
  llvm::SmallVector<mlir::NamedAttribute> windowAttributes();
  /// The number of elements in each of these windows, with or without padding.
  /// A window without elements counts as 1.
  BodyValue windowCount(mlir::Value x, bool includePadding);
  /// Whether one of these windows has only padding.
  bool hasEmptyWindow(mlir::Value x);
  /// The sum over `size` channels around each channel.
  BodyValue channelWindowSum(BodyValue x, int64_t size);

  /// The result of an op of class OpTy on `operands`.
  template <typename OpTy>
  BodyValue make(mlir::ValueRange operands,
                 llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    auto made = OpTy::create(builder, op->getLoc(), operands, attributes);
    return {made->getResult(0), this};
  }

  /// The results of an op of class OpTy on `operands`.
  template <typename OpTy>
  mlir::ResultRange makeMany(mlir::ValueRange operands,
                             llvm::ArrayRef<mlir::NamedAttribute> attributes) {
    return OpTy::create(builder, op->getLoc(), operands, attributes)
        ->getResults();
  }

  /// Attributes for `make`.
  mlir::NamedAttribute ints(llvm::StringRef name,
                            llvm::ArrayRef<int64_t> values);
  mlir::NamedAttribute number(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute real(llvm::StringRef name, double value);
  mlir::NamedAttribute text(llvm::StringRef name, llvm::StringRef value);
  mlir::NamedAttribute truth(llvm::StringRef name, bool value);

private:
  mlir::OpBuilder &builder;
  mlir::Operation *op;
};

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_BODYBUILDER_H
