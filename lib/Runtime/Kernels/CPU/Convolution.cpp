//===- Convolution.cpp - The kernels conv and conv_transpose ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Images.h"
#include "Pointwise.h"
#include "SmallImages.h"
#include "Stamps.h"
#include "Winograd.h"

#include <fmt/format.h>

#include <algorithm>

using namespace weir;
using namespace weir::cpu;

bool Images::areInPlace() const {
  auto isDense = [](const TensorDesc &desc) {
    return sameLayout(desc, channelsLast(desc.type, desc.dims));
  };
  return isDense(input.desc) && isDense(result.desc) &&
         result.place == Value::Place::Buffer;
}

/// The weights `desc` with an additional leading dim of groups. Dim `grouped`
/// (0 or 1) of `desc` contains the channels of all groups.
static TensorDesc groupedWeights(const TensorDesc &desc, int64_t groups,
                                 size_t grouped) {
  TensorDesc view = desc;
  view.dims[grouped] /= groups;
  view.dims.insert(view.dims.begin(), groups);
  view.strides.insert(view.strides.begin(),
                      view.dims[grouped + 1] * desc.strides[grouped]);
  return view;
}

static Status checkImages(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(expectOperands(spec, 2, 3));
  WEIR_RETURN_IF_ERROR(expectFastFloats(spec));
  WEIR_RETURN_IF_ERROR(checkPostOps(spec));
  size_t rank = spec.operands[0].dims.size();
  if (rank < 3 || rank > 5 || spec.operands[1].dims.size() != rank ||
      spec.results[0].dims.size() != rank)
    return invalidArgument("expected input, weights and result of one rank "
                           "from 3 to 5");
  int64_t groups = spec.attrs.intOr("groups", 1);
  if (groups < 1 || spec.operands[1].dims[0] % groups != 0)
    return invalidArgument(
        fmt::format("expected groups that divide dim 0 of the weights ({}), "
                    "found {}",
                    spec.operands[1].dims[0], groups));
  if (hasOwnOperand(spec, 2))
    return expectDims(spec, 2, {spec.results[0].dims[1]});
  return Status::ok();
}

/// Checks that the channels and numbers of images and weights agree. Weir's own
/// kernels rely on that when they compute addresses. Dim `from` (0 or 1) of the
/// weights has the channels of the input, and the other dim the channels of the
/// result. Dim 1 has the channels of one group.
static Status checkChannels(const KernelSpec &spec, size_t from) {
  const Dims &input = spec.operands[0].dims, &result = spec.results[0].dims;
  const Dims &weights = spec.operands[1].dims;
  if (input[0] != result[0])
    return invalidArgument(
        fmt::format("expected as many images in input and result, found {} and "
                    "{}",
                    input[0], result[0]));
  const __int128 groups = spec.attrs.intOr("groups", 1);
  const __int128 channels[] = {weights[0], weights[1] * groups};
  for (bool isInput : {true, false})
    if (const size_t dim = isInput ? from : 1 - from;
        channels[dim] != (isInput ? input : result)[1])
      return invalidArgument(fmt::format(
          "expected weights for {} channels of the {}, found {} in dim {}{}",
          (isInput ? input : result)[1], isInput ? "input" : "result",
          weights[dim], dim, dim == 1 && groups != 1 ? " of each group" : ""));
  return Status::ok();
}

/// Checks that the windows of a convolution have as many positions as the
/// result has cells.
static Status checkPositions(const KernelSpec &spec, const Windows &windows) {
  const TensorDesc &input = spec.operands[0], &result = spec.results[0];
  WEIR_ASSIGN_OR_RETURN(const Dims pads, endPadding(windows, input, result));
  for (size_t i = 0; i < windows.rank(); ++i) {
    const int64_t cells = result.dims[i + 2];
    const int64_t rest = windows.padsEnd[i] - pads[i];
    const int64_t stride = windows.strides[i];
    const int64_t more = (rest - (rest < 0 ? stride - 1 : 0)) / stride;
    if (cells != 0 && more != 0)
      return invalidArgument(fmt::format(
          "expected windows with {} positions along spatial dim {}, found {}",
          cells, i, std::max<int64_t>(cells + more, 0)));
  }
  return Status::ok();
}

/// Checks that fewer cells than the stride lie behind the last window of a
/// transposed convolution, as oneDNN demands. `output_padding` adds such cells.
static Status checkCellsBehind(const KernelSpec &spec, const Windows &windows) {
  WEIR_ASSIGN_OR_RETURN(const Dims pads,
                        endPadding(windows, spec.results[0], spec.operands[0]));
  for (size_t i = 0; i < windows.rank(); ++i)
    if (-pads[i] >= windows.strides[i])
      return invalidArgument(fmt::format(
          "expected at most {} cells of spatial dim {} behind the last window, "
          "found {}",
          windows.strides[i] - 1, i, -pads[i]));
  return Status::ok();
}

