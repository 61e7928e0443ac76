//===- Recurrent.cpp - ONNX's recurrent layers ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A layer is unrolled over its steps. One matrix product before the steps
// computes what all inputs contribute to the gates. Sequences may have lengths.
// A sequence that has ended then keeps its state in the remaining steps. In
// reverse, this holds for a sequence that has not begun.
//
//===----------------------------------------------------------------------===//

#include "Activation.h"
#include "Handlers.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Support/Counted.h"

using namespace weir;
using namespace weir::onnx;

/// The most steps of a layer in both directions together. Each step becomes
/// about a dozen ops.
static constexpr int64_t maxSteps = 1 << 16;

namespace {
/// The state that one direction of a layer passes from step to step.
struct State {
  Tensor hidden, cell;
};

/// The weights of one direction.
struct Direction {
  bool isReverse = false;
  /// What the inputs contribute to the gates, with dims [steps, batch, gates *
  /// hidden].
  Tensor fromInput;
  /// The recurrent weights, transposed: the dims are [hidden, gates * hidden].
  Tensor recurrent;
  Tensor recurrentBias;
  Tensor peepholes;
  std::vector<Activation> activations;
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
  Tensor activate(const Activation &activation, Tensor x);
  Tensor recur(const Direction &direction, Tensor state) {
    return node.make<MatmulOp>({state, direction.recurrent});
  }

  NodeBuilder &node;
  int64_t hidden = 0;

private:
  bool readShape();
  void checkWeights(size_t input, int64_t columns, std::string_view what);
  void checkInput(size_t input, llvm::ArrayRef<int64_t> shape,
                  std::string_view what);
  void checkInputs();
  void readLengths();
  std::vector<Activation> readAllActivations();
  Direction makeDirection(Tensor x, int64_t index, bool isReverse);
  Tensor partOf(Tensor x, int64_t index);
  State initialState(int64_t index);
  State keepEnded(int64_t at, const State &next, const State &last);
  void unroll(const Direction &direction, State state, int64_t index);
  Tensor joinOutputs();
  Tensor stack(llvm::ArrayRef<Tensor> parts);

  int64_t numGates;
  size_t numActivations;
  int64_t numSteps = 0, batch = 0, numDirections = 1;
  bool isBatchFirst = false;
  double limit = 0;
  /// Whether each sequence has each step, with dims [steps, batch, 1]. Missing
  /// if all sequences have all steps.
  Tensor isRunning;
  /// The outputs by step and direction, each with dims [1, 1, batch, hidden].
  std::vector<std::vector<Tensor>> outputs;
  llvm::SmallVector<Tensor> lastHidden, lastCell;
};
} // namespace

Tensor Layer::activate(const Activation &activation, Tensor x) {
  if (limit > 0)
    x = node.make<ClipOp>({x},
                          {node.attr("min", -limit), node.attr("max", limit)});
  return activation(node, x);
}

/// Reads the sizes; false after an error.
bool Layer::readShape() {
  Tensor x = node.in(0), weight = node.in(1), recurrent = node.in(2);
  const int64_t layout = node.opset() >= 14 ? node.intAttr("layout", 0) : 0;
  isBatchFirst = layout == 1;
  if (layout != 0 && layout != 1)
    node.fail("attribute 'layout' is {}, expected 0, steps first, or 1, batch "
              "first",
              layout);
  hidden = node.intAttr("hidden_size", recurrent.dim(2));
  limit = node.floatAttr("clip", 0);
  for (size_t i = 0; i < 3 && node.isOk(); ++i)
    if (node.in(i).rank() != 3)
      node.fail(
          "expects {} to have 3 dims, {}; reshape it", node.describeInput(i),
          i == 0 ? "steps, batch and values" : "directions, gates and values");
  numSteps = x.dim(isBatchFirst ? 1 : 0);
  batch = x.dim(isBatchFirst ? 0 : 1);
  // Other numbers of directions are refused by `checkWeights`.
  numDirections = weight.dim(0) == 2 ? 2 : 1;
  if (hidden < 1)
    node.fail("attribute 'hidden_size' is {}, expected 1 or more", hidden);
  checkWeights(1, x.dim(2), "the values of " + node.inputName(0));
  checkWeights(2, hidden, "'hidden_size'");
  if (numSteps * numDirections > maxSteps)
    node.failWith(unimplemented(fmt::format(
        "{} has {} steps, expected at most {} in each of {}; cut the sequences "
        "into parts, and give each part the last state of the one before",
        node.describeInput(0), numSteps, maxSteps / numDirections,
        counted(static_cast<uint64_t>(numDirections), "direction"))));
  return node.isOk();
}

