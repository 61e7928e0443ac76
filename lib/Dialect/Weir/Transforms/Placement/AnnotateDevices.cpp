//===- AnnotateDevices.cpp - Applies device annotations and rules ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/Folding/ComputedOps.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Lifting/EntryNames.h"
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
    FailureOr<SmallVector<func::FuncOp>> entries = getEntries(getOperation());
    if (failed(entries))
      return signalPassFailure();
    bool hasFailed = false;
    for (func::FuncOp entry : *entries)
      for (auto op : entry.getOps<WeirOpInterface>())
        if (StringAttr device = op.getDeviceAttr())
          hasFailed |= failed(annotate(op, device.getValue(), op.getLoc()));
    rules.clear();
    for (StringRef rule : place)
      hasFailed |= failed(applyRule(*entries, rule));
    if (hasFailed || failed(checkRules(*entries)))
      signalPassFailure();
  }

private:
  using Entries = ArrayRef<func::FuncOp>;

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

  LogicalResult applyRule(Entries entries, StringRef rule) {
    StatusOr<PlacementRule> parsed = parsePlacementRule(rule);
    if (!parsed.isOk())
      return emitFlagError(entries, "--place")
             << StringRef(parsed.status().message());
    FailureOr<SmallVector<WeirOpInterface>> ops =
        parsed->isAfter ? findDependents(entries, rule, parsed->pattern)
                        : findMatches(entries, rule, parsed->pattern);
    if (failed(ops))
      return failure();
    auto attr = StringAttr::get(&getContext(), parsed->device.toString());
    for (WeirOpInterface op : *ops)
      op.setDeviceAttr(attr);
    rules.push_back({rule, *std::move(ops)});
    return success();
  }

  /// Refuses rules that have no effect.
  LogicalResult checkRules(Entries entries) {
    llvm::DenseSet<Operation *> computed;
    for (func::FuncOp entry : entries)
      computed.insert_range(findComputedOps(entry.getBody().front()));
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
      auto error = emitFlagError(entries, "--place");
      error << "placement rule '" << rule.text << "' ";
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

  static std::string offerOps(Entries entries, StringRef name) {
    return offerInEntries(
        entries, name, "ops",
        [](func::FuncOp entry, SmallVectorImpl<std::string> &names) {
          for (auto op : entry.getOps<WeirOpInterface>())
            names.push_back(weir::getOpName(op).str());
        });
  }

  /// The ops of `entry` that `pattern` fits.
  static SmallVector<WeirOpInterface> findOps(func::FuncOp entry,
                                              StringRef pattern) {
    SmallVector<WeirOpInterface> ops;
    StatusOr<Glob> glob = Glob::parse(pattern);
    for (auto op : entry.getOps<WeirOpInterface>())
      if (glob.isOk() && glob->matches(weir::getOpName(op)))
        ops.push_back(op);
    return ops;
  }

  FailureOr<SmallVector<WeirOpInterface>>
  findMatches(Entries entries, StringRef rule, StringRef pattern) {
    NamedInEntries named =
        findInEntries(entries, pattern, [](func::FuncOp entry, StringRef part) {
          return !findOps(entry, part).empty();
        });
    SmallVector<WeirOpInterface> ops;
    for (func::FuncOp entry : named.entries)
      llvm::append_range(ops, findOps(entry, named.name));
    if (ops.empty())
      return emitFlagError(entries, "--place")
             << "placement rule '" << rule << "' fits no op; "
             << offerOps(entries, pattern);
    return ops;
  }

  /// Whether `entry` has an op or input called `node`.
  static bool hasNode(func::FuncOp entry, StringRef node) {
    return findInput(entry, node) ||
           llvm::any_of(entry.getBody().front(), [&](Operation &op) {
             return op.getNumResults() && weir::getOpName(&op) == node;
           });
  }

  /// All ops of `entry` that depend on the op or input called `node`, except
  /// the op `node` itself.
  static SmallVector<WeirOpInterface> findDependentsIn(func::FuncOp entry,
                                                       StringRef node) {
    llvm::DenseSet<Value> reached;
    for (BlockArgument input : entry.getArguments())
      if (getValueName(input) == node)
        reached.insert(input);
    SmallVector<WeirOpInterface> ops;
    for (Operation &op : entry.getBody().front()) {
      bool isNode = op.getNumResults() && weir::getOpName(&op) == node;
      bool depends = llvm::any_of(op.getOperands(), [&](Value operand) {
        return reached.contains(operand);
      });
      if (!isNode && !depends)
        continue;
      reached.insert_range(op.getResults());
      if (auto weirOp = dyn_cast<WeirOpInterface>(op); weirOp && !isNode)
        ops.push_back(weirOp);
    }
    return ops;
  }

  FailureOr<SmallVector<WeirOpInterface>>
  findDependents(Entries entries, StringRef rule, StringRef node) {
    NamedInEntries named = findInEntries(entries, node, hasNode);
    if (named.entries.empty())
      return emitFlagError(entries, "--place")
             << "placement rule '" << rule << "' names no op or input; "
             << offerOps(entries, node);
    SmallVector<WeirOpInterface> ops;
    for (func::FuncOp entry : named.entries)
      llvm::append_range(ops, findDependentsIn(entry, named.name));
    if (ops.empty())
      return emitFlagError(entries, "--place")
             << "placement rule '" << rule
             << "' fits no op: nothing depends on '" << node
             << "'; without after: a rule places the op itself";
    return ops;
  }

  /// A rule that was applied.
  struct Rule {
    StringRef text;
    SmallVector<WeirOpInterface> ops;
  };
  std::vector<Rule> rules;
};
} // namespace
