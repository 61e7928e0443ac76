//===- Perturbation.h - Finds what results depend on ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Each element of each argument of a function is changed, one at a time, and
// the function is evaluated by reference kernels. This says which result
// elements depend on it, and nothing of the compiler's analyses is used.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_TRANSFORMS_PERTURBATION_H
#define WEIR_TEST_UNIT_TRANSFORMS_PERTURBATION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>
#include <random>
#include <vector>

namespace weir {

/// What one result was seen to depend on: for each element of the argument and
/// each of the result, in row-major order.
struct Dependence {
  int64_t resultElements = 0;
  std::vector<bool> seen;
  bool operator==(const Dependence &) const = default;

  bool at(int64_t operand, int64_t result) const {
    return seen[static_cast<size_t>(operand * resultElements + result)];
  }
};

class Perturbation {
public:
  /// `function` has one block, whose ops can be evaluated.
  Perturbation(mlir::func::FuncOp function, unsigned seed);

  /// Draws new arguments, then changes each of their elements, until everything
  /// in `expected` (of the same form as `found`) was seen. The next calls
  /// leave out elements of which everything was. False if the function could
  /// not be evaluated.
  bool probe(const std::vector<std::vector<Dependence>> &expected);

  /// How each result depends on each argument.
  std::vector<std::vector<Dependence>> found;

private:
  using Bytes = std::vector<std::vector<char>>;

  void draw();
  double drawNumber(mlir::Type element);
  void drawIndices(mlir::Value argument);
  std::vector<double> changesOf(size_t argument, int64_t element);
  bool evaluateInto(Bytes &results);
  void compare(size_t argument, int64_t element, const Bytes &before,
               const Bytes &after);
  bool isAllSeen(const std::vector<std::vector<Dependence>> &expected,
                 size_t argument, int64_t element) const;

  mlir::func::FuncOp function;
  std::mt19937 random;
  int64_t numDraws = 0;
  Bytes arguments;
  /// For each argument with indices, one size for all or for the last dim.
  std::vector<std::vector<int64_t>> indexSizes;
};

} // namespace weir

#endif // WEIR_TEST_UNIT_TRANSFORMS_PERTURBATION_H
