//===- Report.cpp - Reports the compiler's decisions ----------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Compiler/Report.h"

#include "UpdateReport.h"

#include "weir/Analysis/TimeModel.h"
#include "weir/Dialect/Exec/Transforms/Arenas.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/Lifting/EntryNames.h"
#include "weir/Dialect/Weir/Transforms/MeaningMap.h"
#include "weir/Dialect/Weir/Transforms/ParameterFacts.h"
#include "weir/Support/ShapeLimits.h"

#include "llvm/ADT/StringSet.h"

#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

using namespace mlir;
using namespace weir;

static GroupReport describeGroup(GroupOp group) {
  GroupReport report;
  report.name = getOpName(group).str();
  report.device = group.getDevice().value_or("").str();
  if (auto placement = group->getAttrOfType<DictionaryAttr>(attrs::placement)) {
    report.reason = placement.getAs<StringAttr>("reason").str();
    report.why = placement.getAs<StringAttr>("why").str();
    for (NamedAttribute cost : placement.getAs<DictionaryAttr>("seconds"))
      report.seconds.emplace_back(
          cost.getName().str(),
          cast<FloatAttr>(cost.getValue()).getValueAsDouble());
  }
  if (auto split = group->getAttrOfType<ArrayAttr>(attrs::splitBy))
    for (Attribute name : split)
      report.split.push_back(cast<StringAttr>(name).str());
  return report;
}

static int64_t getBytes(Type type) {
  return static_cast<int64_t>(
      toTensorDesc(cast<RankedTensorType>(type)).spanBytes());
}

/// Reports the parameters that were derived for the entries, and the values
/// that could not be derived.
static void reportParameters(ModuleOp module, CompileReport &report) {
  llvm::StringSet<> used;
  for (auto entry : module.getOps<func::FuncOp>()) {
    for (unsigned i = 0; i < entry.getNumArguments(); ++i)
      if (auto name =
              entry.getArgAttrOfType<FlatSymbolRefAttr>(i, attrs::parameter))
        used.insert(name.getValue());
    for (unsigned i = 0; i < entry.getNumResults(); ++i)
      if (auto name =
              entry.getResultAttrOfType<FlatSymbolRefAttr>(i, attrs::assigns))
        used.insert(name.getValue());
  }
  for (auto derived : module.getOps<DerivedOp>()) {
    if (!used.contains(derived.getSymName()))
      continue;
    DerivedReport &out = report.derived.emplace_back();
    out.name = derived.getSymName().str();
    out.bytes = getBytes(derived.getType());
    for (auto read : derived.getBlock().getOps<ReadOp>())
      out.from.push_back(read.getParameter().str());
  }
  if (auto left = module->getAttrOfType<DictionaryAttr>(attrs::notDerived))
    for (NamedAttribute reason : left)
      report.notDerived.emplace_back(
          reason.getName().str(),
          cast<StringAttr>(reason.getValue()).getValue().str());
}

/// Whether a group only casts elements.
static bool isCast(GroupOp group) {
  auto ops = group.getBlock().getOps<WeirOpInterface>();
  return llvm::all_of(ops,
                      [](WeirOpInterface op) {
                        return op.getOpRecord().movesElements();
                      }) &&
         llvm::any_of(ops, [](WeirOpInterface op) {
           return getElementTypeOrSelf(op->getOperand(0)) !=
                  getElementTypeOrSelf(op->getResult(0));
         });
}

static std::optional<PrecisionReport> reportPrecision(ModuleOp module) {
  auto found = module->getAttrOfType<DictionaryAttr>(attrs::precision);
  if (!found)
    return std::nullopt;
  PrecisionReport report;
  report.type = found.getAs<StringAttr>("type").str();
  report.ops = found.getAs<IntegerAttr>("ops").getInt();
  report.casts = found.getAs<IntegerAttr>("casts").getInt();
  for (NamedAttribute reason : found.getAs<DictionaryAttr>("kept"))
    report.kept.emplace_back(
        reason.getName().str(),
        cast<StringAttr>(reason.getValue()).getValue().str());
  for (auto entry : module.getOps<func::FuncOp>()) {
    const std::string prefix = getReportPrefix(entry);
    for (auto group : entry.getOps<GroupOp>())
      if (isCast(group))
        report.castLaunches.push_back(prefix + getOpName(group).str());
  }
  return report;
}

namespace {
/// Reports the crossings of a placed module.
class CrossingReporter {
public:
  CrossingReporter(ModuleOp module, const Topology &topology,
                   CompileReport &report);

