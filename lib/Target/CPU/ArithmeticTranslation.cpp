//===- ArithmeticTranslation.cpp - Arithmetic as LLVM IR ------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Most ops are one instruction or intrinsic, and a table lists them. No flag
// allows LLVM to reorder or contract operations.
//
//===----------------------------------------------------------------------===//

#include "ArithmeticTranslation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;
using namespace weir;
namespace arith = mlir::arith;
namespace math = mlir::math;

//===----------------------------------------------------------------------===//
// Types and constants
//===----------------------------------------------------------------------===//

Type *weir::toLLVMType(mlir::Type type, LLVMContext &context) {
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(type)) {
    Type *element = toLLVMType(vector.getElementType(), context);
    return element && vector.getRank() == 1 && !vector.isScalable()
               ? FixedVectorType::get(element, vector.getNumElements())
               : nullptr;
  }
  if (type.isIndex())
    return Type::getInt64Ty(context);
  if (type.isSignlessInteger())
    return Type::getIntNTy(context, type.getIntOrFloatBitWidth());
  // Code only moves a bf16 (LowerMath.h), so an integer type is enough. If LLVM
  // knew that it is a number, it might compute with it, and would call a
  // library for that.
  if (type.isBF16())
    return Type::getInt16Ty(context);
  if (type.isF16())
    return Type::getHalfTy(context);
  if (type.isF32())
    return Type::getFloatTy(context);
  return type.isF64() ? Type::getDoubleTy(context) : nullptr;
}

/// The constant `number`. If `type` is an integer type, the result has the bits
/// of the number.
static Constant *toNumber(const APFloat &number, Type *type) {
  return type->isIntegerTy() ? ConstantInt::get(type, number.bitcastToAPInt())
                             : cast<Constant>(ConstantFP::get(type, number));
}

static Constant *toVector(mlir::DenseElementsAttr elements, Type *type) {
  Type *element = type->getScalarType();
  SmallVector<Constant *> numbers;
  if (mlir::isa<mlir::FloatType>(elements.getElementType()))
    for (const APFloat &number : elements.getValues<APFloat>())
      numbers.push_back(toNumber(number, element));
  else
    for (const APInt &number : elements.getValues<APInt>())
      numbers.push_back(ConstantInt::get(element, number));
  return ConstantVector::get(numbers);
}

Constant *weir::toLLVMConstant(mlir::Attribute value, Type *type) {
  if (auto elements = mlir::dyn_cast<mlir::DenseElementsAttr>(value)) {
    if (!elements.isSplat())
      return toVector(elements, type);
    return ConstantVector::getSplat(
        cast<VectorType>(type)->getElementCount(),
        toLLVMConstant(elements.getSplatValue<mlir::Attribute>(),
                       type->getScalarType()));
  }
  if (auto real = mlir::dyn_cast<mlir::FloatAttr>(value))
    return toNumber(real.getValue(), type);
  return ConstantInt::get(type,
                          mlir::cast<mlir::IntegerAttr>(value).getValue());
}

