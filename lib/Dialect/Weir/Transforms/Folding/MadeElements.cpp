//===- MadeElements.cpp - Initial elements to derive others from ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "MadeElements.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weir;

static constexpr uint64_t maxMadeBytes = uint64_t(1) << 29;

MadeElements::MadeElements(ModuleOp module) : left(maxMadeBytes) {
  uint64_t all = 0;
  for (auto parameter : module.getOps<ParameterOp>())
    if (parameter.getFill() || parameter.getInitial()) {
      const auto type = cast<RankedTensorType>(parameter.getType());
      numbers[FlatSymbolRefAttr::get(parameter.getSymNameAttr())] =
          static_cast<unsigned>(bytes.size());
      bytes.push_back(toTensorDesc(type).spanBytes());
      all = llvm::SaturatingAdd(all, bytes.back());
    }
  if (all <= maxMadeBytes)
    numbers.clear();
}

void MadeElements::setEntry(func::FuncOp entry,
                            const DerivableValues &derivable) {
  sources.clear();
  if (numbers.empty())
    return;
  for (BlockArgument argument : entry.getArguments())
    if (auto known = numbers.find(getParameter(entry, argument));
        known != numbers.end())
      sources[argument].set(known->second);
  for (Operation &op : entry.getBody().front()) {
    if (op.getNumResults() == 0 || !derivable.contains(op.getResult(0)))
      continue;
    Numbers all;
    for (Value operand : op.getOperands())
      if (auto known = sources.find(operand); known != sources.end())
        all |= known->second;
    if (!all.empty())
      for (Value result : op.getResults())
        sources[result] = all;
  }
}

uint64_t MadeElements::countBytes(Value value) const {
  uint64_t sum = 0;
  if (auto known = sources.find(value); known != sources.end())
    for (unsigned number : known->second)
      sum = llvm::SaturatingAdd(sum, bytes[number]);
  return sum;
}

std::string MadeElements::whyNot(Value value) const {
  const uint64_t wanted = countBytes(value);
  if (wanted <= left)
    return {};
  return ("would make " + llvm::Twine(wanted) +
          " bytes of initial elements, but " + llvm::Twine(left) +
          " are left of the " + llvm::Twine(maxMadeBytes) +
          " that the compiler makes")
      .str();
}

void MadeElements::make(Value value) {
  left -= countBytes(value);
  if (auto known = sources.find(value); known != sources.end())
    for (unsigned number : known->second)
      bytes[number] = 0;
}
