//===- PlaceGroups.cpp - Decides the device of every group ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Analysis/Placement.h"
#include "weir/Analysis/TimeModel.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/MeaningMap.h"
#include "weir/Dialect/Weir/Transforms/Passes.h"

#include <map>

namespace weir {
#define GEN_PASS_DEF_PLACEGROUPS
#include "weir/Dialect/Weir/Transforms/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

/// Whether `group` only changes the layout of a value. Such a group has no
/// annotation of its own: each device that reads the value changes the layout
/// itself.
static bool isRelayout(GroupOp group) {
  auto ops = group.getBlock().getOps<WeirOpInterface>();
  return !ops.empty() && (*ops.begin()).getOpRecord().isRelayout();
}

/// The value of which `value` is a relayout, or `value` itself.
static Value throughRelayouts(Value value) {
  while (auto group = value.getDefiningOp<GroupOp>()) {
    if (!isRelayout(group))
      break;
    value = group.getInputs().front();
  }
  return value;
}

namespace {
/// The devices of a module in classes. Devices of a class run all groups in the
/// same time, since they differ in nothing that predictions look at.
class DeviceClasses {
public:
  explicit DeviceClasses(const Topology &topology);

  ArrayRef<analysis::PlacementDevice> getDevices() const { return devices; }
  /// The index of one device of each class, in the order of the options of
  /// groups.
  ArrayRef<size_t> getClasses() const { return classes; }

private:
  std::vector<analysis::PlacementDevice> devices;
  SmallVector<size_t> classes;
};
} // namespace

/// Whether each group takes the same time on both devices, or cannot run on
/// either for the same reason. A reason names its device if the device has a
/// list of kernels, so such devices are never alike.
static bool areAlike(const DeviceDesc &left, const DeviceDesc &right) {
  return left.name.kind == right.name.kind && left.threads == right.threads &&
         left.flopsPerSecond == right.flopsPerSecond &&
         left.bytesPerSecond == right.bytesPerSecond &&
         left.launchSeconds == right.launchSeconds && !left.kernels &&
         !right.kernels && left.excludedKernels == right.excludedKernels;
}

DeviceClasses::DeviceClasses(const Topology &topology) {
  for (auto [index, device] : llvm::enumerate(topology.devices)) {
    const auto *known = llvm::find_if(classes, [&](size_t each) {
      return areAlike(topology.devices[each], device);
    });
    devices.push_back(
        {device.name, static_cast<uint32_t>(known - classes.begin())});
    if (known == classes.end())
      classes.push_back(index);
  }
}

namespace {
class PlaceGroups : public weir::impl::PlaceGroupsBase<PlaceGroups> {
public:
  using PlaceGroupsBase::PlaceGroupsBase;

  void runOnOperation() override {
    FailureOr<SmallVector<func::FuncOp>> entries = getEntries(getOperation());
    FailureOr<Topology> devices = getDevices(getOperation());
    StatusOr<analysis::PlacementOptions> options =
        analysis::parsePlacementMode(mode);
    if (!options.isOk())
      getOperation().emitError(StringRef(options.status().message()));
    if (failed(entries) || failed(devices) || !options.isOk())
      return signalPassFailure();
    options->strict = strict;
    model.emplace(*devices);
    classes.emplace(*devices);
    times.clear();
    kernels.emplace(allowReference);
    withReference.emplace(/*allowReference=*/true);
    costs = {};
    SmallVector<GroupOp> groups, relayouts;
    for (func::FuncOp entry : *entries)
      for (auto group : entry.getOps<GroupOp>())
        (isRelayout(group) ? relayouts : groups).push_back(group);
    std::vector<analysis::PlacementGroup> described;
    if (failed(describe(groups, *devices, described)))
      return signalPassFailure();
    analysis::PlacementResult result =
        analysis::placeGroups(described, classes->getDevices(), *options);
    apply(groups, described, result);
    // Relayouts are placed last to first, because readers must be placed before
    // them.
    for (GroupOp relayout : llvm::reverse(relayouts))
      placeAtReaders(relayout, *devices);
    dropAbsent(*entries, *devices);
    report(groups, result);
  }

private:
  std::optional<analysis::TimeModel> model;
  std::optional<DeviceClasses> classes;
  std::optional<KernelChooser> kernels, withReference;
  CostTable costs;
  /// The predicted times on all devices, as an attribute. The key is the times
  /// on the classes. Groups of data-parallel replicas have the same times, and
  /// share one attribute.
  std::map<std::vector<std::optional<double>>, DictionaryAttr> times;

