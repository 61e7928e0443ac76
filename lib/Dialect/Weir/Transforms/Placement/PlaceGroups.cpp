//===- PlaceGroups.cpp - Decides the device of every group ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DescribePlacement.h"
#include "weir/Analysis/Placement.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"

namespace weir {
#define GEN_PASS_DEF_PLACEGROUPS
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
class PlaceGroups : public weir::impl::PlaceGroupsBase<PlaceGroups> {
public:
  using PlaceGroupsBase::PlaceGroupsBase;

  void runOnOperation() override;
};

/// Writes a placement into the graph.
class PlacementWriter {
public:
  PlacementWriter(DescribedGroups &groups,
                  const analysis::PlacementOptions &options,
                  MLIRContext *context)
      : problem(groups.problem), ops(groups.ops),
        texts(problem, options,
              [&groups](uint32_t group) {
                return weir::getOpName(groups.ops[group]).str();
              }),
        builder(context), times(problem.works.size()) {}

  /// Reports groups that are not on their wanted device. Fails if some of them
  /// are errors.
  LogicalResult report(ArrayRef<analysis::PlacementDecision> decisions);
  void apply(ArrayRef<analysis::PlacementDecision> decisions);

private:
  StringAttr nameOf(uint32_t device) {
    return builder.getStringAttr(problem.devices[device].name.toString());
  }
  void placeAtReaders(uint32_t group);
  void setFollowing(GroupOp relayout, uint32_t group, StringAttr device);
  StringAttr deviceOf(Value value);
  DictionaryAttr getTimes(uint32_t work);
  void setReason(GroupOp op, uint32_t group, StringRef reason,
                 const std::string &why);

  const analysis::PlacementProblem &problem;
  MutableArrayRef<GroupOp> ops;
  const analysis::PlacementTexts texts;
  Builder builder;
  /// For each work, the predicted times on all devices. Groups of data-parallel
  /// replicas have the same work, and share one attribute.
  std::vector<DictionaryAttr> times;
};
} // namespace

LogicalResult
PlacementWriter::report(ArrayRef<analysis::PlacementDecision> decisions) {
  bool hasErrors = false;
  for (const bool areErrors : {true, false})
    for (uint32_t group = 0; group < ops.size(); ++group) {
      const analysis::PlacementDecision &decision = decisions[group];
      if (decision.outcome == analysis::PlacementOutcome::Placed ||
          texts.isError(decision) != areErrors)
        continue;
      const std::string text = texts.describeIssue(group, decision);
      if (areErrors)
        emitError(ops[group].getLoc(), StringRef(text));
      else
        emitWarning(ops[group].getLoc(), StringRef(text));
      hasErrors |= areErrors;
    }
  return failure(hasErrors);
}

/// Sets the devices, and the reasons as attributes for reports.
void PlacementWriter::apply(ArrayRef<analysis::PlacementDecision> decisions) {
  for (uint32_t group = 0; group < ops.size(); ++group) {
    if (problem.groups[group].isRelayout)
      continue;
    const analysis::PlacementDecision &decision = decisions[group];
    ops[group].setDeviceAttr(nameOf(decision.device));
    setReason(ops[group], group, texts.reasonOf(decision),
              texts.describe(group, decision));
  }
  // Relayouts are placed last to first, because readers must be placed before
  // them.
  for (auto group = static_cast<uint32_t>(ops.size()); group-- > 0;)
    if (problem.groups[group].isRelayout)
      placeAtReaders(group);
}

/// Puts a copy of the relayout `group` on each device that reads its result. If
/// the caller reads the result, a copy is on the device whose memory holds the
/// output, or else on the device of the operand.
void PlacementWriter::placeAtReaders(uint32_t group) {
  GroupOp relayout = ops[group];
  StringAttr home = deviceOf(relayout.getInputs().front());
  llvm::MapVector<StringAttr, SmallVector<OpOperand *>> readers;
  for (OpOperand &use : relayout.getResult(0).getUses()) {
    auto reader = dyn_cast<GroupOp>(use.getOwner());
    StringAttr device = reader ? reader.getDeviceAttr() : getSpaceOfUse(use);
    readers[device ? device : home].push_back(&use);
  }
  // A relayout without readers stays with its operand.
  if (readers.empty())
    return setFollowing(relayout, group, home);
  auto order = readers.takeVector();
  llvm::sort(order, [](const auto &left, const auto &right) {
    return left.first.getValue() < right.first.getValue();
  });
  for (auto &[device, uses] : llvm::drop_begin(order)) {
    OpBuilder creator(relayout);
    auto copy = cast<GroupOp>(creator.clone(*relayout));
    for (OpOperand *use : uses)
      use->set(copy.getResult(0));
    setFollowing(copy, group, device);
  }
  setFollowing(relayout, group, order.front().first);
}

