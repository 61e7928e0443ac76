//===- IndexSpecSizes.h - Solves an index spec for its sizes ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The first half of binding an index spec: it computes the size of every letter
// from operand shapes and attributes. `sizeLimit` bounds all inputs. So a sum
// of products of two inputs never overflows the wide type.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_SUPPORT_INDEXSPECSIZES_H
#define WEIR_LIB_SUPPORT_INDEXSPECSIZES_H

#include "weir/Support/IndexSpec.h"
#include "weir/Support/ShapeLimits.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace weir::indexspec {

using Shapes = std::span<const std::vector<int64_t>>;
using Wide = __int128;

/// Identifies a loop: its letter ('.' for the ellipsis), and its number among
/// the repeated dims or -1. Dims of the ellipsis are counted from the right.
using LoopKey = std::pair<char, int>;
std::string toString(LoopKey key);

/// One dim of one tensor, with its number among the repeated dims.
struct PlacedDim {
  const IndexSpec::Dim *dim;
  int repeat = -1;
};

/// The parameters of a window in one spatial dim.
struct WindowNumbers {
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t padBegin = 0;
  int64_t padEnd = 0;
  /// The term added to the index: minus `padBegin`, or the offset as written.
  int64_t offset = 0;
};

/// The sizes of the letters of a spec, from operands and attributes.
struct SpecSizes {
  /// The number of repeated dims.
  int repeats = 0;
  /// The ellipsis' rank in the result.
  int ellipsisRank = 0;
  /// For each operand, one entry per dim of its shape.
  std::vector<std::vector<PlacedDim>> placed;
  std::map<LoopKey, int64_t> sizes;

  int64_t sizeOf(LoopKey key) const {
    auto it = sizes.find(key);
    return it == sizes.end() ? unknownDim : it->second;
  }
  WindowNumbers window(const IndexSpec::Dim &dim, int repeat,
                       const AttrMap &attrs) const;
  /// Whether `repeat` is the dim that an attribute of `dim` names: the one that
  /// is indirect, replaced or running.
  bool isSpecial(const IndexSpec::Dim &dim, int repeat,
                 const AttrMap &attrs) const;
};

/// Whether an attribute of `dim` names one of the dims that it stands for.
bool namesAxis(const IndexSpec::Dim &dim);

/// Whether `dim` is a window, not only a letter.
bool isWindowed(const IndexSpec::Dim &dim);

/// "operand 1 (2x3)" for messages.
std::string describeOperand(Shapes shapes, size_t operand);

/// Computes all sizes. The error names the contradiction.
StatusOr<SpecSizes> solveSizes(const IndexSpec &spec, Shapes shapes,
                               const AttrMap &attrs);

/// Whether `index` takes each value from 0 on once, because it is a loop or a
/// product of loops.
bool countsOnce(const AffineIndex &index, const BoundSpec &spec);

/// Parses the text of a fixed spec.
StatusOr<BoundSpec> parseFixed(std::string_view text);
/// Binds `fixed` to operands of these shapes. It must have their ranks.
StatusOr<BoundSpec> bindFixed(const BoundSpec &fixed, Shapes shapes);

} // namespace weir::indexspec

#endif // WEIR_LIB_SUPPORT_INDEXSPECSIZES_H