  LogicalResult describe(ArrayRef<GroupOp> groups, const Topology &devices,
                         std::vector<analysis::PlacementGroup> &described) {
    llvm::DenseMap<Value, uint32_t> values;
    llvm::DenseMap<Operation *, uint32_t> numbers;
    for (GroupOp group : groups) {
      numbers[group] = static_cast<uint32_t>(described.size());
      analysis::PlacementGroup &out = described.emplace_back();
      out.name = weir::getOpName(group).str();
      for (Value operand : group.getInputs()) {
        Value input = throughRelayouts(operand);
        auto it = numbers.find(input.getDefiningOp());
        uint32_t id = values.try_emplace(input, values.size()).first->second;
        out.operands.push_back(
            {it == numbers.end() ? analysis::PlacementOperand::noGroup
                                 : it->second,
             id, getSpanBytes(input), findHolder(input, devices)});
      }
      out.outputHolder = findOutputHolder(group, devices);
      if (StringAttr device = group.getDeviceAttr()) {
        StatusOr<DeviceName> name = parseDeviceName(device.getValue());
        if (!name.isOk())
          return group.emitOpError(StringRef(name.status().message()));
        out.annotation = *name;
      }
      out.options = describeOptions(group);
      auto isIllegal = [](const analysis::DeviceOption &option) {
        return !option.illegalReason.empty();
      };
      if (!allowReference && llvm::any_of(out.options, isIllegal) &&
          llvm::any_of(classes->getClasses(), [&](size_t device) {
            return canRun(group, devices.devices[device]);
          }))
        out.nowhereRepair = "add a device that can, or take the slow reference "
                            "kernels with --allow-reference";
    }
    return success();
  }

  /// The index of the device in whose memory `input` lies, if it is an input of
  /// the entry.
  static std::optional<uint32_t> findHolder(Value input,
                                            const Topology &devices) {
    return findDevice(getInputSpace(input), devices);
  }

  /// The index of the isolated device whose memory holds an output that returns
  /// a result of `group`. If there are several such outputs, the first one
  /// counts.
  static std::optional<uint32_t> findOutputHolder(GroupOp group,
                                                  const Topology &devices) {
    std::optional<std::pair<unsigned, StringAttr>> first;
    const auto visit = [&](auto &visit, Value value) -> void {
      for (OpOperand &use : value.getUses())
        if (auto reader = dyn_cast<GroupOp>(use.getOwner());
            reader && isRelayout(reader))
          visit(visit, reader.getResult(0));
        else if (StringAttr space = spaceOf(use);
                 space && (!first || use.getOperandNumber() < first->first))
          first = {use.getOperandNumber(), space};
    };
    for (Value result : group.getResults())
      visit(visit, result);
    return first ? findDevice(first->second, devices) : std::nullopt;
  }

  static std::optional<uint32_t> findDevice(StringAttr space,
                                            const Topology &devices) {
    if (!space)
      return std::nullopt;
    StatusOr<DeviceName> name = parseDeviceName(space.getValue());
    std::optional<size_t> index =
        name.isOk() ? devices.indexOf(*name) : std::nullopt;
    return index ? std::optional(static_cast<uint32_t>(*index)) : std::nullopt;
  }

  /// The bytes of all inputs and results.
  static double countBytes(GroupOp group) {
    double bytes = 0;
    for (Value input : group.getInputs())
      bytes += static_cast<double>(getSpanBytes(input));
    for (Value result : group.getResults())
      bytes += static_cast<double>(getSpanBytes(result));
    return bytes;
  }

  /// Whether `device` can run `group` if reference kernels are allowed.
  bool canRun(GroupOp group, const DeviceDesc &device) {
    return llvm::all_of(group.getBlock().getOps<WeirOpInterface>(),
                        [&](WeirOpInterface op) {
                          return withReference->choose(op, device).kind !=
                                 KernelChoice::Kind::None;
                        });
  }

  /// Describes `group`, which reads and writes `bytes`, on the device with the
  /// index `number`. Its time depends on the kind of code that runs each of its
  /// ops there.
  analysis::DeviceOption describeOption(GroupOp group, double bytes,
                                        size_t number) {
    const DeviceDesc &device = model->getTopology().devices[number];
    auto type = cast<RankedTensorType>(group.getResult(0).getType());
    analysis::DeviceOption option;
    analysis::LaunchWork work{.device = number,
                              .type = *toDType(type.getElementType()),
                              .bytes = bytes};
    for (auto op : group.getBlock().getOps<WeirOpInterface>()) {
      const KernelChoice &choice = kernels->choose(op, device);
      if (choice.kind == KernelChoice::Kind::None &&
          option.illegalReason.empty())
        option.illegalReason = choice.reason;
      analysis::Flops &flops = work.flopsOf(codeKindOf(choice.kind));
      (isContraction(op) ? flops.contractions : flops.others) +=
          static_cast<double>(costs.get(op).flops);
    }
    option.seconds = model->secondsOf(work);
    return option;
  }

  /// The options of `group` on the classes of devices.
  std::vector<analysis::DeviceOption> describeOptions(GroupOp group) {
    const double bytes = countBytes(group);
    std::vector<analysis::DeviceOption> options;
    for (size_t device : classes->getClasses())
      options.push_back(describeOption(group, bytes, device));
    return options;
  }

