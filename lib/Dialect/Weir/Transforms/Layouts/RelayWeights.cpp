//===- RelayWeights.cpp - Reorders weights instead of images ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// relayout(image) -> reshape to [n, c*h*w] -> product with a weight
//
// becomes
//
// transpose(image), which is free -> reshape to [n, h*w*c] -> product with the
// weight, its rows reordered to h*w*c
//
//===----------------------------------------------------------------------===//

#include "RelayWeights.h"

#include "weir/Dialect/Weir/IR/BuildMoves.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"
#include "weir/Dialect/Weir/Transforms/KernelChoice.h"
#include "weir/Dialect/Weir/Transforms/Rewriting/WeightedSum.h"
#include "weir/Dialect/Weir/Transforms/TensorNames.h"

using namespace mlir;
using namespace weir;

static ArrayRef<int64_t> getOrder(Value value) {
  auto layout =
      dyn_cast_or_null<LayoutAttr>(getTensorType(value).getEncoding());
  return layout ? layout.getOrder() : ArrayRef<int64_t>();
}

/// The dim of the weight that `sum` contracts with the last dim of its input;
/// nothing unless it is exactly one dim.
static std::optional<size_t> getSharedDim(WeightedSum &sum) {
  auto type = getTensorType(sum.op->getOperand(sum.input));
  auto wanted = getLoops(sum.bound.operands[sum.input].back(),
                         type.getShape().back(), sum.bound);
  if (!wanted || wanted->size() != 1)
    return std::nullopt;
  ArrayRef<int64_t> dims = getTensorType(sum.getWeight()).getShape();
  for (auto [d, index] : llvm::enumerate(sum.bound.operands[sum.weight]))
    if (getLoops(index, dims[d], sum.bound) == wanted)
      return d;
  return std::nullopt;
}

/// Reorders the elements of `weight` along dim `dim`: from the order of the
/// dims of `image` after the batch to the order of `image` in memory.
static Value reorder(OpBuilder &builder, Value weight, size_t dim,
                     Value image) {
  Location location =
      NameLoc::get(builder.getStringAttr(getValueName(weight) + "_reordered"),
                   weight.getLoc());
  ArrayRef<int64_t> dims = getTensorType(weight).getShape();
  ArrayRef<int64_t> imageDims = getTensorType(image).getShape().drop_front();
  SmallVector<int64_t> shape(dims.take_front(dim));
  llvm::append_range(shape, imageDims);
  llvm::append_range(shape, dims.drop_front(dim + 1));
  SmallVector<int64_t> order = llvm::to_vector(
      llvm::seq<int64_t>(0, static_cast<int64_t>(shape.size())));
  for (auto [position, from] : llvm::enumerate(getOrder(image).drop_front()))
    order[dim + position] = static_cast<int64_t>(dim) + from - 1;
  Value split = makeReshape(builder, location, weight, shape);
  Value turned = makeTranspose(builder, location, split, order);
  return makeReshape(builder, location, turned, dims);
}

/// The op that is the only reader of `value`, on any device; null if there are
/// several readers or none.
static WeirOpInterface getReader(Value value) {
  return value.hasOneUse()
             ? dyn_cast<WeirOpInterface>(*value.getUsers().begin())
             : WeirOpInterface();
}

bool weir::relayWeight(WeirOpInterface relayout,
                       const DerivableValues &derivable) {
  Value image = relayout->getOperand(0), flat = relayout->getResult(0);
  ArrayRef<int64_t> order = getOrder(image);
  if (order.empty() || order.front() != 0 || !getOrder(flat).empty() ||
      derivable.contains(image) || isView(relayout))
    return false;
  WeirOpInterface reshape = getReader(flat);
  if (!reshape || !reshape.isReinterpretation())
    return false;
  auto type = getTensorType(reshape->getResult(0));
  if (type.getRank() != 2 ||
      type.getDimSize(0) != getTensorType(image).getDimSize(0))
    return false;
  WeirOpInterface reader = getReader(reshape->getResult(0));
  auto sum = reader ? asWeightedSum(reader, derivable) : std::nullopt;
  if (!sum || reader->getOperand(sum->input) != reshape->getResult(0))
    return false;
  std::optional<size_t> dim = getSharedDim(*sum);
  if (!dim)
    return false;
  OpBuilder builder(reader);
  reader->setOperand(sum->weight,
                     reorder(builder, sum->getWeight(), *dim, image));
  builder.setInsertionPoint(relayout);
  // The flattened tensor has the elements in another order than the tensor of
  // the model, so it must not have the name of that tensor.
  Location location = asStepOf(relayout->getLoc());
  reshape->setLoc(asStepOf(reshape->getLoc()));
  Value asItLies = makeTranspose(builder, location, image, order);
  relayout->replaceAllUsesWith(ValueRange(asItLies));
  relayout->erase();
  return true;
}
