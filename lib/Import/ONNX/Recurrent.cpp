//===- Recurrent.cpp - ONNX's recurrent layers ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A layer is unrolled over its steps. What the inputs of all steps add to the
// gates is one matrix product in front of them.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"

using namespace weir;
using namespace weir::onnx;

/// Layers of more steps, both directions counted, are not unrolled.
static constexpr int64_t maxSteps = 1 << 10;

namespace {
/// What one direction of a layer carries from step to step.
struct State {
  Tensor hidden, cell;
};

/// The weights of one direction: [1, gates * hidden, ...], with dim 0 gone.
struct Direction {
  bool isReverse = false;
  /// What the inputs add to the gates, [steps, batch, gates * hidden].
  Tensor fromInput;
  /// Transposed: [hidden, gates * hidden].
  Tensor recurrent;
  Tensor recurrentBias;
  Tensor peepholes;
  std::vector<std::string_view> activations;
};

class Layer {
public:
  Layer(NodeBuilder &node, int64_t numGates, size_t numActivations)
      : node(node), numGates(numGates), numActivations(numActivations) {}
  virtual ~Layer() = default;

  Results run();

protected:
  virtual State step(const Direction &direction, Tensor input,
                     const State &state) = 0;
  virtual std::string_view defaultActivation(size_t i) const = 0;
  virtual bool hasCell() const { return false; }

  Tensor gate(Tensor gates, int64_t i) {
    return node.slice(gates, gates.rank() - 1, i * hidden, hidden);
  }
  Tensor activate(std::string_view name, Tensor x);
  Tensor recur(const Direction &direction, Tensor state) {
    return node.make<MatmulOp>({state, direction.recurrent});
  }

  NodeBuilder &node;
  int64_t hidden = 0;

private:
  bool readShape();
  void checkLengths();
  Direction makeDirection(Tensor x, int64_t index, bool isReverse);
  Tensor partOf(Tensor x, int64_t index);
  State initialState(int64_t index);
  void unroll(const Direction &direction, State state, int64_t index);
  Tensor stack(llvm::ArrayRef<Tensor> parts);

  int64_t numGates;
  size_t numActivations;
  int64_t numSteps = 0, batch = 0, numDirections = 1;
  bool isBatchFirst = false;
  double limit = 0;
  /// By step, then by direction: [1, 1, batch, hidden].
  std::vector<std::vector<Tensor>> outputs;
  llvm::SmallVector<Tensor> lastHidden, lastCell;
};
} // namespace

Tensor Layer::activate(std::string_view name, Tensor x) {
  if (limit > 0)
    x = node.make<ClipOp>({x},
                          {node.attr("min", -limit), node.attr("max", limit)});
  if (name == "Sigmoid")
    return node.make<SigmoidOp>({x});
  if (name == "Tanh")
    return node.make<TanhOp>({x});
  if (name == "Relu")
    return node.make<ReluOp>({x});
  node.failWith(unimplemented(fmt::format(
      "activation '{}' is not supported; supported are Sigmoid, Tanh and Relu",
      name)));
  return {};
}

/// Reads the sizes; false after an error.
bool Layer::readShape() {
  Tensor x = node.in(0), weight = node.in(1), recurrent = node.in(2);
  isBatchFirst = node.opset() >= 14 && node.intAttr("layout", 0) != 0;
  hidden = node.intAttr("hidden_size", recurrent.dim(2));
  limit = node.floatAttr("clip", 0);
  if (x.rank() != 3 || weight.rank() != 3 || recurrent.rank() != 3)
    node.fail("expects inputs and weights of rank 3");
  numSteps = x.dim(isBatchFirst ? 1 : 0);
  batch = x.dim(isBatchFirst ? 0 : 1);
  numDirections = weight.dim(0);
  if (numDirections < 1 || numDirections > 2 || hidden < 1 ||
      weight.dim(1) != numGates * hidden ||
      recurrent.dim(1) != numGates * hidden || recurrent.dim(2) != hidden ||
      recurrent.dim(0) != numDirections)
    node.fail("its weights do not have {} gates of {} each", numGates, hidden);
  if (numSteps * numDirections > maxSteps)
    node.failWith(unimplemented(
        fmt::format("{} steps are not supported, expected at most {}", numSteps,
                    maxSteps)));
  return node.isOk();
}

/// Sequences of different lengths are not supported.
void Layer::checkLengths() {
  if (!node.has(4))
    return;
  for (int64_t length : node.knownInts(4))
    if (length != numSteps)
      node.failWith(unimplemented(fmt::format(
          "a sequence has {} of {} steps; sequences of different lengths are "
          "not supported",
          length, numSteps)));
}

