//===- LinearIndex.h - Indices as sums of loop variables ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// During planning and emission, every index is a constant plus a sum of
// coefficients times symbols. So it is known without looking at IR whether
// adjacent iterations access adjacent elements. Indices that unrolling shifts
// differ only in their constant.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_LINALGTOKERNELS_LINEARINDEX_H
#define WEIR_LIB_CONVERSION_LINALGTOKERNELS_LINEARINDEX_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weir::kernels {

/// `constant` plus the sum of coefficient times symbol.
struct LinearIndex {
  int64_t constant = 0;
  /// Symbol and coefficient, ordered by symbol; no coefficient is 0.
  llvm::SmallVector<std::pair<int, int64_t>, 2> terms;

  static LinearIndex ofSymbol(int symbol) { return {0, {{symbol, 1}}}; }
  static LinearIndex ofConstant(int64_t constant) { return {constant, {}}; }

  LinearIndex plus(const LinearIndex &other) const;
  LinearIndex plus(int64_t number) const;
  LinearIndex times(int64_t factor) const;
  /// This index with `symbol` replaced by `replacement`.
  LinearIndex replace(int symbol, const LinearIndex &replacement) const;
  int64_t getCoefficient(int symbol) const;
  /// The symbol to which this index is equal, or -1.
  int asSymbol() const;
  bool operator==(const LinearIndex &other) const {
    return constant == other.constant && terms == other.terms;
  }
};

using Indices = llvm::SmallVector<LinearIndex, 4>;

/// The possible values of an index, both ends included.
struct IndexRange {
  int64_t min, max;
  bool isWithin(int64_t size) const { return min >= 0 && max < size; }
  bool isOutside(int64_t size) const { return max < 0 || min >= size; }
};

/// The symbols of a kernel. A symbol is a loop variable, the quotient or
/// remainder of an index by a constant, or an index that is computed from data.
/// A quotient or remainder that is itself a linear index has no symbol.
class Symbols {
public:
  enum class Kind { Loop, Quotient, Remainder, Computed };
  /// A block of a larger loop: the symbol of its begin, and the size of the
  /// larger loop.
  struct Block {
    int begin;
    int64_t whole;
  };
  struct Symbol {
    Kind kind;
    /// Loop, Computed: the possible values.
    IndexRange range = {0, 0};
    /// Loop: the block of a larger loop, if the loop is one and the last block
    /// is shorter.
    std::optional<Block> block = {};
    /// Quotient, Remainder: the dividend and the divisor.
    LinearIndex of = {};
    int64_t divisor = 1;
    /// Computed: the value, and the symbols on which it depends.
    mlir::Value value = {};
    llvm::SmallVector<int, 2> sources = {};

    bool isDerived() const {
      return kind == Kind::Quotient || kind == Kind::Remainder;
    }
  };

  /// A loop variable in [0, size).
  int addLoop(int64_t size);
  void resizeLoop(int symbol, int64_t size);
  /// Notes that the loop `symbol` plus the begin of `block` stays in the larger
  /// loop.
  void setBlock(int symbol, Block block);
  /// Makes the values of the loop `symbol` end `count` earlier, or later if
  /// `count` is negative.
  void shortenLoop(int symbol, int64_t count);
  int addComputed(mlir::Value value, llvm::ArrayRef<int> sources);

  LinearIndex divide(const LinearIndex &index, int64_t divisor);
  LinearIndex remainder(const LinearIndex &index, int64_t divisor);
  /// `index` with each `d * (x div d) + x rem d` replaced by `x`.
  LinearIndex simplify(const LinearIndex &index) const;
  /// `index` with the loop `symbol` replaced by itself plus `count`, inside of
  /// quotients and remainders, too.
  LinearIndex advance(const LinearIndex &index, int symbol, int64_t count);

  const Symbol &operator[](int symbol) const { return symbols[symbol]; }
  IndexRange getRange(const LinearIndex &index) const;
  /// Whether `index` has quotients or remainders.
  bool hasDerived(const LinearIndex &index) const;
  /// Whether `index` depends on `symbol`.
  bool dependsOn(const LinearIndex &index, int symbol) const;
  /// Whether `index` depends on `symbol` in a way that is not linear.
  bool isBent(const LinearIndex &index, int symbol) const;
  /// Whether `index`, a sum of loop variables, has the same value for several
  /// values of these variables.
  bool repeats(const LinearIndex &index) const;
  /// Adds the loop variables on which `index` depends.
  void collectLoops(const LinearIndex &index,
                    llvm::SmallVectorImpl<int> &loops) const;

private:
  LinearIndex addDerived(Kind kind, const LinearIndex &of, int64_t divisor);
  bool isQuotientOf(int name, const LinearIndex &of, int64_t divisor) const;
  IndexRange getRange(int name) const;

  std::vector<Symbol> symbols;
  /// Quotients and remainders by a hash of kind, dividend and divisor.
  std::unordered_multimap<size_t, int> derived;
};

/// The results of `map` for the dims `at`.
Indices applyMap(mlir::AffineMap map, llvm::ArrayRef<LinearIndex> at);

} // namespace weir::kernels

#endif // WEIR_LIB_CONVERSION_LINALGTOKERNELS_LINEARINDEX_H
