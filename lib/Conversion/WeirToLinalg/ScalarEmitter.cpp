//===- ScalarEmitter.cpp - Scalar expressions as arith ops ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ScalarEmitter.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/Arithmetic.h"
#include "weir/Support/Philox.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace weir;
using ExprOp = ScalarExpr::Op;

Type weir::toSignlessType(DType type, MLIRContext *context) {
  Type mlirType = toMLIRType(type, context);
  if (mlirType.isUnsignedInteger())
    return IntegerType::get(context, mlirType.getIntOrFloatBitWidth());
  return mlirType;
}

/// `value` truncated and clamped to an integer of `width` bits.
static APInt toInteger(double value, unsigned width, bool isUnsigned) {
  if (isUnsigned)
    return APInt(width,
                 std::min(fromDouble<uint64_t>(value), llvm::maxUIntN(width)));
  int64_t number = std::clamp(fromDouble<int64_t>(value), llvm::minIntN(width),
                              llvm::maxIntN(width));
  return APInt(width, static_cast<uint64_t>(number), /*isSigned=*/true);
}

TypedAttr weir::makeNumber(DType type, double value, MLIRContext *context) {
  Type mlirType = toSignlessType(type, context);
  if (isFloat(type))
    return FloatAttr::get(mlirType, value);
  return IntegerAttr::get(
      mlirType,
      toInteger(value, mlirType.getIntOrFloatBitWidth(), isUnsigned(type)));
}

DType weir::getWorkType(DType type) {
  if (!isFloat(type))
    return type == DType::U64 ? DType::U64 : DType::I64;
  return type == DType::F64 ? DType::F64 : DType::F32;
}