  /// Reports the crossings of variables, and of inputs that are in the memory
  /// of a device.
  void reportArguments(func::FuncOp entry, const std::string &prefix);
  /// Reports the crossings of `value`, which is on the device `from`. There is
  /// one crossing for each other device that reads it.
  void reportValue(Value value, const std::string &name,
                   const std::string &from);

private:
  void reportVariable(BlockArgument variable, const std::string &name,
                      const std::string &home);
  bool areInOneSpace(const std::string &from, const std::string &to) const {
    return !isolated.contains(from) && !isolated.contains(to);
  }
  void add(Value value, const std::string &name, const std::string &from,
           const std::string &to);

  const analysis::TimeModel times;
  CompileReport &report;
  const ParameterFacts facts;
  std::set<std::string> isolated;
};
} // namespace

CrossingReporter::CrossingReporter(ModuleOp module, const Topology &topology,
                                   CompileReport &report)
    : times(topology), report(report), facts(module) {
  for (const DeviceDesc &device : topology.devices)
    if (device.isIsolated)
      isolated.insert(device.name.toString());
}

void CrossingReporter::add(Value value, const std::string &name,
                           const std::string &from, const std::string &to) {
  CrossingReport &out = report.crossings.emplace_back();
  out.value = name;
  out.from = from;
  out.to = to;
  out.bytes = getBytes(value.getType());
  out.bytesCopied = areInOneSpace(from, to) ? 0 : out.bytes;
  out.seconds =
      times.secondsOfCrossing(*parseDeviceName(from), *parseDeviceName(to),
                              static_cast<double>(out.bytesCopied));
}

void CrossingReporter::reportValue(Value value, const std::string &name,
                                   const std::string &from) {
  std::set<std::string> readers;
  for (OpOperand &use : value.getUses())
    if (StringAttr reader = facts.getReader(use))
      readers.insert(reader.str());
  readers.erase(from);
  for (const std::string &to : readers)
    add(value, name, from, to);
}

/// Reports the crossings of a variable on the device `home`. There is one
/// crossing for each device with other memory that reads or returns the
/// variable. Devices that share the memory of `home` read the variable itself.
void CrossingReporter::reportVariable(BlockArgument variable,
                                      const std::string &name,
                                      const std::string &home) {
  auto entry = cast<func::FuncOp>(variable.getOwner()->getParentOp());
  std::set<std::string> readers;
  for (OpOperand &use : variable.getUses()) {
    if (isa<func::ReturnOp>(use.getOwner()) &&
        entry.getResultAttr(use.getOperandNumber(), attrs::assigns))
      continue;
    if (StringAttr reader = facts.getReader(use))
      readers.insert(reader.str());
  }
  readers.erase(home);
  for (const std::string &to : readers)
    if (!areInOneSpace(home, to))
      add(variable, name, home, to);
}

void CrossingReporter::reportArguments(func::FuncOp entry,
                                       const std::string &prefix) {
  for (BlockArgument argument : entry.getArguments()) {
    const std::string name = prefix + getValueName(argument).str();
    if (StringAttr space = getInputSpace(argument))
      reportValue(argument, name, space.str());
    Attribute parameter =
        entry.getArgAttr(argument.getArgNumber(), attrs::parameter);
    if (!parameter || !facts.isAssigned(parameter))
      continue;
    StringAttr home = facts.getHome(parameter);
    reportVariable(argument, name,
                   home ? home.str()
                        : times.getTopology().devices.front().name.toString());
  }
}

static void reportPlaced(ModuleOp module, CompileReport &report) {
  std::map<std::string, int64_t> groupsOn;
  std::map<std::string, unsigned> numNamed;
  FailureOr<Topology> topology = getDevices(module);
  std::optional<CrossingReporter> crossings;
  if (succeeded(topology))
    crossings.emplace(module, *topology, report);
  CostTable costs;
  for (auto function : module.getOps<func::FuncOp>()) {
    const std::string prefix = getReportPrefix(function);
    EntryReport &entry = report.entries.emplace_back();
    entry.name = getReportName(function).str();
    if (crossings)
      crossings->reportArguments(function, prefix);
    for (auto group : function.getOps<GroupOp>()) {
      GroupReport &out = report.groups.emplace_back(describeGroup(group));
      out.name = prefix + out.name;
      if (unsigned number = ++numNamed[out.name]; number > 1)
        out.name += fmt::format("#{}", number);
      for (Value result : group.getResults())
        if (crossings)
          crossings->reportValue(result, out.name, out.device);
      ++groupsOn[out.device];
      ++entry.groups;
      for (auto op : group.getBlock().getOps<WeirOpInterface>())
        entry.flops = saturatingAdd(entry.flops, costs.get(op).flops);
    }
    report.flops = saturatingAdd(report.flops, entry.flops);
  }
  for (StringRef name :
       getDeviceTable(module).getNames().getAsValueRange<StringAttr>()) {
    DeviceReport &device = report.devices.emplace_back();
    device.device = name.str();
    device.groups = groupsOn[device.device];
  }
}

