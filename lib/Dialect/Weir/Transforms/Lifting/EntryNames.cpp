//===- EntryNames.cpp - Names of things in the entries of a module --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/Lifting/EntryNames.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Support/NearNames.h"
#include "weir/Support/OptionText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <limits>

using namespace mlir;
using namespace weir;

/// The entries that `text` names by a prefix ENTRY/. If several entry names
/// fit, the longest one counts.
static NamedInEntries
findQualified(ArrayRef<func::FuncOp> entries, StringRef text,
              llvm::function_ref<bool(func::FuncOp, StringRef)> has) {
  NamedInEntries found;
  found.name = text;
  size_t longest = 0;
  for (func::FuncOp entry : entries) {
    StringRef owner = getEntryName(entry), name = text;
    if (!name.consume_front(owner) || !name.consume_front("/") ||
        owner.size() < longest || !has(entry, name))
      continue;
    if (owner.size() > longest)
      found.entries.clear();
    longest = owner.size();
    found.entries.push_back(entry);
    found.name = name;
    found.isQualified = true;
  }
  return found;
}

NamedInEntries
weir::findInEntries(ArrayRef<func::FuncOp> entries, StringRef text,
                    llvm::function_ref<bool(func::FuncOp, StringRef)> has) {
  NamedInEntries found;
  found.name = text;
  for (func::FuncOp entry : entries)
    if (has(entry, text))
      found.entries.push_back(entry);
  return found.entries.empty() ? findQualified(entries, text, has) : found;
}

BlockArgument weir::findInput(func::FuncOp entry, StringRef name) {
  for (BlockArgument input : entry.getArguments())
    if (getValueName(input) == name)
      return input;
  return {};
}

StringRef weir::getOutputName(func::FuncOp entry, unsigned number) {
  if (auto name = entry.getResultAttrOfType<StringAttr>(number, attrs::name))
    return name.getValue();
  return getValueName(
      entry.getBody().front().getTerminator()->getOperand(number));
}

Value weir::findOutputOrOp(func::FuncOp entry, StringRef name) {
  Operation *end = entry.getBody().front().getTerminator();
  for (unsigned i = 0; i < end->getNumOperands(); ++i)
    if (getOutputName(entry, i) == name)
      return end->getOperand(i);
  for (auto op : entry.getOps<WeirOpInterface>())
    if (weir::getOpName(op.getOperation()) == name && op->getNumResults() == 1)
      return op->getResult(0);
  return {};
}

InputNumbers::InputNumbers(ArrayRef<func::FuncOp> entries) {
  for (func::FuncOp entry : entries) {
    llvm::StringMap<unsigned> &numbers = numbersOf[entry];
    for (BlockArgument input : entry.getArguments())
      numbers.try_emplace(getValueName(input), input.getArgNumber());
  }
}

std::optional<unsigned> InputNumbers::find(func::FuncOp entry,
                                           StringRef name) const {
  const llvm::StringMap<unsigned> &numbers = numbersOf.find(entry)->second;
  auto number = numbers.find(name);
  if (number == numbers.end())
    return std::nullopt;
  return number->second;
}

std::string weir::offerInEntries(ArrayRef<func::FuncOp> entries, StringRef name,
                                 StringRef kind, ListNamesFn list) {
  std::vector<std::string> names;
  llvm::StringSet<> seen;
  for (func::FuncOp entry : entries) {
    if (!seen.insert(getEntryName(entry)).second)
      continue;
    SmallVector<std::string> own;
    list(entry, own);
    for (std::string &each : own)
      names.push_back(entries.size() == 1
                          ? std::move(each)
                          : (getEntryName(entry) + "/" + each).str());
  }
  return offerNames(std::string_view(name), names, std::string_view(kind),
                    "--emit=import shows all") +
         describeList(std::string_view(name));
}

std::string weir::offerInputs(ArrayRef<func::FuncOp> entries, StringRef name) {
  return offerInEntries(
      entries, name, "inputs",
      [](func::FuncOp entry, SmallVectorImpl<std::string> &names) {
        for (BlockArgument input : entry.getArguments())
          names.push_back(getValueName(input).str());
      });
}

std::string weir::offerOutputs(ArrayRef<func::FuncOp> entries, StringRef name) {
  return offerInEntries(
      entries, name, "outputs",
      [](func::FuncOp entry, SmallVectorImpl<std::string> &names) {
        for (unsigned i = 0; i < entry.getNumResults(); ++i)
          names.push_back(getOutputName(entry, i).str());
      });
}

std::string weir::offerPorts(ArrayRef<func::FuncOp> entries, StringRef name) {
  auto list = [](func::FuncOp entry, SmallVectorImpl<std::string> &names) {
    for (BlockArgument input : entry.getArguments())
      if (!entry.getArgAttr(input.getArgNumber(), attrs::parameter))
        names.push_back(getValueName(input).str());
    for (unsigned i = 0; i < entry.getNumResults(); ++i)
      if (!entry.getResultAttr(i, attrs::assigns))
        if (auto name = entry.getResultAttrOfType<StringAttr>(i, attrs::name))
          names.push_back(name.str());
  };
  return offerInEntries(entries, name, "inputs and outputs", list);
}

StringRef weir::getReportName(Operation *entry) {
  StringRef name = getEntryName(entry);
  StringRef symbol = SymbolTable::getSymbolName(entry).getValue();
  // The plans of an entry are called `NAME[SHAPES]`.
  return symbol.starts_with((name + "[").str()) ? symbol : name;
}

InFlightDiagnostic weir::emitFlagError(ArrayRef<func::FuncOp> entries,
                                       StringRef flag) {
  auto error =
      emitError(UnknownLoc::get(func::FuncOp(entries.front()).getContext()));
  if (!flag.empty())
    error << flag << ": ";
  return error;
}
