//===- Sequences.cpp - ONNX ops on sequences of tensors ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A sequence is a list of values of the graph. The import must know it. So the
// positions in a sequence must be known, and inputs and outputs of a graph are
// never sequences.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "weir/Support/Counted.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace weir;
using namespace weir::onnx;

//===----------------------------------------------------------------------===//
// Sequences as values
//===----------------------------------------------------------------------===//

bool onnx::isSequence(Value value) {
  return value && isa<TupleType>(value.getType());
}

/// The most tensors of a sequence, and of the lists of all nodes together. A
/// node that changes a sequence makes a new list.
static constexpr size_t mostTensors = size_t(1) << 12;
static constexpr size_t mostListed = size_t(1) << 24;

/// Fails if a sequence of `length` tensors is too long.
static void checkLength(NodeBuilder &node, size_t length) {
  if (length > mostTensors)
    node.fail("its sequence has {} tensors, expected at most {}; use several "
              "sequences",
              length, mostTensors);
}

bool NodeBuilder::hasSequence(size_t i) const {
  return has(i) && isSequence(inputs[i]);
}

/// Fails if input `i` is a sequence.
bool NodeBuilder::checkTensor(size_t i) {
  if (!isSequence(inputs[i]))
    return true;
  fail("{} is a sequence, expected a tensor; take one with SequenceAt, or all "
       "with ConcatFromSequence",
       inputName(i));
  return false;
}

Tensors NodeBuilder::sequence(size_t i) {
  readInputs.insert(i);
  if (!hasSequence(i)) {
    fail("{} is {}, expected a sequence", inputName(i),
         has(i) ? "a tensor" : "missing");
    return {};
  }
  return llvm::map_to_vector(inputs[i].getDefiningOp()->getOperands(),
                             [&](Value value) { return wrap(value); });
}