/// Checks the shape of the weights in input `input`. `what` says in the error
/// what the columns belong to.
void Layer::checkWeights(size_t input, int64_t columns, std::string_view what) {
  const Ints expected = {numDirections, numGates * hidden, columns};
  Tensor weight = node.in(1), recurrent = node.in(2);
  if (!node.isOk() || node.in(input).shape() == llvm::ArrayRef(expected))
    return;
  const int64_t fitting = recurrent.dim(2);
  const bool fits = fitting != hidden && weight.dim(1) == numGates * fitting &&
                    recurrent.dim(1) == numGates * fitting;
  node.fail("expects weights of shape {} (directions, {} times 'hidden_size', "
            "which is {}, and {}), found {}; {}",
            shapeToString(expected), numGates, hidden, what,
            node.describeInput(input),
            fits
                ? fmt::format("'hidden_size' of {} fits these weights", fitting)
                : "correct the attribute or the weights");
}

/// Checks that input `input` has the shape `shape` if the input is given.
/// `what` names the input in the error.
void Layer::checkInput(size_t input, llvm::ArrayRef<int64_t> shape,
                       std::string_view what) {
  if (node.has(input) && node.in(input).shape() != shape)
    node.fail("expects {} of shape {}, found {}; correct it, or leave it out",
              what, shapeToString(shape), node.describeInput(input));
}

/// Checks all optional inputs but the lengths.
void Layer::checkInputs() {
  checkInput(3, {numDirections, 2 * numGates * hidden}, "a bias");
  const Ints state = isBatchFirst ? Ints{batch, numDirections, hidden}
                                  : Ints{numDirections, batch, hidden};
  checkInput(5, state, "a first state");
  if (!hasCell())
    return;
  checkInput(6, state, "a first cell");
  checkInput(7, {numDirections, 3 * hidden}, "weights of peepholes");
}

/// Reads the number of steps of each sequence. The run may compute these
/// numbers. A number out of range is an error.
void Layer::readLengths() {
  if (!node.has(4))
    return;
  Tensor lengths = node.in(4);
  if (lengths.rank() != 1 || lengths.dim(0) != batch)
    node.fail("expects a length for each of {} sequences, found {}", batch,
              node.describeInput(4));
  std::optional<Ints> known = node.tryInts(lengths);
  for (int64_t length : known.value_or(Ints()))
    if (length < 0 || length > numSteps)
      node.fail("a sequence has {} steps, expected 0 to {}, the steps of {}; "
                "correct {}",
                length, numSteps, node.describeInput(0), node.inputName(4));
  auto isWhole = [&](int64_t length) { return length == numSteps; };
  if (!node.isOk() || (known && llvm::all_of(*known, isWhole)))
    return;
  lengths = node.checkedIndex(node.cast(lengths, node.i64()), numSteps + 1);
  isRunning = node.make<LessOp>(
      {node.iota(numSteps, 0, 3), node.reshape(lengths, {1, batch, 1})});
}

/// Element `index` along dim 0, without that dim.
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
    direction.fromInput = direction.fromInput + node.slice(bias, 0, 0, half);
    direction.recurrentBias = node.slice(bias, 0, half, half);
  }
  if (hasCell() && node.has(7))
    direction.peepholes = partOf(node.in(7), index);
  return direction;
}

State Layer::initialState(int64_t index) {
  auto read = [&](size_t input) {
    if (!node.has(input))
      return node.full({batch, hidden}, 0, node.in(0).elementType());
    Tensor all = node.in(input);
    if (isBatchFirst)
      all = node.transpose(all, {1, 0, 2});
    return node.reshape(partOf(all, index), {batch, hidden});
  };
  return {read(5), hasCell() ? read(6) : Tensor()};
}

/// The state after step `at`: `next` for sequences that have this step, and
/// `last` for all others.
State Layer::keepEnded(int64_t at, const State &next, const State &last) {
  if (!isRunning)
    return next;
  Tensor runs = partOf(isRunning, at);
  auto pick = [&](Tensor value, Tensor otherwise) {
    return node.make<WhereOp>({runs, value, otherwise});
  };
  return {pick(next.hidden, last.hidden),
          hasCell() ? pick(next.cell, last.cell) : Tensor()};
}