Value ScalarEmitter::constant(DType type, double value) {
  return make<arith::ConstantOp>(makeNumber(type, value, builder.getContext()));
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

/// Truncates and clamps; NaN becomes 0. The limits of an integer type are
/// powers of two, which every float type but f16 holds exactly; f16 goes
/// through f32.
Value ScalarEmitter::floatToInt(Value value, DType from, DType to) {
  if (byteSize(from) < byteSize(DType::F32))
    return floatToInt(convert(value, from, DType::F32), DType::F32, to);
  unsigned width =
      toSignlessType(to, builder.getContext()).getIntOrFloatBitWidth();
  double highest = std::ldexp(1.0, static_cast<int>(width) - !isUnsigned(to));
  Value low = constant(from, isUnsigned(to) ? 0 : -highest);
  Value high = constant(from, highest);
  Value notBelow = make<arith::CmpFOp>(arith::CmpFPredicate::OGE, value, low);
  Value below = make<arith::CmpFOp>(arith::CmpFPredicate::OLT, value, low);
  Value above = make<arith::CmpFOp>(arith::CmpFPredicate::OGE, value, high);
  Value inside = make<arith::CmpFOp>(arith::CmpFPredicate::OLT, value, high);
  inside = make<arith::AndIOp>(notBelow, inside);
  Value safe = make<arith::SelectOp>(inside, value, constant(from, 0));
  Type wide = builder.getI64Type();
  Value result = to == DType::U64 ? make<arith::FPToUIOp>(wide, safe)
                                  : convert(make<arith::FPToSIOp>(wide, safe),
                                            DType::I64, to);
  double infinity = std::numeric_limits<double>::infinity();
  result = make<arith::SelectOp>(above, constant(to, infinity), result);
  return make<arith::SelectOp>(below, constant(to, -infinity), result);
}

Value ScalarEmitter::convert(Value value, DType from, DType to) {
  if (from == to)
    return value;
  Type type = toSignlessType(to, builder.getContext());
  if (to == DType::I1) {
    Value zero = constant(from, 0);
    if (isFloat(from))
      return make<arith::CmpFOp>(arith::CmpFPredicate::UNE, value, zero);
    return make<arith::CmpIOp>(arith::CmpIPredicate::ne, value, zero);
  }
  size_t fromSize = byteSize(from), toSize = byteSize(to);
  if (isFloat(from) && isFloat(to)) {
    if (fromSize == toSize)
      return convert(convert(value, from, DType::F32), DType::F32, to);
    if (fromSize < toSize)
      return make<arith::ExtFOp>(type, value);
    return make<arith::TruncFOp>(type, value);
  }
  if (isFloat(from))
    return floatToInt(value, from, to);
  if (isFloat(to)) {
    if (isUnsigned(from))
      return make<arith::UIToFPOp>(type, value);
    return make<arith::SIToFPOp>(type, value);
  }
  if (from != DType::I1 && fromSize == toSize)
    return value;
  if (from != DType::I1 && fromSize > toSize)
    return make<arith::TruncIOp>(type, value);
  if (isUnsigned(from))
    return make<arith::ExtUIOp>(type, value);
  return make<arith::ExtSIOp>(type, value);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value ScalarEmitter::emitFloatUnary(ExprOp op, Value x) {
  switch (op) {
  case ExprOp::Neg:
    return make<arith::NegFOp>(x);
  case ExprOp::Abs:
    return make<math::AbsFOp>(x);
  case ExprOp::Exp:
    return make<math::ExpOp>(x);
  case ExprOp::Expm1:
    return make<math::ExpM1Op>(x);
  case ExprOp::Log:
    return make<math::LogOp>(x);
  case ExprOp::Log1p:
    return make<math::Log1pOp>(x);
  case ExprOp::Sqrt:
    return make<math::SqrtOp>(x);
  case ExprOp::Rsqrt:
    return make<math::RsqrtOp>(x);
  case ExprOp::Erf:
    return make<math::ErfOp>(x);
  case ExprOp::Sin:
    return make<math::SinOp>(x);
  case ExprOp::Cos:
    return make<math::CosOp>(x);
  case ExprOp::Tan:
    return make<math::TanOp>(x);
  case ExprOp::Asin:
    return make<math::AsinOp>(x);
  case ExprOp::Acos:
    return make<math::AcosOp>(x);
  case ExprOp::Atan:
    return make<math::AtanOp>(x);
  case ExprOp::Sinh:
    return make<math::SinhOp>(x);
  case ExprOp::Cosh:
    return make<math::CoshOp>(x);
  case ExprOp::Tanh:
    return make<math::TanhOp>(x);
  case ExprOp::Asinh:
    return make<math::AsinhOp>(x);
  case ExprOp::Acosh:
    return make<math::AcoshOp>(x);
  case ExprOp::Atanh:
    return make<math::AtanhOp>(x);
  case ExprOp::Ceil:
    return make<math::CeilOp>(x);
  case ExprOp::Floor:
    return make<math::FloorOp>(x);
  case ExprOp::Round:
    return make<math::RoundEvenOp>(x);
  default:
    llvm_unreachable("not a unary op");
  }
}

Value ScalarEmitter::emitFloatBinary(ExprOp op, Value x, Value y) {
  switch (op) {
  case ExprOp::Add:
    return make<arith::AddFOp>(x, y);
  case ExprOp::Sub:
    return make<arith::SubFOp>(x, y);
  case ExprOp::Mul:
    return make<arith::MulFOp>(x, y);
  case ExprOp::Div:
    return make<arith::DivFOp>(x, y);
  case ExprOp::Max:
    return make<arith::MaximumFOp>(x, y);
  case ExprOp::Min:
    return make<arith::MinimumFOp>(x, y);
  case ExprOp::Pow:
    return make<math::PowFOp>(x, y);
  case ExprOp::Mod:
  case ExprOp::Fmod:
    return remainderOfFloats(x, y, op == ExprOp::Mod);
  case ExprOp::Equal:
    return make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, x, y);
  case ExprOp::NotEqual:
    return make<arith::CmpFOp>(arith::CmpFPredicate::UNE, x, y);
  case ExprOp::Less:
    return make<arith::CmpFOp>(arith::CmpFPredicate::OLT, x, y);
  case ExprOp::LessEqual:
    return make<arith::CmpFOp>(arith::CmpFPredicate::OLE, x, y);
  default:
    llvm_unreachable("not a binary op");
  }
}

/// Real functions of integers, such as exp, are computed in f64.
Value ScalarEmitter::emitIntUnary(ExprOp op, Value x, DType type) {
  if (op == ExprOp::Neg)
    return make<arith::SubIOp>(constant(DType::I64, 0), x);
  if (op == ExprOp::Abs)
    return type == DType::U64 ? x : make<math::AbsIOp>(x);
  Value y = emitFloatUnary(op, convert(x, type, DType::F64));
  return convert(y, DType::F64, type);
}

/// Emits an operation on u64. The cases are the operations that differ from
/// those on signed integers. A shift by more than 63 places gives 0.
Value ScalarEmitter::emitUnsignedBinary(ExprOp op, Value x, Value y) {
  Value zero = constant(DType::U64, 0);
  switch (op) {
  case ExprOp::Div:
  case ExprOp::Mod:
  case ExprOp::Fmod: {
    Value isZero = make<arith::CmpIOp>(arith::CmpIPredicate::eq, y, zero);
    Value safe = make<arith::SelectOp>(isZero, constant(DType::U64, 1), y);
    Value result = op == ExprOp::Div ? make<arith::DivUIOp>(x, safe)
                                     : make<arith::RemUIOp>(x, safe);
    return make<arith::SelectOp>(isZero, zero, result);
  }
  case ExprOp::Max:
    return make<arith::MaxUIOp>(x, y);
  case ExprOp::Min:
    return make<arith::MinUIOp>(x, y);
  case ExprOp::Pow:
    return raiseUnsigned(x, y);
  case ExprOp::ShiftRight: {
    Value last = constant(DType::U64, 63);
    Value isFar = make<arith::CmpIOp>(arith::CmpIPredicate::ugt, y, last);
    Value shifted = make<arith::ShRUIOp>(x, make<arith::MinUIOp>(y, last));
    return make<arith::SelectOp>(isFar, zero, shifted);
  }
  case ExprOp::Less:
    return make<arith::CmpIOp>(arith::CmpIPredicate::ult, x, y);
  case ExprOp::LessEqual:
    return make<arith::CmpIOp>(arith::CmpIPredicate::ule, x, y);
  default:
    return emitIntBinary(op, x, y);
  }
}

Value ScalarEmitter::emitIntBinary(ExprOp op, Value x, Value y) {
  switch (op) {
  case ExprOp::Add:
    return make<arith::AddIOp>(x, y);
  case ExprOp::Sub:
    return make<arith::SubIOp>(x, y);
  case ExprOp::Mul:
    return make<arith::MulIOp>(x, y);
  case ExprOp::Div:
    return divideInts(x, y);
  case ExprOp::Max:
    return make<arith::MaxSIOp>(x, y);
  case ExprOp::Min:
    return make<arith::MinSIOp>(x, y);
  case ExprOp::Pow:
    return raiseInts(x, y);
  case ExprOp::Mod:
  case ExprOp::Fmod:
    return remainderOfInts(x, y, op == ExprOp::Mod);
  case ExprOp::BitAnd:
    return make<arith::AndIOp>(x, y);
  case ExprOp::BitOr:
    return make<arith::OrIOp>(x, y);
  case ExprOp::BitXor:
    return make<arith::XOrIOp>(x, y);
  case ExprOp::ShiftLeft:
  case ExprOp::ShiftRight:
    return shiftInts(x, y, op == ExprOp::ShiftLeft);
  case ExprOp::Equal:
    return make<arith::CmpIOp>(arith::CmpIPredicate::eq, x, y);
  case ExprOp::NotEqual:
    return make<arith::CmpIOp>(arith::CmpIPredicate::ne, x, y);
  case ExprOp::Less:
    return make<arith::CmpIOp>(arith::CmpIPredicate::slt, x, y);
  case ExprOp::LessEqual:
    return make<arith::CmpIOp>(arith::CmpIPredicate::sle, x, y);
  default:
    llvm_unreachable("not a binary op");
  }
}

/// Divisors of 0 and -1 are replaced before the division, which is undefined or
/// could overflow for them.
Value ScalarEmitter::divideInts(Value x, Value y) {
  Value zero = constant(DType::I64, 0), one = constant(DType::I64, 1);
  auto isEqual = [&](Value value, double number) {
    return make<arith::CmpIOp>(arith::CmpIPredicate::eq, value,
                               constant(DType::I64, number));
  };
  Value isZero = isEqual(y, 0), isMinusOne = isEqual(y, -1);
  Value isUnsafe = make<arith::OrIOp>(isZero, isMinusOne);
  Value quotient =
      make<arith::DivSIOp>(x, make<arith::SelectOp>(isUnsafe, one, y));
  Value negated = make<arith::SubIOp>(zero, x);
  quotient = make<arith::SelectOp>(isMinusOne, negated, quotient);
  return make<arith::SelectOp>(isZero, zero, quotient);
}

/// With `floors`, the divisor is added if the remainder has the other sign.
Value ScalarEmitter::remainderOfFloats(Value x, Value y, bool floors) {
  Value rest = make<arith::RemFOp>(x, y);
  if (!floors)
    return rest;
  Value zero = make<arith::ConstantOp>(FloatAttr::get(x.getType(), 0.0));
  auto isBelow = [&](Value value) {
    return make<arith::CmpFOp>(arith::CmpFPredicate::OLT, value, zero);
  };
  Value isRest = make<arith::CmpFOp>(arith::CmpFPredicate::ONE, rest, zero);
  Value differs = make<arith::XOrIOp>(isBelow(rest), isBelow(y));
  return make<arith::SelectOp>(make<arith::AndIOp>(isRest, differs),
                               make<arith::AddFOp>(rest, y), rest);
}

/// Divisors of 0 and -1 are replaced by 1, for which the remainder is also 0
/// (see `divideInts`).
Value ScalarEmitter::remainderOfInts(Value x, Value y, bool floors) {
  Value zero = constant(DType::I64, 0), one = constant(DType::I64, 1);
  auto compare = [&](arith::CmpIPredicate predicate, Value value,
                     double number) {
    return make<arith::CmpIOp>(predicate, value, constant(DType::I64, number));
  };
  Value isUnsafe = make<arith::OrIOp>(compare(arith::CmpIPredicate::eq, y, 0),
                                      compare(arith::CmpIPredicate::eq, y, -1));
  Value safe = make<arith::SelectOp>(isUnsafe, one, y);
  Value rest = make<arith::RemSIOp>(x, safe);
  if (!floors)
    return rest;
  Value differs =
      make<arith::XOrIOp>(compare(arith::CmpIPredicate::slt, rest, 0),
                          compare(arith::CmpIPredicate::slt, y, 0));
  Value isRest = compare(arith::CmpIPredicate::ne, rest, 0);
  Value more =
      make<arith::SelectOp>(make<arith::AndIOp>(isRest, differs), y, zero);
  return make<arith::AddIOp>(rest, more);
}

/// A shift by less than 0 or more than 63 places, which arith leaves undefined,
/// gives 0 to the left and is a shift by 63 to the right.
Value ScalarEmitter::shiftInts(Value x, Value y, bool toLeft) {
  Value last = constant(DType::I64, 63);
  Value isFar = make<arith::CmpIOp>(arith::CmpIPredicate::ugt, y, last);
  Value places = make<arith::MinUIOp>(y, last);
  if (!toLeft)
    return make<arith::ShRSIOp>(x, places);
  return make<arith::SelectOp>(isFar, constant(DType::I64, 0),
                               make<arith::ShLIOp>(x, places));
}

/// A negative power gives 0 for every base but 1 and -1. The outlined function
/// traps on a negative power of 0. So a base of 0 becomes 2 for negative
/// powers.
Value ScalarEmitter::raiseInts(Value base, Value exponent) {
  Value zero = constant(DType::I64, 0);
  Value isZero = make<arith::CmpIOp>(arith::CmpIPredicate::eq, base, zero);
  Value isNegative =
      make<arith::CmpIOp>(arith::CmpIPredicate::slt, exponent, zero);
  Value traps = make<arith::AndIOp>(isZero, isNegative);
  Value safe = make<arith::SelectOp>(traps, constant(DType::I64, 2), base);
  return make<math::IPowIOp>(safe, exponent);
}

/// The outlined function takes the exponent as signed. Wrapped to 64 bits, the
/// powers of an odd number repeat after 2^62. The powers of an even number are
/// zero by then. So an exponent from 2^62 on becomes its remainder by 2^62,
/// plus 2^62.
Value ScalarEmitter::raiseUnsigned(Value base, Value exponent) {
  Value two = constant(DType::U64, 2);
  Value period = constant(DType::U64, std::ldexp(1.0, 62));
  Value rest = make<arith::ShRUIOp>(make<arith::ShLIOp>(exponent, two), two);
  Value isLarge =
      make<arith::CmpIOp>(arith::CmpIPredicate::uge, exponent, period);
  Value more = make<arith::SelectOp>(isLarge, period, constant(DType::U64, 0));
  return make<math::IPowIOp>(base, make<arith::OrIOp>(rest, more));
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// The number that a literal or an attribute stands for.
static std::optional<double> getNumber(const ScalarExpr::Node &node,
                                       const AttrMap &attrs) {
  if (node.op == ExprOp::Literal)
    return node.literal;
  if (node.op == ExprOp::Attribute)
    return attrs.floatOr(node.name, 0);
  return std::nullopt;
}

/// Computes a sum, difference or comparison of integers as i64, if at least one
/// of the integers is a position or index. This holds even if elements are
/// floats, because f32 does not hold every position. Null if `node` is another
/// step.
Value ScalarEmitter::emitOnPositions(const ScalarExpr &expression,
                                     const ScalarExpr::Node &node,
                                     ArrayRef<Scalar> earlier,
                                     const AttrMap &attrs) {
  constexpr ExprOp exact[] = {ExprOp::Add,   ExprOp::Sub,
                              ExprOp::Equal, ExprOp::NotEqual,
                              ExprOp::Less,  ExprOp::LessEqual};
  if (!llvm::is_contained(exact, node.op))
    return {};
  std::optional<double> numbers[2];
  bool areNumbers = true;
  for (int i = 0; i < 2; ++i) {
    numbers[i] = getNumber(expression.nodes()[node.args[i]], attrs);
    DType type = earlier[node.args[i]].type;
    bool isWhole = numbers[i] ? *numbers[i] == std::trunc(*numbers[i]) &&
                                    std::abs(*numbers[i]) < std::ldexp(1.0, 63)
                              : !isFloat(type) && type != DType::I1;
    if (!isWhole)
      return {};
    areNumbers &= numbers[i].has_value();
  }
  if (areNumbers)
    return {};
  auto toInt = [&](int i) {
    const Scalar &arg = earlier[node.args[i]];
    return numbers[i] ? constant(DType::I64, *numbers[i])
                      : convert(arg.value, arg.type, DType::I64);
  };
  Value left = toInt(0), right = toInt(1);
  return emitIntBinary(node.op, left, right);
}

/// `drawBits` as an i64. Words are i64 with an upper half of zeros, so that
/// vectors multiply them in one instruction.
Value ScalarEmitter::emitRandom(const ScalarExpr::Node &node,
                                ArrayRef<Scalar> earlier) {
  const Value half = constant(DType::I64, 32);
  const Value mask = constant(DType::I64, 0xffffffff);
  auto low = [&](Value x) { return make<arith::AndIOp>(x, mask); };
  auto high = [&](Value x) { return make<arith::ShRUIOp>(x, half); };
  auto differ = [&](Value x, Value y) { return make<arith::XOrIOp>(x, y); };
  auto argument = [&](int position) {
    const Scalar &given = earlier[node.args[position]];
    return convert(given.value, given.type, DType::I64);
  };
  const Value seed = argument(0), step = argument(1), stream = argument(2),
              index = argument(3);
  std::array<Value, 2> key = {low(seed), high(seed)};
  std::array<Value, 4> words = {low(index), differ(high(index), low(stream)),
                                low(step), differ(high(step), high(stream))};
  for (int round = 0; round < Philox::numRounds; ++round) {
    std::array<Value, 2> products;
    for (size_t i = 0; i < 2; ++i) {
      if (round != 0)
        key[i] = low(make<arith::AddIOp>(
            key[i], constant(DType::I64, Philox::keySteps[i])));
      products[i] = make<arith::MulIOp>(
          words[2 * i], constant(DType::I64, Philox::factors[i]));
    }
    words = {
        differ(differ(high(products[1]), words[1]), key[0]), low(products[1]),
        differ(differ(high(products[0]), words[3]), key[1]), low(products[0])};
  }
  return words[0];
}

/// Truth values are i1, everything else is of the work type.
Value ScalarEmitter::emitNode(const ScalarExpr::Node &node,
                              ArrayRef<Scalar> earlier, DType workType) {
  auto number = [&](int position) {
    const Scalar &arg = earlier[node.args[position]];
    return convert(arg.value, arg.type, workType);
  };
  if (node.op == ExprOp::Random)
    return emitRandom(node, earlier);
  if (node.op == ExprOp::Select) {
    const Scalar &condition = earlier[node.args[0]];
    return make<arith::SelectOp>(
        convert(condition.value, condition.type, DType::I1), number(1),
        number(2));
  }
  if (numArgs(node.op) == 1)
    return isFloat(workType) ? emitFloatUnary(node.op, number(0))
                             : emitIntUnary(node.op, number(0), workType);
  if (workType == DType::U64)
    return emitUnsignedBinary(node.op, number(0), number(1));
  return isFloat(workType) ? emitFloatBinary(node.op, number(0), number(1))
                           : emitIntBinary(node.op, number(0), number(1));
}

/// The type of a scalar: a truth value, a position, or otherwise the work type.
static DType toScalarType(Type type, DType workType) {
  if (type.isInteger(1))
    return DType::I1;
  return isFloat(workType) && type.isInteger() ? DType::I64 : workType;
}

Value ScalarEmitter::emit(const ScalarExpr &expression,
                          ArrayRef<Scalar> operands, const AttrMap &attrs,
                          DType workType, DType resultType) {
  SmallVector<Scalar> values;
  for (const ScalarExpr::Node &node : expression.nodes()) {
    Scalar scalar;
    bool isGiven = node.op == ExprOp::Operand || node.op == ExprOp::Index;
    if (isGiven)
      scalar = operands[node.operand];
    else if (node.op == ExprOp::Literal)
      scalar.value = constant(workType, node.literal);
    else if (node.op == ExprOp::Attribute)
      scalar.value = constant(workType, attrs.floatOr(node.name, 0));
    else if (isFloat(workType))
      scalar.value = emitOnPositions(expression, node, values, attrs);
    if (!scalar.value)
      scalar.value = emitNode(node, values, workType);
    if (!isGiven)
      scalar.type = toScalarType(scalar.value.getType(), workType);
    values.push_back(scalar);
  }
  return convert(values.back().value, values.back().type, resultType);
}

Value ScalarEmitter::combine(Combiner combiner, Value known, Value value,
                             DType type) {
  bool isReal = isFloat(type);
  switch (combiner) {
  case Combiner::None:
    return value;
  case Combiner::Sum:
    return isReal ? make<arith::AddFOp>(known, value)
                  : make<arith::AddIOp>(known, value);
  case Combiner::Product:
    return isReal ? make<arith::MulFOp>(known, value)
                  : make<arith::MulIOp>(known, value);
  case Combiner::Maximum:
    if (isReal)
      return make<arith::MaximumFOp>(known, value);
    return isUnsigned(type) ? make<arith::MaxUIOp>(known, value)
                            : make<arith::MaxSIOp>(known, value);
  case Combiner::Minimum:
    if (isReal)
      return make<arith::MinimumFOp>(known, value);
    return isUnsigned(type) ? make<arith::MinUIOp>(known, value)
                            : make<arith::MinSIOp>(known, value);
  }
  llvm_unreachable("all combiners are emitted");
}
