//===- CudnnConvolution.cpp - Convolutions as graphs of cuDNN ------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Images have their channels last, as the compiler lays them out. cuDNN is slow
// on images with another order of dims, and has no engine for most of these.
//
//===----------------------------------------------------------------------===//

#include "CudnnConvolution.h"

#include "CudnnPostOps.h"
#include "CudnnWindows.h"

#include <algorithm>
#include <fmt/format.h>

using namespace weir;
using Dims = std::vector<int64_t>;

/// Whether the images are of 16 bits, and the result is of f32.
static bool isWidened(const KernelSpec &spec) {
  return spec.results[0].type != spec.operands[0].type;
}

static Status checkTypes(const TensorDesc &images, const TensorDesc &weights,
                         const TensorDesc &result) {
  if (images.type != DType::F32 && images.type != DType::F16 &&
      images.type != DType::BF16)
    return invalidArgument(fmt::format(
        "expected elements of f32, f16 or bf16, found {}", images.toString()));
  if (weights.type != images.type)
    return invalidArgument(
        fmt::format("expected images and weights of one type, found {} and {}",
                    images.toString(), weights.toString()));
  if (result.type != images.type && result.type != DType::F32)
    return invalidArgument(fmt::format(
        "expected a result of f32 or the type of the images {}, found {}",
        images.toString(), result.toString()));
  return Status::ok();
}

static Status checkTensors(const KernelSpec &spec) {
  const TensorDesc &images = spec.operands[0], &weights = spec.operands[1];
  const TensorDesc &result = spec.results[0];
  WEIR_RETURN_IF_ERROR(checkTypes(images, weights, result));
  if (!weights.isRowMajor() && !isChannelsLast(weights))
    return invalidArgument(fmt::format("expected weights that are row-major or "
                                       "have their channels last, found {}",
                                       weights.toString()));
  // The kernel that puts the channels of weights last counts elements in 32
  // bits.
  if (!isChannelsLast(weights) && weights.numElements() > int64_t(UINT32_MAX))
    return invalidArgument(
        fmt::format("expected row-major weights of at most {} elements, found "
                    "{}",
                    UINT32_MAX, weights.toString()));
  for (const TensorDesc *each : {&images, &result})
    if (!isChannelsLast(*each))
      return invalidArgument(
          fmt::format("expected images whose channels are last in memory, "
                      "found {}",
                      each->toString()));
  return Status::ok();
}

static TensorDesc toImage(const TensorDesc &desc) {
  return channelsLast(withTwoSpatialDims(desc));
}

/// Whether operand 2 is the bias of the op, and not the operand of a post-op.
static bool hasBias(const KernelSpec &spec) {
  return spec.operands.size() > 2 &&
         std::ranges::none_of(spec.postOps, [](const PostOp &postOp) {
           return postOp.operand == 2;
         });
}

/// Whether post-op `at` adds an image.
static bool addsImage(const KernelSpec &spec, size_t at) {
  if (at >= spec.postOps.size() || spec.postOps[at].algorithm != "binary_add")
    return false;
  const auto operand = static_cast<size_t>(spec.postOps[at].operand);
  return operand < spec.operands.size() &&
         spec.operands[operand].dims == spec.results[0].dims;
}

/// The number of first post-ops that belong to an engine which cuDNN need not
/// compile. Such an engine can add an image before it adds the bias, and can
/// compute ReLU after it adds the bias. For all other post-ops, cuDNN compiles
/// an engine.
static size_t countAtHand(const KernelSpec &spec, CudnnOp op) {
  if (op != CudnnOp::Conv || !hasBias(spec))
    return 0;
  size_t count = addsImage(spec, 0);
  count += count < spec.postOps.size() &&
           spec.postOps[count].algorithm == "eltwise_relu" &&
           spec.postOps[count].alpha == 0;
  return count;
}

