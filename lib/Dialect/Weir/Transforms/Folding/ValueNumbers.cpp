//===- ValueNumbers.cpp - Equal values have equal numbers -----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ValueNumbers.h"

using namespace mlir;
using namespace weir;

/// The first of `count` consecutive numbers for `key`.
uintptr_t ValueNumbers::getFirst(OpMeaning key, size_t count) {
  auto [first, isNew] = known.try_emplace(std::move(key), next);
  if (isNew)
    next += count;
  return first->second;
}

void ValueNumbers::set(func::FuncOp entry, const DerivableValues &derivable) {
  numbers.clear();
  for (BlockArgument argument : entry.getArguments())
    if (derivable.contains(argument))
      numbers[argument] = getFirst(
          {getParameter(entry, argument).getAsOpaquePointer()}, /*count=*/1);
  for (Operation &op : entry.getBody().front()) {
    if (op.getNumResults() == 0 || !derivable.contains(op.getResult(0)))
      continue;
    // The numbers of the operands determine their types.
    OpMeaning key = {op.getName().getAsOpaquePointer(),
                     getMeaningAttrs(&op).getAsOpaquePointer()};
    for (Type type : op.getResultTypes())
      key.push_back(type.getAsOpaquePointer());
    for (Value operand : op.getOperands())
      key.push_back(reinterpret_cast<const void *>(numbers.at(operand)));
    uintptr_t number = getFirst(std::move(key), op.getNumResults());
    for (Value result : op.getResults())
      numbers[result] = number++;
  }
}
