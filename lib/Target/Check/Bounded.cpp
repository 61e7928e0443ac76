//===- Bounded.cpp - Numbers with bounds of their errors --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Bounded.h"

#include "weir/Support/Arithmetic.h"
#include "weir/Support/ScalarStep.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

using namespace weir;
using namespace weir::kernelcheck;
using Op = ScalarExpr::Op;

/// The largest error of a function such as exp, in units of `Unit::step`.
static constexpr double functionSteps = 16;
static constexpr double infinity = std::numeric_limits<double>::infinity();

Unit Unit::of(DType type) {
  if (type == DType::F64)
    return {0x1p-53, DBL_MAX, DBL_MIN};
  return {0x1p-24, FLT_MAX, FLT_MIN};
}

double Unit::ofStoring(DType type, double value, bool isWide) {
  if (!std::isfinite(value))
    return 0;
  const double size = std::abs(value);
  switch (type) {
  case DType::BF16:
    return size > 0x1.fep127 ? infinity : size * 0x1p-8;
  case DType::F16:
    // Subnormal numbers have fewer digits.
    return size > 65504 ? infinity : size * 0x1p-11 + 0x1p-24;
  case DType::F32:
    if (size > FLT_MAX)
      return infinity;
    // Each op has already rounded its result to f32.
    if (!isWide)
      return 0;
    return size < FLT_MIN ? size : size * Unit::of(type).step;
  default:
    return 0;
  }
}

/// `value` with its error. The error is infinite if a kernel may compute an
/// infinity instead.
static Bounded limit(double value, double error, const Unit &unit) {
  if (std::isnan(value) || std::isinf(value))
    return {value, std::isnan(error) ? infinity : error, 0};
  if (std::isnan(error) || std::abs(value) + error > unit.largest)
    error = infinity;
  // A kernel may treat a number below the smallest normal one as 0.
  if (value != 0 && std::abs(value) < unit.smallest)
    error += unit.smallest;
  return {value, error, 0};
}

//===----------------------------------------------------------------------===//
// Combinations
//===----------------------------------------------------------------------===//

Combination::Combination(Kind kind, const Unit &unit) : kind(kind), unit(unit) {
  sizes = kind == Kind::Product ? 1 : 0;
  total.value = kind == Kind::Sum       ? 0
                : kind == Kind::Product ? 1
                : kind == Kind::Maximum ? -infinity
                                        : infinity;
}

void Combination::add(const Bounded &number) {
  ++count;
  switch (kind) {
  case Kind::Sum:
    total.value += number.value;
    total.error += number.error;
    sizes += std::abs(number.value);
    return;
  case Kind::Product:
    total.error = std::abs(total.value) * number.error +
                  std::abs(number.value) * total.error +
                  total.error * number.error;
    total.value *= number.value;
    sizes *= std::max(1.0, std::abs(number.value) + number.error);
    fractions *= std::min(1.0, std::abs(number.value));
    return;
  case Kind::Maximum:
    total.value = larger(total.value, number.value);
    break;
  case Kind::Minimum:
    total.value = smaller(total.value, number.value);
    break;
  }
  total.error = std::max(total.error, number.error);
}

