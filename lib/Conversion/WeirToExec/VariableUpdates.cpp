//===- VariableUpdates.cpp - Which variables are updated in place ---------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "VariableUpdates.h"

#include "weir/Analysis/InPlaceUpdates.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;

namespace {
/// Where the bytes of a value come from.
struct Bytes {
  /// The launch or copy without which they are not there; null if they are
  /// there when the run begins.
  Operation *maker = nullptr;
  /// The value that has a buffer: a result of a launch or of a copy to other
  /// memory, or an argument of the function.
  Value root;
};

class UpdateFinder {
public:
  UpdateFinder(func::FuncOp function, ArrayRef<VariableUpdate> updates,
               const ValueMemory &memory);

  VariableUpdates run();

private:
  void addCommand(Operation *op, ValueRange operands, StringAttr device);
  void addGroup(GroupOp group);
  void addCopy(CopyOp copy);
  std::string consider(size_t number);
  std::string considerLaunch(size_t number, OpResult result);
  void choose();
  void accept(size_t number, OpResult result, int32_t overwritten);

  func::FuncOp function;
  ArrayRef<VariableUpdate> updates;
  const ValueMemory &memory;
  llvm::DenseMap<Value, Bytes> bytes;
  /// The number of the update of the variable that an argument is, or lies in.
  llvm::DenseMap<Value, size_t> updateOf;
  /// Launches and copies, in the order of the text.
  llvm::DenseMap<Operation *, uint32_t> numbers;
  SmallVector<Operation *> commands;
  std::vector<std::vector<uint32_t>> dependencies;
  /// For each update, the commands that read the old value.
  std::vector<std::vector<uint32_t>> readers;
  /// The updates that may be in place, with their results, and the operands
  /// that these overwrite, or -1.
  std::vector<std::pair<size_t, OpResult>> candidates;
  std::vector<int32_t> overwrittenOf;
  llvm::DenseMap<Value, size_t> candidateOf;
  VariableUpdates found;
};
} // namespace

UpdateFinder::UpdateFinder(func::FuncOp function,
                           ArrayRef<VariableUpdate> updates,
                           const ValueMemory &memory)
    : function(function), updates(updates), memory(memory),
      readers(updates.size()) {
  llvm::DenseMap<Attribute, size_t> byName;
  for (auto [number, update] : llvm::enumerate(updates))
    byName[update.parameter] = number;
  for (BlockArgument argument : function.getArguments()) {
    bytes[argument] = {nullptr, argument};
    auto name = function.getArgAttrOfType<FlatSymbolRefAttr>(
        argument.getArgNumber(), attrs::parameter);
    if (!name)
      continue;
    if (auto update = byName.find(memory.variableOf(name));
        update != byName.end())
      updateOf[argument] = update->second;
  }
  for (Operation &op : function.getBody().front())
    if (auto group = dyn_cast<GroupOp>(op))
      addGroup(group);
    else if (auto copy = dyn_cast<CopyOp>(op))
      addCopy(copy);
    else if (isa<ConstantOp>(op))
      bytes[op.getResult(0)] = {nullptr, op.getResult(0)};
}

/// Adds a command of `device`. It reads a variable in other memory from a copy
/// that is made when the run begins, and which waits for nothing.
void UpdateFinder::addCommand(Operation *op, ValueRange operands,
                              StringAttr device) {
  auto number = static_cast<uint32_t>(commands.size());
  numbers[op] = number;
  commands.push_back(op);
  auto &needed = dependencies.emplace_back();
  for (Value operand : operands) {
    Bytes source = bytes.lookup(operand);
    if (source.maker)
      needed.push_back(numbers.lookup(source.maker));
    auto update = updateOf.find(source.root);
    if (update != updateOf.end() &&
        memory.isShared(updates[update->second].device, device))
      readers[update->second].push_back(number);
  }
}

void UpdateFinder::addGroup(GroupOp group) {
  for (auto [argument, input] :
       llvm::zip(group.getBlock().getArguments(), group.getInputs()))
    bytes[argument] = bytes.lookup(input);
  for (Operation &op : group.getBlock().without_terminator())
    if (auto view = dyn_cast<ViewOp>(op)) {
      bytes[view.getResult()] = bytes.lookup(view.getInput());
    } else {
      addCommand(&op, op.getOperands(), group.getDeviceAttr());
      for (Value result : op.getResults())
        bytes[result] = {&op, result};
    }
  for (auto [result, value] : llvm::zip(
           group.getResults(), group.getBlock().getTerminator()->getOperands()))
    bytes[result] = bytes.lookup(value);
}

