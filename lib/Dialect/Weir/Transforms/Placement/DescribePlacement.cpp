//===- DescribePlacement.cpp - The groups to be placed as plain data ------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "DescribePlacement.h"

#include "weir/Analysis/TimeModel.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/MeaningMap.h"

#include <map>

using namespace mlir;
using namespace weir;
using analysis::PlacementValue;

bool weir::isRelayout(GroupOp group) {
  auto ops = group.getBlock().getOps<WeirOpInterface>();
  return !ops.empty() && (*ops.begin()).getOpRecord().isRelayout();
}

Value weir::throughRelayouts(Value value) {
  while (auto group = value.getDefiningOp<GroupOp>()) {
    if (!isRelayout(group))
      break;
    value = group.getInputs().front();
  }
  return value;
}

StringAttr weir::getSpaceOfUse(OpOperand &use) {
  auto exit = dyn_cast<func::ReturnOp>(use.getOwner());
  return exit ? getOutputSpace(exit->getParentOfType<func::FuncOp>(),
                               use.getOperandNumber())
              : StringAttr();
}

namespace {
/// Predicts what groups take on each class of devices.
class GroupWorks {
public:
  GroupWorks(const Topology &devices, bool allowReference);

  std::vector<analysis::PlacementDevice> takeDevices() {
    return std::move(devices);
  }
  /// The number of the work of `group`. Groups that take the same have one
  /// number.
  uint32_t get(GroupOp group);
  std::vector<analysis::GroupWork> take() { return std::move(works); }

private:
  bool canRunByReference(GroupOp group);
  analysis::ClassOption describe(GroupOp group, double bytes, size_t device);

  const analysis::TimeModel model;
  std::vector<analysis::PlacementDevice> devices;
  /// One device of each class.
  SmallVector<size_t> classes;
  bool allowReference;
  KernelChooser kernels, withReference;
  CostTable costs;
  std::vector<analysis::GroupWork> works;
  std::map<analysis::GroupWork, uint32_t> numbers;
};

/// Describes groups one by one.
class GroupDescriber {
public:
  GroupDescriber(const Topology &devices, bool allowReference)
      : devices(devices), works(devices, allowReference) {}

  LogicalResult add(GroupOp group);
  DescribedGroups take();

private:
  uint32_t numberOf(Value value);
  std::optional<uint32_t> findDevice(StringAttr space) const;
  std::optional<uint32_t> findOutputHolder(GroupOp group) const;

  const Topology &devices;
  GroupWorks works;
  llvm::DenseMap<Value, uint32_t> values;
  llvm::DenseMap<Operation *, uint32_t> producers;
  DescribedGroups described;
};
} // namespace

//===----------------------------------------------------------------------===//
// GroupWorks
//===----------------------------------------------------------------------===//

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

