//===- Report.cpp - What compilation decided, for people and scripts ------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Compiler/Report.h"

#include "weir/Dialect/Exec/IR/ExecOps.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Support/Counted.h"

#include "llvm/Support/JSON.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;

//===----------------------------------------------------------------------===//
// Gathering
//===----------------------------------------------------------------------===//

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

void weir::reportGroups(ModuleOp module, CompileReport &report) {
  std::map<std::string, int64_t> groupsOn;
  module.walk([&](GroupOp group) {
    report.groups.push_back(describeGroup(group));
    ++groupsOn[report.groups.back().device];
    for (auto op : group.getBlock().getOps<WeirOpInterface>())
      report.flops += getCost(op).flops;
  });
  for (auto parameter : module.getOps<ParameterOp>())
    report.parameterBytes += static_cast<int64_t>(
        toTensorDesc(cast<RankedTensorType>(parameter.getType())).spanBytes());
  for (Attribute name : module->getAttrOfType<ArrayAttr>(attrs::devices)) {
    DeviceReport &device = report.devices.emplace_back();
    device.device = cast<StringAttr>(name).str();
    device.groups = groupsOn[device.device];
  }
}

void weir::reportPlan(ModuleOp module, CompileReport &report) {
  std::map<std::string, DeviceReport *> devices;
  for (DeviceReport &device : report.devices)
    devices[device.device] = &device;
  module.walk([&](exec::ArenaOp arena) {
    DeviceReport &device = *devices.at(arena.getDevice().str());
    device.arenaBytes = static_cast<int64_t>(arena.getBytes());
    device.lowerBoundBytes = static_cast<int64_t>(arena.getLowerBound());
  });
  module.walk([&](exec::ProgramOp program) {
    DeviceReport &device = *devices.at(program.getDevice().str());
    program.walk([&](exec::LaunchOp) { ++device.launches; });
    program.walk([&](exec::RecordOp) { ++report.events; });
    program.walk([&](exec::CopyOp copy) {
      if (!copy.getCrossing())
        return;
      ++device.crossings;
      device.bytesCrossed += static_cast<int64_t>(copy.getBytes());
    });
  });
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string weir::explainText(const CompileReport &report) {
  std::string text;
  for (const GroupReport &group : report.groups) {
    text += fmt::format("{}: on {}, {}\n", group.name, group.device, group.why);
    for (const auto &[device, seconds] : group.seconds)
      text += fmt::format("  {} {:.3f} us predicted\n", device, seconds * 1e6);
    for (const std::string &op : group.split)
      text += fmt::format("  split: '{}' would have joined, but has an "
                          "annotation of its own\n",
                          op);
  }
  return text;
}

static std::string toString(llvm::json::Value value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv("{0:2}", value) << '\n';
  return text;
}

std::string weir::explainJson(const CompileReport &report) {
  llvm::json::Array groups;
  for (const GroupReport &group : report.groups) {
    llvm::json::Object seconds;
    for (const auto &[device, cost] : group.seconds)
      seconds[device] = cost;
    groups.push_back(llvm::json::Object{{"name", group.name},
                                        {"device", group.device},
                                        {"reason", group.reason},
                                        {"why", group.why},
                                        {"seconds", std::move(seconds)},
                                        {"split_by", group.split}});
  }
  return ::toString(llvm::json::Object{{"groups", std::move(groups)}});
}

std::string weir::statsText(const CompileReport &report) {
  std::string text =
      fmt::format("{:.3f} Mflop, {} parameter bytes, {}, {}\n",
                  static_cast<double>(report.flops) * 1e-6,
                  report.parameterBytes, counted(report.groups.size(), "group"),
                  counted(static_cast<uint64_t>(report.events), "event"));
  for (const DeviceReport &device : report.devices)
    text += fmt::format(
        "{}: {}, {} launches, {} crossings ({} bytes), arena {} bytes (lower "
        "bound {})\n",
        device.device, counted(static_cast<uint64_t>(device.groups), "group"),
        device.launches, device.crossings, device.bytesCrossed,
        device.arenaBytes, device.lowerBoundBytes);
  return text;
}

std::string weir::statsJson(const CompileReport &report) {
  llvm::json::Array devices;
  for (const DeviceReport &device : report.devices)
    devices.push_back(
        llvm::json::Object{{"name", device.device},
                           {"groups", device.groups},
                           {"launches", device.launches},
                           {"crossings", device.crossings},
                           {"bytes_crossed", device.bytesCrossed},
                           {"arena_bytes", device.arenaBytes},
                           {"lower_bound_bytes", device.lowerBoundBytes}});
  return ::toString(
      llvm::json::Object{{"flops", report.flops},
                         {"parameter_bytes", report.parameterBytes},
                         {"groups", static_cast<int64_t>(report.groups.size())},
                         {"events", report.events},
                         {"devices", std::move(devices)}});
}
