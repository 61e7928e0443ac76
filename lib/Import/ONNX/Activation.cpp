//===- Activation.cpp - Activations of recurrent layers ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Activation.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"

#include "llvm/ADT/StringRef.h"

using namespace weir;
using namespace weir::onnx;

template <typename OpTy>
static Tensor makePlain(NodeBuilder &node, Tensor x, double, double) {
  return node.make<OpTy>({x});
}

template <typename OpTy>
static Tensor makeSloped(NodeBuilder &node, Tensor x, double alpha, double) {
  return node.make<OpTy>({x}, {node.attr("alpha", alpha)});
}

static Tensor makeAffine(NodeBuilder &, Tensor x, double alpha, double beta) {
  return x * alpha + beta;
}

static Tensor makeHardSigmoid(NodeBuilder &node, Tensor x, double alpha,
                              double beta) {
  return node.make<HardSigmoidOp>(
      {x}, {node.attr("alpha", alpha), node.attr("beta", beta)});
}

static Tensor makeScaledTanh(NodeBuilder &node, Tensor x, double alpha,
                             double beta) {
  return node.make<TanhOp>({x * beta}) * alpha;
}

static Tensor makeSoftsign(NodeBuilder &node, Tensor x, double, double) {
  return x / (node.make<AbsOp>({x}) + 1.0);
}

static Tensor makeThresholdedRelu(NodeBuilder &node, Tensor x, double alpha,
                                  double) {
  mlir::Type type = x.elementType();
  Tensor isAbove = node.make<GreaterOp>({x, node.scalar(alpha, type)});
  return node.make<WhereOp>({isAbove, x, node.scalar(0, type)});
}

namespace {
/// An activation that ONNX defines. Its `alpha` and `beta` are the defaults of
/// the ONNX op `name`.
struct ActivationRow {
  llvm::StringLiteral name;
  Activation activation;
  int numNumbers;
};
} // namespace

static const ActivationRow activationRows[] = {
    {"Affine", {makeAffine, 1, 0}, 2},
    {"Elu", {makeSloped<EluOp>, 1, 0}, 1},
    {"HardSigmoid", {makeHardSigmoid, 0.2, 0.5}, 2},
    {"LeakyRelu", {makeSloped<LeakyReluOp>, 0.01, 0}, 1},
    {"Relu", {makePlain<ReluOp>, 0, 0}, 0},
    {"ScaledTanh", {makeScaledTanh, 1, 1}, 2},
    {"Sigmoid", {makePlain<SigmoidOp>, 0, 0}, 0},
    {"Softplus", {makePlain<SoftplusOp>, 0, 0}, 0},
    {"Softsign", {makeSoftsign, 0, 0}, 0},
    {"Tanh", {makePlain<TanhOp>, 0, 0}, 0},
    {"ThresholdedRelu", {makeThresholdedRelu, 1, 0}, 1},
};

static const ActivationRow *findRow(NodeBuilder &node, std::string_view name) {
  std::string known;
  for (const ActivationRow &row : activationRows) {
    if (row.name.equals_insensitive(name))
      return &row;
    known += (known.empty() ? "" : ", ") + row.name.str();
  }
  node.failWith(unimplemented(fmt::format(
      "activation '{}' is not known, expected one of {}", name, known)));
  return nullptr;
}

std::vector<Activation>
onnx::readActivations(NodeBuilder &node,
                      llvm::ArrayRef<std::string_view> names) {
  const std::vector<float> alphas = node.floatsAttr("activation_alpha");
  const std::vector<float> betas = node.floatsAttr("activation_beta");
  size_t numAlphas = 0, numBetas = 0;
  std::vector<Activation> activations;
  for (std::string_view name : names) {
    const ActivationRow *row = findRow(node, name);
    if (!row)
      return {};
    Activation &activation = activations.emplace_back(row->activation);
    if (row->numNumbers > 0 && numAlphas < alphas.size())
      activation.alpha = static_cast<double>(alphas[numAlphas++]);
    if (row->numNumbers > 1 && numBetas < betas.size())
      activation.beta = static_cast<double>(betas[numBetas++]);
  }
  auto warn = [&](std::string_view attribute, size_t given, size_t taken) {
    if (given > taken)
      node.warn("attribute '{}' has {} numbers, of which its activations take "
                "the first {}",
                attribute, given, taken);
  };
  warn("activation_alpha", alphas.size(), numAlphas);
  warn("activation_beta", betas.size(), numBetas);
  return activations;
}
