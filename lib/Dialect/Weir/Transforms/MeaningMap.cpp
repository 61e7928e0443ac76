//===- MeaningMap.cpp - What is known about equal ops ---------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/MeaningMap.h"

#include "llvm/ADT/Hashing.h"

using namespace mlir;
using namespace weir;

size_t OpMeaningHash::operator()(const OpMeaning &meaning) const {
  return llvm::hash_combine_range(meaning.begin(), meaning.end());
}

DictionaryAttr weir::getMeaningAttrs(Operation *op) {
  DictionaryAttr attrs = op->getAttrDictionary();
  if (llvm::none_of(attrs, [](NamedAttribute named) {
        return isPlacementAttr(named.getName());
      }))
    return attrs;
  NamedAttrList kept;
  for (NamedAttribute named : attrs)
    if (!isPlacementAttr(named.getName()))
      kept.append(named);
  return kept.getDictionary(op->getContext());
}

OpMeaning weir::getMeaning(Operation *op) {
  OpMeaning meaning;
  meaning.reserve(3 + op->getNumOperands() + op->getNumResults());
  meaning.push_back(op->getName().getAsOpaquePointer());
  meaning.push_back(getMeaningAttrs(op).getAsOpaquePointer());
  for (Type type : op->getOperandTypes())
    meaning.push_back(type.getAsOpaquePointer());
  // A null separates operands from results, because no type is null.
  meaning.push_back(nullptr);
  for (Type type : op->getResultTypes())
    meaning.push_back(type.getAsOpaquePointer());
  return meaning;
}

const KernelChoice &KernelChooser::choose(WeirOpInterface op,
                                          const DeviceDesc &device) {
  return choices[&device].get(op, [&](WeirOpInterface first) {
    return chooseKernel(first, device, allowReference);
  });
}