void UpdateFinder::addCopy(CopyOp copy) {
  addCommand(copy, copy->getOperands(), copy.getFromAttr());
  bool isShared = memory.isShared(copy.getFromAttr(), copy.getToAttr());
  bytes[copy.getResult()] = {copy, isShared ? bytes.lookup(copy.getInput()).root
                                            : copy.getResult()};
}

/// The name of the variable of update `number`.
static std::string nameOf(const VariableUpdate &update) {
  return update.parameter.getValue().str();
}

/// Makes update `number` a candidate, or says why it cannot be in place.
std::string UpdateFinder::consider(size_t number) {
  Value root = bytes.lookup(updates[number].value).root;
  auto result = dyn_cast_or_null<OpResult>(root);
  if (!result || isa<ConstantOp>(result.getOwner()))
    return "no launch computes its value";
  if (isa<CopyOp>(result.getOwner()))
    return "its value comes from another device";
  if (result.getOwner()->getParentOfType<GroupOp>().getDeviceAttr() !=
      updates[number].device)
    return "its value is computed on another device";
  if (memory.isOutput(root))
    return "its value is computed in the memory of an output";
  if (auto other = candidateOf.find(root); other != candidateOf.end())
    return fmt::format("'{}' has the same value",
                       nameOf(updates[other->second]));
  return considerLaunch(number, result);
}

std::string UpdateFinder::considerLaunch(size_t number, OpResult result) {
  auto launch = dyn_cast<LaunchOp>(result.getOwner());
  if (!launch)
    return "no launch computes its value";
  int32_t overwritten = -1;
  for (auto [index, operand] : llvm::enumerate(launch.getInputs())) {
    auto update = updateOf.find(bytes.lookup(operand).root);
    if (update == updateOf.end() || update->second != number)
      continue;
    auto by = launch.getOverwrittenBy();
    bool isAllowed =
        by && (*by)[index] == static_cast<int64_t>(result.getResultNumber());
    if (!isAllowed || overwritten >= 0)
      return fmt::format("'{}' reads the old value and cannot overwrite it",
                         getOpName(launch).str());
    overwritten = static_cast<int32_t>(index);
  }
  candidates.push_back({number, result});
  candidateOf[result] = number;
  overwrittenOf.push_back(overwritten);
  return {};
}

/// Chooses among the candidates those that can be in place together.
void UpdateFinder::choose() {
  std::vector<analysis::Update> wanted;
  for (auto [number, result] : candidates) {
    auto &update = wanted.emplace_back();
    update.command = numbers.at(result.getOwner());
    for (uint32_t reader : readers[number])
      if (reader != update.command)
        update.readers.push_back(reader);
  }
  std::vector<bool> chosen =
      analysis::chooseUpdatesInPlace(dependencies, wanted);
  for (auto [index, candidate] : llvm::enumerate(candidates)) {
    auto [number, result] = candidate;
    if (chosen[index])
      accept(number, result, overwrittenOf[index]);
    else
      found.reasons[updates[number].parameter.getAttr()] =
          "its old value is read when the new one is there";
  }
}

void UpdateFinder::accept(size_t number, OpResult result, int32_t overwritten) {
  found.inPlace[result] = number;
  if (overwritten < 0)
    return;
  auto &overwrites = found.overwrites[result.getOwner()];
  overwrites.resize(result.getOwner()->getNumResults(), -1);
  overwrites[result.getResultNumber()] = overwritten;
}

VariableUpdates UpdateFinder::run() {
  for (auto [number, update] : llvm::enumerate(updates)) {
    std::string reason = consider(number);
    if (!reason.empty())
      found.reasons[update.parameter.getAttr()] = reason;
  }
  choose();
  return std::move(found);
}

VariableUpdates weir::findUpdatesInPlace(func::FuncOp function,
                                         ArrayRef<VariableUpdate> updates,
                                         const ValueMemory &memory) {
  return UpdateFinder(function, updates, memory).run();
}
