//===- TensorNames.cpp - The names of tensors in a group ------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/Transforms/TensorNames.h"

#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"

using namespace mlir;
using namespace weir;

/// Marks ops that compute no tensor of the model.
static constexpr llvm::StringLiteral step = "step";

Location weir::asStepOf(Location location) {
  MLIRContext *context = location.getContext();
  return FusedLoc::get(context, location, StringAttr::get(context, step));
}

/// The named parts of `location`, if it is a fused location; else `location`
/// itself.
static SmallVector<NameLoc> getNamedParts(Location location) {
  if (auto name = dyn_cast<NameLoc>(location))
    return {name};
  SmallVector<NameLoc> parts;
  auto fused = dyn_cast<FusedLoc>(location);
  if (fused && !fused.getMetadata())
    for (Location part : fused.getLocations())
      llvm::append_range(parts, getNamedParts(part));
  return parts;
}

/// The name of a result whose op names no results: "split#1" for result 1 of
/// split, or the name of the op if it has one result.
static std::string nameResult(StringRef op, OpResult result) {
  if (result.getOwner()->getNumResults() == 1)
    return op.str();
  return (op + "#" + Twine(result.getResultNumber())).str();
}

Location weir::nameOpAndResults(StringAttr op, const ResultNames &names) {
  Builder builder(op.getContext());
  SmallVector<Attribute> results;
  for (const SmallVector<std::string> &ofResult : names)
    results.push_back(builder.getStrArrayAttr(
        SmallVector<StringRef>(ofResult.begin(), ofResult.end())));
  return NameLoc::get(
      op, FusedLoc::get({}, builder.getArrayAttr(results), op.getContext()));
}

/// The names of results in `location`, the location of one op.
static ArrayAttr getNamesAttr(NameLoc location) {
  auto fused = dyn_cast<FusedLoc>(location.getChildLoc());
  return fused ? dyn_cast_or_null<ArrayAttr>(fused.getMetadata()) : ArrayAttr();
}

/// The names in element `i` of `results`; none if hand-written text has fewer
/// elements.
static SmallVector<std::string> getNamesAt(ArrayAttr results, size_t i) {
  SmallVector<std::string> names;
  auto list = i < results.size() ? dyn_cast<ArrayAttr>(results[i]) : nullptr;
  if (list)
    for (auto name : list.getAsRange<Attribute>())
      if (auto text = dyn_cast<StringAttr>(name))
        names.push_back(text.str());
  return names;
}

std::optional<ResultNames> weir::getResultNames(Operation *op) {
  auto location = dyn_cast<NameLoc>(op->getLoc());
  ArrayAttr results = location ? getNamesAttr(location) : ArrayAttr();
  if (!results)
    return std::nullopt;
  ResultNames names;
  for (size_t i = 0; i < op->getNumResults(); ++i)
    names.push_back(getNamesAt(results, i));
  return names;
}

SmallVector<std::string> weir::getTensorNames(OpResult result) {
  SmallVector<NameLoc> parts = getNamedParts(result.getOwner()->getLoc());
  if (parts.empty())
    return {};
  if (ArrayAttr results = getNamesAttr(parts.back()))
    return getNamesAt(results, result.getResultNumber());
  return {nameResult(parts.back().getName(), result)};
}

SmallVector<std::string> weir::getInnerNames(Operation *op) {
  SmallVector<std::string> names;
  SmallVector<NameLoc> parts = getNamedParts(op->getLoc());
  if (parts.empty())
    return names;
  for (NameLoc part : ArrayRef(parts).drop_back())
    if (ArrayAttr results = getNamesAttr(part))
      for (size_t i = 0; i < results.size(); ++i)
        llvm::append_range(names, getNamesAt(results, i));
    else
      names.push_back(part.getName().str());
  return names;
}

ModelTensors weir::listTensors(func::FuncOp entry) {
  ModelTensors tensors;
  llvm::StringSet<> known;
  for (auto op : entry.getOps<WeirOpInterface>())
    for (OpResult result : op->getResults())
      for (std::string &name : getTensorNames(result))
        if (known.insert(name).second)
          tensors.names.push_back(std::move(name));
        else
          tensors.ambiguous.insert(name);
  llvm::erase_if(tensors.names, [&](const std::string &name) {
    return tensors.ambiguous.contains(name);
  });
  return tensors;
}

/// The result of an op of the model that `value` is, perhaps after relayouts;
/// null for values from outside of the group.
static OpResult getNamedResult(Value value) {
  while (auto result = dyn_cast<OpResult>(value)) {
    auto op = dyn_cast<WeirOpInterface>(result.getOwner());
    if (!op || !op.getOpRecord().isRelayout())
      return result;
    value = op->getOperand(0);
  }
  return {};
}

/// The value that `result` of a group views, through all views in the group;
/// null if it is not a view.
static OpResult getViewed(OpResult result) {
  OpResult viewed = result;
  while (viewed) {
    auto op = dyn_cast<WeirOpInterface>(viewed.getOwner());
    if (!op || !isView(op))
      break;
    viewed = getNamedResult(op->getOperand(0));
  }
  return viewed == result ? OpResult() : viewed;
}

static ArrayAttr toArray(Builder builder, ArrayRef<std::string> names,
                         SmallVector<Attribute> attrs = {}) {
  for (const std::string &name : names)
    attrs.push_back(builder.getStringAttr(name));
  return builder.getArrayAttr(attrs);
}

void weir::noteTensors(GroupOp group) {
  Builder builder(group);
  llvm::DenseSet<OpResult> left;
  SmallVector<Attribute> tensors, viewed;
  for (Value value : group.getBlock().getTerminator()->getOperands()) {
    OpResult result = getNamedResult(value), behind = getViewed(result);
    left.insert(result);
    left.insert(behind);
    tensors.push_back(toArray(builder, result ? getTensorNames(result)
                                              : SmallVector<std::string>()));
    viewed.push_back(behind ? toArray(builder, getTensorNames(behind),
                                      {TypeAttr::get(behind.getType())})
                            : builder.getArrayAttr({}));
  }
  SmallVector<std::string> inside;
  // Some ops have already become launches.
  for (Operation &op : group.getBlock().without_terminator()) {
    auto weirOp = dyn_cast<WeirOpInterface>(op);
    if (weirOp && weirOp.getOpRecord().isRelayout())
      continue;
    llvm::append_range(inside, getInnerNames(&op));
    for (OpResult result : op.getResults())
      if (!left.contains(result))
        llvm::append_range(inside, getTensorNames(result));
  }
  group->setAttr(attrs::tensors, builder.getArrayAttr(tensors));
  group->setAttr(attrs::viewed, builder.getArrayAttr(viewed));
  if (!inside.empty())
    group->setAttr(attrs::inside, toArray(builder, inside));
}
