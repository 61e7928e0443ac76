//===- Gradients.cpp - Gradients of convolution and pooling -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Pointwise.h"
#include "SmallImages.h"

#include "weir/Support/IndexSpec.h"

#include <fmt/format.h>

#include <algorithm>

using namespace weir;
using namespace weir::cpu;

namespace {
/// The two images from which a gradient is computed, in one layout on which
/// oneDNN is fast.
struct TwoImages {
  Value input;
  Value gradient;
};
} // namespace

static Status checkImagePair(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(expectOperands(spec, 2, 2));
  WEIR_RETURN_IF_ERROR(expectFastFloats(spec));
  WEIR_RETURN_IF_ERROR(checkPostOps(spec));
  const Dims &input = spec.operands[0].dims, &gradient = spec.operands[1].dims;
  if (input.size() < 3 || input.size() > 5 || gradient.size() != input.size())
    return invalidArgument(
        fmt::format("expected images of one rank from 3 to 5, found {} and {}",
                    input.size(), gradient.size()));
  if (input[0] != gradient[0])
    return invalidArgument(
        fmt::format("expected as many images in both operands, found {} and {}",
                    input[0], gradient[0]));
  return Status::ok();
}

/// Checks that windows over the input have as many positions as `positions` has
/// cells.
static Status checkPositions(const Windows &windows, const TensorDesc &input,
                             const TensorDesc &positions) {
  WEIR_ASSIGN_OR_RETURN(const Dims reached,
                        endPadding(windows, input, positions));
  for (size_t i = 0; i < windows.rank(); ++i)
    if (positions.dims[i + 2] != 0 &&
        reached[i] > std::max(windows.padsEnd[i], windows.extent(i) - 1))
      return invalidArgument(fmt::format(
          "expected {} positions along spatial dim {} to lie in the input of "
          "{} cells",
          positions.dims[i + 2], i, input.dims[i + 2]));
  return Status::ok();
}

static TwoImages readImages(KernelBuilder &builder) {
  TwoImages images{builder.operand(0), builder.operand(1)};
  TensorDesc *both[] = {&images.input.desc, &images.gradient.desc};
  if (agreeOnLayout(both))
    return images;
  for (Value *image : {&images.input, &images.gradient})
    *image = builder.relaid(*image,
                            channelsLast(image->desc.type, image->desc.dims));
  return images;
}

static dnnl::primitive_attr withOwnScratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

//===----------------------------------------------------------------------===//
// Weights of a convolution
//===----------------------------------------------------------------------===//

static StatusOr<Windows> readKernelWindows(const KernelSpec &spec) {
  const Dims &weights = spec.results[0].dims;
  WEIR_RETURN_IF_ERROR(checkElements(weights, "weights"));
  return readWindows(spec.attrs, Dims(weights.begin() + 2, weights.end()));
}