/// Entry `index` of dim 0, without that dim.
Tensor Layer::partOf(Tensor x, int64_t index) {
  Tensor part = node.slice(x, 0, index, 1);
  return node.reshape(part,
                      Ints(part.shape().drop_front(part.rank() > 0 ? 1 : 0)));
}

Direction Layer::makeDirection(Tensor x, int64_t index, bool isReverse) {
  Direction direction;
  direction.isReverse = isReverse;
  Tensor weight = node.transpose(partOf(node.in(1), index), {1, 0});
  direction.recurrent = node.transpose(partOf(node.in(2), index), {1, 0});
  direction.fromInput = node.make<MatmulOp>({x, weight});
  if (node.has(3)) {
    Tensor bias = partOf(node.in(3), index);
    int64_t half = numGates * hidden;
    if (bias.rank() != 1 || bias.dim(0) != 2 * half)
      node.fail("expects a bias of {} for each direction", 2 * half);
    direction.fromInput = direction.fromInput + node.slice(bias, 0, 0, half);
    direction.recurrentBias = node.slice(bias, 0, half, half);
  }
  if (hasCell() && node.has(7))
    direction.peepholes = partOf(node.in(7), index);
  for (size_t i = 0; i < numActivations; ++i)
    direction.activations.push_back(defaultActivation(i));
  return direction;
}

State Layer::initialState(int64_t index) {
  auto read = [&](size_t input) {
    if (!node.has(input))
      return node.full({batch, hidden}, 0, node.in(0).elementType());
    Tensor all = node.in(input);
    if (isBatchFirst && all.rank() == 3)
      all = node.transpose(all, {1, 0, 2});
    return node.reshape(partOf(all, index), {batch, hidden});
  };
  return {read(5), hasCell() ? read(6) : Tensor()};
}

void Layer::unroll(const Direction &direction, State state, int64_t index) {
  for (int64_t i = 0; i < numSteps && node.isOk(); ++i) {
    int64_t at = direction.isReverse ? numSteps - 1 - i : i;
    state = step(direction, partOf(direction.fromInput, at), state);
    outputs[at][index] = node.reshape(state.hidden, {1, 1, batch, hidden});
  }
  lastHidden.push_back(node.reshape(state.hidden, {1, batch, hidden}));
  if (hasCell())
    lastCell.push_back(node.reshape(state.cell, {1, batch, hidden}));
}

/// The last states of all directions, [directions, batch, hidden].
Tensor Layer::stack(llvm::ArrayRef<Tensor> parts) {
  Tensor all = node.concat(parts, 0);
  return isBatchFirst ? node.transpose(all, {1, 0, 2}) : all;
}

Results Layer::run() {
  std::string_view which = node.textAttr("direction", "forward");
  std::vector<std::string_view> given = node.textsAttr("activations");
  // In opsets 1 to 6, whether the first output is wanted; the node's outputs
  // say so, too.
  node.ignoreAttr("output_sequence");
  for (std::string_view alpha : {"activation_alpha", "activation_beta"})
    if (!node.floatsAttr(alpha).empty())
      node.failWith(unimplemented(
          fmt::format("attribute '{}' is not supported; leave it out", alpha)));
  if (!readShape())
    return {Tensor()};
  checkLengths();
  if (which != "forward" && which != "reverse" && which != "bidirectional")
    node.fail("attribute 'direction' is '{}', which is not known", which);
  if ((which == "bidirectional") != (numDirections == 2))
    node.fail("its weights have {} directions, which is not {}", numDirections,
              which);
  if (!given.empty() && given.size() != numActivations * numDirections)
    node.fail("expects {} activations, found {}",
              numActivations * numDirections, given.size());
  Tensor x = node.in(0);
  if (isBatchFirst)
    x = node.transpose(x, {1, 0, 2});
  outputs.assign(numSteps, std::vector<Tensor>(numDirections));
  for (int64_t i = 0; i < numDirections && node.isOk(); ++i) {
    Direction direction = makeDirection(x, i, which == "reverse" || i == 1);
    if (!given.empty())
      direction.activations.assign(
          given.begin() + i * static_cast<int64_t>(numActivations),
          given.begin() + (i + 1) * static_cast<int64_t>(numActivations));
    unroll(direction, initialState(i), i);
  }
  if (!node.isOk() || numSteps == 0) {
    node.fail("it has no steps");
    return {Tensor()};
  }
  llvm::SmallVector<Tensor> steps;
  for (const std::vector<Tensor> &step : outputs)
    steps.push_back(node.concat(step, 1));
  Tensor all = node.concat(steps, 0);
  if (isBatchFirst)
    all = node.transpose(all, {2, 0, 1, 3});
  Results results = {all, stack(lastHidden)};
  if (hasCell())
    results.push_back(stack(lastCell));
  return results;
}