void Layer::unroll(const Direction &direction, State state, int64_t index) {
  for (int64_t i = 0; i < numSteps && node.isOk(); ++i) {
    int64_t at = direction.isReverse ? numSteps - 1 - i : i;
    State next = step(direction, partOf(direction.fromInput, at), state);
    outputs[at][index] = node.reshape(next.hidden, {1, 1, batch, hidden});
    state = keepEnded(at, next, state);
  }
  // A sequence without steps has no last state. ONNX Runtime returns 0.
  if (isRunning && node.isOk() && numSteps > 0) {
    Tensor zero = node.scalar(0, state.hidden.elementType());
    state = keepEnded(0, state, {zero, zero});
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

/// The activations of all directions, one after the other.
std::vector<Activation> Layer::readAllActivations() {
  std::vector<std::string_view> names = node.textsAttr("activations");
  const size_t count = numActivations * static_cast<size_t>(numDirections);
  if (names.empty())
    for (size_t i = 0; i < count; ++i)
      names.push_back(defaultActivation(i % numActivations));
  if (names.size() != count)
    node.fail("attribute 'activations' has {} entries, expected {}, {} for "
              "each direction",
              names.size(), count, numActivations);
  return readActivations(node, names);
}

/// The outputs of all steps, with 0 where a sequence does not have the step.
Tensor Layer::joinOutputs() {
  llvm::SmallVector<Tensor> steps;
  for (const std::vector<Tensor> &step : outputs)
    steps.push_back(node.concat(step, 1));
  Tensor all = node.concat(steps, 0);
  if (isRunning)
    all = node.make<WhereOp>({node.reshape(isRunning, {numSteps, 1, batch, 1}),
                              all, node.scalar(0, all.elementType())});
  return isBatchFirst ? node.transpose(all, {2, 0, 1, 3}) : all;
}

Results Layer::run() {
  std::string_view which = node.textAttr("direction", "forward");
  // In opsets 1 to 6, this attribute says whether the first output is wanted.
  // The list of the node's outputs says the same.
  node.ignoreAttr("output_sequence");
  if (!readShape())
    return {Tensor()};
  readLengths();
  checkInputs();
  if (which != "forward" && which != "reverse" && which != "bidirectional")
    node.fail("attribute 'direction' is '{}', expected forward, reverse or "
              "bidirectional",
              which);
  if ((which == "bidirectional") != (numDirections == 2))
    node.fail("attribute 'direction' is '{}', but dim 0 of {} is {}, expected "
              "{}; correct one of them",
              which, node.describeInput(1), numDirections,
              which == "bidirectional" ? 2 : 1);
  const std::vector<Activation> activations = readAllActivations();
  Tensor x = node.in(0);
  if (isBatchFirst)
    x = node.transpose(x, {1, 0, 2});
  outputs.assign(numSteps, std::vector<Tensor>(numDirections));
  for (int64_t i = 0; i < numDirections && node.isOk(); ++i) {
    Direction direction = makeDirection(x, i, which == "reverse" || i == 1);
    const auto first =
        activations.begin() + i * static_cast<int64_t>(numActivations);
    direction.activations.assign(first,
                                 first + static_cast<int64_t>(numActivations));
    unroll(direction, initialState(i), i);
  }
  if (!node.isOk() || numSteps == 0) {
    node.fail("it has no steps");
    return {Tensor()};
  }
  Results results = {joinOutputs(), stack(lastHidden)};
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

/// A GRU layer. The gates are update, reset, hidden.
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

/// An LSTM layer. The gates are input, output, forget, cell.
class Lstm : public Layer {
public:
  explicit Lstm(NodeBuilder &node)
      : Layer(node, 4, 3), couplesForget(node.intAttr("input_forget", 0) != 0) {
  }

private:
  std::string_view defaultActivation(size_t i) const override {
    return i == 0 ? "Sigmoid" : "Tanh";
  }
  bool hasCell() const override { return true; }
  State step(const Direction &direction, Tensor input,
             const State &state) override;

  bool couplesForget;
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
  // Peephole connections from the cell to the gates input, output and forget.
  auto peek = [&](int64_t i, Tensor cell) {
    Tensor value = gate(gates, i);
    return direction.peepholes ? value + gate(direction.peepholes, i) * cell
                               : value;
  };
  const Activation &inner = direction.activations[0];
  Tensor in = activate(inner, peek(0, state.cell));
  Tensor forget = couplesForget ? node.scalar(1, in.elementType()) - in
                                : activate(inner, peek(2, state.cell));
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
