//===- CudnnWeightGradient.cpp - Gradients of a convolution's weights ----===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudnnConvolution.h"
#include "CudnnPostOps.h"
#include "CudnnWindows.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

using namespace weir;
using Dims = std::vector<int64_t>;

static constexpr size_t imagesOperand = 0, gradientOperand = 1;

static Status checkTensors(const ConvTensors &tensors) {
  const DType type = tensors.wide.type;
  if (type != DType::F32 && type != DType::F16 && type != DType::BF16)
    return invalidArgument(
        fmt::format("expected elements of f32, f16 or bf16, found {}",
                    tensors.wide.toString()));
  if (tensors.narrow.type != type || tensors.weights.type != type)
    return invalidArgument(fmt::format(
        "cuDNN takes images and gradients of one type, found {}, {} and {}",
        tensors.wide.toString(), tensors.narrow.toString(),
        tensors.weights.toString()));
  for (const TensorDesc *each :
       {&tensors.wide, &tensors.narrow, &tensors.weights})
    if (!each->isRowMajor() && !isChannelsLast(*each))
      return invalidArgument(
          fmt::format("cuDNN takes tensors that are row-major or have their "
                      "channels last, found {}",
                      each->toString()));
  return Status::ok();
}

/// Whether cuDNN 9.19 has an engine in 16 bits for windows on single channels.
static bool takesDepthwise(const Dims &weights, const CudnnWindows &windows) {
  if (windows.strides.back() == 1)
    return true;
  const Dims cells(weights.begin() + 2, weights.end());
  return windows.strides == Dims{2, 2} && windows.dilations == Dims{1, 1} &&
         (cells == Dims{3, 3} || cells == Dims{5, 5});
}

/// Whether a pad at the end of a dim is longer than the pad at its beginning.
static bool hasLongerEnds(const CudnnWindows &windows) {
  return !std::ranges::equal(windows.padsEnd, windows.padsBegin,
                             std::less_equal());
}

/// Checks that cuDNN has an engine that is correct. In f32, it has an engine
/// for all windows. But on an H200, cuDNN 9.19 gave wrong gradients if a pad at
/// the end was longer than the pad at the beginning.
static Status checkEngines(const ConvTensors &tensors,
                           const CudnnWindows &windows) {
  const Dims &weights = tensors.weights.dims;
  if (tensors.wide.type == DType::F32 && hasLongerEnds(windows))
    return invalidArgument(fmt::format(
        "cuDNN takes the gradient of weights in f32 only with pads of at most "
        "{} at the end, found {}",
        fmt::join(windows.padsBegin, "x"), fmt::join(windows.padsEnd, "x")));
  if (tensors.wide.type == DType::F32 || weights[1] == tensors.wide.dims[1])
    return Status::ok();
  if (weights.size() > 4)
    return invalidArgument("cuDNN takes the gradient of weights in groups with "
                           "three spatial dims only in f32");
  if (!isDepthwise(tensors) || takesDepthwise(weights, windows))
    return Status::ok();
  return invalidArgument(fmt::format(
      "cuDNN takes the gradient of weights of single channels in {} only with "
      "steps of 1 along the last dim, or of windows of 3x3 or 5x5 with steps "
      "of 2 and no dilations; found {} with strides {} and dilations {}",
      toString(tensors.wide.type), tensors.weights.toString(),
      fmt::join(windows.strides, "x"), fmt::join(windows.dilations, "x")));
}

/// `desc` as cuDNN takes it. If a description with channels last fits the same
/// bytes, the result is that description, because cuDNN has more engines for
/// it.
static TensorDesc describe(const TensorDesc &desc) {
  const TensorDesc image = withTwoSpatialDims(desc);
  return isChannelsLast(image) ? channelsLast(image) : image;
}

StatusOr<CudnnGraph> weir::describeConvWeightGradient(const KernelSpec &spec) {
  if (spec.operands.size() != 2 || spec.results.size() != 1 ||
      !spec.postOps.empty())
    return invalidArgument(
        "expected images, a gradient, one result and no post-ops");
  const ConvTensors tensors = {spec.operands[imagesOperand], spec.results[0],
                               spec.operands[gradientOperand]};
  WEIR_RETURN_IF_ERROR(checkDims(tensors));
  WEIR_RETURN_IF_ERROR(checkTensors(tensors));
  CudnnGraph graph;
  WEIR_ASSIGN_OR_RETURN(graph.windows, readWindows(spec, tensors));
  WEIR_RETURN_IF_ERROR(checkEngines(tensors, graph.windows));
  const size_t gradient =
      graph.add({describe(tensors.narrow), gradientOperand, std::nullopt});
  const size_t images =
      graph.add({describe(tensors.wide), imagesOperand, std::nullopt});
  const size_t result = graph.add(
      {describe(tensors.weights), spec.operands.size(), std::nullopt});
  graph.nodes.push_back({CudnnOp::WeightGradient, {gradient, images}, result});
  return graph;
}