static StatusOr<Windows> readImageWindows(const KernelSpec &spec) {
  const Dims &weights = spec.operands[1].dims;
  WEIR_RETURN_IF_ERROR(checkElements(weights, "weights"));
  return readWindows(spec.attrs, Dims(weights.begin() + 2, weights.end()));
}

/// Reads operands and attributes. If one image is channels-first and the other
/// channels-last, one of them is copied, since oneDNN is slow on the mixture.
static StatusOr<Images> readImages(KernelBuilder &builder) {
  WEIR_ASSIGN_OR_RETURN(Windows windows, readImageWindows(builder.spec));
  Images images{builder.operand(0),
                builder.operand(1),
                {},
                builder.result(),
                std::move(windows)};
  if (builder.hasOwnOperand(2)) {
    Value bias = builder.operand(2);
    images.bias = builder.relaid(
        bias, TensorDesc::rowMajor(bias.desc.type, bias.desc.dims));
  }
  TensorDesc *both[] = {&images.input.desc, &images.result.desc};
  if (agreeOnLayout(both))
    return images;
  const TensorDesc &input = images.input.desc, &result = images.result.desc;
  images.input =
      builder.relaid(images.input, channelsLast(input.type, input.dims));
  TensorDesc wanted = channelsLast(result.type, result.dims);
  images.result = sameLayout(result, wanted) ? images.result.as(wanted)
                                             : builder.temporary(wanted);
  return images;
}

std::optional<Value> cpu::viewForImage(const Value &value,
                                       const TensorDesc &result) {
  TensorDesc cut = cutRepeated(value.desc);
  Dims perChannel(cut.dims.size(), 1);
  if (cut.dims == perChannel)
    return value.as(TensorDesc::rowMajor(cut.type, perChannel));
  perChannel[1] = result.dims[1];
  if (cut.dims == perChannel && cut.strides[1] == 1)
    return value.as(channelsLast(cut.type, perChannel));
  TensorDesc wanted = result;
  wanted.type = cut.type;
  if (sameLayout(value.desc, wanted))
    return value.as(wanted);
  return std::nullopt;
}

/// Copies full-size operands of post-ops to the layout of `result`.
static std::vector<Epilogue> relayImages(KernelBuilder &builder,
                                         const TensorDesc &result) {
  std::vector<Epilogue> epilogues = builder.epilogues();
  for (Epilogue &epilogue : epilogues) {
    if (epilogue.op.operand < 0 || hasRepeated(epilogue.value.desc))
      continue;
    TensorDesc wanted = result;
    wanted.type = epilogue.value.desc.type;
    epilogue.value = builder.relaid(epilogue.value, wanted);
  }
  return epilogues;
}

static Status addImages(KernelBuilder &builder, const Images &images,
                        std::span<const Epilogue> epilogues,
                        const DescMaker &make) {
  auto bind =
      [&](const dnnl::primitive_desc &desc) -> StatusOr<std::vector<Argument>> {
    WEIR_ASSIGN_OR_RETURN(
        Argument weights,
        builder.packed(DNNL_ARG_WEIGHTS, images.weights,
                       desc.query_md(dnnl::query::weights_md)));
    std::vector<Argument> arguments{{DNNL_ARG_SRC, images.input},
                                    std::move(weights),
                                    {DNNL_ARG_DST, images.result}};
    if (images.bias)
      arguments.emplace_back(DNNL_ARG_BIAS, *images.bias);
    return arguments;
  };
  auto view = [&](const Value &value) {
    return viewForImage(value, images.result.desc);
  };
  WEIR_RETURN_IF_ERROR(
      addFused(builder, make, bind, images.result, epilogues, view));
  if (images.result.place == Value::Place::Workspace)
    builder.copy(images.result, builder.result());
  return Status::ok();
}

static dnnl::memory::desc describeBias(const Images &images) {
  return images.bias ? memoryDesc(images.bias->desc) : dnnl::memory::desc();
}

/// Whether the weights may change from run to run, and a product is faster for
/// `sums`.
static bool isProduct(const KernelBuilder &builder, const Images &images,
                      const WindowSums &sums) {
  return builder.spec.attrs.intOr("groups", 1) == 1 && !builder.isConstant(1) &&
         images.areInPlace() && suitsProduct(sums);
}

