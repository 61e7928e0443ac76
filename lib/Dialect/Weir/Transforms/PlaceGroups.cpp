//===- PlaceGroups.cpp - Gives every group its device -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/CostModel.h"
#include "weir/Analysis/Placement.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"

namespace weir {
#define GEN_PASS_DEF_PLACEGROUPS
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

static int64_t getBytes(Value value) {
  return static_cast<int64_t>(
      toTensorDesc(cast<RankedTensorType>(value.getType())).spanBytes());
}

namespace {
class PlaceGroups : public weir::impl::PlaceGroupsBase<PlaceGroups> {
public:
  using PlaceGroupsBase::PlaceGroupsBase;

  void runOnOperation() override {
    func::FuncOp entry = getEntry(getOperation());
    FailureOr<Topology> devices = getDevices(getOperation());
    StatusOr<analysis::PlacementOptions> options =
        analysis::parsePlacementMode(mode);
    if (!options.isOk())
      getOperation().emitError(StringRef(options.status().message()));
    if (!entry || failed(devices) || !options.isOk())
      return signalPassFailure();
    options->strict = strict;
    SmallVector<GroupOp> groups = llvm::to_vector(entry.getOps<GroupOp>());
    std::vector<analysis::PlacementGroup> described;
    if (failed(describe(groups, *devices, described)))
      return signalPassFailure();
    analysis::PlacementResult result =
        analysis::placeGroups(described, devices->names(), *options);
    apply(groups, *devices, result);
    dropAbsent(*devices, result);
    report(groups, result);
  }

private:
  LogicalResult describe(ArrayRef<GroupOp> groups, const Topology &devices,
                         std::vector<analysis::PlacementGroup> &described) {
    llvm::DenseMap<Value, uint32_t> values;
    llvm::DenseMap<Operation *, uint32_t> numbers;
    for (GroupOp group : groups) {
      numbers[group] = static_cast<uint32_t>(described.size());
      analysis::PlacementGroup &out = described.emplace_back();
      out.name = weir::getOpName(group).str();
      for (Value input : group.getInputs()) {
        auto it = numbers.find(input.getDefiningOp());
        uint32_t id = values.try_emplace(input, values.size()).first->second;
        out.operands.push_back({it == numbers.end()
                                    ? analysis::PlacementOperand::noGroup
                                    : it->second,
                                id, static_cast<uint64_t>(getBytes(input))});
      }
      if (StringAttr device = group.getDeviceAttr()) {
        StatusOr<DeviceName> name = parseDeviceName(device.getValue());
        if (!name.isOk())
          return group.emitOpError(StringRef(name.status().message()));
        out.annotation = *name;
      }
      for (const DeviceDesc &device : devices.devices)
        out.options.push_back(describeOption(group, device));
    }
    return success();
  }

  analysis::DeviceOption describeOption(GroupOp group,
                                        const DeviceDesc &device) {
    analysis::DeviceOption option;
    double flops = 0, bytes = 0;
    for (auto op : group.getBlock().getOps<WeirOpInterface>()) {
      KernelChoice choice = chooseKernel(op, device, allowReference);
      if (choice.kind == KernelChoice::Kind::None &&
          option.illegalReason.empty())
        option.illegalReason = choice.reason;
      flops += static_cast<double>(getCost(op).flops);
    }
    for (Value input : group.getInputs())
      bytes += static_cast<double>(getBytes(input));
    for (Value result : group.getResults())
      bytes += static_cast<double>(getBytes(result));
    auto type = cast<RankedTensorType>(group.getResult(0).getType());
    option.seconds = analysis::predictLaunchSeconds(
        analysis::ratesOf(device), *toDType(type.getElementType()), flops,
        bytes);
    return option;
  }

  /// Sets the devices, with the reasons as attributes for reports.
  void apply(MutableArrayRef<GroupOp> groups, const Topology &devices,
             const analysis::PlacementResult &result) {
    Builder builder(&getContext());
    for (auto [group, decision] : llvm::zip(groups, result.decisions)) {
      group.setDeviceAttr(builder.getStringAttr(
          devices.devices[decision.device].name.toString()));
      NamedAttrList costs;
      for (auto [device, seconds] :
           llvm::zip(devices.devices, decision.seconds))
        if (seconds)
          costs.append(device.name.toString(),
                       builder.getF64FloatAttr(*seconds));
      NamedAttrList placement;
      placement.append("reason",
                       builder.getStringAttr(toString(decision.reason)));
      placement.append("why", builder.getStringAttr(decision.text));
      placement.append("seconds", costs.getDictionary(&getContext()));
      group->setAttr(attrs::placement, placement.getDictionary(&getContext()));
    }
  }

  /// Takes devices that a machine may lack off the list if no group is on
  /// them: the artifact shall run without them. CPU devices stay, because cores
  /// are shared out among all that are listed.
  void dropAbsent(const Topology &devices,
                  const analysis::PlacementResult &result) {
    SmallVector<bool> isKept;
    for (const DeviceDesc &device : devices.devices)
      isKept.push_back(device.name.kind == DeviceKind::CPU ||
                       device.name.kind == DeviceKind::Null);
    for (const analysis::PlacementDecision &decision : result.decisions)
      isKept[decision.device] = true;
    if (!llvm::is_contained(isKept, true))
      return;
    Builder builder(&getContext());
    SmallVector<Attribute> list;
    for (auto [device, keeps] : llvm::zip(devices.devices, isKept))
      if (keeps)
        list.push_back(builder.getStringAttr(device.name.toString()));
    getOperation()->setAttr(attrs::devices, builder.getArrayAttr(list));
  }

  void report(MutableArrayRef<GroupOp> groups,
              const analysis::PlacementResult &result) {
    for (const analysis::PlacementIssue &issue : result.errors)
      emitError(groups[issue.group].getLoc(), StringRef(issue.message));
    for (const analysis::PlacementIssue &issue : result.fallbacks)
      emitWarning(groups[issue.group].getLoc(), StringRef(issue.message));
    if (!result.errors.empty())
      signalPassFailure();
  }
};
} // namespace
