//===- Indexing.cpp - ONNX ops that pick elements by number -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"

using namespace weir;
using namespace weir::onnx;

/// If there are at most this many indices, each one becomes a slice. More
/// indices become one take.
static constexpr size_t maxSlices = 256;

/// Whether all neighbouring indices have the same distance, which is not 0.
static bool isRegular(llvm::ArrayRef<int64_t> indices) {
  bool is = indices.size() < 2 || indices[1] != indices[0];
  for (size_t i = 2; i < indices.size(); ++i)
    is &= indices[i] - indices[i - 1] == indices[1] - indices[0];
  return is;
}

/// The elements of `x` at `indices`, which are not negative, along dim `axis`.
static Tensor gatherKnown(NodeBuilder &node, Tensor x, int64_t axis,
                          llvm::ArrayRef<int64_t> indices) {
  if (indices.empty())
    return node.slice(x, axis, 0, 0);
  int64_t step = indices.size() > 1 ? indices[1] - indices[0] : 1;
  if (isRegular(indices))
    return node.slice(x, axis, indices[0], static_cast<int64_t>(indices.size()),
                      step);
  if (indices.size() > maxSlices)
    return node.make<TakeOp>({x, node.ints(indices)},
                             {node.attr("axis", axis)});
  llvm::SmallVector<Tensor> parts;
  for (int64_t index : indices)
    parts.push_back(node.slice(x, axis, index, 1));
  return node.concat(parts, axis);
}

/// Imports a Gather. If the indices are known and regular, it becomes a slice,
/// which is often a view.
static Results importGather(NodeBuilder &node) {
  Tensor x = node.in(0), places = node.in(1);
  int64_t axis = node.axis(node.intAttr("axis", 0), x.rank());
  std::optional<Ints> known = node.tryInts(places);
  if (!node.isOk())
    return {Tensor()};
  if (!known || !isRegular(*known))
    return {node.make<GatherOp>({x, places}, {node.attr("axis", axis)})};
  for (int64_t &index : *known) {
    if (index < -x.dim(axis) || index >= x.dim(axis))
      node.fail("index {} is out of range for a dim of {}, expected {} to {}; "
                "correct the index",
                index, x.dim(axis), -x.dim(axis), x.dim(axis) - 1);
    index = index < 0 ? index + x.dim(axis) : index;
  }
  if (!node.isOk() || !isRegular(*known))
    return {node.make<GatherOp>({x, places}, {node.attr("axis", axis)})};
  Ints shape(x.shape().take_front(axis));
  llvm::append_range(shape, places.shape());
  llvm::append_range(shape, x.shape().drop_front(axis + 1));
  return {node.reshape(gatherKnown(node, x, axis, *known), shape)};
}

static Results importGatherElements(NodeBuilder &node) {
  Tensor x = node.in(0), places = node.in(1);
  int64_t axis = node.axis(node.intAttr("axis", 0), x.rank());
  if (x.rank() != places.rank())
    node.fail("expects indices of rank {}, found {}", x.rank(), places.rank());
  // Along the other axes, too, there may be fewer indices than elements.
  for (int64_t i = 0; i < x.rank() && node.isOk(); ++i)
    if (i != axis)
      x = node.slice(x, i, 0, std::min(places.dim(i), x.dim(i)));
  return {node.make<TakeAlongAxisOp>({x, places}, {node.attr("axis", axis)})};
}

static Results importGatherND(NodeBuilder &node) {
  int64_t batchDims = node.opset() >= 12 ? node.intAttr("batch_dims", 0) : 0;
  return {node.make<GatherNdOp>({node.in(0), node.in(1)},
                                {node.attr("batch_dims", batchDims)})};
}

//===----------------------------------------------------------------------===//
// Scattering
//===----------------------------------------------------------------------===//

/// The attribute that says how an update is combined with the element that it
/// meets.
static mlir::NamedAttribute readReduction(NodeBuilder &node) {
  std::string_view given = node.textAttr("reduction", "none"), found;
  for (auto [theirs, ours] : {std::pair{"none", "none"},
                              {"add", "sum"},
                              {"mul", "product"},
                              {"max", "maximum"},
                              {"min", "minimum"}})
    if (given == theirs)
      found = ours;
  if (found.empty())
    node.fail("attribute 'reduction' is '{}', expected none, add, mul, max or "
              "min",
              given);
  mlir::OpBuilder &builder = node.getBuilder();
  return builder.getNamedAttr("reduction", builder.getStringAttr(found));
}

