//===- CudnnPostOps.cpp - Post-ops as nodes of a graph -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudnnPostOps.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

using namespace weir;

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

std::string weir::toString(CudnnOp op) {
  static constexpr std::pair<CudnnOp, const char *> names[] = {
      {CudnnOp::Conv, "conv"},
      {CudnnOp::ConvGradient, "conv_gradient"},
      {CudnnOp::Abs, "abs"},
      {CudnnOp::Elu, "elu"},
      {CudnnOp::Exp, "exp"},
      {CudnnOp::GeluErf, "gelu_erf"},
      {CudnnOp::Log, "log"},
      {CudnnOp::Relu, "relu"},
      {CudnnOp::Sigmoid, "sigmoid"},
      {CudnnOp::Softplus, "softplus"},
      {CudnnOp::Sqrt, "sqrt"},
      {CudnnOp::Swish, "swish"},
      {CudnnOp::Tanh, "tanh"},
      {CudnnOp::Add, "add"},
      {CudnnOp::Div, "div"},
      {CudnnOp::Max, "max"},
      {CudnnOp::Min, "min"},
      {CudnnOp::Mul, "mul"},
      {CudnnOp::Sub, "sub"},
      {CudnnOp::Attention, "attention"},
      {CudnnOp::WeightGradient, "weight_gradient"},
  };
  return std::ranges::find(names, op, &std::pair<CudnnOp, const char *>::first)
      ->second;
}

std::string CudnnGraph::toString() const {
  std::string text;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const CudnnTensor &tensor = tensors[i];
    text += tensor.number ? fmt::format("%{} = {}\n", i, *tensor.number)
            : tensor.buffer
                ? fmt::format("%{} = buffer {}: {}\n", i, *tensor.buffer,
                              tensor.desc.toString())
                : std::string();
  }
  for (const CudnnNode &node : nodes) {
    text += fmt::format("%{} = {}", node.output, weir::toString(node.op));
    for (size_t input : node.inputs)
      text += fmt::format(" %{}", input);
    text += '\n';
  }
  if (!nodes.empty() && nodes.front().op == CudnnOp::Attention) {
    static constexpr const char *causal[] = {"", ", causal from top left",
                                             ", causal to bottom right"};
    return text + fmt::format("scale {}{}\n", attention.scale,
                              causal[static_cast<size_t>(attention.causal)]);
  }
  const auto list = [&](const char *name, const std::vector<int64_t> &values) {
    text += fmt::format("{} {}\n", name, fmt::join(values, "x"));
  };
  list("strides", windows.strides);
  list("dilations", windows.dilations);
  list("pads begin", windows.padsBegin);
  list("pads end", windows.padsEnd);
  if (allowsTF32)
    text += "TF32\n";
  return text;
}

TensorDesc weir::channelsLast(TensorDesc desc) {
  const size_t rank = desc.dims.size();
  int64_t stride = 1;
  const auto place = [&](size_t dim) {
    desc.strides[dim] = stride;
    stride *= desc.dims[dim];
  };
  desc.strides.resize(rank);
  place(1);
  for (size_t dim = rank - 1; dim > 1; --dim)
    place(dim);
  place(0);
  return desc;
}

bool weir::isChannelsLast(const TensorDesc &desc) {
  const TensorDesc wanted = channelsLast(desc);
  for (size_t i = 0; i < desc.dims.size(); ++i)
    if (desc.dims[i] != 1 && desc.strides[i] != wanted.strides[i])
      return false;
  return true;
}

TensorDesc weir::withTwoSpatialDims(TensorDesc desc) {
  if (desc.dims.size() != 3)
    return desc;
  desc.dims.insert(desc.dims.begin() + 2, 1);
  desc.strides.insert(desc.strides.begin() + 2, desc.dims[3] * desc.strides[2]);
  return desc;
}