static Status buildConv(KernelBuilder &builder) {
  WEIR_ASSIGN_OR_RETURN(Images images, readImages(builder));
  int64_t groups = builder.spec.attrs.intOr("groups", 1);
  const Windows &windows = images.windows;
  std::vector<Epilogue> epilogues = relayImages(builder, images.result.desc);
  const WindowSums sums{images.input, images.result, images.weights, windows};
  if (isProduct(builder, images, sums))
    return addProduct(builder, sums, images.bias, epilogues);
  if (groups > 1)
    images.weights.desc = groupedWeights(images.weights.desc, groups, 0);
  // A topology file may exclude Winograd's algorithm.
  const bool mayTransform = builder.spec.attrs.intOr("winograd", 1) != 0;
  if (groups == 1 && mayTransform && suitsWinograd(builder, images, epilogues))
    return addWinograd(builder, images, epilogues);
  auto make = [&](const dnnl::primitive_attr &attr) {
    return dnnl::convolution_forward::primitive_desc(
        cpuEngine(), dnnl::prop_kind::forward_inference,
        dnnl::algorithm::convolution_direct, memoryDesc(images.input.desc),
        anyLayout(images.weights.desc.type, images.weights.desc.dims),
        describeBias(images), memoryDesc(images.result.desc), windows.strides,
        windows.gaps(), windows.padsBegin, windows.padsEnd, attr);
  };
  return addImages(builder, images, epilogues, make);
}

static Status buildConvTranspose(KernelBuilder &builder) {
  WEIR_ASSIGN_OR_RETURN(Images images, readImages(builder));
  int64_t groups = builder.spec.attrs.intOr("groups", 1);
  std::vector<Epilogue> epilogues = relayImages(builder, images.result.desc);
  if (groups == 1 && suitsStamps(builder, images, epilogues))
    return addStamps(builder, images, epilogues);
  const WindowSums sums{images.result, images.input, images.weights,
                        images.windows};
  if (!images.bias && isProduct(builder, images, sums))
    return addTransposedProduct(builder, sums, epilogues);
  // In the weights of a transposed convolution, ONNX has the channels of the
  // input before those of the output. oneDNN has the output first.
  TensorDesc &weights = images.weights.desc;
  if (groups > 1)
    weights = groupedWeights(weights, groups, 0);
  size_t first = groups > 1;
  std::swap(weights.dims[first], weights.dims[first + 1]);
  std::swap(weights.strides[first], weights.strides[first + 1]);
  // The shape of the result already includes the output padding.
  Windows &windows = images.windows;
  WEIR_ASSIGN_OR_RETURN(windows.padsEnd, endPadding(windows, images.result.desc,
                                                    images.input.desc));
  auto make = [&](const dnnl::primitive_attr &attr) {
    return dnnl::deconvolution_forward::primitive_desc(
        cpuEngine(), dnnl::prop_kind::forward_inference,
        dnnl::algorithm::deconvolution_direct, memoryDesc(images.input.desc),
        anyLayout(weights.type, weights.dims), describeBias(images),
        memoryDesc(images.result.desc), windows.strides, windows.gaps(),
        windows.padsBegin, windows.padsEnd, attr);
  };
  return addImages(builder, images, epilogues, make);
}

/// The flops of a convolution; 0 if there are no weights. For each element of
/// the result, all weights with one index of dim 0 are multiplied. In a
/// transposed convolution, that happens for each element of the input.
static double flopsOf(const KernelSpec &spec, bool isTransposed) {
  if (spec.operands.size() < 2)
    return 0;
  const TensorDesc &weights = spec.operands[1];
  if (weights.dims.empty() || weights.dims[0] == 0)
    return 0;
  return flopsOfSums(isTransposed ? spec.operands[0] : spec.results[0],
                     static_cast<double>(weights.numElements()) /
                         static_cast<double>(weights.dims[0]));
}

static KernelSpec imagesInRows(const KernelSpec &spec) {
  if (spec.operands.size() < 2 || spec.operands[1].dims.size() < 3)
    return spec;
  const Dims &weights = spec.operands[1].dims;
  return inRows(spec, Dims(weights.begin() + 2, weights.end()),
                /*hasWeights=*/true);
}

namespace weir::cpu {

Status checkConv(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(checkImages(spec));
  WEIR_ASSIGN_OR_RETURN(const Windows windows, readImageWindows(spec));
  WEIR_RETURN_IF_ERROR(checkChannels(spec, 1));
  return checkPositions(spec, windows);
}

Status checkConvTranspose(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(checkImages(spec));
  WEIR_ASSIGN_OR_RETURN(const Windows windows, readImageWindows(spec));
  WEIR_RETURN_IF_ERROR(checkChannels(spec, 0));
  return checkCellsBehind(spec, windows);
}

StatusOr<std::unique_ptr<Kernel>> prepareConv(const KernelSpec &spec,
                                              PrepareContext &context) {
  return prepareWith(imagesInRows(spec), context, checkConv, buildConv,
                     flopsOf(spec, false));
}

StatusOr<std::unique_ptr<Kernel>>
prepareConvTranspose(const KernelSpec &spec, PrepareContext &context) {
  return prepareWith(imagesInRows(spec), context, checkConvTranspose,
                     buildConvTranspose, flopsOf(spec, true));
}

} // namespace weir::cpu
