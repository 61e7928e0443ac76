//===- SingleLaneStores.cpp - Stores of one lane of a vector --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "SingleLaneStores.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace weir;

/// The only lane that is set in a constant `mask`. Nothing if several or none
/// are set, or if the mask is not a constant.
static std::optional<unsigned> findSingleLane(const Value &mask) {
  const auto *constant = dyn_cast<Constant>(&mask);
  const auto *type = dyn_cast<FixedVectorType>(mask.getType());
  if (!constant || !type)
    return std::nullopt;
  std::optional<unsigned> found;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    const Constant *bit = constant->getAggregateElement(lane);
    // The back end treats an undefined lane as not set.
    if (bit && (bit->isNullValue() || isa<UndefValue>(bit)))
      continue;
    if (!bit || !bit->isOneValue() || found)
      return std::nullopt;
    found = lane;
  }
  return found;
}

/// Replaces `store` by a scalar store if it is a masked store of one lane.
static bool replace(IntrinsicInst &store) {
  if (store.getIntrinsicID() != Intrinsic::masked_store)
    return false;
  Value *value = store.getArgOperand(0), *place = store.getArgOperand(1);
  const std::optional<unsigned> lane = findSingleLane(*store.getArgOperand(2));
  if (!lane)
    return false;
  IRBuilder<> builder(&store);
  Value *element = builder.CreateExtractElement(value, uint64_t(*lane));
  Value *at =
      builder.CreateConstInBoundsGEP1_64(element->getType(), place, *lane);
  const DataLayout &layout = store.getDataLayout();
  const uint64_t offset = *lane * layout.getTypeStoreSize(element->getType());
  const Align whole = store.getParamAlign(1).valueOrOne();
  builder.CreateAlignedStore(element, at, commonAlignment(whole, offset));
  store.eraseFromParent();
  return true;
}

PreservedAnalyses SingleLaneStoresPass::run(Function &function,
                                            FunctionAnalysisManager &) {
  bool hasChanged = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
      hasChanged |= replace(*call);
  if (!hasChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
