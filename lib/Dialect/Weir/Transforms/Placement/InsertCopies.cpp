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
      begin = &entry.getBody().front().front();
      for (BlockArgument input : entry.getArguments())
        if (StringAttr space = getInputSpace(input))
          copyToReaders(input, space, facts);
      for (GroupOp group : llvm::to_vector(entry.getOps<GroupOp>()))
        for (OpResult value : group->getResults())
          copyToReaders(value, group.getDeviceAttr(), facts);
      return success();
    };
    if (failed(forEachEntry(getOperation(), insert)))
      signalPassFailure();
  }

private:
  static Location locOf(Value value) {
    Operation *op = value.getDefiningOp();
    return op ? op->getLoc() : value.getLoc();
  }

  /// Copies `value`, which is on the device `home`, to its readers on other
  /// devices.
  void copyToReaders(Value value, StringAttr home,
                     const ParameterFacts &facts) {
    llvm::MapVector<StringAttr, SmallVector<OpOperand *>> readers;
    for (OpOperand &use : value.getUses())
      if (StringAttr reader = facts.getReader(use); reader && reader != home)
        readers[reader].push_back(&use);
    // Uses are listed last to first; copies are inserted in device order.
    auto order = readers.takeVector();
    llvm::sort(order, [](const auto &left, const auto &right) {
      return left.first.getValue() < right.first.getValue();
    });
    for (auto &[device, uses] : order) {
      OpBuilder builder(findFirst(value, uses));
      auto copy = CopyOp::create(builder, locOf(value), value.getType(), value,
                                 home, device);
      for (OpOperand *use : uses)
        use->set(copy.getResult());
    }
  }

  /// The op before which `value` is copied for `uses`. This is the first user,
  /// so that the device does as much other work as possible before it waits for
  /// the value. An input is copied before all ops, because it exists from the
  /// beginning.
  Operation *findFirst(Value value, ArrayRef<OpOperand *> uses) const {
    if (isa<BlockArgument>(value))
      return begin;
    Operation *first = uses.front()->getOwner();
    for (OpOperand *use : uses)
      if (use->getOwner()->isBeforeInBlock(first))
        first = use->getOwner();
    return first;
  }

  /// The first op of the entry before any copy was inserted.
  Operation *begin = nullptr;
};
} // namespace
