//===- Direct.cpp - Pointwise ops without copies of operands --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// This kernel folds parameters, with tens of millions of elements at a time. So
// it reads tensors in place, in blocks that stay in the cache. An expression
// that contains only arithmetic is computed node by node over a block, which
// compilers vectorise. The results are those of the general kernel: computed in
// double and rounded once.
//
//===----------------------------------------------------------------------===//

#include "Evaluation.h"

#include <algorithm>
#include <cstring>

using namespace weir;
using namespace weir::reference;
using Op = ScalarExpr::Op;

namespace {

constexpr int64_t blockSize = 512;

/// The elements of one source or node at the points of a block.
using Block = std::array<double, blockSize>;

void loadBlock(DType type, const void *data, int64_t first, int64_t step,
               int64_t count, double *to) {
  if (type != DType::F32) {
    for (int64_t i = 0; i < count; ++i)
      to[i] = loadFloat(type, data, first + i * step);
    return;
  }
  // Bytes of a file may have any alignment.
  const char *from = static_cast<const char *>(data) + first * 4;
  auto load = [&](int64_t i) {
    float value;
    std::memcpy(&value, from + i * 4, 4);
    return value;
  };
  if (step == 1)
    for (int64_t i = 0; i < count; ++i)
      to[i] = load(i);
  else
    for (int64_t i = 0; i < count; ++i)
      to[i] = load(i * step);
}

void storeBlock(DType type, void *data, int64_t first, int64_t step,
                int64_t count, const double *from) {
  if (type != DType::F32) {
    for (int64_t i = 0; i < count; ++i)
      storeFloat(type, data, first + i * step, from[i]);
    return;
  }
  char *to = static_cast<char *>(data) + first * 4;
  auto put = [&](int64_t i, double value) {
    float rounded = static_cast<float>(value);
    std::memcpy(to + i * 4, &rounded, 4);
  };
  if (step == 1)
    for (int64_t i = 0; i < count; ++i)
      put(i, from[i]);
  else
    for (int64_t i = 0; i < count; ++i)
      put(i * step, from[i]);
}

bool isArithmetic(const ScalarExpr &expression) {
  return std::all_of(expression.nodes().begin(), expression.nodes().end(),
                     [](const ScalarExpr::Node &node) {
                       switch (node.op) {
                       case Op::Operand:
                       case Op::Attribute:
                       case Op::Literal:
                       case Op::Add:
                       case Op::Sub:
                       case Op::Mul:
                       case Op::Div:
                       case Op::Neg:
                         return true;
                       default:
                         return false;
                       }
                     });
}

class DirectKernel final : public Kernel {
public:
  explicit DirectKernel(Evaluation prepared)
      : evaluation(std::move(prepared)),
        arithmetic(isArithmetic(evaluation.expression)),
        sources(evaluation.sources.size()),
        nodes(evaluation.expression.nodes().size()),
        operands(evaluation.numOperands), values(evaluation.numOperands),
        scratch(nodes.size()) {
    for (size_t i = 0; i < evaluation.sources.size(); ++i)
      operands[evaluation.sources[i].operand] = sources[i].data();
  }

  bool isSerial() const override { return true; }
  std::string implementation() const override { return "reference:direct"; }

  Status run(const KernelArgs &args) override {
    Walk &walk = *evaluation.direct;
    for (bool more = walk.begin(); more; more = walk.next())
      for (int64_t i = 0; i < walk.rowLength(); i += blockSize)
        runBlock(args, i, std::min(blockSize, walk.rowLength() - i));
    return Status::ok();
  }

private:
  void runBlock(const KernelArgs &args, int64_t point, int64_t count) {
    Walk &walk = *evaluation.direct;
    auto at = [&](int function) {
      return walk.at(function) + point * walk.step(function);
    };
    for (size_t i = 0; i < sources.size(); ++i) {
      int function = static_cast<int>(i) + 1;
      loadBlock(evaluation.sources[i].transfer.type,
                args.buffers[evaluation.sources[i].operand], at(function),
                walk.step(function), count, sources[i].data());
    }
    storeBlock(evaluation.result.type, args.buffers[evaluation.numOperands],
               at(0), walk.step(0), count, evaluateBlock(count));
  }

  /// The value of the expression at each point of the block.
  const double *evaluateBlock(int64_t count) {
    if (evaluation.bareOperand >= 0)
      return sources[evaluation.bareOperand].data();
    if (arithmetic)
      for (size_t i = 0; i < nodes.size(); ++i)
        evaluateNode(i, count);
    else
      for (int64_t point = 0; point < count; ++point)
        nodes.back()[point] = evaluatePoint(point);
    return resultOf(nodes.size() - 1);
  }

  double evaluatePoint(int64_t point) {
    for (const Source &source : evaluation.sources)
      values[source.operand] = operands[source.operand][point];
    return evaluate<double>(evaluation.expression, values,
                            evaluation.attributes, scratch);
  }

  const double *resultOf(size_t index) const {
    const ScalarExpr::Node &node = evaluation.expression.nodes()[index];
    return node.op == Op::Operand ? operands[node.operand]
                                  : nodes[index].data();
  }

  void evaluateNode(size_t index, int64_t count) {
    const ScalarExpr::Node &node = evaluation.expression.nodes()[index];
    double *to = nodes[index].data();
    auto each = [&](auto value) {
      const double *left = resultOf(static_cast<size_t>(node.args[0]));
      const double *right =
          resultOf(static_cast<size_t>(std::max(node.args[1], 0)));
      for (int64_t i = 0; i < count; ++i)
        to[i] = value(left[i], right[i]);
    };
    switch (node.op) {
    case Op::Attribute:
      return std::fill_n(to, count, evaluation.attributes[index]), void();
    case Op::Literal:
      return std::fill_n(to, count, node.literal), void();
    case Op::Add:
      return each([](double x, double y) { return x + y; });
    case Op::Sub:
      return each([](double x, double y) { return x - y; });
    case Op::Mul:
      return each([](double x, double y) { return x * y; });
    case Op::Div:
      return each([](double x, double y) { return x / y; });
    case Op::Neg:
      return each([](double x, double) { return -x; });
    default:
      return;
    }
  }

  Evaluation evaluation;
  /// Whether the expression is computed node by node.
  bool arithmetic;
  std::vector<Block> sources, nodes;
  /// For each operand that is read, its elements in `sources`.
  std::vector<const double *> operands;
  /// Memory for computing one point at a time.
  std::vector<double> values, scratch;
};

} // namespace

std::unique_ptr<Kernel> reference::makeDirectKernel(Evaluation evaluation) {
  return std::make_unique<DirectKernel>(std::move(evaluation));
}