static Results importScatterElements(NodeBuilder &node) {
  Tensor x = node.in(0);
  int64_t axis = node.axis(node.intAttr("axis", 0), x.rank());
  return {node.make<ScatterElementsOp>(
      {x, node.in(1), node.in(2)},
      {node.attr("axis", axis), readReduction(node)})};
}

static Results importScatterND(NodeBuilder &node) {
  return {node.make<ScatterNdOp>({node.in(0), node.in(1), node.in(2)},
                                 {readReduction(node)})};
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

template <typename OpTy> static Results importArg(NodeBuilder &node) {
  Tensor x = node.in(0);
  int64_t axis = node.axis(node.intAttr("axis", 0), x.rank());
  bool keepDims = node.intAttr("keepdims", 1) != 0;
  bool isLast = node.opset() >= 12 && node.intAttr("select_last_index", 0) != 0;
  return {node.make<OpTy>({x}, {node.attr("axis", axis),
                                node.attr("keepdims", keepDims),
                                node.attr("last", isLast)})};
}

/// Imports a TopK. ONNX does not define the order of equal elements or, if
/// `sorted` is 0, of any elements.
static Results importTopK(NodeBuilder &node) {
  Tensor x = node.in(0);
  int64_t axis = node.axis(node.intAttr("axis", -1), x.rank());
  bool isLargest = node.opset() < 11 || node.intAttr("largest", 1) != 0;
  node.ignoreAttr("sorted");
  Ints k = node.opset() < 10 ? Ints{node.intAttr("k", 0)} : node.knownInts(1);
  if (k.size() != 1)
    node.fail("expects one number of elements, found {}", k.size());
  if (!node.isOk())
    return {Tensor(), Tensor()};
  Tensor positions =
      node.make<TopKOp>({x}, {node.attr("k", k[0]), node.attr("axis", axis),
                              node.attr("largest", isLargest)});
  Tensor values =
      node.make<TakeAlongAxisOp>({x, positions}, {node.attr("axis", axis)});
  return {values, positions};
}

/// Reverses the first elements of each sequence, up to the length of the
/// sequence.
static Results importReverseSequence(NodeBuilder &node) {
  Tensor x = node.in(0), lengths = node.cast(node.in(1), node.i64());
  int64_t batchAxis = node.intAttr("batch_axis", 1);
  int64_t timeAxis = node.intAttr("time_axis", 0);
  if (x.rank() < 2 || batchAxis + timeAxis != 1 || batchAxis * timeAxis != 0)
    node.fail("expects batch and time as the two first dims, found axes {} and "
              "{} of rank {}",
              batchAxis, timeAxis, x.rank());
  if (lengths.rank() != 1 || lengths.dim(0) != x.dim(batchAxis))
    node.fail("expects a length for each of {} sequences, found {}",
              x.dim(batchAxis), node.describeInput(1));
  if (!node.isOk())
    return {Tensor()};
  int64_t batch = x.dim(batchAxis), time = x.dim(timeAxis);
  Tensor step = node.iota(time, timeAxis, 2);
  Ints along(2, 1);
  along[batchAxis] = batch;
  lengths = node.reshape(lengths, along);
  Tensor isInside = node.make<LessOp>({step, lengths});
  Tensor from = node.make<WhereOp>({isInside, lengths - 1.0 - step, step});
  // This gather lets the run fail if a length is beyond the last step.
  from = node.make<GatherOp>({node.iota(time, 0, 1), from},
                             {node.attr("axis", int64_t(0))});
  auto rowOf = [&](Tensor value, int64_t axis) {
    return axis == 0 ? value * static_cast<double>(x.dim(1)) : value;
  };
  Tensor rows =
      rowOf(from, timeAxis) + rowOf(node.iota(batch, batchAxis, 2), batchAxis);
  Ints flat(x.shape().drop_front(2));
  flat.insert(flat.begin(), batch * time);
  Tensor picked = node.make<GatherOp>(
      {node.reshape(x, flat), node.reshape(rows, {batch * time})},
      {node.attr("axis", int64_t(0))});
  return {node.reshape(picked, x.shape())};
}

static Results importCumSum(NodeBuilder &node) {
  Tensor x = node.in(0);
  Ints given = node.knownInts(1);
  if (given.size() != 1)
    node.fail("expects one axis, found {}", given.size());
  if (!node.isOk())
    return {Tensor()};
  int64_t axis = node.axis(given.front(), x.rank());
  bool isExclusive = node.intAttr("exclusive", 0) != 0;
  bool isReverse = node.intAttr("reverse", 0) != 0;
  return {node.make<CumSumOp>({x}, {node.attr("axis", axis),
                                    node.attr("exclusive", isExclusive),
                                    node.attr("reverse", isReverse)})};
}

/// Compress: keeps the elements for which a known condition is true. They are
/// elements along an axis, or elements of the flattened tensor.
static Results importCompress(NodeBuilder &node) {
  Tensor x = node.in(0);
  Ints condition = node.knownInts(1), kept;
  int64_t axis = 0;
  if (node.hasAttr("axis"))
    axis = node.axis(node.intAttr("axis", 0), x.rank());
  else
    x = node.reshape(x, {x.numElements()});
  if (static_cast<int64_t>(condition.size()) > x.dim(axis))
    node.fail("the condition has {} entries for a dim of {}", condition.size(),
              x.dim(axis));
  for (auto [i, isKept] : llvm::enumerate(condition))
    if (isKept)
      kept.push_back(static_cast<int64_t>(i));
  if (!node.isOk())
    return {Tensor()};
  return {gatherKnown(node, x, axis, kept)};
}

static Results importOneHot(NodeBuilder &node) {
  constexpr auto maxDepth = int64_t(1) << 53;
  Tensor places = node.in(0), values = node.in(2);
  std::vector<double> given = node.knownFloats(1);
  int64_t rank = places.rank() + 1;
  int64_t axis = node.axis(node.intAttr("axis", -1), rank);
  if (given.size() != 1)
    node.fail("expects one depth, found {}", node.describeInput(1));
  else if (!(given[0] >= 1 && given[0] <= maxDepth))
    node.fail("its depth is {}, expected 1 to {}, the number of classes",
              given[0], maxDepth);
  if (values.numElements() != 2)
    node.fail("expects two values, found {}", values.numElements());
  if (!node.isOk())
    return {Tensor()};
  auto depth = static_cast<int64_t>(given[0]);
  // A negative index counts from the end. An index out of range hits nothing.
  Tensor index = node.cast(places, node.i64());
  Tensor isNegative = node.make<LessOp>({index, node.scalar(0, node.i64())});
  index = node.make<WhereOp>(
      {isNegative, index + static_cast<double>(depth), index});
  Ints shape(places.shape());
  shape.insert(shape.begin() + axis, 1);
  Tensor isHit = node.make<EqualOp>(
      {node.reshape(index, shape), node.iota(depth, axis, rank)});
  Tensor off = node.reshape(node.slice(values, 0, 0, 1), {});
  Tensor on = node.reshape(node.slice(values, 0, 1, 1), {});
  return {node.make<WhereOp>({isHit, on, off})};
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

static Tensor sumAll(NodeBuilder &node, Tensor x) {
  Ints axes;
  for (int64_t i = 0; i < x.rank(); ++i)
    axes.push_back(i);
  return node.reduce<ReduceSumOp>(x, axes, /*keep=*/false);
}

/// Checks labels that are known at compile time. Each must be a class or
/// `ignored`.
static void checkLabels(NodeBuilder &node, const Ints &labels,
                        int64_t numClasses, std::optional<int64_t> ignored) {
  for (int64_t label : labels)
    if (label != ignored && (label < 0 || label >= numClasses))
      node.fail("class {} is out of range, expected 0 to {}{}; correct the "
                "class or set ignore_index",
                label, numClasses - 1,
                ignored ? fmt::format(" or ignore_index, {}", *ignored) : "");
}

namespace {
/// The labels of a loss as indices of classes.
struct Labels {
  /// The indices, with dims [N, 1, ...]. A run fails if a label is not ignored
  /// and is outside of [0, classes).
  Tensor places;
  /// Whether each label is ignored, with the same dims. Missing if none is
  /// ignored.
  Tensor isIgnored;

  /// Replaces the values of ignored labels by 0. `values` has one value for
  /// each label.
  Tensor mask(NodeBuilder &node, Tensor values) const {
    if (!isIgnored)
      return values;
    Tensor zero = node.scalar(0, values.elementType());
    return node.make<WhereOp>({isIgnored, zero, values});
  }
};
} // namespace

static Labels readLabels(NodeBuilder &node, Tensor labels, int64_t numClasses) {
  std::optional<int64_t> ignored;
  if (node.hasAttr("ignore_index"))
    ignored = node.intAttr("ignore_index", 0);
  if (std::optional<Ints> known = node.tryInts(labels))
    checkLabels(node, *known, numClasses, ignored);
  Ints shape(labels.shape());
  shape.insert(shape.begin() + std::min<size_t>(1, shape.size()), 1);
  labels = node.reshape(node.cast(labels, node.i64()), shape);
  Labels result;
  if (ignored)
    result.isIgnored =
        node.make<EqualOp>({labels, node.reshape(node.ints({*ignored}), {})});
  // An ignored label gets index 0. If no label is ignored, `ignored` is 0,
  // which changes no label.
  result.places = node.make<ClassIndexOp>(
      {labels}, {node.attr("classes", numClasses),
                 node.attr("ignored", ignored.value_or(0))});
  return result;
}

/// Minus the logarithm of the probability of each label, weighted by class.
static Tensor negativeLogLikelihood(NodeBuilder &node, Tensor logarithms) {
  Tensor labels = node.in(1), weights = node.optional(2);
  std::string_view reduction = node.textAttr("reduction", "mean");
  if (logarithms.rank() < 2 || labels.rank() != logarithms.rank() - 1)
    node.fail("expects labels of one dim less than the scores, found {} and {}",
              labels.rank(), logarithms.rank());
  if (reduction != "none" && reduction != "sum" && reduction != "mean")
    node.fail("attribute 'reduction' is '{}', expected none, sum or mean",
              reduction);
  if (!node.isOk())
    return {};
  Labels own = readLabels(node, labels, logarithms.dim(1));
  if (!node.isOk())
    return {};
  Tensor picked = node.make<TakeAlongAxisOp>({logarithms, own.places},
                                             {node.attr("axis", int64_t(1))});
  Tensor perLabel;
  if (weights) {
    perLabel = node.make<GatherOp>({weights, own.places},
                                   {node.attr("axis", int64_t(0))});
    picked = picked * perLabel;
  }
  Tensor loss =
      node.reshape(node.make<NegOp>({own.mask(node, picked)}), labels.shape());
  if (reduction == "none")
    return loss;
  Tensor sum = sumAll(node, loss);
  if (reduction == "sum")
    return sum;
  if (!perLabel)
    perLabel = node.full(own.places.shape(), 1, logarithms.elementType());
  return sum / sumAll(node, own.mask(node, perLabel));
}

static Results importNegativeLogLikelihood(NodeBuilder &node) {
  return {negativeLogLikelihood(node, node.in(0))};
}

static Results importSoftmaxCrossEntropy(NodeBuilder &node) {
  Tensor logarithms =
      node.make<LogSoftmaxOp>({node.in(0)}, {node.attr("axis", int64_t(1))});
  return {negativeLogLikelihood(node, logarithms), logarithms};
}

HandlerRows onnx::indexingRows() {
  static const HandlerRow rows[] = {
      {"ArgMax", 1, importArg<ArgMaxOp>},
      {"ArgMin", 1, importArg<ArgMinOp>},
      {"Compress", 9, importCompress},
      {"CumSum", 11, importCumSum},
      {"Gather", 1, importGather},
      {"GatherElements", 11, importGatherElements},
      {"GatherND", 11, importGatherND},
      {"NegativeLogLikelihoodLoss", 12, importNegativeLogLikelihood},
      {"OneHot", 9, importOneHot},
      {"ReverseSequence", 10, importReverseSequence},
      {"Scatter", 9, importScatterElements, 10},
      {"ScatterElements", 11, importScatterElements},
      {"ScatterND", 11, importScatterND},
      {"SoftmaxCrossEntropyLoss", 12, importSoftmaxCrossEntropy},
      {"TopK", 1, importTopK},
  };
  return rows;
}
