//===- ScalarExpr.h - The scalar expression of a leaf op -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A leaf op computes one scalar at each point of its iteration space. The
// record of the op has that scalar as text:
//
//   max(a, 0)                     relu
//   a * b                         matmul, conv
//   select(a, b, c)               where
//   select(0 < a, a, alpha * expm1(a))         elu, `alpha` an attribute
//
//   select(index(n) - index(m) <= k, a, 0)     tril
//
// - `index(n)` is the position along the loop that `n` names in the index spec,
//   `index(x@axis)` the position along dim `axis` of the repeated `x`.
// - `a`, `b`, `c`, `d` are the operands by position. `inf` is infinity. Any
//   other name is a numeric attribute of the op.
// - Operators are + - * / == != < <= > >= with the usual precedence. Functions
//   are those of `Op` below.
// - `random(seed, step, stream, index)` is an integer from 0 to 2^32 - 1
//   (weir/Support/Philox.h), and always the same one for the same arguments.
//
// Reference evaluation, the linalg body and the flop count all use this one
// form.
//
// Integers never fault. They wrap. A division by zero and its remainder give 0.
// A shift by less than 0 or more than 63 places is a shift by 63; to the left,
// and of a u64 to the right, it gives 0.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_SCALAREXPR_H
#define WEIR_SUPPORT_SCALAREXPR_H

#include "weir/Support/AttrMap.h"
#include "weir/Support/Status.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

class ScalarExpr {
public:
  enum class Op : uint8_t {
    Operand,
    Index,
    Attribute,
    Literal,
    Add,
    Sub,
    Mul,
    Div,
    Neg,
    Max,
    Min,
    Pow,
    /// The remainder with the sign of the divisor, and the remainder with the
    /// sign of the dividend.
    Mod,
    Fmod,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Abs,
    Exp,
    /// exp(x) - 1 and log(1 + x), exact for small x.
    Expm1,
    Log,
    Log1p,
    Sqrt,
    Rsqrt,
    Erf,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Ceil,
    Floor,
    /// Rounds to the nearest integer, ties to even.
    Round,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Select,
    /// 32 random bits, from a seed, a step, a stream and an index.
    Random,
  };

  /// The numbers of earlier steps; -1 for missing arguments.
  using Args = std::array<int, 4>;

  /// One step. Its arguments are indices of earlier nodes.
  struct Node {
    Op op = Op::Literal;
    Args args = {-1, -1, -1, -1};
    /// The position of the operand. Positions after those of the operands are
    /// for indices.
    int operand = -1;
    double literal = 0;
    /// The name of the attribute, or the place of an index.
    std::string name;
  };

  /// Operands are `a` to `d`; the positions after them are for indices.
  static constexpr int maxOperands = 4;

  /// Parses `text`. The error points at the offending column.
  static StatusOr<ScalarExpr> parse(std::string_view text);

  /// The steps in evaluation order. The last one is the result.
  const std::vector<Node> &nodes() const { return steps; }

  /// One more than the highest operand position that is read, including
  /// positions of indices.
  int numOperands() const;

  /// Floating-point operations of one evaluation: one per arithmetic step,
  /// whatever it costs on a machine. A bare operand costs none.
  int64_t flops() const;

  /// Whether the result is a boolean.
  bool isPredicate() const;

  /// The name of a function in the expression that takes only integers; empty
  /// if there is none.
  std::string_view integerFunction() const;

private:
  std::vector<Node> steps;
};

/// How many arguments `op` takes.
int numArgs(ScalarExpr::Op op);

/// The name of `op` in a text; empty if it is no function or is written as an
/// operator.
std::string_view getFunctionName(ScalarExpr::Op op);

/// Evaluates `expr` with T = double (float types), uint64_t (u64) or int64_t
/// (other integer types and booleans). `scratch` holds at least
/// `expr.nodes().size()` values. `attributes` holds the value of each Attribute
/// node at the node's index.
template <typename T>
T evaluate(const ScalarExpr &expr, std::span<const T> operands,
           std::span<const double> attributes, std::span<T> scratch);

/// The attribute values for `evaluate`: one slot per node of `expr`.
std::vector<double> bindAttributes(const ScalarExpr &expr,
                                   const AttrMap &attrs);

} // namespace weir

#endif // WEIR_SUPPORT_SCALAREXPR_H
