//===- HeldMemory.cpp - The memory that a model holds -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Exec/Transforms/HeldMemory.h"

#include "weir/Support/Alignment.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;
using namespace weir::exec;

uint64_t HeldArena::getBytes() const {
  return llvm::SaturatingMultiply(ArenaOp(largest).getBytes(), copies);
}

uint64_t DeviceMemory::getTotal() const {
  uint64_t total = 0;
  for (uint64_t bytes : {parameters, variables, scratch, carried})
    total = llvm::SaturatingAdd(total, bytes);
  return total;
}

std::string DeviceMemory::toText() const {
  std::string kinds;
  for (auto [bytes, kind] : {std::pair(scratch, "scratch"),
                             {carried, "scratch of runs in flight"},
                             {variables, "variables"},
                             {parameters, "parameters"}})
    if (bytes != 0)
      kinds +=
          fmt::format("{}{} of {}", kinds.empty() ? "" : ", ", bytes, kind);
  return fmt::format("{} bytes{}", getTotal(),
                     kinds.empty() ? "" : fmt::format(" ({})", kinds));
}

namespace {
/// Counts entry by entry.
class Counter {
public:
  void addEntry(EntryOp entry);
  HeldMemory finish();

private:
  void addTensor(StringAttr device, FlatSymbolRefAttr parameter,
                 BufferOpInterface buffer, uint64_t &bytes) {
    if (seen.insert({device, parameter}).second)
      bytes = llvm::SaturatingAdd(
          bytes, alignTo(buffer.getByteSize(), analysis::defaultAlignment));
  }
  void addArena(EntryOp entry, ArenaOp arena);

  HeldMemory devices;
  /// The devices and the parameters that they hold.
  llvm::DenseSet<std::pair<Attribute, Attribute>> seen;
};
} // namespace

void Counter::addArena(EntryOp entry, ArenaOp arena) {
  auto [device, queue] = getArenaKey(arena);
  HeldArena &held = devices[device].arenas[queue];
  if (!held.largest || held.largest.getBytes() < arena.getBytes())
    held.largest = arena;
  if (queue == eachRun)
    held.copies = std::max<uint64_t>(held.copies, entry.getInFlight());
}

void Counter::addEntry(EntryOp entry) {
  for (auto device : entry.getDevices().getAsRange<StringAttr>())
    devices.try_emplace(device);
  for (Operation &op : entry.getBlock())
    if (auto arena = dyn_cast<ArenaOp>(op)) {
      addArena(entry, arena);
    } else if (auto variable = dyn_cast<VariableOp>(op)) {
      StringAttr device = variable.getDeviceAttr();
      addTensor(device, variable.getParameterAttr(), variable,
                devices[device].variables);
    } else if (auto parameter = dyn_cast<ParameterOp>(op);
               parameter && !entry.getSpace(parameter.getDevice()).empty()) {
      StringAttr device = parameter.getDeviceAttr();
      addTensor(device, parameter.getParameterAttr(), parameter,
                devices[device].parameters);
    }
}

HeldMemory Counter::finish() {
  for (auto &[name, device] : devices)
    for (auto &[queue, arena] : device.arenas) {
      uint64_t &bytes = arena.copies > 1 ? device.carried : device.scratch;
      bytes = llvm::SaturatingAdd(bytes, arena.getBytes());
    }
  return std::move(devices);
}

HeldMemory weir::exec::countHeldMemory(ModuleOp module) {
  Counter counter;
  for (auto entry : module.getOps<EntryOp>())
    counter.addEntry(entry);
  return counter.finish();
}