/// Checks that cuDNN 9.19 has an engine. It lacks some for three spatial dims.
static Status checkEngines(const ConvTensors &tensors,
                           const CudnnWindows &windows, CudnnOp op) {
  const TensorDesc &weights = tensors.weights;
  if (weights.dims.size() < 5)
    return Status::ok();
  if (weights.type != DType::F32 && weights.dims[1] != tensors.wide.dims[1])
    return invalidArgument("cuDNN takes convolutions in groups with three "
                           "spatial dims only in f32");
  if (op == CudnnOp::Conv)
    return Status::ok();
  constexpr int64_t mostCells = 32;
  const int64_t cells =
      weights.numElements() / (weights.dims[0] * weights.dims[1]);
  if (cells > mostCells)
    return invalidArgument(
        fmt::format("cuDNN takes transposed convolutions with windows of at "
                    "most {} cells in three spatial dims, found {}",
                    mostCells, weights.toString()));
  constexpr size_t middle = 1;
  if (weights.type == DType::F32 && windows.strides[middle] > 1 &&
      windows.padsBegin[middle] > 1)
    return invalidArgument(fmt::format(
        "cuDNN takes transposed convolutions in f32 with three spatial dims "
        "only with a step of 1 or a pad of at most 1 along the second one, "
        "found strides {} and pads {}",
        fmt::join(windows.strides, "x"), fmt::join(windows.padsBegin, "x")));
  return Status::ok();
}

/// Checks that cuDNN can compile an engine for the bias, the post-ops or the
/// cast after a transposed convolution. The engines that cuDNN compiles take at
/// most two spatial dims. Only the engines of f32, and the engines from f16 to
/// f16, take all numbers of channels, and take strides together with dilations.
static Status checkGradientFusion(const KernelSpec &spec) {
  const bool isAlone =
      !isWidened(spec) && !hasBias(spec) && spec.postOps.empty();
  const TensorDesc &images = spec.operands[0], &result = spec.results[0];
  if (isAlone)
    return Status::ok();
  if (images.dims.size() > 4)
    return invalidArgument("cuDNN takes no bias, post-ops or cast behind a "
                           "transposed convolution with three spatial dims");
  if (images.type != DType::BF16 && !isWidened(spec))
    return Status::ok();
  const auto exceedsOne = [&](const char *name) {
    return std::ranges::any_of(spec.attrs.ints(name),
                               [](int64_t value) { return value > 1; });
  };
  if (exceedsOne("strides") && exceedsOne("dilations"))
    return invalidArgument(fmt::format(
        "cuDNN takes no bias, post-ops or cast behind a transposed convolution "
        "from {} to {} with strides and dilations",
        toString(images.type), toString(result.type)));
  const int64_t groups = spec.attrs.intOr("groups", 1);
  if (groups == 1 && images.dims[1] % 2 == 0 && result.dims[1] % 2 == 0)
    return Status::ok();
  return invalidArgument(fmt::format(
      "cuDNN takes a bias, post-ops or a cast behind a transposed convolution "
      "from {} to {} only with one group and even numbers of channels, found "
      "groups={} and {} and {} channels",
      toString(images.type), toString(result.type), groups, images.dims[1],
      result.dims[1]));
}

/// Refuses post-ops that are faster in a launch of their own. In f32 without
/// TF32, an engine that cuDNN compiles lacks what makes the other engines fast.
static Status checkFusion(const KernelSpec &spec, const ConvTensors &tensors,
                          CudnnOp op) {
  const bool isForwardDepthwise = op == CudnnOp::Conv && isDepthwise(tensors);
  if (isForwardDepthwise && (hasBias(spec) || !spec.postOps.empty()))
    return invalidArgument("cuDNN is slow to add a bias or post-ops to "
                           "convolutions of single channels");
  if (isForwardDepthwise && isWidened(spec))
    return invalidArgument(
        fmt::format("cuDNN does not write f32 behind convolutions of single "
                    "channels in {}",
                    toString(spec.operands[0].type)));
  if (op == CudnnOp::ConvGradient)
    WEIR_RETURN_IF_ERROR(checkGradientFusion(spec));
  if (spec.operands[0].type != DType::F32)
    return Status::ok();
  const size_t numFused = countAtHand(spec, op);
  if (spec.postOps.size() > numFused)
    return invalidArgument(
        fmt::format("cuDNN is slow to compute the post-op '{}' there in f32",
                    spec.postOps[numFused].algorithm));
  return Status::ok();
}

