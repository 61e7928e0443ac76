//===- CommandConversion.cpp - Converts groups to commands ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "EntryConverter.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"

using namespace mlir;
using namespace weir;
using exec::View;

LogicalResult EntryConverter::convertOp(Operation *op) {
  if (isa<ConstantOp, KeepOp, func::ReturnOp>(op))
    return success();
  if (auto group = dyn_cast<GroupOp>(op))
    return convertGroup(group);
  if (auto copy = dyn_cast<CopyOp>(op)) {
    Place target = getTarget(copy, copy.getToAttr());
    if (failed(buffers.addCrossing(copy, target)))
      return failure();
    outputs.copyTo(copy, copy.getToAttr());
    return success();
  }
  return op->emitOpError("is in no group; run weir-form-groups first");
}

LogicalResult EntryConverter::convertGroup(GroupOp group) {
  StringAttr device = group.getDeviceAttr();
  for (Operation &op : group.getBlock().without_terminator()) {
    if (isa<ViewOp>(op))
      continue;
    if (auto join = dyn_cast<JoinOp>(op)) {
      if (failed(joins.convert(join, device)))
        return failure();
      continue;
    }
    auto launch = dyn_cast<LaunchOp>(op);
    if (!launch)
      return op.emitOpError("is not lowered; run weir-lower-groups first");
    if (failed(convertLaunch(launch, device)))
      return failure();
  }
  auto inside = group->getAttrOfType<ArrayAttr>(attrs::inside);
  if (inside && !group.getBlock().getOps<LaunchOp>().empty())
    builder.setInside(device, inside);
  return success();
}

/// Names the tensors that have the bytes of `root`, a result of `launch`. This
/// happens immediately after the launch, since the bytes may be reused if
/// nothing reads them.
LogicalResult EntryConverter::nameTensors(Value root, StringAttr device,
                                          LaunchOp launch) {
  ArrayRef<NamedTensors::Tensor> named = tensors.of(root);
  if (named.empty())
    return success();
  FailureOr<View> whole = viewOf(root, device, launch);
  if (failed(whole))
    return failure();
  for (const NamedTensors::Tensor &tensor : named) {
    View view = *whole;
    view.type = cast<RankedTensorType>(tensor.value.getType());
    builder.addTensor(launch.getLoc(), device, tensor.name, view);
  }
  return success();
}

/// The place of `root`, which `device` computes or which is copied to it. It is
/// in the variable that `root` updates, in an output that the device can
/// access, or in a join. The place has no buffer if `root` may be anywhere.
Place EntryConverter::getTarget(Value root, StringAttr device) {
  if (Value variable = variables.find(root))
    return wholeOf(variable);
  if (Value output = outputs.find(root, device))
    return wholeOf(output);
  return joins.getPlace(root);
}

/// The place for `result` of a launch.
Place EntryConverter::addResult(Value result, StringAttr device) {
  Place place = getTarget(result, device);
  if (!place.buffer)
    place = wholeOf(builder.addScratch(getValueName(result), result.getLoc(),
                                       device, spanBytes(result.getType())));
  buffers.addComputed(result, place);
  return place;
}

FailureOr<View> EntryConverter::viewOf(Value value, StringAttr device,
                                       Operation *reader) {
  FailureOr<Place> place = buffers.get(value, device, reader);
  if (failed(place))
    return failure();
  return View{place->buffer, place->offset,
              cast<RankedTensorType>(value.getType())};
}

FailureOr<View> EntryConverter::read(LaunchOp launch, unsigned operand,
                                     StringAttr device) {
  return viewOf(launch.getInputs()[operand], device, launch);
}

/// Whether something reads `result` of a launch, in its group or outside.
static bool isRead(OpResult result) {
  return llvm::any_of(result.getUses(), [](OpOperand &use) {
    if (!isa<YieldOp>(use.getOwner()))
      return true;
    Operation *group = use.getOwner()->getParentOp();
    return !group->getResult(use.getOperandNumber()).use_empty();
  });
}

LogicalResult EntryConverter::convertLaunch(LaunchOp launch,
                                            StringAttr device) {
  SmallVector<View> writes, reads;
  // Operands come first, because a copy that brings an operand to this device
  // must precede the launch.
  if (launch.getCopies().empty())
    for (unsigned i = 0; i < launch.getInputs().size(); ++i) {
      FailureOr<View> view = read(launch, i, device);
      if (failed(view))
        return failure();
      reads.push_back(*view);
    }
  for (OpResult result : launch->getResults()) {
    // If the launch only copies parts, a result that nobody reads is left out.
    bool isNeeded = launch.getCopies().empty() || isRead(result);
    const Place place = isNeeded ? addResult(result, device) : Place();
    writes.push_back(
        {place.buffer, place.offset, cast<RankedTensorType>(result.getType())});
  }
  if (launch.getCopies().empty())
    builder.addLaunch(launch, device, reads, writes,
                      variables.getOverwrites(launch));
  else if (failed(convertParts(launch, device, writes)))
    return failure();
  for (auto [result, view] : llvm::zip(launch.getResults(), writes)) {
    if (!view.buffer)
      continue;
    if (failed(nameTensors(result, device, launch)))
      return failure();
    outputs.copyTo(result, device);
  }
  return success();
}

LogicalResult EntryConverter::convertParts(LaunchOp launch, StringAttr device,
                                           ArrayRef<View> writes) {
  for (auto part : launch.getCopies().getAsRange<ElementCopyAttr>()) {
    ArrayRef<int64_t> dims = part.getDims();
    const View &whole = writes[static_cast<size_t>(part.getResult())];
    // A result without elements is written like any other, because a value that
    // is named, returned or copied needs a command before that.
    bool isEmptyPart =
        llvm::is_contained(dims, 0) && whole.type.getNumElements() != 0;
    if (!whole.buffer || isEmptyPart)
      continue;
    FailureOr<View> from =
        read(launch, static_cast<unsigned>(part.getOperand()), device);
    if (failed(from))
      return failure();
    View source =
        makePart(*from, dims, part.getFromOffset(), part.getFromStrides());
    View target =
        makePart(whole, dims, part.getToOffset(), part.getToStrides());
    builder.addLaunch(launch, device, source, target);
  }
  return success();
}
