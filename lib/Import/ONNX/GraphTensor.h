//===- GraphTensor.h - A tensor of the graph under import -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_ONNX_GRAPHTENSOR_H
#define WEIR_LIB_IMPORT_ONNX_GRAPHTENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace weir::onnx {

class NodeBuilder;

/// A value of the graph, with the builder for ops on it. A tensor may also be
/// missing: an optional input that is not given, or the result of an op after
/// an error. A missing tensor has rank 0 and no element type, and its dims
/// count as 1. So handlers need to check for errors only once, at their end.
class Tensor {
public:
  Tensor() = default;
  Tensor(mlir::Value value, NodeBuilder *builder)
      : value(value), builder(builder) {}

  explicit operator bool() const { return static_cast<bool>(value); }
  operator mlir::Value() const { return value; }
  NodeBuilder &getBuilder() const { return *builder; }

  int64_t rank() const { return static_cast<int64_t>(shape().size()); }
  llvm::ArrayRef<int64_t> shape() const {
    return value ? type().getShape() : llvm::ArrayRef<int64_t>();
  }
  /// The size of dim `i`, or 1 if the tensor has no such dim.
  int64_t dim(int64_t i) const { return i >= 0 && i < rank() ? shape()[i] : 1; }
  int64_t numElements() const { return value ? type().getNumElements() : 1; }
  /// Null for a missing tensor.
  mlir::Type elementType() const {
    return value ? type().getElementType() : mlir::Type();
  }
  bool isFloat() const {
    return value && llvm::isa<mlir::FloatType>(elementType());
  }
  bool isBool() const { return value && elementType().isInteger(1); }

private:
  mlir::RankedTensorType type() const {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  }

  mlir::Value value;
  NodeBuilder *builder = nullptr;
};

Tensor operator+(Tensor lhs, Tensor rhs);
Tensor operator-(Tensor lhs, Tensor rhs);
Tensor operator*(Tensor lhs, Tensor rhs);
Tensor operator/(Tensor lhs, Tensor rhs);
/// These operators convert the number to a scalar of the tensor's element type.
Tensor operator+(Tensor lhs, double rhs);
Tensor operator-(Tensor lhs, double rhs);
Tensor operator*(Tensor lhs, double rhs);
Tensor operator/(Tensor lhs, double rhs);

} // namespace weir::onnx

#endif // WEIR_LIB_IMPORT_ONNX_GRAPHTENSOR_H
