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
    auto devices = getOperation()->getAttrOfType<ArrayAttr>(attrs::devices);
    firstDevice = devices && !devices.empty() ? cast<StringAttr>(devices[0])
                                              : StringAttr();
    auto insert = [&](func::FuncOp entry) {
      begin = &entry.getBody().front().front();
      for (BlockArgument input : entry.getArguments())
        if (StringAttr space = getInputSpace(input))
          copyToReaders(input, space);
      for (GroupOp group : llvm::to_vector(entry.getOps<GroupOp>()))
        for (OpResult value : group->getResults())
          copyToReaders(value, group.getDeviceAttr());
      copyHome(entry, facts);
      return success();
    };
    if (failed(forEachEntry(getOperation(), insert)))
      signalPassFailure();
  }

private:
  /// Copies assigned values to the devices of their parameters, if another
  /// entry decided on these, or if the value is an input in other memory.
  void copyHome(func::FuncOp entry, const ParameterFacts &facts) {
    llvm::MapVector<std::pair<Value, StringAttr>, Value> copies;
    for (OpOperand &use :
         entry.getBody().front().getTerminator()->getOpOperands()) {
      Attribute parameter =
          entry.getResultAttr(use.getOperandNumber(), attrs::assigns);
      StringAttr from = findPlace(use.get());
      if (!parameter || !from)
        continue;
      StringAttr home = facts.getHome(parameter);
      if (!home)
        home = firstDevice;
      if (home == from)
        continue;
      Value &copy = copies[{use.get(), home}];
      OpBuilder builder(use.getOwner());
      if (!copy)
        copy = CopyOp::create(builder, locOf(use.get()), use.get().getType(),
                              use.get(), from, home);
      use.set(copy);
    }
  }

  /// The device on which `value` is: that of its group, or the isolated one in
  /// whose memory an input lies. Null for other values.
  static StringAttr findPlace(Value value) {
    auto group = value.getDefiningOp<GroupOp>();
    return group ? group.getDeviceAttr() : getInputSpace(value);
  }

  static Location locOf(Value value) {
    Operation *op = value.getDefiningOp();
    return op ? op->getLoc() : value.getLoc();
  }

  /// The device that reads `use` of a value: that of a group, or the isolated
  /// one in whose memory an output lies. Null if it reads nothing, or from the
  /// host's memory.
  static StringAttr readerOf(OpOperand &use) {
    if (auto group = dyn_cast<GroupOp>(use.getOwner()))
      return group.getDeviceAttr();
    auto exit = dyn_cast<func::ReturnOp>(use.getOwner());
    return exit ? getOutputSpace(exit->getParentOfType<func::FuncOp>(),
                                 use.getOperandNumber())
                : StringAttr();
  }

  /// Copies `value`, which is on the device `home`, to its other readers.
  void copyToReaders(Value value, StringAttr home) {
    llvm::MapVector<StringAttr, SmallVector<OpOperand *>> readers;
    for (OpOperand &use : value.getUses())
      if (StringAttr reader = readerOf(use); reader && reader != home)
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

  /// The op before which `value` is copied for `uses`: the first of them, so
  /// that the device does as much other work as possible before it waits for
  /// the value. An input is there from the beginning.
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
  /// The home of parameters to which no group computes a value.
  StringAttr firstDevice;
};
} // namespace