Bounded Combination::get() const {
  double error = total.error;
  const auto steps = static_cast<double>(count);
  if (kind == Kind::Sum && count > 1)
    error += steps * unit.step * sizes;
  if (kind == Kind::Product && count > 1)
    error += steps * unit.step * std::abs(total.value);
  // If the numbers are combined in another order, an intermediate result may
  // overflow or underflow.
  if (sizes > unit.largest)
    error = infinity;
  if (total.value != 0 && fractions < unit.smallest)
    error += std::abs(total.value);
  return limit(total.value, error, unit);
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

BoundedExpression::BoundedExpression(const ScalarExpr &expression,
                                     const AttrMap &attrs, const Unit &unit)
    : expression(expression), unit(unit),
      attributes(bindAttributes(expression, attrs)),
      steps(expression.nodes().size()) {}

Bounded BoundedExpression::evaluate(std::span<const Bounded> operands) {
  for (size_t i = 0; i < steps.size(); ++i) {
    const ScalarExpr::Node &node = expression.nodes()[i];
    switch (node.op) {
    case Op::Operand:
    case Op::Index:
      steps[i] = operands[static_cast<size_t>(node.operand)];
      break;
    case Op::Attribute:
      steps[i] = exactly(attributes[i]);
      break;
    case Op::Literal:
      steps[i] = exactly(node.literal);
      break;
    default:
      steps[i] = apply(node);
    }
  }
  return steps.back();
}

/// A constant. Its error is that of rounding it to the type in which a kernel
/// computes.
Bounded BoundedExpression::exactly(double value) const {
  if (unit.step == 0x1p-53 ||
      static_cast<double>(static_cast<float>(value)) == value)
    return {value, 0, 0};
  return {value, unit.step * std::abs(value), 0};
}

Bounded BoundedExpression::apply(const ScalarExpr::Node &node) const {
  auto arg = [&](int number) -> const Bounded & {
    return steps[static_cast<size_t>(node.args[number])];
  };
  if (node.op == Op::Select) {
    const Bounded &condition = arg(0), &left = arg(1), &right = arg(2);
    const Bounded &chosen = condition.value != 0 ? left : right;
    if (condition.error == 0)
      return chosen;
    const double other = std::abs(left.value - right.value);
    return {chosen.value,
            std::isnan(other) ? infinity : other + left.error + right.error, 0};
  }
  // The arguments of Random are integers, and floats do not represent all of
  // them exactly.
  if (node.op == Op::Random)
    return {0, infinity, 0};
  return numArgs(node.op) == 1 ? apply(node.op, arg(0))
                               : apply(node.op, arg(0), arg(1));
}

/// The error of a function's value at `x` because of the error of `x`. The
/// function is assumed to be monotonic over such a small distance.
static double getChange(Op op, const Bounded &x, double value) {
  // If the argument may be an infinity, the value may be a NaN.
  if (x.error == 0 || std::isinf(x.error))
    return x.error;
  double change = 0;
  for (double other : {x.value - x.error, x.value + x.error}) {
    const double there = evaluateStep(op, other);
    // One of the arguments may be outside of the function's domain.
    if (std::isnan(there) != std::isnan(value))
      return infinity;
    change = std::max(change, std::abs(there - value));
  }
  return std::isnan(change) ? infinity : change;
}

/// The error of a power because of the errors of both arguments.
static double getChangeOfPower(const Bounded &x, const Bounded &y,
                               double value) {
  if (x.error == 0 && y.error == 0)
    return 0;
  double change = 0;
  for (double base : {x.value - x.error, x.value + x.error})
    for (double power : {y.value - y.error, y.value + y.error}) {
      const double there = evaluateStep(Op::Pow, base, power);
      if (!std::isfinite(there))
        return infinity;
      change = std::max(change, std::abs(there - value));
    }
  return std::isnan(change) ? infinity : change;
}

Bounded BoundedExpression::apply(Op op, const Bounded &x) const {
  const double value = evaluateStep(op, x.value);
  switch (op) {
  case Op::Neg:
  case Op::Abs:
    return {value, x.error, 0};
  case Op::Ceil:
  case Op::Floor:
  case Op::Round:
    return {value, getChange(op, x, value), 0};
  case Op::Sin:
  case Op::Cos:
    // Sine and cosine are not monotonic, but their slope is at most 1.
    return limit(value, x.error + functionSteps * unit.step, unit);
  default:
    return limit(value,
                 getChange(op, x, value) +
                     functionSteps * unit.step * std::abs(value),
                 unit);
  }
}

/// A comparison. Its result is unsure if the difference of its operands is not
/// larger than their errors.
static Bounded compare(Op op, const Bounded &x, const Bounded &y) {
  const double error = x.error + y.error;
  const bool isUnsure = error > 0 && !(std::abs(x.value - y.value) > error);
  return {evaluateStep(op, x.value, y.value), isUnsure ? 1.0 : 0.0, 0};
}

Bounded BoundedExpression::apply(Op op, const Bounded &x,
                                 const Bounded &y) const {
  const double value = evaluateStep(op, x.value, y.value);
  const double size = std::abs(value);
  switch (op) {
  case Op::Add:
  case Op::Sub:
    return limit(value, x.error + y.error + unit.step * size, unit);
  case Op::Mul:
    return limit(value,
                 std::abs(x.value) * y.error + std::abs(y.value) * x.error +
                     x.error * y.error + unit.step * size,
                 unit);
  case Op::Div: {
    const double least = std::abs(y.value) - y.error;
    const double error = x.error + size * y.error;
    if (std::isnan(error) || (error > 0 && !(least > 0)))
      return {value, infinity, 0};
    return limit(value, (error > 0 ? error / least : 0) + 2 * unit.step * size,
                 unit);
  }
  case Op::Max:
  case Op::Min:
    return {value, std::max(x.error, y.error), 0};
  case Op::Equal:
  case Op::NotEqual:
  case Op::Less:
  case Op::LessEqual:
    return compare(op, x, y);
  case Op::Pow: {
    // The error of the base's logarithm is multiplied by the exponent.
    const double steps =
        functionSteps + 2 * std::abs(y.value * std::log(std::abs(x.value)));
    return limit(value,
                 getChangeOfPower(x, y, value) +
                     (size > 0 ? steps * unit.step * size : 0),
                 unit);
  }
  default: {
    // A small error of an operand can change a remainder by the whole divisor.
    // It can change the result of an op on bits by any amount.
    const bool isExact = x.error == 0 && y.error == 0;
    // A remainder with the other sign is added to the divisor, which rounds.
    const bool isMoved = op == Op::Mod && std::isfinite(value) &&
                         value != std::fmod(x.value, y.value);
    const double own = isMoved ? unit.step * size : 0;
    return {value, isExact ? own : infinity, 0};
  }
  }
}
