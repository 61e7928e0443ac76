//===- Normalization.cpp - The kernels of norms and softmax -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Pointwise.h"
#include "Windows.h"

#include "weir/Support/ShapeLimits.h"

#include <fmt/format.h>

#include <algorithm>

using namespace weir;
using namespace weir::cpu;
using dnnl::normalization_flags;

static dnnl::primitive_attr userScratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

/// Operand `index` as dense f32, the only type that oneDNN supports for
/// statistics and scales. A constant operand is converted at load.
static StatusOr<Argument> asFloats(KernelBuilder &builder, int id, int index) {
  Value value = builder.operand(index);
  TensorDesc floats = TensorDesc::rowMajor(DType::F32, value.desc.dims);
  return builder.packed(id, value, memoryDesc(floats));
}

namespace {
/// The operand and the result in a common layout, in which a primitive
/// computes.
struct Pair {
  Value from;
  Value to;
};
} // namespace

/// Runs `add` on operand 0 and the result, both in the layout `wanted`, and
/// then the post-ops.
static Status inLayout(KernelBuilder &builder, const TensorDesc &wanted,
                       const std::function<Status(const Pair &)> &add) {
  Value result = builder.result();
  bool direct = sameLayout(result.desc, wanted);
  Pair pair{builder.relaid(builder.operand(0), wanted),
            direct ? result.as(wanted) : builder.temporary(wanted)};
  WEIR_RETURN_IF_ERROR(add(pair));
  if (!direct)
    builder.copy(pair.to, result);
  addEpilogues(builder, result, builder.epilogues());
  return Status::ok();
}

