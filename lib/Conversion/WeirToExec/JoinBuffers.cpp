//===- JoinBuffers.cpp - The buffers of joins, and their parts ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "JoinBuffers.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"

using namespace mlir;
using namespace weir;

void JoinBuffers::choose(func::FuncOp function) {
  Block &body = function.getBody().front();
  for (auto copy : body.getOps<CopyOp>())
    if (builder.shareMemory(copy.getFromAttr(), copy.getToAttr()))
      passedOn.insert(origins.getRoot(copy.getInput()));
  for (auto group : body.getOps<GroupOp>())
    for (auto join : group.getBlock().getOps<JoinOp>())
      chooseIn(join, group.getDeviceAttr());
}

void JoinBuffers::chooseIn(JoinOp join, StringAttr device) {
  for (auto [index, input] : llvm::enumerate(join.getInputs())) {
    const auto number = static_cast<unsigned>(index);
    Value root = origins.getRoot(input);
    std::string reason = whyNot(root, device);
    if (reason.empty())
      parts[root] = {join, number};
    else
      reasons[{join, number}] = std::move(reason);
  }
}

/// The reason for which `root` cannot be computed at a place of a join on
/// `device`; empty if it can.
std::string JoinBuffers::whyNot(Value root, StringAttr device) const {
  if (!isa_and_nonnull<CopyOp, LaunchOp>(root.getDefiningOp()))
    return "no launch computes it";
  if (getDeviceOf(root) != device)
    return "it is computed on another device";
  if (outputs.shows(root) || variables.find(root))
    return "it is computed in the memory of an output or a variable";
  if (passedOn.contains(root))
    return "another device reads it where it is";
  return parts.contains(root) ? "it has another place too" : "";
}

/// The buffer of `join`. The first part of the join that needs it declares it.
Value JoinBuffers::getBuffer(JoinOp join) {
  Value &buffer = buffers[join];
  if (buffer)
    return buffer;
  Value result = join.getResult();
  StringAttr device = join->getParentOfType<GroupOp>().getDeviceAttr();
  buffer = outputs.find(result, device);
  if (!buffer)
    buffer = builder.addScratch(getValueName(result), result.getLoc(), device,
                                spanBytes(result.getType()));
  return buffer;
}

Place JoinBuffers::getPart(Part part) {
  Type type = part.join.getInputs()[part.input].getType();
  const DType element = *toDType(cast<RankedTensorType>(type).getElementType());
  return wholeOf(getBuffer(part.join))
      .part(part.join.getOffsets()[part.input] *
                static_cast<int64_t>(byteSize(element)),
            spanBytes(type));
}

Place JoinBuffers::getPlace(Value root) {
  auto part = parts.find(root);
  return part == parts.end() ? Place() : getPart(part->second);
}

LogicalResult JoinBuffers::convert(JoinOp join, StringAttr device) {
  Value result = join.getResult();
  const std::string name = getValueName(result).str();
  const Place whole = wholeOf(getBuffer(join));
  int64_t end = 0;
  auto fillTo = [&](int64_t offset) {
    if (offset != end)
      builder.addFill(device, join.getLoc(), name,
                      whole.part(end, static_cast<uint64_t>(offset - end)));
  };
  for (unsigned input = 0; input < join.getInputs().size(); ++input) {
    const Place part = getPart({join, input});
    fillTo(part.offset);
    end = part.offset + static_cast<int64_t>(part.bytes);
    auto reason = reasons.find({join, input});
    if (reason == reasons.end() || part.bytes == 0)
      continue;
    Value value = join.getInputs()[input];
    FailureOr<Place> from = values.get(value, device, join);
    if (failed(from))
      return failure();
    const std::string what = getValueName(origins.getSource(value)).str();
    builder.addJoinedCopy(device, {what + " to " + name, *from, part},
                          reason->second);
  }
  fillTo(static_cast<int64_t>(whole.bytes));
  values.addComputed(result, whole);
  outputs.copyTo(result, device);
  return success();
}