static Status buildWeightGradient(KernelBuilder &builder) {
  const KernelSpec &spec = builder.spec;
  WEIR_ASSIGN_OR_RETURN(Windows windows, readKernelWindows(spec));
  TwoImages images = readImages(builder);
  // For oneDNN, weights in groups have a leading dim of groups.
  Value result = builder.result();
  const int64_t groups = spec.attrs.intOr("groups", 1);
  const WindowSums sums{images.input, images.gradient, result, windows};
  if (groups == 1 && suitsProduct(sums)) {
    addWeightProduct(builder, sums);
    return Status::ok();
  }
  if (groups > 1) {
    TensorDesc view = result.desc;
    view.dims[0] /= groups;
    view.dims.insert(view.dims.begin(), groups);
    view.strides.insert(view.strides.begin(), view.dims[1] * view.strides[0]);
    result = result.as(view);
  }
  const dnnl::memory::desc any = anyLayout(result.desc.type, result.desc.dims);
  const dnnl::memory::desc input = memoryDesc(images.input.desc);
  const dnnl::memory::desc gradient = memoryDesc(images.gradient.desc);
  const dnnl::primitive_attr attr = withOwnScratchpad();
  const auto algorithm = dnnl::algorithm::convolution_direct;
  dnnl::convolution_forward::primitive_desc forward(
      cpuEngine(), dnnl::prop_kind::forward_training, algorithm, input, any,
      gradient, windows.strides, windows.gaps(), windows.padsBegin,
      windows.padsEnd, attr);
  dnnl::convolution_backward_weights::primitive_desc desc(
      cpuEngine(), algorithm, input, any, gradient, windows.strides,
      windows.gaps(), windows.padsBegin, windows.padsEnd, forward, attr);
  const dnnl::memory::desc chosen = desc.diff_weights_desc();
  if (chosen == memoryDesc(result.desc)) {
    builder.add(desc, {{DNNL_ARG_SRC, images.input},
                       {DNNL_ARG_DIFF_DST, images.gradient},
                       {DNNL_ARG_DIFF_WEIGHTS, result}});
    return Status::ok();
  }
  Value packed = builder.scratch(chosen.get_size());
  builder.add(desc, {{DNNL_ARG_SRC, images.input},
                     {DNNL_ARG_DIFF_DST, images.gradient},
                     {DNNL_ARG_DIFF_WEIGHTS, packed, chosen}});
  dnnl::reorder::primitive_desc reorder(cpuEngine(), chosen, cpuEngine(),
                                        memoryDesc(result.desc), attr);
  builder.add(reorder,
              {{DNNL_ARG_FROM, packed, chosen}, {DNNL_ARG_TO, result}});
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Max pooling
//===----------------------------------------------------------------------===//

/// The tensor `value` in `format`: itself, or a copy that an added step makes.
static Argument inFormat(KernelBuilder &builder, int id, const Value &value,
                         const dnnl::memory::desc &format) {
  if (memoryDesc(value.desc) == format)
    return {id, value, format};
  const Value copied = builder.scratch(format.get_size());
  builder.add(dnnl::reorder::primitive_desc(cpuEngine(), memoryDesc(value.desc),
                                            cpuEngine(), format,
                                            withOwnScratchpad()),
              {{DNNL_ARG_FROM, value}, {DNNL_ARG_TO, copied, format}});
  return {id, copied, format};
}

static Status buildMaxPoolGradient(KernelBuilder &builder) {
  const KernelSpec &spec = builder.spec;
  WEIR_ASSIGN_OR_RETURN(
      Windows windows,
      readWindows(spec.attrs, spec.attrs.ints("kernel_shape")));
  Value gradient = builder.operand(0), target = builder.result();
  TensorDesc *both[] = {&gradient.desc, &target.desc};
  if (!agreeOnLayout(both)) {
    gradient = builder.relaid(
        gradient, channelsLast(gradient.desc.type, gradient.desc.dims));
    const TensorDesc wanted = channelsLast(target.desc.type, target.desc.dims);
    target = sameLayout(target.desc, wanted) ? target.as(wanted)
                                             : builder.temporary(wanted);
  }
  // In `ceil_mode` the last window reaches beyond the padding.
  WEIR_ASSIGN_OR_RETURN(const Dims reached,
                        endPadding(windows, target.desc, gradient.desc));
  for (size_t i = 0; i < windows.rank(); ++i)
    windows.padsEnd[i] = std::max(windows.padsEnd[i], reached[i]);
  const dnnl::memory::desc input = memoryDesc(target.desc);
  const dnnl::memory::desc pooled = memoryDesc(gradient.desc);
  const dnnl::primitive_attr attr = withOwnScratchpad();
  const Dims gaps(windows.rank(), 0);
  const dnnl::pooling_forward::primitive_desc forward(
      cpuEngine(), dnnl::prop_kind::forward_training,
      dnnl::algorithm::pooling_max, input, pooled, windows.strides,
      windows.kernel, gaps, windows.padsBegin, windows.padsEnd, attr);
  const dnnl::pooling_backward::primitive_desc backward(
      cpuEngine(), dnnl::algorithm::pooling_max, input, pooled, windows.strides,
      windows.kernel, gaps, windows.padsBegin, windows.padsEnd, forward, attr);
  const Argument taps = inFormat(builder, DNNL_ARG_WORKSPACE,
                                 builder.operand(1), forward.workspace_desc());
  builder.add(
      backward,
      {{DNNL_ARG_DIFF_DST, gradient}, taps, {DNNL_ARG_DIFF_SRC, target}});
  if (target.place == Value::Place::Workspace)
    builder.copy(target, builder.result());
  return Status::ok();
}

namespace weir::cpu {

Status checkConvWeightGradient(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(checkImagePair(spec));
  const Dims &input = spec.operands[0].dims, &gradient = spec.operands[1].dims;
  const Dims &weights = spec.results[0].dims;
  const int64_t groups = spec.attrs.intOr("groups", 1);
  if (groups < 1 || weights.size() != input.size() ||
      weights[0] != gradient[1] || weights[0] % groups != 0 ||
      weights[1] > input[1] || weights[1] * groups != input[1])
    return invalidArgument(
        fmt::format("expected weights for {} channels in {} groups of input "
                    "and {} of gradient, found {}",
                    input[1], groups, gradient[1], shapeToString(weights)));
  WEIR_ASSIGN_OR_RETURN(const Windows windows, readKernelWindows(spec));
  if (spec.operands[0].numElements() == 0 ||
      spec.operands[1].numElements() == 0)
    return unimplemented("expected operands with elements");
  return checkPositions(windows, spec.operands[0], spec.operands[1]);
}

Status checkMaxPoolGradient(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(expectOperands(spec, 2, 2));
  const TensorDesc &gradient = spec.operands[0], &taps = spec.operands[1];
  const TensorDesc &input = spec.results[0];
  if (taps.type != DType::U8 && taps.type != DType::I32)
    return unimplemented(
        fmt::format("expected taps of ui8 or i32, found {}", taps.toString()));
  if (input.dims.size() != gradient.dims.size() || input.dims.size() < 2 ||
      taps.dims != gradient.dims || input.dims[0] != gradient.dims[0] ||
      input.dims[1] != gradient.dims[1])
    return invalidArgument(fmt::format(
        "expected gradient and taps of one shape, and a result with as many "
        "images and channels, found {}, {} and {}",
        shapeToString(gradient.dims), shapeToString(taps.dims),
        shapeToString(input.dims)));
  // The result is an image like the input.
  KernelSpec images = spec;
  images.operands = {input, gradient};
  WEIR_RETURN_IF_ERROR(checkImagePair(images));
  const Dims &kernel = spec.attrs.ints("kernel_shape");
  if (kernel.size() + 2 != input.dims.size())
    return invalidArgument(
        fmt::format("expected {} numbers in attribute 'kernel_shape', found {}",
                    input.dims.size() - 2, kernel.size()));
  WEIR_ASSIGN_OR_RETURN(const Windows windows, readWindows(spec.attrs, kernel));
  for (int64_t dilation : windows.dilations)
    if (dilation != 1)
      return unimplemented(fmt::format(
          "expected windows without gaps, found dilation {}", dilation));
  if (input.numElements() == 0 || gradient.numElements() == 0)
    return unimplemented("expected operands with elements");
  return checkPositions(windows, input, gradient);
}

StatusOr<std::unique_ptr<Kernel>>
prepareConvWeightGradient(const KernelSpec &spec, PrepareContext &context) {
  const double flops =
      spec.operands.size() < 2 || spec.results[0].dims.empty() ||
              spec.results[0].dims[0] == 0
          ? 0
          : flopsOfSums(spec.operands[1],
                        static_cast<double>(spec.results[0].numElements()) /
                            static_cast<double>(spec.results[0].dims[0]));
  return prepareWith(spec, context, checkConvWeightGradient,
                     buildWeightGradient, flops);
}

StatusOr<std::unique_ptr<Kernel>>
prepareMaxPoolGradient(const KernelSpec &spec, PrepareContext &context) {
  return prepareWith(spec, context, checkMaxPoolGradient, buildMaxPoolGradient);
}

} // namespace weir::cpu