static Status checkSameShape(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(expectFastFloats(spec));
  WEIR_RETURN_IF_ERROR(checkPostOps(spec));
  if (spec.operands[0].dims != spec.results[0].dims)
    return invalidArgument("expected a result of the operand's shape");
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// batch_norm
//===----------------------------------------------------------------------===//

/// An image as [N, C, cells, 1] in its own layout.
static TensorDesc asRows(const TensorDesc &desc) {
  int64_t cells = 1;
  for (size_t i = 2; i < desc.dims.size(); ++i)
    cells *= desc.dims[i];
  Dims dims{desc.dims[0], desc.dims[1], cells, 1};
  return isChannelsLast(desc) ? channelsLast(desc.type, dims)
                              : TensorDesc::rowMajor(desc.type, dims);
}

static Status addBatchNorm(KernelBuilder &builder, const Pair &pair) {
  dnnl::memory::desc rows = memoryDesc(asRows(pair.from.desc));
  dnnl::batch_normalization_forward::primitive_desc desc(
      cpuEngine(), dnnl::prop_kind::forward_inference, rows, rows,
      static_cast<float>(builder.spec.attrs.floatOr("epsilon", 1e-5)),
      normalization_flags::use_global_stats | normalization_flags::use_scale |
          normalization_flags::use_shift,
      userScratchpad());
  std::vector<Argument> arguments{{DNNL_ARG_SRC, pair.from, rows},
                                  {DNNL_ARG_DST, pair.to, rows}};
  const int ids[] = {DNNL_ARG_SCALE, DNNL_ARG_SHIFT, DNNL_ARG_MEAN,
                     DNNL_ARG_VARIANCE};
  for (int i = 1; i < 5; ++i) {
    WEIR_ASSIGN_OR_RETURN(Argument row, asFloats(builder, ids[i - 1], i));
    arguments.push_back(std::move(row));
  }
  builder.add(desc, std::move(arguments));
  return Status::ok();
}

/// An operand of rank 2 or more in the layout that is fastest for it.
static TensorDesc imageLayout(const TensorDesc &input) {
  return input.isRowMajor() && !isChannelsLast(input)
             ? TensorDesc::rowMajor(input.type, input.dims)
             : channelsLast(input.type, input.dims);
}

static Status expectChannels(const KernelSpec &spec) {
  if (spec.operands[0].dims.size() >= 2)
    return Status::ok();
  return invalidArgument(
      fmt::format("expected an operand of rank 2 or more, found {}",
                  spec.operands[0].toString()));
}

static Status buildBatchNorm(KernelBuilder &builder) {
  return inLayout(
      builder, imageLayout(builder.spec.operands[0]),
      [&](const Pair &pair) { return addBatchNorm(builder, pair); });
}

//===----------------------------------------------------------------------===//
// layer_norm
//===----------------------------------------------------------------------===//

static Status addLayerNorm(KernelBuilder &builder, const Pair &pair,
                           int64_t axis) {
  const KernelSpec &spec = builder.spec;
  Dims normalised(pair.from.desc.dims.begin() + axis,
                  pair.from.desc.dims.end());
  int64_t columns = 1;
  for (int64_t dim : normalised)
    columns *= dim;
  dnnl::memory::desc flat =
      memoryDesc(TensorDesc::rowMajor(DType::F32, {columns}));
  dnnl::memory::desc rows = memoryDesc(TensorDesc::rowMajor(
      pair.from.desc.type, {pair.from.desc.numElements() / columns, columns}));

  bool hasBias = builder.hasOwnOperand(2);
  normalization_flags flags = normalization_flags::use_scale;
  if (hasBias)
    flags |= normalization_flags::use_shift;
  dnnl::layer_normalization_forward::primitive_desc desc(
      cpuEngine(), dnnl::prop_kind::forward_inference, rows, rows,
      static_cast<float>(spec.attrs.floatOr("epsilon", 1e-5)), flags,
      userScratchpad());
  std::vector<Argument> arguments{{DNNL_ARG_SRC, pair.from, rows},
                                  {DNNL_ARG_DST, pair.to, rows}};
  for (int i = 1; i <= 1 + hasBias; ++i) {
    WEIR_ASSIGN_OR_RETURN(
        Argument row,
        asFloats(builder, i == 1 ? DNNL_ARG_SCALE : DNNL_ARG_SHIFT, i));
    row.format = flat;
    arguments.push_back(std::move(row));
  }
  builder.add(desc, std::move(arguments));
  return Status::ok();
}

static Status buildLayerNorm(KernelBuilder &builder) {
  WEIR_ASSIGN_OR_RETURN(int64_t axis, readAxis(builder.spec, -1));
  const TensorDesc &input = builder.spec.operands[0];
  return inLayout(
      builder, TensorDesc::rowMajor(input.type, input.dims),
      [&](const Pair &pair) { return addLayerNorm(builder, pair, axis); });
}

//===----------------------------------------------------------------------===//
// lrn
//===----------------------------------------------------------------------===//

namespace {
struct LrnAttrs {
  int64_t size;
  float alpha;
  float beta;
  float bias;
};
} // namespace

/// Adds the library's primitive, if the library has a fast one. The windows of
/// the primitive are symmetric, so it supports no even sizes.
static bool tryLibraryLrn(KernelBuilder &builder, const Pair &pair,
                          const LrnAttrs &lrn) {
  if (lrn.size % 2 == 0 || pair.from.desc.dims.size() != 4)
    return false;
  dnnl::memory::desc image = memoryDesc(pair.from.desc);
  try {
    dnnl::lrn_forward::primitive_desc desc(
        cpuEngine(), dnnl::prop_kind::forward_inference,
        dnnl::algorithm::lrn_across_channels, image, image, lrn.size, lrn.alpha,
        lrn.beta, lrn.bias, userScratchpad());
    if (isReference(desc))
      return false;
    builder.add(desc, {{DNNL_ARG_SRC, pair.from}, {DNNL_ARG_DST, pair.to}});
    return true;
  } catch (const dnnl::error &error) {
    if (error.status != dnnl_unimplemented)
      throw;
    return false;
  }
}

/// The image as [rows, cells, C, 1], so that the channels take the place of the
/// height. A window of a pooling then slides over channels.
static TensorDesc channelsAsHeight(const TensorDesc &image) {
  int64_t channels = image.dims[1];
  int64_t cells = image.numElements() / image.dims[0] / channels;
  if (isChannelsLast(image)) {
    int64_t rows = image.dims[0] * cells;
    return TensorDesc::rowMajor(image.type, {rows, 1, channels, 1});
  }
  return {image.type,
          {image.dims[0], cells, channels, 1},
          {channels * cells, 1, cells, cells}};
}

/// Computes x * (bias + alpha * average of squares)^-beta, with pooling over
/// channels.
static void addPooledLrn(KernelBuilder &builder, const Pair &pair,
                         const LrnAttrs &lrn) {
  TensorDesc floats = pair.from.desc;
  floats.type = DType::F32;
  Value from = builder.relaid(pair.from, floats);
  Value squares = builder.temporary(floats), means = builder.temporary(floats);
  addEltwise(builder, {"eltwise_square", 0, 0, -1}, from, squares);

  dnnl::memory::desc column = memoryDesc(channelsAsHeight(floats));
  int64_t before = (lrn.size - 1) / 2;
  dnnl::pooling_forward::primitive_desc desc(
      cpuEngine(), dnnl::prop_kind::forward_inference,
      dnnl::algorithm::pooling_avg_include_padding, column, column, {1, 1},
      {lrn.size, 1}, {0, 0}, {before, 0}, {lrn.size - 1 - before, 0},
      userScratchpad());
  builder.add(desc,
              {{DNNL_ARG_SRC, squares, column}, {DNNL_ARG_DST, means, column}});

  addEltwise(builder, {"eltwise_linear", lrn.alpha, lrn.bias, -1}, means,
             means);
  addEltwise(builder, {"eltwise_pow", 1, -lrn.beta, -1}, means, means);
  bool isFloat = pair.to.desc.type == DType::F32;
  addBinary(builder, dnnl::algorithm::binary_mul, from, means,
            isFloat ? pair.to : means);
  if (!isFloat)
    builder.copy(means, pair.to);
}

static Status buildLrn(KernelBuilder &builder) {
  const AttrMap &attrs = builder.spec.attrs;
  LrnAttrs lrn{attrs.intOr("size", 0),
               static_cast<float>(attrs.floatOr("alpha", 1e-4)),
               static_cast<float>(attrs.floatOr("beta", 0.75)),
               static_cast<float>(attrs.floatOr("bias", 1))};
  TensorDesc wanted = imageLayout(builder.spec.operands[0]);
  return inLayout(builder, wanted, [&](const Pair &pair) {
    if (!tryLibraryLrn(builder, pair, lrn))
      addPooledLrn(builder, pair, lrn);
    return Status::ok();
  });
}

//===----------------------------------------------------------------------===//
// softmax, log_softmax
//===----------------------------------------------------------------------===//

static Status buildSoftmax(KernelBuilder &builder, dnnl::algorithm kind) {
  WEIR_ASSIGN_OR_RETURN(int64_t axis, readAxis(builder.spec, -1));
  const TensorDesc &result = builder.spec.results[0];
  // oneDNN is fast only if the axis is contiguous.
  std::vector<int> order = memoryOrder(result);
  order.erase(std::find(order.begin(), order.end(), axis));
  order.push_back(static_cast<int>(axis));
  TensorDesc wanted = denseInOrder(result.type, result.dims, order);
  return inLayout(builder, wanted, [&](const Pair &pair) {
    int64_t columns = result.dims[axis];
    dnnl::memory::desc rows = memoryDesc(TensorDesc::rowMajor(
        result.type, {result.numElements() / columns, columns}));
    dnnl::softmax_forward::primitive_desc desc(
        cpuEngine(), dnnl::prop_kind::forward_inference, kind, rows, rows, 1,
        userScratchpad());
    builder.add(
        desc, {{DNNL_ARG_SRC, pair.from, rows}, {DNNL_ARG_DST, pair.to, rows}});
    return Status::ok();
  });
}

static Status buildPlainSoftmax(KernelBuilder &builder) {
  return buildSoftmax(builder, dnnl::algorithm::softmax_accurate);
}

static Status buildLogSoftmax(KernelBuilder &builder) {
  return buildSoftmax(builder, dnnl::algorithm::softmax_log);
}

namespace weir::cpu {

Status checkBatchNorm(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(expectOperands(spec, 5, 5));
  WEIR_RETURN_IF_ERROR(checkSameShape(spec));
  WEIR_RETURN_IF_ERROR(expectChannels(spec));
  for (int i = 1; i < 5; ++i)
    WEIR_RETURN_IF_ERROR(expectDims(spec, i, {spec.operands[0].dims[1]}));
  return checkImage(spec.operands[0]);
}

Status checkLayerNorm(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(expectOperands(spec, 2, 3));
  WEIR_RETURN_IF_ERROR(checkSameShape(spec));
  WEIR_ASSIGN_OR_RETURN(int64_t axis, readAxis(spec, -1));
  const Dims &dims = spec.operands[0].dims;
  for (int i = 1; i < 3 && hasOwnOperand(spec, i); ++i)
    WEIR_RETURN_IF_ERROR(
        expectDims(spec, i, Dims(dims.begin() + axis, dims.end())));
  // The library writes code for each vector of a row.
  constexpr int64_t longestRow = int64_t(1) << 20;
  int64_t length = 1;
  for (int64_t dim : std::span(dims).subspan(static_cast<size_t>(axis)))
    length = saturatingMultiply(length, dim);
  if (length > longestRow)
    return unimplemented(fmt::format(
        "expected rows of at most {} elements, found {}", longestRow, length));
  return Status::ok();
}

Status checkLrn(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(expectOperands(spec, 1, 1));
  WEIR_RETURN_IF_ERROR(checkSameShape(spec));
  WEIR_RETURN_IF_ERROR(expectChannels(spec));
  WEIR_RETURN_IF_ERROR(checkImage(spec.operands[0]));
  return checkWindowSizes({spec.attrs.intOr("size", 0)});
}

Status checkSoftmax(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(expectOperands(spec, 1, 1));
  WEIR_RETURN_IF_ERROR(checkSameShape(spec));
  return readAxis(spec, -1).status();
}

Status checkLogSoftmax(const KernelSpec &spec) { return checkSoftmax(spec); }

StatusOr<std::unique_ptr<Kernel>> prepareBatchNorm(const KernelSpec &spec,
                                                   PrepareContext &context) {
  return prepareWith(spec, context, checkBatchNorm, buildBatchNorm);
}

StatusOr<std::unique_ptr<Kernel>> prepareLayerNorm(const KernelSpec &spec,
                                                   PrepareContext &context) {
  return prepareWith(spec, context, checkLayerNorm, buildLayerNorm);
}

StatusOr<std::unique_ptr<Kernel>> prepareLrn(const KernelSpec &spec,
                                             PrepareContext &context) {
  return prepareWith(spec, context, checkLrn, buildLrn);
}

StatusOr<std::unique_ptr<Kernel>> prepareSoftmax(const KernelSpec &spec,
                                                 PrepareContext &context) {
  return prepareWith(spec, context, checkSoftmax, buildPlainSoftmax);
}

StatusOr<std::unique_ptr<Kernel>> prepareLogSoftmax(const KernelSpec &spec,
                                                    PrepareContext &context) {
  return prepareWith(spec, context, checkLogSoftmax, buildLogSoftmax);
}

} // namespace weir::cpu
