//===- Random.cpp - ONNX ops that draw random numbers -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// ONNX leaves two choices to an engine: the generator, and the seed of nodes
// without a seed. Weir uses the seed 0 for these. A variable counts the runs,
// so that each run draws other numbers.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include <bit>
#include <cmath>

using namespace weir;
using namespace weir::onnx;

/// Reads the attribute 'seed', which is a float. The seed is the bits of the
/// float, so each float is a different seed.
static mlir::NamedAttribute readSeed(NodeBuilder &node) {
  const auto seed = static_cast<float>(node.floatAttr("seed", 0));
  return node.attr("seed", static_cast<int64_t>(std::bit_cast<int32_t>(seed)));
}

/// Draws numbers of `shape`. `more` are the attributes for the bounds, or for
/// mean and scale. ONNX and Weir use the same names for them.
template <typename OpTy>
static Tensor draw(NodeBuilder &node, llvm::ArrayRef<int64_t> shape,
                   mlir::Type type, mlir::NamedAttribute seed,
                   llvm::ArrayRef<mlir::NamedAttribute> more) {
  llvm::SmallVector<mlir::NamedAttribute> attributes(more);
  attributes.push_back(node.attr("shape", shape));
  attributes.push_back(seed);
  attributes.push_back(
      node.getBuilder().getNamedAttr("type", mlir::TypeAttr::get(type)));
  return node.make<OpTy>({node.numRuns()}, attributes);
}

template <typename OpTy>
static Results drawLike(NodeBuilder &node, llvm::ArrayRef<int64_t> shape,
                        mlir::Type type) {
  if (node.isOk() && !mlir::isa<mlir::FloatType>(type))
    node.fail("it draws numbers of {}, expected a float type; set attribute "
              "'dtype' to one, and add a Cast behind the node",
              toString(*toDType(type)));
  const bool isNormal = std::is_same_v<OpTy, RandomNormalOp>;
  const llvm::StringRef first = isNormal ? "mean" : "low";
  const llvm::StringRef second = isNormal ? "scale" : "high";
  const mlir::NamedAttribute bounds[] = {
      node.attr(first, node.floatAttr(first, 0)),
      node.attr(second, node.floatAttr(second, 1))};
  if (!node.isOk())
    return {Tensor()};
  return {draw<OpTy>(node, shape, type, readSeed(node), bounds)};
}

template <typename OpTy> static Results importRandom(NodeBuilder &node) {
  if (!node.hasAttr("shape"))
    node.fail("it lacks attribute 'shape'; give the dims of the result");
  return drawLike<OpTy>(node, node.intsAttr("shape"),
                        node.elementType(node.intAttr("dtype", 1)));
}

/// The type in the attribute 'dtype', or the type of `x` if there is none.
static mlir::Type readType(NodeBuilder &node, Tensor x) {
  return node.hasAttr("dtype") ? node.elementType(node.intAttr("dtype", 1))
                               : x.elementType();
}

template <typename OpTy> static Results importRandomLike(NodeBuilder &node) {
  Tensor x = node.in(0);
  return drawLike<OpTy>(node, x.shape(), readType(node, x));
}