StringAttr PlacementWriter::deviceOf(Value value) {
  const Value origin = throughRelayouts(value);
  if (StringAttr space = getInputSpace(origin))
    return space;
  if (auto producer = origin.getDefiningOp<GroupOp>())
    return producer.getDeviceAttr();
  return nameOf(0);
}

void PlacementWriter::setFollowing(GroupOp relayout, uint32_t group,
                                   StringAttr device) {
  relayout.setDeviceAttr(device);
  setReason(relayout, group, "follows consumer", "follows its readers");
}

/// The predicted time on each device that can run groups with `work`.
DictionaryAttr PlacementWriter::getTimes(uint32_t work) {
  if (times[work])
    return times[work];
  NamedAttrList list;
  for (const analysis::PlacementDevice &device : problem.devices)
    if (const analysis::ClassOption &option =
            problem.works[work].options[device.deviceClass];
        option.isLegal())
      list.append(device.name.toString(),
                  builder.getF64FloatAttr(option.seconds));
  return times[work] = list.getDictionary(builder.getContext());
}

/// Records the reason for the device of `op`, a copy of `group`, for reports.
void PlacementWriter::setReason(GroupOp op, uint32_t group, StringRef reason,
                                const std::string &why) {
  NamedAttrList placement;
  placement.append("reason", builder.getStringAttr(reason));
  placement.append("why", builder.getStringAttr(why));
  placement.append("seconds", getTimes(problem.groups[group].work));
  op->setAttr(attrs::placement, placement.getDictionary(builder.getContext()));
}

/// Removes from the list each device that a machine may lack, unless a group,
/// an input or an output is on the device. The artifact then runs without the
/// device. CPU devices stay, because all listed CPU devices share the cores.
static LogicalResult dropAbsent(ModuleOp module, ArrayRef<func::FuncOp> entries,
                                Topology devices) {
  llvm::DenseSet<StringAttr> used;
  for (func::FuncOp entry : entries) {
    for (auto group : entry.getOps<GroupOp>())
      used.insert(group.getDeviceAttr());
    for (BlockArgument input : entry.getArguments())
      if (StringAttr space = getInputSpace(input))
        used.insert(space);
    for (unsigned i = 0; i < entry.getNumResults(); ++i)
      if (StringAttr space = getOutputSpace(entry, i))
        used.insert(space);
  }
  devices.keepOnly([&](DeviceName name) {
    return name.kind->isEverywhere ||
           used.contains(StringAttr::get(module.getContext(), name.toString()));
  });
  return devices.devices.empty() ? success() : setDevices(module, devices);
}

void PlaceGroups::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<SmallVector<func::FuncOp>> entries = getEntries(module);
  FailureOr<Topology> devices = getDevices(module);
  StatusOr<analysis::PlacementOptions> options =
      analysis::parsePlacementMode(mode);
  if (!options.isOk())
    module.emitError(StringRef(options.status().message()));
  if (failed(entries) || failed(devices) || !options.isOk())
    return signalPassFailure();
  options->strict = strict;
  FailureOr<DescribedGroups> groups =
      describePlacement(*entries, *devices, allowReference);
  if (failed(groups))
    return signalPassFailure();
  const std::vector<analysis::PlacementDecision> decisions =
      analysis::placeGroups(groups->problem, *options);
  PlacementWriter writer(*groups, *options, &getContext());
  if (failed(writer.report(decisions)))
    return signalPassFailure();
  writer.apply(decisions);
  if (failed(dropAbsent(module, *entries, *std::move(devices))))
    signalPassFailure();
}
