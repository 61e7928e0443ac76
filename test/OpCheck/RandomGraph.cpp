//===- RandomGraph.cpp - Random graphs of many ops --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "RandomGraph.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "mlir/IR/Verifier.h"

#include <numeric>
#include <random>

using namespace mlir;
using namespace weir;
using namespace weir::opcheck;

namespace {
class RandomGraph {
public:
  RandomGraph(ModuleOp module, uint64_t seed, const RandomGraphKind &kind)
      : random(seed), builder(module.getContext()), location(module.getLoc()),
        module(module), kind(kind) {}

  func::FuncOp build();

private:
  int64_t draw(int64_t count) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(count));
  }
  Value pick() { return values[draw(static_cast<int64_t>(values.size()))]; }
  ArrayRef<int64_t> shapeOf(Value value) {
    return getTensorType(value).getShape();
  }
  NamedAttribute ints(StringRef name, ArrayRef<int64_t> numbers) {
    return builder.getNamedAttr(name, builder.getI64ArrayAttr(numbers));
  }
  NamedAttribute number(StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  }
  /// The op on the operands, if it takes them and its result is small.
  bool add(StringRef name, ValueRange operands,
           ArrayRef<NamedAttribute> attributes = {});

  bool addUnary();
  bool addBinary();
  bool addProduct();
  bool addReduction();
  bool addAlongAxis();
  bool addMove();
  bool addWindow();
  bool addGather();
  SmallVector<SmallVector<int64_t>> drawShapes();

  std::mt19937_64 random;
  OpBuilder builder;
  Location location;
  ModuleOp module;
  RandomGraphKind kind;
  SmallVector<Value> values;
};
} // namespace

bool RandomGraph::add(StringRef name, ValueRange operands,
                      ArrayRef<NamedAttribute> attributes) {
  const int64_t mostElements = kind.drawsSizes ? 4096 : 160;
  std::string full = ("weir." + name).str();
  auto registered = RegisteredOperationName::lookup(full, builder.getContext());
  SmallVector<Type> types;
  if (failed(registered->getInterface<InferTypeOpInterface>()->inferReturnTypes(
          builder.getContext(), std::nullopt, operands,
          builder.getDictionaryAttr(attributes), nullptr, {}, types)))
    return false;
  for (Type type : types) {
    int64_t count = cast<RankedTensorType>(type).getNumElements();
    if (count > mostElements || count == 0)
      return false;
  }
  OperationState state(location, full, operands, types, attributes);
  Operation *op = builder.create(state);
  // Not every op takes every type.
  ScopedDiagnosticHandler ignored(builder.getContext(),
                                  [](Diagnostic &) { return success(); });
  if (failed(verify(op))) {
    op->erase();
    return false;
  }
  llvm::append_range(values, op->getResults());
  return true;
}

bool RandomGraph::addUnary() {
  constexpr StringLiteral names[] = {
      "tanh", "sigmoid", "softplus", "sin",  "gelu", "relu", "abs",
      "silu", "mish",    "erf",      "atan", "neg",  "cos",  "leaky_relu"};
  return add(names[draw(std::size(names))], {pick()});
}

bool RandomGraph::addBinary() {
  constexpr StringLiteral names[] = {
      "add", "sub",   "mul",   "max",           "min",
      "div", "prelu", "huber", "squared_error", "sigmoid_cross_entropy"};
  return add(names[draw(std::size(names))], {pick(), pick()});
}

bool RandomGraph::addProduct() {
  Value left = pick(), right = pick();
  if (draw(2))
    return add("linear", {left, right});
  return add("matmul", {left, right});
}

bool RandomGraph::addReduction() {
  Value x = pick();
  auto rank = static_cast<int64_t>(shapeOf(x).size());
  if (rank == 0)
    return false;
  constexpr StringLiteral names[] = {"reduce_sum",  "reduce_mean",
                                     "reduce_max",  "reduce_min",
                                     "reduce_prod", "reduce_log_sum_exp"};
  return add(names[draw(std::size(names))], {x},
             {ints("axes", {draw(rank)}),
              builder.getNamedAttr("keepdims", builder.getBoolAttr(draw(2)))});
}

bool RandomGraph::addAlongAxis() {
  Value x = pick();
  auto rank = static_cast<int64_t>(shapeOf(x).size());
  if (rank == 0)
    return false;
  constexpr StringLiteral names[] = {"softmax", "log_softmax", "cum_sum"};
  return add(names[draw(std::size(names))], {x}, {number("axis", draw(rank))});
}

