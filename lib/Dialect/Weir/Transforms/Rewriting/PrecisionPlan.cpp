//===- PrecisionPlan.cpp - Which ops of a graph run in 16 bits --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Ops that are faster in 16 bits are anchors. They form regions of 16 bits with
// the ops between them. Ops inside of a region then return to f32 if that saves
// digits and costs no pass over memory. Values between the ops of one kernel
// are in registers, and always in f32.
//
//===----------------------------------------------------------------------===//

#include "PrecisionPlan.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/Folding/ConstantData.h"
#include "weir/Support/DType.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;

/// The least work of a product for which a cast is worthwhile. A smaller
/// product takes about as long as its launch, in either precision.
static constexpr int64_t leastFlops = int64_t(1) << 17;

bool weir::isF32(Value value) {
  return getTensorType(value).getElementType().isF32();
}

OperandPrecision weir::getOperandPrecision(OpOperand &operand) {
  auto op = dyn_cast<WeirOpInterface>(operand.getOwner());
  if (!op || !isF32(operand.get()))
    return OperandPrecision::Apart;
  const OpRecord &record = op.getOpRecord();
  StringRef entry = record.getOperandType(operand.getOperandNumber());
  bool mayBeWide = entry.consume_back("+");
  if (entry != record.getResultType())
    return OperandPrecision::Apart;
  return mayBeWide ? OperandPrecision::MayBeWide : OperandPrecision::AsResult;
}

bool weir::hasOpPrecision(OpResult result) {
  auto op = dyn_cast<WeirOpInterface>(result.getOwner());
  return op && isF32(result) &&
         op.getOpRecord().getResultType(result.getResultNumber()) ==
             op.getOpRecord().getResultType();
}

static PrecisionRole getRole(WeirOpInterface op) {
  return op.getOpRecord().getPrecisionRole();
}

static bool computesF32(WeirOpInterface op) {
  return isF32(op->getResult(0)) &&
         llvm::any_of(op->getOpOperands(), [](OpOperand &operand) {
           return getOperandPrecision(operand) == OperandPrecision::AsResult;
         });
}

PrecisionPlan::PrecisionPlan(func::FuncOp entry, const ParameterFacts &facts,
                             DType narrow, WhyNotNarrowFn whyNotNarrow)
    : narrow(narrow), whyNotNarrow(std::move(whyNotNarrow)),
      derivable(entry, facts) {
  Block &block = entry.getBody().front();
  findWhatFeeds(block);
  formRegions(block);
  widenForward(block);
  widenBackward(block);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

bool PrecisionPlan::isAnchor(WeirOpInterface op) const {
  return getRole(op) == PrecisionRole::Narrow && computesF32(op) &&
         !derivable.contains(op->getResult(0)) &&
         getCost(op).flops >= leastFlops && whyNotNarrow(op).empty();
}

bool PrecisionPlan::mayFollow(WeirOpInterface op) const {
  return getRole(op) != PrecisionRole::Wide && computesF32(op) &&
         !derivable.contains(op->getResult(0)) && whyNotNarrow(op).empty();
}

void PrecisionPlan::findWhatFeeds(Block &block) {
  for (Operation &op : llvm::reverse(block))
    if (llvm::any_of(op.getUsers(), [&](Operation *user) {
          auto reader = dyn_cast<WeirOpInterface>(user);
          return reader && (isAnchor(reader) ||
                            (mayFollow(reader) && feeds.contains(user)));
        }))
      feeds.insert(&op);
}

void PrecisionPlan::formRegions(Block &block) {
  for (auto op : block.getOps<WeirOpInterface>()) {
    if (getRole(op) == PrecisionRole::Narrow && computesF32(op))
      if (std::string reason = whyNotNarrow(op); !reason.empty())
        reasons[op] = std::move(reason);
    if (!mayFollow(op))
      continue;
    bool follows = llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
      return getOperandPrecision(operand) == OperandPrecision::AsResult &&
             isInRegion(operand.get());
    });
    if (isAnchor(op) || (follows && feeds.contains(op)))
      ops[op] = OpPrecision::Narrow;
    else if (getRole(op) == PrecisionRole::Narrow)
      reasons[op] =
          fmt::format("it is too small to be faster in {}", toString(narrow));
    else if (follows)
      reasons[op] =
          fmt::format("no later op is faster in {}", toString(narrow));
  }
}

//===----------------------------------------------------------------------===//
// f32 inside of regions
//===----------------------------------------------------------------------===//

void PrecisionPlan::widen(Operation *op, std::string reason) {
  ops[op] = OpPrecision::Wide;
  reasons[op] = std::move(reason);
}

static bool isPointwise(Operation *op) {
  auto weirOp = dyn_cast_or_null<WeirOpInterface>(op);
  return weirOp && weirOp.getOpRecord().isPointwise();
}

