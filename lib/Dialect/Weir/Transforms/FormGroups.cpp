//===- FormGroups.cpp - Puts ops that run as one kernel into groups -------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"

#include "llvm/ADT/SetVector.h"

namespace weir {
#define GEN_PASS_DEF_FORMGROUPS
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
/// Ops that become one group, in order.
struct Cluster {
  SmallVector<WeirOpInterface> ops;
  StringAttr device;
  IntegerAttr stage;
  /// Names of ops that only their annotation kept out.
  SmallVector<Attribute> split;

  WeirOpInterface last() { return ops.back(); }
};

class FormGroups : public weir::impl::FormGroupsBase<FormGroups> {
public:
  using FormGroupsBase::FormGroupsBase;

  void runOnOperation() override {
    func::FuncOp entry = getEntry(getOperation());
    if (!entry)
      return signalPassFailure();
    llvm::DenseSet<Operation *> taken;
    SmallVector<Cluster> clusters;
    for (auto op : entry.getOps<WeirOpInterface>())
      if (!taken.contains(op)) {
        clusters.push_back(grow(op, taken));
        for (WeirOpInterface member : clusters.back().ops)
          taken.insert(member);
      }
    for (Cluster &cluster : clusters)
      outline(cluster);
  }

private:
  /// The most ops in a group, so that compile time per group stays bounded.
  static constexpr size_t maxOps = 16;

  Cluster grow(WeirOpInterface anchor,
               const llvm::DenseSet<Operation *> &taken) {
    Cluster cluster;
    cluster.ops.push_back(anchor);
    cluster.device = anchor.getDeviceAttr();
    cluster.stage = anchor.getStageAttr();
    bool takesEpilogues = acceptsEpilogues(anchor) && !isView(anchor);
    while (cluster.ops.size() < maxOps) {
      WeirOpInterface next = getOnlyReader(cluster.last());
      if (!next || taken.contains(next))
        break;
      bool isNextView = isView(next);
      Value running = cluster.last()->getResult(0);
      bool isEpilogue = takesEpilogues && (asEpilogue(next, running) ||
                                           isCastEpilogue(next, anchor));
      if (!isNextView && !isEpilogue)
        break;
      if (!agrees(cluster, next)) {
        // What passes made asks for nothing that it could be kept from.
        if (!anchor.getOpRecord().isInternal())
          cluster.split.push_back(
              StringAttr::get(&getContext(), weir::getOpName(next)));
        break;
      }
      cluster.ops.push_back(next);
      // Behind a view the kernel's result has another shape.
      takesEpilogues &= !isNextView;
    }
    return cluster;
  }

  /// The op that alone reads the only result of `op`, if it is one that a group
  /// can hold.
  WeirOpInterface getOnlyReader(WeirOpInterface op) {
    if (op->getNumResults() != 1 || !op->getResult(0).hasOneUse())
      return {};
    return dyn_cast<WeirOpInterface>(*op->getResult(0).getUsers().begin());
  }

  /// An op that asks for nothing goes along; one that asks for another device
  /// or stage than the group's stays out.
  static bool agrees(const Cluster &cluster, WeirOpInterface op) {
    return (!op.getDeviceAttr() || op.getDeviceAttr() == cluster.device) &&
           (!op.getStageAttr() || op.getStageAttr() == cluster.stage);
  }

  /// Moves the ops into a group where the last of them stands.
  void outline(Cluster &cluster) {
    llvm::SetVector<Value> inputs;
    llvm::SmallPtrSet<Operation *, 16> members;
    for (WeirOpInterface op : cluster.ops) {
      for (Value operand : op->getOperands())
        if (!members.contains(operand.getDefiningOp()))
          inputs.insert(operand);
      members.insert(op);
    }
    Operation *last = cluster.last();
    OpBuilder builder(last);
    auto group = GroupOp::create(builder, cluster.ops.front()->getLoc(),
                                 last->getResultTypes(), inputs.getArrayRef(),
                                 cluster.device, cluster.stage);
    if (!cluster.split.empty())
      group->setAttr(attrs::splitBy, builder.getArrayAttr(cluster.split));
    moveInto(group, cluster, inputs.getArrayRef());
  }

  void moveInto(GroupOp group, Cluster &cluster, ArrayRef<Value> inputs) {
    Block *block = new Block();
    group.getBody().push_back(block);
    llvm::DenseMap<Value, Value> arguments;
    for (Value input : inputs)
      arguments[input] = block->addArgument(input.getType(), input.getLoc());
    Operation *last = cluster.last();
    last->replaceAllUsesWith(group.getResults());
    for (WeirOpInterface op : cluster.ops) {
      op->moveBefore(block, block->end());
      op.setDeviceAttr({});
      for (OpOperand &operand : op->getOpOperands())
        if (Value argument = arguments.lookup(operand.get()))
          operand.set(argument);
    }
    OpBuilder builder = OpBuilder::atBlockEnd(block);
    YieldOp::create(builder, last->getLoc(), last->getResults());
  }
};
} // namespace