//===----------------------------------------------------------------------===//
// The layers
//===----------------------------------------------------------------------===//

namespace {
class Rnn : public Layer {
public:
  explicit Rnn(NodeBuilder &node) : Layer(node, 1, 1) {}

private:
  std::string_view defaultActivation(size_t) const override { return "Tanh"; }
  State step(const Direction &direction, Tensor input,
             const State &state) override {
    Tensor sum = input + recur(direction, state.hidden);
    if (direction.recurrentBias)
      sum = sum + direction.recurrentBias;
    return {activate(direction.activations[0], sum), {}};
  }
};

/// Gates: update, reset, hidden.
class Gru : public Layer {
public:
  explicit Gru(NodeBuilder &node)
      : Layer(node, 3, 2),
        resetsProduct(node.intAttr("linear_before_reset", 0) != 0) {}

private:
  std::string_view defaultActivation(size_t i) const override {
    return i == 0 ? "Sigmoid" : "Tanh";
  }
  State step(const Direction &direction, Tensor input,
             const State &state) override;

  bool resetsProduct;
};

/// Gates: input, output, forget, cell.
class Lstm : public Layer {
public:
  explicit Lstm(NodeBuilder &node) : Layer(node, 4, 3) {
    if (node.intAttr("input_forget", 0) != 0)
      node.failWith(unimplemented("attribute 'input_forget' is set, which is "
                                  "not supported"));
  }

private:
  std::string_view defaultActivation(size_t i) const override {
    return i == 0 ? "Sigmoid" : "Tanh";
  }
  bool hasCell() const override { return true; }
  State step(const Direction &direction, Tensor input,
             const State &state) override;
};
} // namespace

State Gru::step(const Direction &direction, Tensor input, const State &state) {
  Tensor previous = state.hidden;
  Tensor product = recur(direction, previous);
  Tensor bias = direction.recurrentBias;
  auto sum = [&](int64_t i) {
    Tensor both = gate(input, i) + gate(product, i);
    return bias ? both + gate(bias, i) : both;
  };
  Tensor update = activate(direction.activations[0], sum(0));
  Tensor reset = activate(direction.activations[0], sum(1));
  Tensor candidate;
  if (resetsProduct) {
    Tensor inner = gate(product, 2);
    candidate = reset * (bias ? inner + gate(bias, 2) : inner);
  } else {
    Tensor weight = node.slice(direction.recurrent, 1, 2 * hidden, hidden);
    candidate = node.make<MatmulOp>({reset * previous, weight});
    candidate = bias ? candidate + gate(bias, 2) : candidate;
  }
  candidate = activate(direction.activations[1], gate(input, 2) + candidate);
  // (1 - update) * candidate + update * previous.
  return {candidate + update * (previous - candidate), {}};
}

State Lstm::step(const Direction &direction, Tensor input, const State &state) {
  Tensor gates = input + recur(direction, state.hidden);
  if (direction.recurrentBias)
    gates = gates + direction.recurrentBias;
  // The cell looks through to the gates: input, output, forget.
  auto peek = [&](int64_t i, Tensor cell) {
    Tensor value = gate(gates, i);
    return direction.peepholes ? value + gate(direction.peepholes, i) * cell
                               : value;
  };
  std::string_view inner = direction.activations[0];
  Tensor in = activate(inner, peek(0, state.cell));
  Tensor forget = activate(inner, peek(2, state.cell));
  Tensor candidate = activate(direction.activations[1], gate(gates, 3));
  Tensor cell = forget * state.cell + in * candidate;
  Tensor out = activate(inner, peek(1, cell));
  return {out * activate(direction.activations[2], cell), cell};
}

template <typename LayerType> static Results importLayer(NodeBuilder &node) {
  return LayerType(node).run();
}

HandlerRows onnx::recurrentRows() {
  static const HandlerRow rows[] = {
      {"GRU", 1, importLayer<Gru>},
      {"LSTM", 1, importLayer<Lstm>},
      {"RNN", 1, importLayer<Rnn>},
  };
  return rows;
}
