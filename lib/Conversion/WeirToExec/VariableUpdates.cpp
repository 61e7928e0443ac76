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
class UpdateFinder {
public:
  UpdateFinder(func::FuncOp function, ArrayRef<VariableUpdate> updates,
               const ValueMemory &memory);

  VariableUpdates run();

private:
  void addCommand(Operation *op, StringAttr device);
  std::string consider(size_t number);
  std::string considerLaunch(size_t number, OpResult result);
  void choose();

  /// An update that may be in place.
  struct Candidate {
    size_t update = 0;
    OpResult result;
    /// The operand that the result overwrites, or -1.
    int32_t overwritten = -1;
  };
  void accept(const Candidate &candidate);

  ArrayRef<VariableUpdate> updates;
  const ValueMemory &memory;
  /// For each argument that is a variable, or lies in one, the number of the
  /// variable's update.
  llvm::DenseMap<Value, size_t> updateOf;
  /// Launches and copies, in the order of the text.
  llvm::DenseMap<Operation *, uint32_t> numbers;
  /// For each launch or copy, the launches and copies whose results it needs.
  std::vector<std::vector<uint32_t>> dependencies;
  /// For each update, the commands that read the old value.
  std::vector<std::vector<uint32_t>> readers;
  std::vector<Candidate> candidates;
  /// The updates of candidates, by their results.
  llvm::DenseMap<Value, size_t> candidateOf;
  VariableUpdates found;
};
} // namespace

UpdateFinder::UpdateFinder(func::FuncOp function,
                           ArrayRef<VariableUpdate> updates,
                           const ValueMemory &memory)
    : updates(updates), memory(memory), readers(updates.size()) {
  llvm::DenseMap<Attribute, size_t> byName;
  for (auto [number, update] : llvm::enumerate(updates))
    byName[update.parameter] = number;
  for (BlockArgument argument : function.getArguments()) {
    auto name = function.getArgAttrOfType<FlatSymbolRefAttr>(
        argument.getArgNumber(), attrs::parameter);
    if (!name)
      continue;
    if (auto update = byName.find(memory.facts.getVariable(name));
        update != byName.end())
      updateOf[argument] = update->second;
  }
  for (Operation &op : function.getBody().front())
    if (auto copy = dyn_cast<CopyOp>(op))
      addCommand(copy, copy.getFromAttr());
    else if (auto group = dyn_cast<GroupOp>(op))
      for (Operation &part : group.getBlock().without_terminator())
        if (!isa<ViewOp>(part))
          addCommand(&part, group.getDeviceAttr());
}

/// Adds a command of `device`. If the variable is in other memory, the command
/// reads a copy of it. That copy is made when the run begins, and waits for
/// nothing.
void UpdateFinder::addCommand(Operation *op, StringAttr device) {
  auto number = static_cast<uint32_t>(dependencies.size());
  numbers[op] = number;
  auto &needed = dependencies.emplace_back();
  for (Value operand : op->getOperands()) {
    Operation *maker = memory.origins.getSource(operand).getDefiningOp();
    if (auto command = numbers.find(maker); command != numbers.end())
      needed.push_back(command->second);
    auto update = updateOf.find(memory.origins.getRoot(operand));
    if (update != updateOf.end() &&
        memory.builder.shareMemory(updates[update->second].device, device))
      readers[update->second].push_back(number);
  }
}

/// The name of the variable of `update`.
static std::string nameOf(const VariableUpdate &update) {
  return update.parameter.getValue().str();
}

/// Makes update `number` a candidate, or says why it cannot be in place.
std::string UpdateFinder::consider(size_t number) {
  Value root = memory.origins.getRoot(updates[number].value);
  auto result = dyn_cast<OpResult>(root);
  if (!result || isa<ConstantOp>(result.getOwner()))
    return "no launch computes its value";
  if (isa<CopyOp>(result.getOwner()))
    return "its value comes from another device";
  if (getDeviceOf(root) != updates[number].device)
    return "its value is computed on another device";
  if (memory.outputs.find(root, updates[number].device))
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
    auto update = updateOf.find(memory.origins.getRoot(operand));
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
  candidates.push_back({number, result, overwritten});
  candidateOf[result] = number;
  return {};
}

/// Chooses the candidates that can be in place together.
void UpdateFinder::choose() {
  std::vector<analysis::Update> wanted;
  for (const Candidate &candidate : candidates) {
    auto &update = wanted.emplace_back();
    update.command = numbers.at(candidate.result.getOwner());
    for (uint32_t reader : readers[candidate.update])
      if (reader != update.command)
        update.readers.push_back(reader);
  }
  std::vector<bool> chosen =
      analysis::chooseUpdatesInPlace(dependencies, wanted);
  for (auto [candidate, isChosen] : llvm::zip(candidates, chosen))
    if (isChosen)
      accept(candidate);
    else
      found.reasons[updates[candidate.update].parameter.getAttr()] =
          "its old value is read when the new one is there";
}

void UpdateFinder::accept(const Candidate &candidate) {
  OpResult result = candidate.result;
  found.inPlace[result] = candidate.update;
  if (candidate.overwritten < 0)
    return;
  auto &overwrites = found.overwrites[result.getOwner()];
  overwrites.resize(result.getOwner()->getNumResults(), -1);
  overwrites[result.getResultNumber()] = candidate.overwritten;
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