void weir::reportGroups(ModuleOp module, CompileReport &report) {
  reportPlaced(module, report);
  reportParameters(module, report);
  report.precision = reportPrecision(module);
}

/// Adds the reasons in the dictionary `name` of `group` to `list`, each with
/// the prefix `before`.
static void addReasons(GroupOp group, StringRef name, const std::string &prefix,
                       const std::string &before,
                       std::vector<std::pair<std::string, std::string>> &list) {
  if (auto reasons = group->getAttrOfType<DictionaryAttr>(name))
    for (NamedAttribute reason : reasons)
      list.emplace_back(
          prefix + reason.getName().str(),
          before + cast<StringAttr>(reason.getValue()).getValue().str());
}

void weir::reportLaunches(ModuleOp module, CompileReport &report) {
  for (auto entry : module.getOps<func::FuncOp>()) {
    const std::string prefix = getReportPrefix(entry);
    for (auto group : entry.getOps<GroupOp>()) {
      const std::string reader = fmt::format(
          "'{}', which reads it, computes it: ", getOpName(group).str());
      addReasons(group, attrs::apart, prefix, "", report.apart);
      addReasons(group, attrs::moved, prefix, reader, report.moved);
    }
  }
}

/// The bytes of all parameters that are read or assigned. Constants have
/// already become parameters, so they count, too.
static int64_t countParameterBytes(ModuleOp module) {
  llvm::StringSet<> counted;
  int64_t bytes = 0;
  auto add = [&](StringRef name, Type type) {
    if (counted.insert(name).second)
      bytes += getBytes(type);
  };
  module.walk([&](exec::ParameterOp parameter) {
    add(parameter.getParameter(), parameter.getType());
  });
  module.walk([&](exec::VariableOp variable) {
    add(variable.getParameter(), variable.getType());
  });
  return bytes;
}

/// Adds the counts of `exec` to the reports of its entry and of its devices.
static void reportEntry(exec::EntryOp exec, EntryReport &entry,
                        std::map<std::string, DeviceReport *> &devices) {
  for (auto program : exec.getBlock().getOps<exec::ProgramOp>()) {
    DeviceReport &device = *devices.at(program.getDevice().str());
    program.walk([&](exec::LaunchOp) {
      ++device.launches;
      ++entry.launches;
    });
    program.walk([&](exec::RecordOp) { ++entry.events; });
    program.walk([&](exec::CopyOp copy) {
      if (!copy.getCrossing())
        return;
      ++device.crossings;
      device.bytesCrossed += static_cast<int64_t>(copy.getBytes());
    });
  }
}

/// Removes everything that the report says about an earlier plan.
static void forgetPlan(CompileReport &report) {
  report.updates.clear();
  report.packCopies.clear();
  report.recomputed.clear();
  report.events = 0;
  for (EntryReport &entry : report.entries)
    entry.launches = entry.events = 0;
  for (DeviceReport &device : report.devices) {
    device.launches = device.crossings = device.bytesCrossed = 0;
    device.arenaBytes = device.lowerBoundBytes = 0;
  }
}

void weir::reportPlan(ModuleOp module, CompileReport &report) {
  forgetPlan(report);
  report.parameterBytes = countParameterBytes(module);
  reportUpdates(module, report);
  std::map<std::string, DeviceReport *> devices;
  for (DeviceReport &device : report.devices)
    devices[device.device] = &device;
  // The entries of the plan are in the order of the functions. They are not
  // matched by name, because two entries may have the same name in reports.
  for (auto [exec, entry] :
       llvm::zip_equal(module.getOps<exec::EntryOp>(), report.entries)) {
    entry.arenaBytes = exec::countArenaBytes(exec);
    reportEntry(exec, entry, devices);
    report.events += entry.events;
  }
  for (const auto &[place, arena] : exec::findLargestArenas(module)) {
    DeviceReport &device = *devices.at(place.first.str());
    device.arenaBytes = saturatingAdd(device.arenaBytes, arena.bytes);
    device.lowerBoundBytes =
        saturatingAdd(device.lowerBoundBytes, arena.lowerBound);
  }
}