StatusOr<TensorDesc> weir::alignWith(const TensorDesc &desc,
                                     const TensorDesc &result) {
  const size_t rank = result.dims.size();
  const auto refuse = [&] {
    return invalidArgument(
        fmt::format("expected a post-op's operand with one element, one per "
                    "channel or the layout of the result {}, found {}",
                    result.toString(), desc.toString()));
  };
  if (desc.dims.size() > rank)
    return refuse();
  TensorDesc aligned = desc;
  const size_t missing = rank - desc.dims.size();
  aligned.dims.insert(aligned.dims.begin(), missing, 1);
  aligned.strides.insert(aligned.strides.begin(), missing, 1);
  const bool isWhole = aligned.dims == result.dims;
  std::vector<int64_t> perChannel(rank, 1);
  const bool isScalar = aligned.dims == perChannel;
  perChannel[1] = result.dims[1];
  if (!isWhole && !isScalar && aligned.dims != perChannel)
    return refuse();
  if (!isChannelsLast(aligned))
    return refuse();
  return channelsLast(std::move(aligned));
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

size_t CudnnChain::compute(CudnnOp op, std::vector<size_t> inputs) {
  last = graph.add({result, std::nullopt, std::nullopt});
  graph.nodes.push_back({op, std::move(inputs), last});
  return last;
}

void CudnnChain::follow(CudnnOp op, double number) {
  TensorDesc scalar = result;
  std::ranges::fill(scalar.dims, 1);
  const size_t from = last;
  const size_t other =
      graph.add({std::move(scalar), std::nullopt, static_cast<float>(number)});
  compute(op, {from, other});
}

void CudnnChain::finish(size_t buffer) { graph.tensors[last].buffer = buffer; }

void CudnnChain::followHardSigmoid(double scale, double shift) {
  follow(CudnnOp::Mul, scale);
  follow(CudnnOp::Add, shift);
  follow(CudnnOp::Max, 0.0);
  follow(CudnnOp::Min, 1.0);
}

/// Continues with `postOp`, if it has one operand and cuDNN computes it.
/// Returns whether it did.
bool CudnnChain::followUnary(const PostOp &postOp) {
  static constexpr std::pair<std::string_view, CudnnOp> single[] = {
      {"eltwise_abs", CudnnOp::Abs},          {"eltwise_exp", CudnnOp::Exp},
      {"eltwise_gelu_erf", CudnnOp::GeluErf}, {"eltwise_log", CudnnOp::Log},
      {"eltwise_logistic", CudnnOp::Sigmoid}, {"eltwise_sqrt", CudnnOp::Sqrt},
      {"eltwise_tanh", CudnnOp::Tanh},
  };
  for (const auto &[algorithm, op] : single)
    if (postOp.algorithm == algorithm) {
      follow(op);
      return true;
    }
  const std::string &name = postOp.algorithm;
  const size_t from = last;
  if (name == "eltwise_relu" && postOp.alpha == 0) {
    follow(CudnnOp::Relu);
  } else if (name == "eltwise_relu") {
    follow(CudnnOp::Mul, postOp.alpha);
    follow(postOp.alpha <= 1 ? CudnnOp::Max : CudnnOp::Min, from);
  } else if (name == "eltwise_clip") {
    // A ReLU with an upper bound is slow.
    follow(CudnnOp::Max, postOp.alpha);
    follow(CudnnOp::Min, postOp.beta);
  } else if (name == "eltwise_linear") {
    follow(CudnnOp::Mul, postOp.alpha);
    follow(CudnnOp::Add, postOp.beta);
  } else if (name == "eltwise_hardsigmoid") {
    followHardSigmoid(postOp.alpha, postOp.beta);
  } else if (name == "eltwise_hardswish") {
    followHardSigmoid(postOp.alpha, postOp.beta);
    follow(CudnnOp::Mul, from);
  } else if (name == "eltwise_elu" && postOp.alpha == 1) {
    follow(CudnnOp::Elu);
  } else if (name == "eltwise_soft_relu" && postOp.alpha == 1) {
    follow(CudnnOp::Softplus);
  } else if (name == "eltwise_swish" && postOp.alpha == 1) {
    follow(CudnnOp::Swish);
  } else if (name == "eltwise_mish") {
    follow(CudnnOp::Softplus);
    follow(CudnnOp::Tanh);
    follow(CudnnOp::Mul, from);
  } else {
    return false;
  }
  return true;
}

Status CudnnChain::followBinary(const PostOp &postOp, const KernelSpec &spec) {
  static constexpr std::pair<std::string_view, CudnnOp> known[] = {
      {"binary_add", CudnnOp::Add}, {"binary_div", CudnnOp::Div},
      {"binary_max", CudnnOp::Max}, {"binary_min", CudnnOp::Min},
      {"binary_mul", CudnnOp::Mul}, {"binary_sub", CudnnOp::Sub},
  };
  const auto *at = std::ranges::find(
      known, postOp.algorithm, &std::pair<std::string_view, CudnnOp>::first);
  if (at == std::end(known))
    return invalidArgument(fmt::format(
        "cuDNN does not compute the post-op '{}'", postOp.algorithm));
  const auto number = static_cast<size_t>(postOp.operand);
  if (postOp.operand < 0 || number >= spec.operands.size())
    return invalidArgument(fmt::format("post-op '{}' has no operand {}",
                                       postOp.algorithm, postOp.operand));
  WEIR_ASSIGN_OR_RETURN(TensorDesc other,
                        alignWith(spec.operands[number], spec.results[0]));
  other = channelsLast(withTwoSpatialDims(std::move(other)));
  const size_t from = last;
  const size_t tensor = graph.add({std::move(other), number, std::nullopt});
  compute(at->second, {from, tensor});
  return Status::ok();
}

Status CudnnChain::follow(const PostOp &postOp, const KernelSpec &spec) {
  if (postOp.operand < 0 && followUnary(postOp))
    return Status::ok();
  return followBinary(postOp, spec);
}