/// The type of the bias. A bias of f32 is rounded to the type of the result if
/// that saves cuDNN from compiling an engine. If the result is wider than the
/// images, cuDNN compiles an engine in any case, and the bias keeps its type.
static DType typeOfBias(const KernelSpec &spec, CudnnOp op) {
  const bool isAtHand = op == CudnnOp::Conv && !isWidened(spec) &&
                        countAtHand(spec, op) == spec.postOps.size();
  return isAtHand ? spec.results[0].type : spec.operands[2].type;
}

static Status addBias(const KernelSpec &spec, CudnnOp op, CudnnChain &chain,
                      CudnnGraph &graph) {
  const TensorDesc &bias = spec.operands[2];
  const TensorDesc &result = spec.results[0];
  const DType type = spec.operands[0].type;
  const bool hasType = bias.type == type || bias.type == DType::F32;
  if (bias.dims != Dims{result.dims[1]} || !hasType)
    return invalidArgument(
        fmt::format("expected a bias of {} elements of {} or f32, found {}",
                    result.dims[1], toString(type), bias.toString()));
  TensorDesc desc = toImage(result);
  desc.type = typeOfBias(spec, op);
  std::ranges::fill(desc.dims, 1);
  desc.dims[1] = bias.dims[0];
  const size_t tensor = graph.add({channelsLast(desc), 2, std::nullopt});
  chain.follow(CudnnOp::Add, tensor);
  return Status::ok();
}

/// Adds the nodes that follow the convolution.
static Status addChain(const KernelSpec &spec, CudnnOp op, CudnnChain &chain,
                       CudnnGraph &graph) {
  size_t next = 0;
  if (hasBias(spec)) {
    if (addsImage(spec, 0))
      WEIR_RETURN_IF_ERROR(chain.follow(spec.postOps[next++], spec));
    WEIR_RETURN_IF_ERROR(addBias(spec, op, chain, graph));
  }
  for (; next < spec.postOps.size(); ++next)
    WEIR_RETURN_IF_ERROR(chain.follow(spec.postOps[next], spec));
  // The multiplication by 1 only converts the type. Without it, cuDNN 9.19
  // takes other engines, and has none for odd numbers of channels.
  if (isWidened(spec))
    chain.follow(CudnnOp::Mul, 1.0);
  chain.finish(spec.operands.size());
  return Status::ok();
}

/// The tensors in the roles that they have in a convolution. A transposed
/// convolution computes the images that windows move over.
static ConvTensors tensorsOf(const KernelSpec &spec, CudnnOp op) {
  const TensorDesc &images = spec.operands[0], &result = spec.results[0];
  return op == CudnnOp::Conv ? ConvTensors{images, spec.operands[1], result}
                             : ConvTensors{result, spec.operands[1], images};
}

static StatusOr<CudnnGraph> describe(const KernelSpec &spec, CudnnOp op) {
  if (spec.operands.size() < 2 || spec.results.size() != 1)
    return invalidArgument("expected images, weights and one result");
  const ConvTensors tensors = tensorsOf(spec, op);
  WEIR_RETURN_IF_ERROR(checkDims(tensors));
  WEIR_RETURN_IF_ERROR(checkTensors(spec));
  CudnnGraph graph;
  WEIR_ASSIGN_OR_RETURN(graph.windows, readWindows(spec, tensors));
  WEIR_RETURN_IF_ERROR(checkEngines(tensors, graph.windows, op));
  WEIR_RETURN_IF_ERROR(checkFusion(spec, tensors, op));
  const TensorDesc &images = spec.operands[0], &result = spec.results[0];
  const size_t input = graph.add({toImage(images), 0, std::nullopt});
  const size_t weights =
      graph.add({toImage(spec.operands[1]), 1, std::nullopt});
  CudnnChain chain(graph, toImage(result));
  chain.compute(op, {input, weights});
  WEIR_RETURN_IF_ERROR(addChain(spec, op, chain, graph));
  if (graph.tensors.size() > mostCudnnTensors ||
      spec.operands.size() >= mostCudnnTensors)
    return invalidArgument("it has too many post-ops for one launch");
  return graph;
}

StatusOr<CudnnGraph> weir::describeConv(const KernelSpec &spec) {
  return describe(spec, CudnnOp::Conv);
}

StatusOr<CudnnGraph> weir::describeConvTranspose(const KernelSpec &spec) {
  return describe(spec, CudnnOp::ConvGradient);
}
