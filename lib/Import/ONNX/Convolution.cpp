//===- Convolution.cpp - ONNX's convolutions -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Window.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Support/Counted.h"

using namespace weir;
using namespace weir::onnx;

/// The operands of the op; the bias may be missing.
static llvm::SmallVector<Tensor> withBias(Tensor x, Tensor weight,
                                          Tensor bias) {
  llvm::SmallVector<Tensor> operands = {x, weight};
  if (bias)
    operands.push_back(bias);
  return operands;
}

/// Checks that `x` and `weight` have batch, channels and the same number of
/// spatial dims. If not, the node fails.
static bool areImages(NodeBuilder &node, Tensor x, Tensor weight) {
  if (x && weight && (weight.rank() != x.rank() || x.rank() < 3))
    node.fail("expects images and weights of one rank from 3 on, found {} and "
              "{}; add the dims that are missing, batch and channels first",
              node.describeInput(0), node.describeInput(1));
  return node.isOk();
}

/// The advice for images whose channels do not fit the weights. The weights
/// expect `expected` channels.
static std::string repairChannels(Tensor x, int64_t expected) {
  const int64_t rank = x.rank();
  if (x.dim(rank - 1) != expected)
    return "correct the weights, or 'group'";
  std::string perm = fmt::format("0, {}", rank - 1);
  for (int64_t dim = 1; dim + 1 < rank; ++dim)
    perm += fmt::format(", {}", dim);
  return fmt::format("the last dim is {}, so the channels seem to come last: "
                     "transpose it by [{}]",
                     expected, perm);
}

/// Checks that the channels of images, weights [out, in / groups, ...] and bias
/// match.
static void checkChannels(NodeBuilder &node, Tensor x, Tensor weight,
                          Tensor bias, int64_t groups) {
  const int64_t channels = x.dim(1), perGroup = weight.dim(1);
  const int64_t results = weight.dim(0);
  if (groups < 1)
    node.fail("attribute 'group' is {}, expected 1 or more; 1 if all channels "
              "are convolved together",
              groups);
  else if (channels % groups != 0 || channels / groups != perGroup)
    node.fail("{} has {}, expected {} times 'group' ({}) as {} asks for; {}",
              node.describeInput(0),
              counted(static_cast<uint64_t>(channels), "channel"), perGroup,
              groups, node.describeInput(1),
              repairChannels(x, perGroup * groups));
  else if (results % groups != 0)
    node.fail("{} gives {}, expected a multiple of 'group' ({}); correct the "
              "weights, or 'group'",
              node.describeInput(1),
              counted(static_cast<uint64_t>(results), "channel"), groups);
  else if (bias && (bias.rank() != 1 || bias.dim(0) != results))
    node.fail("{} is not a bias for the channels of {}, expected {} elements; "
              "correct it, or leave it out",
              node.describeInput(2), node.describeInput(1), results);
}

static Results importConv(NodeBuilder &node) {
  Tensor x = node.in(0), weight = node.in(1), bias = node.optional(2);
  if (!areImages(node, x, weight))
    return {Tensor()};
  Window window = readWindow(node, x, weight.shape().drop_front(2));
  int64_t groups = node.intAttr("group", 1);
  checkChannels(node, x, weight, bias, groups);
  if (!node.isOk())
    return {Tensor()};
  padForInput(window, x);
  x = applyNegativePads(node, window, x);
  return {node.make<ConvOp>(
      withBias(x, weight, bias),
      {node.attr("strides", window.strides), node.attr("pads", window.pads),
       node.attr("dilations", window.dilations), node.attr("groups", groups)})};
}

//===----------------------------------------------------------------------===//
// ConvTranspose
//===----------------------------------------------------------------------===//

/// Sets pads so that the result has the size `wanted`. If the result is too
/// small even without padding, it is enlarged at its end.
static void padForOutput(Window &window, Tensor x, Ints &outputPadding,
                         llvm::ArrayRef<int64_t> wanted) {
  for (size_t i = 0; i < window.rank(); ++i) {
    int64_t full =
        window.strides[i] * (x.dim(static_cast<int64_t>(i) + 2) - 1) +
        outputPadding[i] + window.extent(i);
    int64_t total = full - wanted[i];
    if (total < 0)
      outputPadding[i] -= total;
    total = std::max<int64_t>(total, 0);
    int64_t smaller = total / 2;
    bool isUpper = window.autoPad == "SAME_UPPER";
    window.pads[i] = isUpper ? smaller : total - smaller;
    window.pads[i + window.rank()] = total - window.pads[i];
  }
}

static Results importConvTranspose(NodeBuilder &node) {
  Tensor x = node.in(0), weight = node.in(1), bias = node.optional(2);
  if (!areImages(node, x, weight))
    return {Tensor()};
  Window window = readWindow(node, x, weight.shape().drop_front(2));
  int64_t groups = node.intAttr("group", 1);
  Ints outputPadding = node.intsAttr("output_padding");
  Ints wanted = node.intsAttr("output_shape");
  if (outputPadding.empty())
    outputPadding.assign(window.rank(), 0);
  if (outputPadding.size() != window.rank() ||
      (!wanted.empty() && wanted.size() != window.rank()))
    node.fail("expects {} entries in 'output_padding' and 'output_shape', one "
              "for each spatial dim, found {} and {}; give that many, or none",
              window.rank(), outputPadding.size(), wanted.size());
  if (!node.isOk())
    return {Tensor()};
  if (window.autoPad == "VALID")
    window.pads.assign(2 * window.rank(), 0);
  else if (window.autoPad != "NOTSET" && wanted.empty())
    for (size_t i = 0; i < window.rank(); ++i)
      wanted.push_back(x.dim(static_cast<int64_t>(i) + 2) * window.strides[i]);
  if (!wanted.empty())
    padForOutput(window, x, outputPadding, wanted);
  return {node.make<ConvTransposeOp>(
      withBias(x, weight, bias),
      {node.attr("strides", window.strides), node.attr("pads", window.pads),
       node.attr("dilations", window.dilations), node.attr("groups", groups),
       node.attr("output_padding", outputPadding)})};
}

HandlerRows onnx::convolutionRows() {
  static const HandlerRow rows[] = {
      {"Conv", 1, importConv},
      {"ConvTranspose", 1, importConvTranspose},
  };
  return rows;
}