bool RandomGraph::addMove() {
  Value x = pick();
  SmallVector<int64_t> shape(shapeOf(x));
  auto rank = static_cast<int64_t>(shape.size());
  if (rank == 0)
    return false;
  switch (draw(7)) {
  case 0: {
    SmallVector<int64_t> perm(rank);
    std::iota(perm.begin(), perm.end(), 0);
    std::shuffle(perm.begin(), perm.end(), random);
    return add("transpose", {x}, {ints("perm", perm)});
  }
  case 1:
    return add("reshape", {x}, {ints("shape", {-1, shape.back()})});
  case 2: {
    SmallVector<int64_t> starts(rank, 0), steps(rank, 1);
    int64_t axis = draw(rank);
    starts[axis] = draw(shape[axis]);
    shape[axis] = 1 + draw(shape[axis] - starts[axis]);
    return add(
        "slice", {x},
        {ints("starts", starts), ints("sizes", shape), ints("steps", steps)});
  }
  case 3: {
    SmallVector<int64_t> pads(2 * rank);
    for (int64_t &pad : pads)
      pad = draw(2);
    return add("pad", {x}, {ints("pads", pads)});
  }
  case 4: {
    int64_t axis = draw(rank), first = draw(shape[axis]);
    return add(
        "split", {x},
        {number("axis", axis), ints("sizes", {first, shape[axis] - first})});
  }
  case 5:
    return add(draw(2) ? "tril" : "triu", {x}, {number("k", draw(3) - 1)});
  default:
    return add("concat", {x, pick()}, {number("axis", draw(rank))});
  }
}

bool RandomGraph::addWindow() {
  Value x = pick();
  if (shapeOf(x).size() != 4)
    return false;
  NamedAttribute kernel = ints("kernel_shape", {1 + draw(2), 2});
  NamedAttribute strides = ints("strides", {1 + draw(2), 1 + draw(2)});
  NamedAttribute pads = ints("pads", {0, draw(2), 0, draw(2)});
  NamedAttribute more = ints("pads", {1, 0, draw(2), 1});
  NamedAttribute dilations = ints("dilations", {1 + draw(2), 1});
  switch (draw(5)) {
  case 0:
    return add("max_pool", {x}, {kernel, strides, pads});
  case 1:
    return add("average_pool", {x}, {kernel, strides, pads});
  case 2:
    return add("conv_transpose", {x, pick()}, {strides});
  case 3:
    return add("conv", {x, pick()},
               {number("groups", 2), dilations, more, strides});
  default:
    return add("conv", {x, pick()}, {dilations, more, strides});
  }
}

bool RandomGraph::addGather() {
  Value x = pick();
  auto rank = static_cast<int64_t>(shapeOf(x).size());
  if (rank == 0)
    return false;
  int64_t axis = draw(rank);
  SmallVector<int64_t> indices(1 + draw(4));
  for (int64_t &index : indices)
    index = draw(shapeOf(x)[axis]);
  auto type = RankedTensorType::get({static_cast<int64_t>(indices.size())},
                                    builder.getI64Type());
  Value constant = ConstantOp::create(
      builder, location, DenseElementsAttr::get(type, ArrayRef(indices)));
  return add("take", {x, constant}, {number("axis", axis)});
}

/// Shapes that broadcast to each other, and of images and their weights.
SmallVector<SmallVector<int64_t>> RandomGraph::drawShapes() {
  int64_t outer = 2, rows = 3, columns = 4;
  if (kind.drawsSizes) {
    constexpr int64_t outers[] = {1, 2, 3}, some[] = {1, 2, 3, 5, 7, 16, 17},
                      even[] = {2, 4, 8, 16, 18};
    outer = outers[draw(std::size(outers))];
    rows = some[draw(std::size(some))];
    columns = even[draw(std::size(even))];
  }
  return {{rows, columns},        {columns},
          {outer, rows, columns}, {outer, columns, 4, rows},
          {outer, columns, 2, 2}, {columns, columns / 2, 1, 2}};
}

func::FuncOp RandomGraph::build() {
  SmallVector<Type> inputs;
  for (const SmallVector<int64_t> &shape : drawShapes())
    inputs.push_back(RankedTensorType::get(shape, kind.element));
  auto function = func::FuncOp::create(location, "random",
                                       builder.getFunctionType(inputs, {}));
  module.push_back(function);
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  llvm::append_range(values, block->getArguments());
  using Step = bool (RandomGraph::*)();
  constexpr Step steps[] = {
      &RandomGraph::addUnary,     &RandomGraph::addBinary,
      &RandomGraph::addProduct,   &RandomGraph::addReduction,
      &RandomGraph::addAlongAxis, &RandomGraph::addMove,
      &RandomGraph::addWindow,    &RandomGraph::addGather};
  const int64_t wanted = 6 + draw(10);
  for (int64_t made = 0, tries = 0; made < wanted && tries < 1000; ++tries)
    made += (this->*steps[draw(std::size(steps))])();
  // All that nothing reads, so that every op counts.
  SmallVector<Value> results;
  for (Value value : values)
    if (value.use_empty())
      results.push_back(value);
  func::ReturnOp::create(builder, location, results);
  function.setType(
      builder.getFunctionType(inputs, ValueRange(results).getTypes()));
  return function;
}

func::FuncOp opcheck::addRandomGraph(ModuleOp module, uint64_t seed,
                                     const RandomGraphKind &kind) {
  return RandomGraph(module, seed, kind).build();
}
