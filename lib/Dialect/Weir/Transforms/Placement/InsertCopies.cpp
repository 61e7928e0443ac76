//===- InsertCopies.cpp - Inserts copies at crossings ---------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
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
    func::FuncOp entry = getEntry(getOperation());
    if (!entry)
      return signalPassFailure();
    for (GroupOp group : llvm::to_vector(entry.getOps<GroupOp>()))
      for (OpResult value : group->getResults())
        copyToReaders(group, value);
  }

private:
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