/// Bernoulli: 1 with the probabilities in the input, else 0.
static Results importBernoulli(NodeBuilder &node) {
  Tensor x = node.in(0);
  mlir::Type type = readType(node, x);
  if (!node.isOk())
    return {Tensor()};
  Tensor drawn =
      draw<RandomUniformOp>(node, x.shape(), node.f32(), readSeed(node), {});
  return {
      node.cast(node.make<LessOp>({drawn, node.cast(x, node.f32())}), type)};
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

/// Drops the same elements as weir.dropout, and also returns the mask of the
/// kept elements.
static Results dropWithMask(NodeBuilder &node, Tensor x, double ratio,
                            mlir::NamedAttribute seed) {
  Tensor drawn = draw<RandomUniformOp>(node, x.shape(), node.f32(), seed, {});
  // The limit is a multiple of 2^-24, like the numbers that are compared with
  // it.
  const double limit = std::ldexp(std::ceil(std::ldexp(ratio, 24)), -24);
  Tensor isKept =
      node.make<GreaterEqualOp>({drawn, node.scalar(limit, node.f32())});
  // The scaled elements are rounded once, as in weir.dropout.
  const mlir::Type type = x.elementType();
  Tensor wide = type.isF64() ? x : node.cast(x, node.f32());
  Tensor scaled = node.cast(wide * (ratio < 1 ? 1 / (1 - ratio) : 0), type);
  Tensor result = node.make<WhereOp>({isKept, scaled, node.scalar(0, type)});
  return {result,
          node.opset() < 10 ? node.cast(isKept, x.elementType()) : isKept};
}

/// The single element of `values`, which are the elements of input `i`. Fails
/// if there are several or none.
template <typename Values>
static auto only(NodeBuilder &node, size_t i, const Values &values) {
  if (values.size() == 1)
    return values.front();
  node.fail("{} has {} elements, expected one; give a scalar",
            node.describeInput(i), values.size());
  return typename Values::value_type();
}

/// The fraction of elements that the node drops.
static double readRatio(NodeBuilder &node, double otherwise) {
  const double ratio =
      node.has(1) ? only(node, 1, node.knownFloats(1)) : otherwise;
  if (!(ratio >= 0 && ratio <= 1))
    node.fail("its ratio is {}, expected a probability, from 0 to 1; correct "
              "it",
              ratio);
  return ratio;
}

/// Whether the node drops elements.
static bool isTraining(NodeBuilder &node) {
  // In opsets 1 to 6, an attribute says whether the model is being trained.
  if (node.opset() < 7)
    return node.intAttr("is_test", 0) == 0;
  return node.has(2) && only(node, 2, node.knownInts(2)) != 0;
}

/// Marks the op of `value` as one that drops elements only in training.
static Tensor markTraining(Tensor value) {
  const mlir::Value made = value;
  if (mlir::Operation *maker = made.getDefiningOp())
    maker->setAttr(attrs::onlyTraining, mlir::UnitAttr::get(made.getContext()));
  return value;
}

/// Imports a Dropout. In inference, the data is unchanged, and the mask is all
/// true.
static Results importDropout(NodeBuilder &node) {
  Tensor x = node.in(0);
  double ratio = node.opset() < 12 ? node.floatAttr("ratio", 0.5) : 0.5;
  mlir::NamedAttribute seed = node.attr("seed", node.intAttr("seed", 0));
  const bool drops = isTraining(node);
  node.optional(1);
  if (drops)
    ratio = readRatio(node, ratio);
  if (!node.isOk())
    return {Tensor(), Tensor()};
  if (drops && ratio != 0) {
    if (node.wants(1))
      return dropWithMask(node, x, ratio, seed);
    return {node.make<DropoutOp>({x, node.numRuns()},
                                 {node.attr("ratio", ratio), seed})};
  }
  Results results = {x};
  // Only the entry that trains drops elements. That entry counts its own runs.
  if (node.isTrained())
    results[0] = node.make<DropoutOp>(
        {x, node.full({}, 0, node.i64())},
        {node.attr("ratio", readRatio(node, ratio)), seed});
  if (node.wants(1))
    results.push_back(node.full(
        x.shape(), 1, node.opset() < 10 ? x.elementType() : node.i1()));
  if (node.isTrained() && node.isOk())
    llvm::for_each(results, markTraining);
  return results;
}

HandlerRows onnx::randomRows() {
  static const HandlerRow rows[] = {
      {"Bernoulli", 15, importBernoulli},
      {"Dropout", 1, importDropout},
      {"RandomNormal", 1, importRandom<RandomNormalOp>},
      {"RandomNormalLike", 1, importRandomLike<RandomNormalOp>},
      {"RandomUniform", 1, importRandom<RandomUniformOp>},
      {"RandomUniformLike", 1, importRandomLike<RandomUniformOp>},
  };
  return rows;
}