Constant *weir::toLLVMArray(mlir::DenseElementsAttr elements,
                            LLVMContext &context) {
  Type *element = toLLVMType(elements.getElementType(), context);
  auto count = static_cast<uint64_t>(elements.getNumElements());
  ArrayRef<char> bytes = elements.getRawData();
  std::string repeated;
  if (elements.isSplat()) {
    for (uint64_t i = 0; i < count; ++i)
      repeated.append(bytes.begin(), bytes.end());
    bytes = repeated;
  }
  return ConstantDataArray::getRaw(StringRef(bytes.data(), bytes.size()), count,
                                   element);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

namespace {
enum class Form { Binary, Cast, Intrinsic };

struct Row {
  StringLiteral op;
  Form form;
  /// The number of the instruction or the intrinsic.
  unsigned number;
};
} // namespace

static constexpr Row rows[] = {
    {"arith.addf", Form::Binary, Instruction::FAdd},
    {"arith.addi", Form::Binary, Instruction::Add},
    {"arith.andi", Form::Binary, Instruction::And},
    {"arith.bitcast", Form::Cast, Instruction::BitCast},
    {"arith.divf", Form::Binary, Instruction::FDiv},
    {"arith.divsi", Form::Binary, Instruction::SDiv},
    {"arith.divui", Form::Binary, Instruction::UDiv},
    {"arith.extf", Form::Cast, Instruction::FPExt},
    {"arith.extsi", Form::Cast, Instruction::SExt},
    {"arith.extui", Form::Cast, Instruction::ZExt},
    {"arith.fptosi", Form::Cast, Instruction::FPToSI},
    {"arith.fptoui", Form::Cast, Instruction::FPToUI},
    {"arith.maximumf", Form::Intrinsic, Intrinsic::maximum},
    {"arith.maxsi", Form::Intrinsic, Intrinsic::smax},
    {"arith.maxui", Form::Intrinsic, Intrinsic::umax},
    {"arith.minimumf", Form::Intrinsic, Intrinsic::minimum},
    {"arith.minsi", Form::Intrinsic, Intrinsic::smin},
    {"arith.minui", Form::Intrinsic, Intrinsic::umin},
    {"arith.mulf", Form::Binary, Instruction::FMul},
    {"arith.muli", Form::Binary, Instruction::Mul},
    {"arith.ori", Form::Binary, Instruction::Or},
    {"arith.remsi", Form::Binary, Instruction::SRem},
    {"arith.remui", Form::Binary, Instruction::URem},
    {"arith.shli", Form::Binary, Instruction::Shl},
    {"arith.shrsi", Form::Binary, Instruction::AShr},
    {"arith.shrui", Form::Binary, Instruction::LShr},
    {"arith.sitofp", Form::Cast, Instruction::SIToFP},
    {"arith.subf", Form::Binary, Instruction::FSub},
    {"arith.subi", Form::Binary, Instruction::Sub},
    {"arith.truncf", Form::Cast, Instruction::FPTrunc},
    {"arith.trunci", Form::Cast, Instruction::Trunc},
    {"arith.uitofp", Form::Cast, Instruction::UIToFP},
    {"arith.xori", Form::Binary, Instruction::Xor},
    {"math.absf", Form::Intrinsic, Intrinsic::fabs},
    {"math.ceil", Form::Intrinsic, Intrinsic::ceil},
    {"math.copysign", Form::Intrinsic, Intrinsic::copysign},
    {"math.floor", Form::Intrinsic, Intrinsic::floor},
    {"math.fma", Form::Intrinsic, Intrinsic::fma},
    {"math.roundeven", Form::Intrinsic, Intrinsic::roundeven},
    {"math.sqrt", Form::Intrinsic, Intrinsic::sqrt},
    {"math.trunc", Form::Intrinsic, Intrinsic::trunc},
};

static const Row *findRow(StringRef op) {
  static const StringMap<const Row *> byName = [] {
    StringMap<const Row *> map;
    for (const Row &row : rows)
      map[row.op] = &row;
    return map;
  }();
  return byName.lookup(op);
}

static CmpInst::Predicate toPredicate(arith::CmpFPredicate predicate) {
  // The predicates of comparisons, in the order of the arith dialect.
  static constexpr CmpInst::Predicate predicates[] = {
      CmpInst::FCMP_FALSE, CmpInst::FCMP_OEQ, CmpInst::FCMP_OGT,
      CmpInst::FCMP_OGE,   CmpInst::FCMP_OLT, CmpInst::FCMP_OLE,
      CmpInst::FCMP_ONE,   CmpInst::FCMP_ORD, CmpInst::FCMP_UEQ,
      CmpInst::FCMP_UGT,   CmpInst::FCMP_UGE, CmpInst::FCMP_ULT,
      CmpInst::FCMP_ULE,   CmpInst::FCMP_UNE, CmpInst::FCMP_UNO,
      CmpInst::FCMP_TRUE};
  return predicates[static_cast<size_t>(predicate)];
}

static CmpInst::Predicate toPredicate(arith::CmpIPredicate predicate) {
  static constexpr CmpInst::Predicate predicates[] = {
      CmpInst::ICMP_EQ,  CmpInst::ICMP_NE,  CmpInst::ICMP_SLT,
      CmpInst::ICMP_SLE, CmpInst::ICMP_SGT, CmpInst::ICMP_SGE,
      CmpInst::ICMP_ULT, CmpInst::ICMP_ULE, CmpInst::ICMP_UGT,
      CmpInst::ICMP_UGE};
  return predicates[static_cast<size_t>(predicate)];
}

static Value *translateRow(IRBuilderBase &builder, const Row &row,
                           ArrayRef<Value *> operands, Type *type) {
  switch (row.form) {
  case Form::Binary:
    return builder.CreateBinOp(static_cast<Instruction::BinaryOps>(row.number),
                               operands[0], operands[1]);
  case Form::Cast:
    return builder.CreateCast(static_cast<Instruction::CastOps>(row.number),
                              operands[0], type);
  case Form::Intrinsic:
    return builder.CreateIntrinsic(row.number, {type}, operands);
  }
  llvm_unreachable("all forms are translated");
}

Value *weir::translateArithmetic(IRBuilderBase &builder, mlir::Operation &op,
                                 ArrayRef<Value *> operands, Type *type) {
  if (const Row *row = findRow(op.getName().getStringRef()))
    return translateRow(builder, *row, operands, type);
  return TypeSwitch<mlir::Operation *, Value *>(&op)
      .Case([&](arith::ConstantOp op) {
        return toLLVMConstant(op.getValue(), type);
      })
      .Case([&](arith::CmpFOp op) {
        return builder.CreateFCmp(toPredicate(op.getPredicate()), operands[0],
                                  operands[1]);
      })
      .Case([&](arith::CmpIOp op) {
        return builder.CreateICmp(toPredicate(op.getPredicate()), operands[0],
                                  operands[1]);
      })
      .Case([&](arith::SelectOp) {
        return builder.CreateSelect(operands[0], operands[1], operands[2]);
      })
      .Case([&](arith::NegFOp) { return builder.CreateFNeg(operands[0]); })
      .Case([&](arith::IndexCastOp) {
        return builder.CreateSExtOrTrunc(operands[0], type);
      })
      .Case([&](arith::IndexCastUIOp) {
        return builder.CreateZExtOrTrunc(operands[0], type);
      })
      .Case([&](math::AbsIOp) {
        return builder.CreateIntrinsic(Intrinsic::abs, {type},
                                       {operands[0], builder.getFalse()});
      })
      .Case([&](math::RsqrtOp) {
        Value *root =
            builder.CreateIntrinsic(Intrinsic::sqrt, {type}, operands);
        return builder.CreateFDiv(ConstantFP::get(type, 1.0), root);
      })
      .Default([](mlir::Operation *) { return nullptr; });
}
