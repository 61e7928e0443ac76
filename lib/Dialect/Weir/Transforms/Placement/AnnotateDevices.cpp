//===- AnnotateDevices.cpp - Applies device annotations and rules ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/Folding/ComputedOps.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"
#include "weir/Support/DeviceName.h"
#include "weir/Support/Glob.h"
#include "weir/Support/OptionText.h"

namespace weir {
#define GEN_PASS_DEF_ANNOTATEDEVICES
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
class AnnotateDevices
    : public weir::impl::AnnotateDevicesBase<AnnotateDevices> {
public:
  using AnnotateDevicesBase::AnnotateDevicesBase;

  void runOnOperation() override {
    func::FuncOp entry = getEntry(getOperation());
    if (!entry)
      return signalPassFailure();
    bool hasFailed = false;
    for (auto op : entry.getOps<WeirOpInterface>())
      if (StringAttr device = op.getDeviceAttr())
        hasFailed |= failed(annotate(op, device.getValue(), op.getLoc()));
    rules.clear();
    for (StringRef rule : place)
      hasFailed |= failed(applyRule(entry, rule));
    if (hasFailed || failed(checkRules(entry)))
      signalPassFailure();
  }

private:
  LogicalResult annotate(WeirOpInterface op, StringRef spelling,
                         Location location) {
    StatusOr<DeviceName> device = parseDeviceName(spelling);
    if (!device.isOk())
      return emitError(location, "'")
             << weir::getOpName(op)
             << "': " << StringRef(device.status().message());
    op.setDeviceAttr(StringAttr::get(op.getContext(), device->toString()));
    return success();
  }

  LogicalResult applyRule(func::FuncOp entry, StringRef rule) {
    StatusOr<PlacementRule> parsed = parsePlacementRule(rule);
    if (!parsed.isOk())
      return entry.emitError(StringRef(parsed.status().message()));
    FailureOr<SmallVector<WeirOpInterface>> ops =
        parsed->isAfter ? findDependents(entry, rule, parsed->pattern)
                        : findMatches(entry, rule, parsed->pattern);
    if (failed(ops))
      return failure();
    auto attr = StringAttr::get(entry.getContext(), parsed->device.toString());
    for (WeirOpInterface op : *ops)
      op.setDeviceAttr(attr);
    rules.push_back({rule, *std::move(ops)});
    return success();
  }

  /// Refuses rules that decide nothing.
  LogicalResult checkRules(func::FuncOp entry) {
    llvm::DenseSet<Operation *> computed =
        findComputedOps(entry.getBody().front());
    llvm::DenseMap<Operation *, size_t> decider;
    for (auto [number, rule] : llvm::enumerate(rules))
      for (WeirOpInterface op : rule.ops)
        if (computed.contains(op))
          decider[op] = number;
    std::vector<bool> decides(rules.size());
    for (auto [op, number] : decider)
      decides[number] = true;
    for (auto [number, rule] : llvm::enumerate(rules)) {
      if (decides[number])
        continue;
      bool isComputed = llvm::any_of(
          rule.ops, [&](WeirOpInterface op) { return computed.contains(op); });
      auto error = entry.emitError("placement rule '") << rule.text << "' ";
      if (isComputed)
        return error << "decides nothing: later rules place all that it fits; "
                        "give it after them, or leave it out";
      return error << "fits only what no device computes, such as '"
                   << weir::getOpName(rule.ops.front())
                   << "': constants, parameters, and ops whose results nothing "
                      "uses; name an op that is computed, or leave it out";
    }
    return success();
  }

  FailureOr<SmallVector<WeirOpInterface>>
  findMatches(func::FuncOp entry, StringRef rule, StringRef pattern) {
    Glob glob = *Glob::parse(pattern);
    SmallVector<WeirOpInterface> ops;
    for (auto op : entry.getOps<WeirOpInterface>())
      if (glob.matches(weir::getOpName(op)))
        ops.push_back(op);
    if (ops.empty())
      return entry.emitError("placement rule '")
             << rule << "' fits no op; the ops are " << listOpNames(entry);
    return ops;
  }

  /// All ops that depend on the op or input called `node`, except itself.
  FailureOr<SmallVector<WeirOpInterface>>
  findDependents(func::FuncOp entry, StringRef rule, StringRef node) {
    llvm::DenseSet<Value> reached;
    for (BlockArgument input : entry.getArguments())
      if (getValueName(input) == node)
        reached.insert(input);
    SmallVector<WeirOpInterface> ops;
    bool isKnown = !reached.empty();
    for (Operation &op : entry.getBody().front()) {
      bool isNode = op.getNumResults() && weir::getOpName(&op) == node;
      isKnown |= isNode;
      bool depends = llvm::any_of(op.getOperands(), [&](Value operand) {
        return reached.contains(operand);
      });
      if (!isNode && !depends)
        continue;
      reached.insert_range(op.getResults());
      if (auto weirOp = dyn_cast<WeirOpInterface>(op); weirOp && !isNode)
        ops.push_back(weirOp);
    }
    if (isKnown && ops.empty())
      return entry.emitError("placement rule '")
             << rule << "' fits no op: nothing depends on '" << node
             << "'; without after: a rule places the op itself";
    if (isKnown)
      return ops;
    return entry.emitError("placement rule '")
           << rule << "' names no op or input; the ops are "
           << listOpNames(entry);
  }

  /// A rule that was applied.
  struct Rule {
    StringRef text;
    SmallVector<WeirOpInterface> ops;
  };
  std::vector<Rule> rules;
};
} // namespace
