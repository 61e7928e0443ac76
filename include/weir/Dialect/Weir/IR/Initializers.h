//===- Initializers.h - What parameters start with --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_INITIALIZERS_H
#define WEIR_DIALECT_WEIR_IR_INITIALIZERS_H

#include "weir/Support/RandomFill.h"
#include "weir/Support/Status.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <vector>

namespace weir {

/// A matrix of orthonormal rows or columns, whichever are fewer, times `gain`.
/// The matrix has the first dim as rows, and all others as columns.
struct OrthogonalFill {
  uint64_t seed = 0;
  double gain = 1;
};

using Initializer = std::variant<UniformFill, NormalFill, OrthogonalFill>;

/// The initialiser `options`, {name = "he_normal", seed = 1}, of a parameter of
/// `type`.
StatusOr<Initializer> readInitializer(mlir::DictionaryAttr options,
                                      mlir::RankedTensorType type);

/// The elements of a tensor with these dims (Saxe, McClelland and Ganguli,
/// 2014). They are the matrix Q in the QR decomposition of a matrix of normal
/// numbers, where R has a positive diagonal. The bits are the same on every
/// machine.
std::vector<double> makeOrthogonal(const OrthogonalFill &fill,
                                   llvm::ArrayRef<int64_t> dims);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_INITIALIZERS_H
