//===- IndexSpec.h - Which elements a leaf op reads and writes -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The index spec of an op says, in the manner of einsum, how its iteration
// space maps to the elements of its operands and result. Result shapes and
// their verification, the cost of the op, its linalg body and its reference
// evaluation all derive from it.
//
//   spec   := term {"," term} "->" term ["|" where {"," where}]
//   term   := ["+" | "<"] {dim}
//   dim    := letter                 one iteration dim
//           | "(" letter letter+ ")" the product of dims, row-major
//           | "..."                  any number of leading dims, broadcast as
//                                    in numpy
//           | "[" window "]"         one per spatial dim: as many as the rank
//                                    of the operand leaves room for
//   window := letter ["*" attr] ["+" letter ["*" attr]] [("-" | "+") attr]
//           | letter "@" attr        dims in the order of attribute `attr`
//           | letter "/" attr        the dims listed in `attr` are dropped, or
//                                    kept as 1 when attribute `keepdims` is set
//                                    or absent; no list means all
//           | letter "{" operand "}" attr
//                                    dim `attr` of these dims is indirect: its
//                                    index is the value of `operand` at the
//                                    point. "a" is operand 0, "b" operand 1,
//                                    and so on
//           | letter "(" letter ")" attr
//                                    the letter in parentheses replaces dim
//                                    `attr` of these dims
//           | letter ">" attr        along dim `attr` of these dims, each
//                                    element is combined with all elements
//                                    before it: running sums
//   where  := (letter | "...") "=" attr    the attribute gives the size
//
//   "...mk,...kn->...mn"             batched matmul
//   "n(gc)[x*strides+k*dilations-pads],(go)c[k],+(go)->n(go)[x]|g=groups" conv
//   "[x{b}axis],j->[x(j)axis]"       operand b has indices along `axis`
//   "[x]->[x>axis]"                  sums of all elements up to each
//
// Rules:
// - A letter stands for one dim or for spatial dims, never for both. A term has
//   at most one "..." or "[]".
// - "@", "/", "()" and ">" are allowed in the result only, "{}" in operands
//   only.
// - With the attribute `reverse`, running values begin at the end. With
//   `exclusive`, an element does not contribute to its own running value.
// - An indirect dim has any size, and a negative index counts from its end. The
//   evaluator decides what an index outside of it means.
// - A letter that occurs only in the result gets its size from a `where`.
// - A term marked "+" is the initial value of the accumulation (a bias). A term
//   marked "<" may be broadcast into the result but never enlarges it.
// - "-pads" lets the window extend beyond its tensor, where it contributes
//   nothing, or NaN if a weight is not finite. "pads" lists begins, then ends.
//   With the attribute `ceil_mode` the last window may be partial, as in ONNX.
//   The attribute `output_padding` enlarges a window of the result.
// - An absent or empty attribute has the neutral value: stride and dilation 1,
//   offset and padding 0, size 1.
//
// A fixed spec is one in which all sizes are written out, so that it needs no
// attributes. It has more freedom: each index is any sum of loops.
//
//   fixed  := [loop {"," loop}] ":" tensor {"," tensor} "->" tensor
//   loop   := name "=" size [">" | ">>"]
//   name   := letter {digit}
//   tensor := ["+"] "[" [index {"," index}] "]"
//   index  := "{" operand "}"        the value of the operand
//           | part {("+" | "-") part} [":" size]
//   part   := number | [number "*"] name
//
//   "m=2, n=3, k=4: [m, k], [k, n] -> [m, n]"            matmul
//   "c=8, x=5, k=3: [c, x], [k] -> [c, 2*x + k - 1:10]"  a window of the result
//
// - ":" gives the size of a dim of the result. Without it, the dim ends after
//   the largest index.
// - Points that leave an operand or the result contribute nothing.
// - A loop is reduced unless an index of the result is the loop alone or counts
//   each value of a product of loops once.
// - ">" marks the loop of running values, and ">>" the loop of exclusive
//   running values.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_INDEXSPEC_H
#define WEIR_SUPPORT_INDEXSPEC_H

#include "weir/Support/AttrMap.h"
#include "weir/Support/Status.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// A dim whose size is not known yet.
inline constexpr int64_t unknownDim = -1;

/// One dim of the iteration space.
struct Loop {
  /// The letter, with a number if it is repeated: "m", "x1", ".0".
  std::string name;
  int64_t size = unknownDim;
  /// Whether several points of this dim contribute to one result element.
  bool isReduction = false;
};

/// The index at which a point of the iteration space accesses one dim of a
/// tensor: the sum of coefficient times loop, plus the offset.
struct AffineIndex {
  struct Term {
    int loop;
    int64_t coefficient;

