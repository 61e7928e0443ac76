//===- IndexSpecSizes.h - Solves an index spec for its sizes ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The first half of binding an index spec. It computes the size of every letter
// from the shapes of operands and from attributes. All inputs are at most
// `sizeLimit`, so a sum of products of two inputs never overflows the wide
// type.
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

/// Identifies a loop by its letter ('.' for the ellipsis) and its number. The
/// number counts repeated dims, and is -1 for other loops. Dims of the ellipsis
/// are numbered from the right.
using LoopKey = std::pair<char, int>;
std::string toString(LoopKey key);

/// One dim of one tensor, and its number among the repeated dims. Other dims
/// have the number -1.
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
  /// The number that is added to the index: minus `padBegin`, or the offset
  /// that the spec gives.
  int64_t offset = 0;
};

/// The sizes of the letters of a spec, from operands and attributes.
struct SpecSizes {
  /// The number of repeated dims.
  int repeats = 0;
  /// The number of dims of the ellipsis in the result.
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
  /// Whether an attribute of `dim` names the repeated dim `repeat`. This is the
  /// dim that is indirect, replaced or running.
  bool isSpecial(const IndexSpec::Dim &dim, int repeat,
                 const AttrMap &attrs) const;
};

/// Whether an attribute of `dim` names one of the dims that it stands for.
bool namesAxis(const IndexSpec::Dim &dim);

/// Whether `dim` is a window, and not only a letter.
bool isWindowed(const IndexSpec::Dim &dim);

/// The operand in errors: "operand 1 (2x3)".
std::string describeOperand(Shapes shapes, size_t operand);

/// Computes all sizes. If two sizes contradict each other, the error says so.
StatusOr<SpecSizes> solveSizes(const IndexSpec &spec, Shapes shapes,
                               const AttrMap &attrs);

/// Whether `index` takes each value from 0 on exactly once. This is so if it is
/// a loop or a product of loops.
bool countsOnce(const AffineIndex &index, const BoundSpec &spec);

/// Parses the text of a fixed spec.
StatusOr<BoundSpec> parseFixed(std::string_view text);
/// Binds `fixed` to operands of the shapes `shapes`. The ranks of the operands
/// must be those in `fixed`.
StatusOr<BoundSpec> bindFixed(const BoundSpec &fixed, Shapes shapes);

} // namespace weir::indexspec

#endif // WEIR_LIB_SUPPORT_INDEXSPECSIZES_H