GroupWorks::GroupWorks(const Topology &topology, bool allowReference)
    : model(topology), allowReference(allowReference), kernels(allowReference),
      withReference(/*allowReference=*/true) {
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

/// The bytes of all inputs and results.
static double countBytes(GroupOp group) {
  double bytes = 0;
  for (Value input : group.getInputs())
    bytes += static_cast<double>(getSpanBytes(input));
  for (Value result : group.getResults())
    bytes += static_cast<double>(getSpanBytes(result));
  return bytes;
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

/// Whether a device could run `group` if reference kernels were allowed.
bool GroupWorks::canRunByReference(GroupOp group) {
  return llvm::any_of(classes, [&](size_t device) {
    return llvm::all_of(
        group.getBlock().getOps<WeirOpInterface>(), [&](WeirOpInterface op) {
          return withReference.choose(op, model.getTopology().devices[device])
                     .kind != KernelChoice::Kind::None;
        });
  });
}

/// Describes `group`, which reads and writes `bytes`, on the device with the
/// index `number`. Its time depends on the kind of code that runs each of its
/// ops there.
analysis::ClassOption GroupWorks::describe(GroupOp group, double bytes,
                                           size_t number) {
  const DeviceDesc &device = model.getTopology().devices[number];
  auto type = cast<RankedTensorType>(group.getResult(0).getType());
  analysis::ClassOption option;
  analysis::LaunchWork work{.device = number,
                            .type = *toDType(type.getElementType()),
                            .bytes = bytes};
  for (auto op : group.getBlock().getOps<WeirOpInterface>()) {
    const KernelChoice &choice = kernels.choose(op, device);
    if (choice.kind == KernelChoice::Kind::None && option.isLegal())
      option.illegalReason = choice.reason;
    analysis::Flops &flops = work.flopsOf(codeKindOf(choice.kind));
    (isContraction(op) ? flops.contractions : flops.others) +=
        static_cast<double>(costs.get(op).flops);
  }
  option.seconds = model.secondsOf(work);
  return option;
}

uint32_t GroupWorks::get(GroupOp group) {
  const double bytes = countBytes(group);
  analysis::GroupWork work;
  for (size_t device : classes)
    work.options.push_back(describe(group, bytes, device));
  const bool isLegal =
      llvm::all_of(work.options, [](const analysis::ClassOption &option) {
        return option.isLegal();
      });
  work.needsReference = !allowReference && !isLegal && canRunByReference(group);
  auto [known, isNew] =
      numbers.try_emplace(work, static_cast<uint32_t>(works.size()));
  if (isNew)
    works.push_back(std::move(work));
  return known->second;
}

//===----------------------------------------------------------------------===//
// GroupDescriber
//===----------------------------------------------------------------------===//

std::optional<uint32_t> GroupDescriber::findDevice(StringAttr space) const {
  if (!space)
    return std::nullopt;
  StatusOr<DeviceName> name = parseDeviceName(space.getValue());
  std::optional<size_t> index =
      name.isOk() ? devices.indexOf(*name) : std::nullopt;
  return index ? std::optional(static_cast<uint32_t>(*index)) : std::nullopt;
}

/// The index of the isolated device whose memory holds an output that returns a
/// result of `group`. If there are several such outputs, the first one counts.
std::optional<uint32_t> GroupDescriber::findOutputHolder(GroupOp group) const {
  std::optional<std::pair<unsigned, StringAttr>> first;
  const auto visit = [&](auto &visit, Value value) -> void {
    for (OpOperand &use : value.getUses())
      if (auto reader = dyn_cast<GroupOp>(use.getOwner());
          reader && isRelayout(reader))
        visit(visit, reader.getResult(0));
      else if (StringAttr space = getSpaceOfUse(use);
               space && (!first || use.getOperandNumber() < first->first))
        first = {use.getOperandNumber(), space};
  };
  for (Value result : group.getResults())
    visit(visit, result);
  return first ? findDevice(first->second) : std::nullopt;
}

uint32_t GroupDescriber::numberOf(Value value) {
  auto &all = described.problem.values;
  auto [known, isNew] =
      values.try_emplace(value, static_cast<uint32_t>(all.size()));
  if (isNew) {
    auto producer = producers.find(value.getDefiningOp());
    all.push_back({.producer = producer == producers.end()
                                   ? PlacementValue::noGroup
                                   : producer->second,
                   .bytes = getSpanBytes(value),
                   .holder = findDevice(getInputSpace(value))});
  }
  return known->second;
}

LogicalResult GroupDescriber::add(GroupOp group) {
  producers[group] = static_cast<uint32_t>(described.ops.size());
  described.ops.push_back(group);
  analysis::PlacementGroup &out = described.problem.groups.emplace_back();
  out.isRelayout = isRelayout(group);
  for (Value operand : group.getInputs())
    out.reads.push_back(numberOf(operand));
  out.work = works.get(group);
  if (out.isRelayout)
    return success();
  out.outputHolder = findOutputHolder(group);
  if (StringAttr device = group.getDeviceAttr()) {
    StatusOr<DeviceName> name = parseDeviceName(device.getValue());
    if (!name.isOk())
      return group.emitOpError(StringRef(name.status().message()));
    out.annotation = *name;
  }
  return success();
}

DescribedGroups GroupDescriber::take() {
  described.problem.devices = works.takeDevices();
  described.problem.works = works.take();
  return std::move(described);
}

FailureOr<DescribedGroups>
weir::describePlacement(ArrayRef<func::FuncOp> entries, const Topology &devices,
                        bool allowReference) {
  GroupDescriber describer(devices, allowReference);
  for (func::FuncOp entry : entries)
    for (auto group : entry.getOps<GroupOp>())
      if (failed(describer.add(group)))
        return failure();
  return describer.take();
}
