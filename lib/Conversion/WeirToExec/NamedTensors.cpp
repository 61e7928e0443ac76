//===- NamedTensors.cpp - The tensors of the model in a graph -------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "NamedTensors.h"

#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"

using namespace mlir;
using namespace weir;

void NamedTensors::find(func::FuncOp function, const ValueOrigins &origins) {
  for (auto group : function.getBody().front().getOps<GroupOp>()) {
    ValueRange results = group.getBlock().getTerminator()->getOperands();
    auto viewed = group->getAttrOfType<ArrayAttr>(attrs::viewed);
    auto tensors = group->getAttrOfType<ArrayAttr>(attrs::tensors);
    if (!viewed || !tensors || viewed.size() != results.size() ||
        tensors.size() != results.size())
      continue;
    for (auto [names, value] : llvm::zip(viewed, results)) {
      auto list = cast<ArrayAttr>(names);
      Value root = origins.getRoot(value);
      if (!list.empty() && list[0] == TypeAttr::get(root.getType()))
        add(root, root, names);
    }
    for (auto [names, value] : llvm::zip(tensors, results))
      add(origins.getRoot(value), value, names);
  }
}

void NamedTensors::add(Value root, Value value, Attribute names) {
  for (Attribute attr : cast<ArrayAttr>(names))
    if (auto name = dyn_cast<StringAttr>(attr))
      byRoot[root].push_back({name, value});
}

ArrayRef<NamedTensors::Tensor> NamedTensors::of(Value root) const {
  const auto found = byRoot.find(root);
  return found == byRoot.end() ? ArrayRef<Tensor>() : found->second;
}