    bool operator==(const Term &) const = default;
  };
  std::vector<Term> terms;
  int64_t offset = 0;
  /// Whether the index of some point is outside of the dim, or may be outside
  /// while a size is unknown. Such points contribute nothing.
  bool mayLeave = false;
  /// The operand whose value at the point is used as the index instead; or -1.
  int indirect = -1;
};

/// An index spec in which all sizes are known for given operand shapes.
struct BoundSpec {
  std::vector<Loop> loops;
  /// For each operand, one index per dim.
  std::vector<std::vector<AffineIndex>> operands;
  std::vector<AffineIndex> result;
  std::vector<int64_t> resultDims;
  /// The number of the operand with the initial values, or -1.
  int initOperand = -1;
  /// The loop of running values, along which each point is combined, in order,
  /// with all points before it; or -1. If running values go backwards, all
  /// indices decrease as the loop counts up.
  int runningLoop = -1;
  /// Whether a point does not contribute to its own running value.
  bool isExclusive = false;

  /// The number of points of the iteration space; unknownDim if a size is
  /// unknown.
  int64_t numPoints() const;
  bool hasReduction() const;
  /// Notes which loops are reduced. A loop is not reduced if an index of the
  /// result has it alone, or as a factor of a product. All other loops are
  /// reduced.
  void markReductions();
  /// Whether several points contribute to a result element.
  bool combinesPoints() const { return hasReduction() || runningLoop >= 0; }
};

class IndexSpec {
public:
  /// One dim of a term, as written.
  struct Dim {
    enum class Kind {
      Letters,
      Ellipsis,
      Window,
      Permuted,
      Dropped,
      Indirect,
      Replaced,
      Running
    };
    Kind kind = Kind::Letters;
    /// The letters of a product. For the repeated kinds: the base letter, then
    /// the tap letter if there is one.
    std::string letters;
    /// Names of attributes; empty if not written.
    std::string baseScale, tapScale, offset;
    /// Whether the offset is subtracted padding, which the window may overlap.
    bool isPadding = false;
    /// For an indirect dim: the position of the operand that holds the index.
    int indexOperand = -1;
    /// For a replaced dim: the plain letter of the dim that `offset` names.
    char replacement = '\0';

    bool isRepeated() const {
      return kind != Kind::Letters && kind != Kind::Ellipsis;
    }
    bool operator==(const Dim &) const = default;
  };
  struct Term {
    std::vector<Dim> dims;
    bool isInit = false;
    bool isBroadcastOnly = false;
  };
  struct Where {
    /// The letter, or '.' for the ellipsis.
    char letter;
    std::string attribute;
  };

  static StatusOr<IndexSpec> parse(std::string_view text);

  /// Fills in the sizes for operands of shapes `operands`. Trailing terms that
  /// are marked may have no operand, and are then left out. Sizes may be
  /// unknownDim. The error names the letter and the two sizes that contradict
  /// each other. Dims and attributes beyond 2^48, and tensors or iteration
  /// spaces beyond 2^62 elements, are errors, so nothing derived from a bound
  /// spec overflows.
  StatusOr<BoundSpec> bind(std::span<const std::vector<int64_t>> operands,
                           const AttrMap &attrs) const;
  /// Checks that the spec has `count` operands, as binding does.
  Status checkOperandCount(size_t count) const;

  const std::vector<Term> &operandTerms() const { return inputs; }
  const Term &resultTerm() const { return output; }
  const std::vector<Where> &whereClauses() const { return wheres; }
  /// The fixed spec without shapes; null if the spec is not fixed. A fixed spec
  /// has no terms.
  const BoundSpec *getFixed() const { return fixed ? &*fixed : nullptr; }
  /// Whether an operand is read in windows, which may overlap.
  bool hasWindows() const;
  /// Whether an operand is read at indices that another operand holds.
  bool hasIndirectDims() const;
  /// Whether the result has a letter that no operand has. Operands are then
  /// read once for each value of that letter.
  bool repeatsOperands() const;
  /// The spec as written.
  const std::string &text() const { return source; }

private:
  std::vector<Term> inputs;
  Term output;
  std::vector<Where> wheres;
  std::optional<BoundSpec> fixed;
  std::string source;
};

/// `spec` as the text of a fixed spec. Its sizes must be known, and its loops
/// must have names that the text allows.
std::string toText(const BoundSpec &spec);

/// The loop that `place` names, or -1 if there is none. A place is a plain
/// letter ("n"), the name of a loop of a fixed spec, or a repeated letter with
/// the attribute that selects one of its dims ("x@axis").
int findLoop(const BoundSpec &bound, std::string_view place,
             const AttrMap &attrs);

/// The shape as text for messages: "1x?x8".
std::string shapeToString(std::span<const int64_t> dims);

} // namespace weir

#endif // WEIR_SUPPORT_INDEXSPEC_H
