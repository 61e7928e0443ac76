//===- LowerMath.cpp - Lowers math functions to arithmetic ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LowerMath.h"

#include "Math/Functions.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace weir;

namespace {
using Unary = Real (*)(Real);
using Binary = Real (*)(Real, Real);

struct UnaryRow {
  StringLiteral op;
  Unary function;
  /// Whether the function supports f32. If not, f32 is converted to f64.
  bool takesSingle;
};
} // namespace

static constexpr UnaryRow unaryRows[] = {
    {"math.acos", functions::acos, false},
    {"math.acosh", functions::acosh, false},
    {"math.asin", functions::asin, false},
    {"math.asinh", functions::asinh, false},
    {"math.atan", functions::atan, false},
    {"math.atanh", functions::atanh, false},
    {"math.cos", functions::cos, false},
    {"math.cosh", functions::cosh, false},
    {"math.erf", functions::erf, true},
    {"math.exp", functions::exp, true},
    {"math.expm1", functions::expm1, true},
    {"math.log", functions::log, true},
    {"math.log1p", functions::log1p, true},
    {"math.sin", functions::sin, false},
    {"math.sinh", functions::sinh, false},
    {"math.tan", functions::tan, false},
    {"math.tanh", functions::tanh, true},
};

static Binary findBinary(Operation *op) {
  if (isa<math::PowFOp>(op))
    return functions::pow;
  return isa<arith::RemFOp>(op) ? functions::remainder : nullptr;
}

static Value widen(OpBuilder &builder, Location location, Value value) {
  Type type = withElement(value.getType(), builder.getF64Type());
  if (value.getType() == type)
    return value;
  return arith::ExtFOp::create(builder, location, type, value);
}

static Value narrow(OpBuilder &builder, Location location, Value value,
                    Type type) {
  if (value.getType() == type)
    return value;
  return arith::TruncFOp::create(builder, location, type, value);
}