/// Makes a sequence. It is an op whose operands are the tensors. The type of
/// its result does not list the types of the tensors.
Tensor NodeBuilder::makeSequence(ArrayRef<Tensor> parts) {
  checkLength(*this, parts.size());
  numListed += parts.size();
  if (numListed > mostListed)
    fail("the lists of all nodes on sequences have more than {} tensors, as "
         "each node that changes a sequence makes a new list; use fewer such "
         "nodes, or shorter sequences",
         mostListed);
  if (!isOk())
    return {};
  const SmallVector<Value> values(parts.begin(), parts.end());
  auto type = TupleType::get(builder.getContext());
  return wrap(
      UnrealizedConversionCastOp::create(builder, location, type, values)
          .getResult(0));
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static Results importSequenceConstruct(NodeBuilder &node) {
  return {node.makeSequence(node.allInputs())};
}

static Results importSequenceEmpty(NodeBuilder &node) {
  node.ignoreAttr("dtype");
  return {node.makeSequence({})};
}

/// The position in input `i`, or `otherwise` if the input is not given. There
/// are `count` positions. A negative position counts from the end of the
/// sequence, which has `length` tensors.
static int64_t readPosition(NodeBuilder &node, size_t i, int64_t length,
                            int64_t count, int64_t otherwise) {
  const Ints given = node.has(i) ? node.knownInts(i) : Ints{otherwise};
  if (given.size() != 1)
    node.fail("{} has {}, expected one position", node.inputName(i),
              counted(given.size(), "element"));
  if (!node.isOk())
    return 0;
  const int64_t position = given[0] < 0 ? given[0] + length : given[0];
  if (position >= 0 && position < count)
    return position;
  if (count == 0)
    node.fail("position {} is out of range, the sequence is empty; expected at "
              "least one tensor",
              given[0]);
  else
    node.fail("position {} is out of range for a sequence of {}; expected {} "
              "to {}",
              given[0], counted(static_cast<uint64_t>(length), "tensor"),
              -length, count - 1);
  return 0;
}

static Results importSequenceInsert(NodeBuilder &node) {
  Tensors parts = node.sequence(0);
  Tensor part = node.in(1);
  const auto length = static_cast<int64_t>(parts.size());
  const int64_t at = readPosition(node, 2, length, length + 1, length);
  if (node.isOk())
    parts.insert(parts.begin() + at, part);
  return {node.makeSequence(parts)};
}

static Results importSequenceErase(NodeBuilder &node) {
  Tensors parts = node.sequence(0);
  const auto length = static_cast<int64_t>(parts.size());
  const int64_t at = readPosition(node, 1, length, length, length - 1);
  if (node.isOk())
    parts.erase(parts.begin() + at);
  return {node.makeSequence(parts)};
}

static Results importSequenceAt(NodeBuilder &node) {
  const Tensors parts = node.sequence(0);
  const auto length = static_cast<int64_t>(parts.size());
  node.in(1);
  const int64_t at = readPosition(node, 1, length, length, 0);
  return {node.isOk() ? parts[at] : Tensor()};
}

static Results importSequenceLength(NodeBuilder &node) {
  const Tensors parts = node.sequence(0);
  return {node.reshape(node.ints({static_cast<int64_t>(parts.size())}), {})};
}

/// The sizes of the parts into which a dim of `size` is cut. Input 1 is one
/// size for all parts, or a list of the sizes.
static Ints readPartSizes(NodeBuilder &node, int64_t size) {
  const bool isListed = node.has(1) && node.in(1).rank() > 0;
  Ints given = node.has(1) ? node.knownInts(1) : Ints{1};
  if (isListed)
    checkLength(node, given.size());
  if (!node.isOk() || isListed)
    return given;
  if (given[0] < 1 ||
      (size - 1) / given[0] >= static_cast<int64_t>(mostTensors)) {
    node.fail("a dim of {} cannot be cut into parts of {}; expected 1 to {} "
              "parts",
              size, given[0], mostTensors);
    return {};
  }
  Ints sizes(size / given[0], given[0]);
  if (size % given[0] != 0)
    sizes.push_back(size % given[0]);
  return sizes;
}

static Results importSplitToSequence(NodeBuilder &node) {
  Tensor x = node.in(0);
  const int64_t axis = node.axis(node.intAttr("axis", 0), x.rank());
  // `keepdims` has no effect if sizes are given.
  const bool drops = node.intAttr("keepdims", 1) == 0 && !node.has(1);
  Tensors parts;
  int64_t start = 0;
  for (int64_t size : readPartSizes(node, x.dim(axis))) {
    if (size < 0 || size > x.dim(axis) - start)
      node.fail("a part has size {}, expected 0 to {}, what is left of axis {} "
                "of size {}; correct the sizes",
                size, x.dim(axis) - start, axis, x.dim(axis));
    if (!node.isOk())
      return {Tensor()};
    Tensor part = node.slice(x, axis, start, size);
    start += size;
    Ints shape(part.shape());
    if (drops)
      shape.erase(shape.begin() + axis);
    parts.push_back(node.reshape(part, shape));
  }
  if (start != x.dim(axis))
    node.fail("its parts have {} of the {} elements of axis {}; correct the "
              "sizes",
              start, x.dim(axis), axis);
  return {node.makeSequence(parts)};
}

static Results importConcatFromSequence(NodeBuilder &node) {
  Tensors parts = node.sequence(0);
  const bool isNew = node.intAttr("new_axis", 0) != 0;
  if (parts.empty())
    node.fail("{} is an empty sequence, expected at least one tensor",
              node.inputName(0));
  if (!node.hasAttr("axis"))
    node.fail("it lacks the attribute 'axis'");
  const int64_t given = node.intAttr("axis", 0);
  if (!node.isOk())
    return {Tensor()};
  const int64_t axis = node.axis(given, parts[0].rank() + isNew);
  for (Tensor &part : parts) {
    Ints shape(part.shape());
    if (isNew && axis <= part.rank())
      shape.insert(shape.begin() + axis, 1);
    part = node.reshape(part, shape);
  }
  return {node.concat(parts, axis)};
}

HandlerRows onnx::sequenceRows() {
  static constexpr HandlerRow rows[] = {
      {"ConcatFromSequence", 11, importConcatFromSequence},
      {"SequenceAt", 11, importSequenceAt},
      {"SequenceConstruct", 11, importSequenceConstruct},
      {"SequenceEmpty", 11, importSequenceEmpty},
      {"SequenceErase", 11, importSequenceErase},
      {"SequenceInsert", 11, importSequenceInsert},
      {"SequenceLength", 11, importSequenceLength},
      {"SplitToSequence", 11, importSplitToSequence},
  };
  return rows;
}
