//===- InsertCopies.cpp - Inserts copies at crossings ---------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/ParameterFacts.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"

namespace weir {
#define GEN_PASS_DEF_INSERTCOPIES
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
class InsertCopies : public weir::impl::InsertCopiesBase<InsertCopies> {
public:
  using InsertCopiesBase::InsertCopiesBase;

  void runOnOperation() override {
    const ParameterFacts facts(getOperation());
    auto insert = [&](func::FuncOp entry) {
      for (GroupOp group : llvm::to_vector(entry.getOps<GroupOp>()))
        for (OpResult value : group->getResults())
          copyToReaders(group, value);
      copyHome(entry, facts);
      return success();
    };
    if (failed(forEachEntry(getOperation(), insert)))
      signalPassFailure();
  }

private:
  /// Copies assigned values to the devices of their parameters, if another
  /// entry decided on these.
  void copyHome(func::FuncOp entry, const ParameterFacts &facts) {
    llvm::MapVector<std::pair<Value, StringAttr>, Value> copies;
    for (OpOperand &use :
         entry.getBody().front().getTerminator()->getOpOperands()) {
      auto group = use.get().getDefiningOp<GroupOp>();
      StringAttr home = facts.getHome(
          entry.getResultAttr(use.getOperandNumber(), attrs::assigns));
      if (!group || !home || home == group.getDeviceAttr())
        continue;
      Value &copy = copies[{use.get(), home}];
      OpBuilder builder(use.getOwner());
      if (!copy)
        copy = CopyOp::create(builder, group.getLoc(), use.get().getType(),
                              use.get(), group.getDeviceAttr(), home);
      use.set(copy);
    }
  }

  void copyToReaders(GroupOp producer, OpResult value) {
    llvm::MapVector<StringAttr, SmallVector<OpOperand *>> readers;
    for (OpOperand &use : value.getUses())
      if (auto reader = dyn_cast<GroupOp>(use.getOwner()))
        if (reader.getDeviceAttr() != producer.getDeviceAttr())
          readers[reader.getDeviceAttr()].push_back(&use);
    // Uses are listed last to first; copies are inserted in device order.
    auto order = readers.takeVector();
    llvm::sort(order, [](const auto &left, const auto &right) {
      return left.first.getValue() < right.first.getValue();
    });
    for (auto &[device, uses] : order) {
      // The copy goes before the first reader, so that the device does as much
      // other work as possible before it waits for the value.
      Operation *first = uses.front()->getOwner();
      for (OpOperand *use : uses)
        if (use->getOwner()->isBeforeInBlock(first))
          first = use->getOwner();
      OpBuilder builder(first);
      auto copy = CopyOp::create(builder, producer.getLoc(), value.getType(),
                                 value, producer.getDeviceAttr(), device);
      for (OpOperand *use : uses)
        use->set(copy.getResult());
    }
  }
};
} // namespace