/// Whether `value` is a constant whose elements are all exact in `type`. The
/// values of parameters are not known.
static bool isExact(Value value, DType type) {
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant)
    return false;
  std::vector<char> bytes = getConstantBytes(constant.getValue());
  for (int64_t i = 0; i < getTensorType(value).getNumElements(); ++i) {
    double number = loadFloat(DType::F32, bytes.data(), i);
    char rounded[sizeof(uint16_t)];
    storeFloat(type, rounded, 0, number);
    if (loadFloat(type, rounded, 0) != number)
      return false;
  }
  return true;
}

/// Whether `value` exists in f32 independently of its readers. This is so if it
/// comes from outside of all regions and no product needs it in 16 bits, or if
/// a sensitive op computes it in f32.
bool PrecisionPlan::isStoredWide(Value value) const {
  Operation *op = value.getDefiningOp();
  if (isInRegion(value))
    return ops.lookup(op) == OpPrecision::Wide &&
           getRole(cast<WeirOpInterface>(op)) == PrecisionRole::Sensitive;
  return llvm::none_of(value.getUses(), [&](OpOperand &use) {
    auto reader = dyn_cast<WeirOpInterface>(use.getOwner());
    return reader && getRole(reader) == PrecisionRole::Narrow &&
           isInRegion(reader) &&
           getOperandPrecision(use) == OperandPrecision::AsResult;
  });
}

/// Whether a reader can have `value` in f32 without a copy. This is so if
/// `value` is in f32, or if the op that computes it may write f32 for its only
/// reader.
bool PrecisionPlan::isWideForFree(Value value) const {
  Operation *op = value.getDefiningOp();
  if (isStoredWide(value) || !isInRegion(value))
    return isStoredWide(value);
  auto producer = cast<WeirOpInterface>(op);
  return value.hasOneUse() &&
         (getRole(producer) == PrecisionRole::Narrow || isPointwise(op) ||
          ops.lookup(op) == OpPrecision::Wide);
}

/// The reason why a pointwise op should be in f32 because of its operands;
/// empty if there is none.
std::string PrecisionPlan::whyWideForward(WeirOpInterface op) const {
  bool loses = false, isMixed = false, continues = false, isFree = true;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (getOperandPrecision(operand) != OperandPrecision::AsResult)
      continue;
    if (derivable.contains(value)) {
      loses |= !isExact(value, narrow);
      continue;
    }
    Operation *producer = value.getDefiningOp();
    isMixed |= isStoredWide(value);
    isFree &= isWideForFree(value);
    continues |= isPointwise(producer) && value.hasOneUse() &&
                 ops.lookup(producer) == OpPrecision::Wide;
  }
  if (loses)
    return fmt::format("a constant operand is not exact in {}",
                       toString(narrow));
  if (isMixed && isFree)
    return "an operand is f32";
  return continues && isFree ? "the ops before it are in f32" : "";
}

void PrecisionPlan::widenForward(Block &block) {
  for (auto op : block.getOps<WeirOpInterface>()) {
    if (!isInRegion(op))
      continue;
    if (getRole(op) == PrecisionRole::Sensitive && canBeWide(op))
      widen(op, "it magnifies the rounding error of its operand");
    else if (isPointwise(op))
      if (std::string reason = whyWideForward(op); !reason.empty())
        widen(op, std::move(reason));
  }
}

/// Whether f32 is best for the reader of `use`. A reader without results only
/// observes a tensor, and takes any type.
bool PrecisionPlan::wantsWide(OpOperand &use) const {
  Operation *reader = use.getOwner();
  if (reader->getNumResults() == 0 &&
      !reader->hasTrait<OpTrait::IsTerminator>())
    return true;
  return ops.lookup(reader) != OpPrecision::Narrow ||
         getOperandPrecision(use) != OperandPrecision::AsResult;
}

/// Whether all operands of `op` are available in f32 at no cost.
bool PrecisionPlan::canBeWide(WeirOpInterface op) const {
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    return getOperandPrecision(operand) != OperandPrecision::AsResult ||
           derivable.contains(operand.get()) || isWideForFree(operand.get());
  });
}

void PrecisionPlan::widenBackward(Block &block) {
  auto inOrder = llvm::to_vector(block.getOps<WeirOpInterface>());
  for (WeirOpInterface op : llvm::reverse(inOrder)) {
    if (ops.lookup(op) != OpPrecision::Narrow || !canBeWide(op))
      continue;
    bool isForWide = llvm::all_of(
        op->getUses(), [&](OpOperand &use) { return wantsWide(use); });
    bool isFree = isPointwise(op) || op.isReinterpretation();
    if (getRole(op) == PrecisionRole::Follow && isFree && isForWide)
      widen(op, "its readers use f32");
  }
}