/// Computes `op` by one of the functions of this library. Null if there is no
/// function for `op`.
static Value lowerFunction(ImplicitLocOpBuilder &builder, Operation *op) {
  if (op->getNumResults() != 1)
    return {};
  Type type = op->getResult(0).getType();
  auto operand = [&](unsigned index, bool isWide) -> Real {
    Value value = op->getOperand(index);
    return {&builder, isWide ? widen(builder, op->getLoc(), value) : value};
  };
  if (Binary function = findBinary(op)) {
    Real result = function(operand(0, true), operand(1, true));
    return narrow(builder, op->getLoc(), result.value, type);
  }
  if (auto power = dyn_cast<math::IPowIOp>(op))
    return functions::pow(Bits{&builder, power.getLhs()},
                          Bits{&builder, power.getRhs()})
        .value;
  StringRef name = op->getName().getStringRef();
  const UnaryRow *row = llvm::find_if(
      unaryRows, [&](const UnaryRow &row) { return row.op == name; });
  if (row == std::end(unaryRows))
    return {};
  Real result = row->function(operand(0, !row->takesSingle));
  return narrow(builder, op->getLoc(), result.value, type);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static bool isSmall(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

/// Converts f64 to an f32 that rounds to the same f16 or bf16. The lower bits
/// are dropped. If any of them was set, the last bit of the result is set.
static Real roundToOdd(ImplicitLocOpBuilder &builder, Value wide) {
  Type type = withElement(wide.getType(), builder.getF32Type());
  Real exact{&builder, wide};
  Real rounded{&builder, arith::TruncFOp::create(builder, type, wide)};
  Real back{&builder,
            arith::ExtFOp::create(builder, wide.getType(), rounded.value)};
  Bits bits = toBits(rounded);
  bits = select(abs(back) > abs(exact), bits - 1, bits);
  Mask isExact = back == exact;
  Mask isInexact = (!isExact) & (exact == exact);
  return fromBits(select(isInexact, bits | 1, bits), rounded);
}

/// Rounds to the nearest bf16, and ties to even. LLVM would call a library, or
/// use an instruction that flushes subnormals to zero.
static Value toBrain(ImplicitLocOpBuilder &builder, Real x) {
  Bits bits = toBits(x);
  Bits isOdd = (bits >> 16) & 1;
  Bits rounded = (bits + 0x7fff + isOdd) >> 16;
  Bits quiet = ((bits >> 16) | 0x40);
  rounded = select(x == x, rounded, quiet);
  Type integers = withElement(x.value.getType(), builder.getI16Type());
  Type floats = withElement(x.value.getType(), builder.getBF16Type());
  Value low = arith::TruncIOp::create(builder, integers, rounded.value);
  return arith::BitcastOp::create(builder, floats, low);
}

/// Rounds a scalar to the nearest f16. LLVM would move the conversion into a
/// copySign. It would then call a library to convert the f64 that the sign
/// comes from. A select between x and the same NaN prevents that.
static Value toHalf(ImplicitLocOpBuilder &builder, Type type, Real x) {
  Real chosen = select(x == x, x, x + x);
  return arith::TruncFOp::create(builder, type, chosen.value);
}

static Value lowerTruncation(ImplicitLocOpBuilder &builder,
                             arith::TruncFOp op) {
  Type to = op.getType();
  bool isFromDouble = getElementTypeOrSelf(op.getIn().getType()).isF64();
  if (!isSmall(to) || isSmall(op.getIn().getType()))
    return {};
  bool isBrain = getElementTypeOrSelf(to).isBF16();
  if (!isFromDouble && !isBrain) {
    bool isDone = op.getIn().getDefiningOp<arith::SelectOp>() != nullptr;
    return isa<VectorType>(to) || isDone
               ? Value()
               : toHalf(builder, to, {&builder, op.getIn()});
  }
  Real single = isFromDouble ? roundToOdd(builder, op.getIn())
                             : Real{&builder, op.getIn()};
  return isBrain ? toBrain(builder, single)
                 : arith::TruncFOp::create(builder, to, single.value);
}

/// Converts a bf16 to f32. The bits of the bf16 are the upper half of the f32.
static Value fromBrain(ImplicitLocOpBuilder &builder, Value value) {
  auto like = [&](Type element) {
    return withElement(value.getType(), element);
  };
  Value half =
      arith::BitcastOp::create(builder, like(builder.getI16Type()), value);
  Bits wide{&builder,
            arith::ExtUIOp::create(builder, like(builder.getI32Type()), half)};
  return arith::BitcastOp::create(builder, like(builder.getF32Type()),
                                  (wide << 16).value);
}

/// Small floats are extended to f32 first, and then to f64.
static Value lowerExtension(ImplicitLocOpBuilder &builder, arith::ExtFOp op) {
  Value value = op.getIn();
  bool isBrain = getElementTypeOrSelf(value.getType()).isBF16();
  bool isToDouble = getElementTypeOrSelf(op.getType()).isF64();
  if (!isBrain && !(isSmall(value.getType()) && isToDouble))
    return {};
  Type single = withElement(op.getType(), builder.getF32Type());
  Value middle = isBrain ? fromBrain(builder, value)
                         : arith::ExtFOp::create(builder, single, value);
  return isToDouble ? arith::ExtFOp::create(builder, op.getType(), middle)
                    : middle;
}

/// Integers are converted to f64 first, and then to small floats. An f64
/// represents more integers exactly.
template <typename Op>
static Value lowerIntToFloat(ImplicitLocOpBuilder &builder, Op op) {
  if (!isSmall(op.getType()))
    return {};
  Type wide = withElement(op.getType(), builder.getF64Type());
  Value exact = Op::create(builder, wide, op.getIn());
  return arith::TruncFOp::create(builder, op.getType(), exact);
}

static Value lowerComparison(ImplicitLocOpBuilder &builder, arith::CmpFOp op) {
  if (!getElementTypeOrSelf(op.getLhs().getType()).isBF16())
    return {};
  return arith::CmpFOp::create(builder, op.getPredicate(),
                               fromBrain(builder, op.getLhs()),
                               fromBrain(builder, op.getRhs()));
}

static Value lowerConversion(ImplicitLocOpBuilder &builder, Operation *op) {
  if (auto comparison = dyn_cast<arith::CmpFOp>(op))
    return lowerComparison(builder, comparison);
  if (auto truncation = dyn_cast<arith::TruncFOp>(op))
    return lowerTruncation(builder, truncation);
  if (auto extension = dyn_cast<arith::ExtFOp>(op))
    return lowerExtension(builder, extension);
  if (auto conversion = dyn_cast<arith::SIToFPOp>(op))
    return lowerIntToFloat(builder, conversion);
  if (auto conversion = dyn_cast<arith::UIToFPOp>(op))
    return lowerIntToFloat(builder, conversion);
  return {};
}

static void replaceAll(Operation *root,
                       Value (*lower)(ImplicitLocOpBuilder &, Operation *)) {
  root->walk([&](Operation *op) {
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    if (Value value = lower(builder, op)) {
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    }
  });
}

void weir::lowerMath(Operation *root) {
  // Conversions are lowered after functions, because the code of a function may
  // contain conversions.
  replaceAll(root, lowerFunction);
  replaceAll(root, lowerConversion);
  replaceAll(root, lowerConversion);
}