  static analysis::CodeKind codeKindOf(KernelChoice::Kind kind) {
    switch (kind) {
    case KernelChoice::Kind::Generated:
    case KernelChoice::Kind::Expand:
      return analysis::CodeKind::Generated;
    case KernelChoice::Kind::Reference:
      return analysis::CodeKind::Reference;
    default:
      return analysis::CodeKind::Library;
    }
  }

  /// Sets the devices, and the reasons as attributes for reports.
  void apply(MutableArrayRef<GroupOp> groups,
             ArrayRef<analysis::PlacementGroup> described,
             const analysis::PlacementResult &result) {
    Builder builder(&getContext());
    for (auto [group, description, decision] :
         llvm::zip(groups, described, result.decisions)) {
      group.setDeviceAttr(builder.getStringAttr(
          classes->getDevices()[decision.device].name.toString()));
      setReason(group, decision.reason, decision.text, description.options);
    }
  }

  /// Removes from the list each device that a machine may lack, unless a group,
  /// an input or an output is on the device. The artifact then runs without the
  /// device. CPU devices stay, because all listed CPU devices share the cores.
  void dropAbsent(ArrayRef<func::FuncOp> entries, const Topology &devices) {
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
    Topology kept = devices;
    kept.keepOnly([&](DeviceName name) {
      return name.kind->isEverywhere ||
             used.contains(StringAttr::get(&getContext(), name.toString()));
    });
    if (!kept.devices.empty())
      setDevices(getOperation(), kept);
  }

  /// Puts a copy of `relayout` on each device that reads its result. If the
  /// caller reads the result, a copy is on the device whose memory holds the
  /// output, or else on the device of the operand.
  void placeAtReaders(GroupOp relayout, const Topology &devices) {
    StringAttr home = deviceOf(relayout.getInputs().front(), devices);
    llvm::MapVector<StringAttr, SmallVector<OpOperand *>> readers;
    for (OpOperand &use : relayout.getResult(0).getUses()) {
      auto reader = dyn_cast<GroupOp>(use.getOwner());
      StringAttr device = reader ? reader.getDeviceAttr() : spaceOf(use);
      readers[device ? device : home].push_back(&use);
    }
    // A relayout without readers stays with its operand.
    if (readers.empty())
      return setFollowing(relayout, home);
    auto order = readers.takeVector();
    llvm::sort(order, [](const auto &left, const auto &right) {
      return left.first.getValue() < right.first.getValue();
    });
    for (auto &[device, uses] : llvm::drop_begin(order)) {
      OpBuilder builder(relayout);
      auto copy = cast<GroupOp>(builder.clone(*relayout));
      for (OpOperand *use : uses)
        use->set(copy.getResult(0));
      setFollowing(copy, device);
    }
    setFollowing(relayout, order.front().first);
  }

  /// The isolated device whose memory holds the output that returns `use`; null
  /// if there is none.
  static StringAttr spaceOf(OpOperand &use) {
    auto exit = dyn_cast<func::ReturnOp>(use.getOwner());
    return exit ? getOutputSpace(exit->getParentOfType<func::FuncOp>(),
                                 use.getOperandNumber())
                : StringAttr();
  }

  StringAttr deviceOf(Value value, const Topology &devices) {
    if (StringAttr space = getInputSpace(throughRelayouts(value)))
      return space;
    if (auto producer =
            throughRelayouts(value).template getDefiningOp<GroupOp>())
      return producer.getDeviceAttr();
    return StringAttr::get(&getContext(),
                           devices.devices.front().name.toString());
  }

  void setFollowing(GroupOp relayout, StringAttr device) {
    relayout.setDeviceAttr(device);
    setReason(relayout, analysis::PlacementReason::FollowsConsumer,
              "follows its readers", describeOptions(relayout));
  }

  /// The predicted time on each device that can run a group with `options`.
  DictionaryAttr getTimes(ArrayRef<analysis::DeviceOption> options) {
    std::vector<std::optional<double>> seconds;
    for (const analysis::DeviceOption &option : options)
      seconds.push_back(option.illegalReason.empty()
                            ? std::optional(option.seconds)
                            : std::nullopt);
    auto [known, isNew] = times.try_emplace(std::move(seconds));
    if (!isNew)
      return known->second;
    Builder builder(&getContext());
    NamedAttrList list;
    for (const analysis::PlacementDevice &device : classes->getDevices())
      if (std::optional<double> onDevice = known->first[device.option])
        list.append(device.name.toString(), builder.getF64FloatAttr(*onDevice));
    return known->second = list.getDictionary(&getContext());
  }

  /// Records the reason for the device of `group`, for reports.
  void setReason(GroupOp group, analysis::PlacementReason reason,
                 const std::string &why,
                 ArrayRef<analysis::DeviceOption> options) {
    Builder builder(&getContext());
    NamedAttrList placement;
    placement.append("reason", builder.getStringAttr(toString(reason)));
    placement.append("why", builder.getStringAttr(why));
    placement.append("seconds", getTimes(options));
    group->setAttr(attrs::placement, placement.getDictionary(&getContext()));
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
