//===- LinearAttention.cpp - ONNX's ops that carry a state ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LinearAttention.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"

#include <cmath>

using namespace weir;
using namespace weir::onnx;

//===----------------------------------------------------------------------===//
// CausalConvWithState
//===----------------------------------------------------------------------===//

/// CausalConvWithState: convolves each channel with its own weights. The
/// elements of the previous call come before those of this call.
Results onnx::importCausalConv(NodeBuilder &node) {
  Tensor x = node.in(0), weight = node.in(1);
  std::string_view activation = node.textAttr("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    node.fail("attribute 'activation' is '{}', expected none, silu or swish",
              activation);
  if (x.rank() != 3 || weight.rank() != 3 || weight.dim(0) != x.dim(1) ||
      weight.dim(1) != 1 || weight.dim(2) < 1)
    node.fail("expects inputs of shape (batch, channels, length) and weights "
              "of shape (channels, 1, size), found {} and {}",
              node.describeInput(0), node.describeInput(1));
  if (!node.isOk())
    return {Tensor(), Tensor()};
  const int64_t kept = weight.dim(2) - 1;
  Tensor all = node.has(3) ? node.concat({node.in(3), x}, 2)
               : kept > 0
                   ? node.make<PadOp>(
                         {x}, {node.attr("pads", Ints{0, 0, kept, 0, 0, 0})})
                   : x;
  llvm::SmallVector<Tensor> operands = {all, weight};
  if (node.has(2))
    operands.push_back(node.in(2));
  Tensor y = node.make<ConvOp>(operands, {node.attr("groups", x.dim(1))});
  if (activation != "none")
    y = node.make<SiluOp>({y});
  return {y, node.slice(all, 2, all.dim(2) - kept, kept)};
}

//===----------------------------------------------------------------------===//
// LinearAttention
//===----------------------------------------------------------------------===//

namespace {
/// A linear attention layer. It has a state that consists of keys and values.
/// Each step changes the state, and then a query reads it.
class LinearLayer {
public:
  explicit LinearLayer(NodeBuilder &node) : node(node) {}
  Results run();

private:
  bool readShape();
  Tensor readHeads(size_t input, int64_t heads);
  Tensor at(Tensor x, int64_t step);
  Tensor advance(Tensor state, int64_t step);

  NodeBuilder &node;
  /// The element type in which the layer computes.
  mlir::Type type;
  int64_t batch = 0, numSteps = 0, numHeads = 0, numGroups = 0;
  /// The tensors have dims [batch, steps, heads, size].
  Tensor query, key, value, decay, beta;
};
} // namespace

/// The most steps of a layer. A layer is unrolled, so each step becomes ops.
static constexpr int64_t maxLinearSteps = 1 << 16;

/// Input `input` with dims [batch, steps, heads, size]. The model gives it with
/// dims [batch, steps, heads * size].
Tensor LinearLayer::readHeads(size_t input, int64_t heads) {
  Tensor x = node.in(input);
  if (x.rank() != 3 || x.dim(0) != batch || x.dim(1) != numSteps ||
      x.dim(2) % heads != 0) {
    node.fail("expects {} to have the batch and steps of {}, and a multiple of "
              "{} heads in its last dim",
              node.describeInput(input), node.describeInput(0), heads);
    return {};
  }
  return node.reshape(node.cast(x, type),
                      {batch, numSteps, heads, x.dim(2) / heads});
}

bool LinearLayer::readShape() {
  std::string_view rule = node.textAttr("update_rule", "gated_delta");
  const bool isGated = rule == "gated" || rule == "gated_delta";
  const bool isDelta = rule == "delta" || rule == "gated_delta";
  if (!isGated && !isDelta && rule != "linear")
    node.fail("attribute 'update_rule' is '{}', expected linear, gated, delta "
              "or gated_delta",
              rule);
  // The grouping of steps does not change the result.
  node.ignoreAttr("chunk_size");
  Tensor x = node.in(0);
  numHeads = node.intAttr("q_num_heads", 0);
  numGroups = node.intAttr("kv_num_heads", 0);
  batch = x.dim(0);
  numSteps = x.dim(1);
  if (numGroups < 1 || numHeads < 1 || numHeads % numGroups != 0)
    node.fail("expects 'q_num_heads' to be a multiple of 'kv_num_heads', found "
              "{} and {}",
              numHeads, numGroups);
  if (numSteps > maxLinearSteps)
    node.failWith(unimplemented(
        fmt::format("{} has {} steps, expected at most {}; cut the sequences "
                    "into parts, and give each part the state of the one "
                    "before",
                    node.describeInput(0), numSteps, maxLinearSteps)));
  if (!node.isOk())
    return false;
  const bool isNarrow = x.elementType().isF16() || x.elementType().isBF16();
  type = isNarrow ? node.f32() : x.elementType();
  query = readHeads(0, numHeads);
  key = readHeads(1, numGroups);
  value = readHeads(2, numGroups);
  if (isGated)
    decay = readHeads(4, numGroups);
  else
    node.optional(4);
  // There is one rate for all heads, or one for each head.
  if (isDelta)
    beta = readHeads(5, node.in(5).dim(2) == 1 ? 1 : numGroups);
  else
    node.optional(5);
  return node.isOk();
}

/// Step `step` of all heads, [batch, heads, 1, size].
Tensor LinearLayer::at(Tensor x, int64_t step) {
  return node.reshape(node.slice(x, 1, step, 1),
                      {batch, x.dim(2), 1, x.dim(3)});
}

Tensor LinearLayer::advance(Tensor state, int64_t step) {
  auto column = [&](Tensor x) { return node.transpose(x, {0, 1, 3, 2}); };
  if (decay)
    state = state * node.make<ExpOp>({column(at(decay, step))});
  Tensor now = at(key, step), added = at(value, step);
  if (beta)
    added = (added - node.make<MatmulOp>({now, state})) * at(beta, step);
  return state + column(now) * added;
}

Results LinearLayer::run() {
  if (!readShape())
    return {Tensor(), Tensor()};
  Tensor x = node.in(0), past = node.optional(3);
  mlir::Type stored = past ? past.elementType() : x.elementType();
  const Ints shape = {batch, numGroups, key.dim(3), value.dim(3)};
  Tensor state = past ? node.cast(past, type) : node.full(shape, 0, type);
  if (state.shape() != llvm::ArrayRef(shape))
    node.fail("expects a state of shape {}, found {}", shapeToString(shape),
              node.describeInput(3));
  double scale = node.floatAttr("scale", 0);
  if (scale == 0)
    scale =
        1 / std::sqrt(static_cast<double>(std::max<int64_t>(query.dim(3), 1)));
  query = query * scale;
  llvm::SmallVector<Tensor> outputs;
  for (int64_t i = 0; i < numSteps && node.isOk(); ++i) {
    state = advance(state, i);
    Tensor asked =
        node.reshape(node.slice(query, 1, i, 1),
                     {batch, numGroups, numHeads / numGroups, query.dim(3)});
    outputs.push_back(node.reshape(node.make<MatmulOp>({asked, state}),
                                   {batch, 1, numHeads * value.dim(3)}));
  }
  if (outputs.empty())
    node.fail("it has no steps");
  if (!node.isOk())
    return {Tensor(), Tensor()};
  return {node.cast(node.concat(outputs, 1), x.elementType()),
          node.cast(state, stored)};
}

Results onnx::importLinearAttention(NodeBuilder &node) {
  return LinearLayer(node).run();
}
