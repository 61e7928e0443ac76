//===- ValueNumbers.h - Equal values have equal numbers ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_TRANSFORMS_FOLDING_VALUENUMBERS_H
#define WEIR_LIB_DIALECT_WEIR_TRANSFORMS_FOLDING_VALUENUMBERS_H

#include "weir/Dialect/Weir/Transforms/Folding/DerivableValues.h"
#include "weir/Dialect/Weir/Transforms/MeaningMap.h"

namespace weir {

/// Value numbering of derivable values. A parameter determines its number. The
/// number of another value depends on its op and on the numbers of the op's
/// operands. So values of two entries have the same number if the same ops
/// compute them from the same parameters and constants.
class ValueNumbers {
public:
  /// Numbers the derivable values of `entry`, and forgets the values of the
  /// previous entry. Takes linear time.
  void set(mlir::func::FuncOp entry, const DerivableValues &derivable);

  /// The number of a derivable value of the entry.
  uintptr_t get(mlir::Value value) const { return numbers.at(value); }

private:
  uintptr_t getFirst(OpMeaning key, size_t count);

  /// The numbers of all values of all entries so far.
  std::unordered_map<OpMeaning, uintptr_t, OpMeaningHash> known;
  llvm::DenseMap<mlir::Value, uintptr_t> numbers;
  uintptr_t next = 0;
};

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_TRANSFORMS_FOLDING_VALUENUMBERS_H
