//===- Pooling.cpp - The pooling kernels ------------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Pointwise.h"
#include "Windows.h"

#include <fmt/format.h>

#include <algorithm>

using namespace weir;
using namespace weir::cpu;
using dnnl::algorithm;

namespace {

/// A pooling over images in a layout on which oneDNN is fast.
struct Pooling {
  algorithm kind;
  Value input;
  Value result;
  Windows windows;
  /// The end padding for which the number of windows is the size of the result.
  Dims padsEnd;
};

} // namespace

static Status checkPooling(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(expectOperands(spec, 1, 1));
  WEIR_RETURN_IF_ERROR(expectFastFloats(spec));
  WEIR_RETURN_IF_ERROR(checkPostOps(spec));
  size_t rank = spec.operands[0].dims.size();
  if (rank < 3 || rank > 5 || spec.results[0].dims.size() != rank)
    return invalidArgument(
        fmt::format("expected operand and result of one rank from 3 to 5, "
                    "found {} and {}",
                    rank, spec.results[0].dims.size()));
  const TensorDesc &input = spec.operands[0], &result = spec.results[0];
  if (input.type != result.type || input.dims[0] != result.dims[0] ||
      input.dims[1] != result.dims[1])
    return invalidArgument(
        fmt::format("expected a result with the type, batch and channels of "
                    "the operand, found {} for {}",
                    result.toString(), input.toString()));
  return Status::ok();
}

/// Converts operand and result to one fast layout. If the result has another
/// layout, a temporary is used.
static Pooling readPooling(KernelBuilder &builder, algorithm kind,
                           Windows windows) {
  Pooling pooling{
      kind, builder.operand(0), builder.result(), std::move(windows), {}};
  TensorDesc *both[] = {&pooling.input.desc, &pooling.result.desc};
  if (agreeOnLayout(both))
    return pooling;
  const TensorDesc &input = pooling.input.desc, &result = pooling.result.desc;
  pooling.input =
      builder.relaid(pooling.input, channelsLast(input.type, input.dims));
  TensorDesc wanted = channelsLast(result.type, result.dims);
  pooling.result = sameLayout(result, wanted) ? pooling.result.as(wanted)
                                              : builder.temporary(wanted);
  return pooling;
}

static dnnl::pooling_forward::primitive_desc
describePooling(const Pooling &pooling, const dnnl::primitive_attr &attr,
                dnnl::prop_kind kind = dnnl::prop_kind::forward_inference) {
  const Windows &windows = pooling.windows;
  return dnnl::pooling_forward::primitive_desc(
      cpuEngine(), kind, pooling.kind, memoryDesc(pooling.input.desc),
      memoryDesc(pooling.result.desc), windows.strides, windows.kernel,
      Dims(windows.rank(), 0), windows.padsBegin, pooling.padsEnd, attr);
}

/// The operand of a post-op, if oneDNN fuses it correctly: a scalar, one value
/// per channel, or a channels-last image like the result. (Version 3.2 of
/// oneDNN reads a channels-first image at the wrong addresses.)
static std::optional<Value> viewForPooling(const Value &value,
                                           const TensorDesc &result) {
  TensorDesc cut = cutRepeated(value.desc);
  Dims perChannel(result.dims.size(), 1);
  bool isScalar = cut.dims == perChannel;
  perChannel[1] = result.dims[1];
  if (isScalar || (cut.dims == perChannel && cut.strides[1] == 1))
    return value.as(channelsLast(cut.type, cut.dims));
  TensorDesc wanted = result;
  wanted.type = cut.type;
  if (!isChannelsLast(result) || !sameLayout(value.desc, wanted))
    return std::nullopt;
  return value.as(wanted);
}

/// If `result` is a temporary, copies it to the kernel's result.
static Status returnResult(KernelBuilder &builder, const Value &result) {
  if (result.place == Value::Place::Workspace)
    builder.copy(result,
                 builder.result().as(broadcastTo(builder.result().desc,
                                                 builder.result().desc.dims)));
  return Status::ok();
}

static Status addPooling(KernelBuilder &builder, const Pooling &pooling,
                         std::span<const Epilogue> epilogues) {
  auto make = [&](const dnnl::primitive_attr &attr) {
    return describePooling(pooling, attr);
  };
  auto bind =
      [&](const dnnl::primitive_desc &) -> StatusOr<std::vector<Argument>> {
    return std::vector<Argument>{{DNNL_ARG_SRC, pooling.input},
                                 {DNNL_ARG_DST, pooling.result}};
  };
  auto view = [&](const Value &value) {
    return viewForPooling(value, pooling.result.desc);
  };
  WEIR_RETURN_IF_ERROR(
      addFused(builder, make, bind, pooling.result, epilogues, view));
  return returnResult(builder, pooling.result);
}

/// The number of cells of the window at index `o` of dim `i` that count: cells
/// of the input, and cells of the padding that the attributes state.
static int64_t countCells(const Windows &windows, size_t i, int64_t input,
                          int64_t o) {
  int64_t begin = o * windows.strides[i] - windows.padsBegin[i];
  int64_t end = input + windows.padsEnd[i];
  return std::clamp<int64_t>(end - begin, 0, windows.kernel[i]);
}

/// The epilogue that corrects an average over whole windows. It multiplies each
/// element of the result by the number of cells in a window, divided by the
/// number of cells that count. A window in which no cell counts has the sum 0.
static Epilogue correction(KernelBuilder &builder, const Pooling &pooling) {
  const Windows &windows = pooling.windows;
  Dims dims = pooling.result.desc.dims;
  dims[0] = dims[1] = 1;
  TensorDesc desc = TensorDesc::rowMajor(DType::F32, dims);
  std::vector<float> factors(desc.numElements(), 1.0f);
  for (size_t i = 0; i < windows.rank(); ++i)
    for (size_t flat = 0; flat < factors.size(); ++flat) {
      int64_t place = flat / desc.strides[i + 2] % dims[i + 2];
      int64_t counted =
          countCells(windows, i, pooling.input.desc.dims[i + 2], place);
      factors[flat] *= static_cast<float>(windows.kernel[i]) /
                       static_cast<float>(std::max<int64_t>(counted, 1));
    }
  Value value = builder.constant(std::move(factors), desc);
  value.desc = broadcastTo(desc, pooling.result.desc.dims);
  return {{"binary_mul", 0, 0, 0}, value};
}

static bool overhangs(const Pooling &pooling) {
  for (size_t i = 0; i < pooling.padsEnd.size(); ++i)
    if (pooling.padsEnd[i] > pooling.windows.padsEnd[i])
      return true;
  return false;
}

/// Checks that there is a window for each element of the result, and that
/// windows begin within the padded operand.
static Status checkPlaces(const KernelSpec &spec, const Windows &windows) {
  const Dims &places = spec.results[0].dims, &cells = spec.operands[0].dims;
  WEIR_RETURN_IF_ERROR(
      endPadding(windows, spec.operands[0], spec.results[0]).status());
  for (size_t i = 0; i < windows.rank(); ++i) {
    int64_t last = (places[i + 2] - 1) * windows.strides[i];
    int64_t end = cells[i + 2] + windows.padsBegin[i] + windows.padsEnd[i];
    if (last >= end)
      return invalidArgument(
          fmt::format("expected windows that begin within the {} cells of the "
                      "padded operand along spatial dim {}, the last one "
                      "begins at {}",
                      end, i, last));
  }
  return Status::ok();
}

static StatusOr<Windows> readPoolWindows(const KernelSpec &spec) {
  return readWindows(spec.attrs, spec.attrs.ints("kernel_shape"));
}

static Status checkWindowPool(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(checkPooling(spec));
  WEIR_ASSIGN_OR_RETURN(Windows windows, readPoolWindows(spec));
  if (windows.rank() + 2 != spec.operands[0].dims.size())
    return invalidArgument(
        fmt::format("expected {} numbers in attribute 'kernel_shape', found {}",
                    spec.operands[0].dims.size() - 2, windows.rank()));
  // oneDNN's dilated pooling is scalar code.
  if (!areAll(windows.dilations, 1))
    return unimplemented("expected windows without dilation");
  return checkPlaces(spec, windows);
}

static Status buildPooling(KernelBuilder &builder, algorithm kind) {
  WEIR_ASSIGN_OR_RETURN(Windows windows, readPoolWindows(builder.spec));
  Pooling pooling = readPooling(builder, kind, std::move(windows));
  WEIR_ASSIGN_OR_RETURN(
      pooling.padsEnd,
      endPadding(pooling.windows, pooling.input.desc, pooling.result.desc));
  std::vector<Epilogue> epilogues = builder.epilogues();
  // Cells that a window covers beyond the padding never count.
  if (kind == algorithm::pooling_avg_include_padding && overhangs(pooling))
    epilogues.insert(epilogues.begin(), correction(builder, pooling));
  return addPooling(builder, pooling, epilogues);
}

static Status buildMaxPool(KernelBuilder &builder) {
  return buildPooling(builder, algorithm::pooling_max);
}

/// oneDNN writes the taps to a tensor in a format of its own. The result mostly
/// has this format.
static Status buildMaxPoolTraining(KernelBuilder &builder) {
  WEIR_ASSIGN_OR_RETURN(Windows windows, readPoolWindows(builder.spec));
  Pooling pooling =
      readPooling(builder, algorithm::pooling_max, std::move(windows));
  WEIR_ASSIGN_OR_RETURN(
      pooling.padsEnd,
      endPadding(pooling.windows, pooling.input.desc, pooling.result.desc));
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::pooling_forward::primitive_desc desc =
      describePooling(pooling, attr, dnnl::prop_kind::forward_training);
  const dnnl::memory::desc notes = desc.workspace_desc();
  const Value taps = builder.result(1);
  const bool isDirect = notes == memoryDesc(taps.desc);
  const Value noted = isDirect ? taps : builder.scratch(notes.get_size());
  builder.add(desc, {{DNNL_ARG_SRC, pooling.input},
                     {DNNL_ARG_DST, pooling.result},
                     {DNNL_ARG_WORKSPACE, noted, notes}});
  if (!isDirect)
    builder.add(dnnl::reorder::primitive_desc(cpuEngine(), notes, cpuEngine(),
                                              memoryDesc(taps.desc), attr),
                {{DNNL_ARG_FROM, noted, notes}, {DNNL_ARG_TO, taps}});
  return returnResult(builder, pooling.result);
}

static Status buildAveragePool(KernelBuilder &builder) {
  bool includesPadding = builder.spec.attrs.intOr("count_include_pad", 0) != 0;
  return buildPooling(builder, includesPadding
                                   ? algorithm::pooling_avg_include_padding
                                   : algorithm::pooling_avg_exclude_padding);
}

/// Merges all spatial dims into one, as the height of a column: oneDNN loops
/// over the height of a window but unrolls its width.
static TensorDesc asColumn(const TensorDesc &desc) {
  int64_t cells = 1;
  for (size_t i = 2; i < desc.dims.size(); ++i)
    cells *= desc.dims[i];
  return {desc.type,
          {desc.dims[0], desc.dims[1], cells, 1},
          {desc.strides[0], desc.strides[1], desc.strides.back(),
           desc.strides.back()}};
}

static Status checkGlobalPool(const KernelSpec &spec) {
  WEIR_RETURN_IF_ERROR(checkPooling(spec));
  const TensorDesc &result = spec.results[0];
  if (result.numElements() != result.dims[0] * result.dims[1])
    return invalidArgument("expected a result with spatial dims of size 1");
  return checkImage(spec.operands[0]);
}

static Status buildGlobalPool(KernelBuilder &builder, algorithm kind) {
  Pooling pooling = readPooling(builder, kind, {});
  TensorDesc &input = pooling.input.desc, &result = pooling.result.desc;
  TensorDesc *images[] = {&input, &result};
  input = asColumn(input);
  result = asColumn(result);
  agreeOnLayout(images);
  pooling.windows = {{input.dims[2], 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}};
  pooling.padsEnd = {0, 0};
  std::vector<Epilogue> epilogues = builder.epilogues();
  for (Epilogue &epilogue : epilogues)
    if (epilogue.op.operand >= 0)
      epilogue.value.desc = asColumn(epilogue.value.desc);
  return addPooling(builder, pooling, epilogues);
}

static Status buildGlobalAveragePool(KernelBuilder &builder) {
  return buildGlobalPool(builder, algorithm::pooling_avg_include_padding);
}

static Status buildGlobalMaxPool(KernelBuilder &builder) {
  return buildGlobalPool(builder, algorithm::pooling_max);
}

static KernelSpec imagesInRows(const KernelSpec &spec) {
  return inRows(spec, spec.attrs.ints("kernel_shape"), /*hasWeights=*/false);
}

namespace weir::cpu {

Status checkMaxPool(const KernelSpec &spec) { return checkWindowPool(spec); }

Status checkMaxPoolTraining(const KernelSpec &spec) {
  if (spec.results.size() != 2 ||
      spec.results[1].dims != spec.results[0].dims ||
      (spec.results[1].type != DType::U8 && spec.results[1].type != DType::I32))
    return invalidArgument("expected a second result of ui8 or i32, of the "
                           "first one's shape");
  if (spec.operands.empty() || spec.operands[0].numElements() == 0 ||
      spec.results[0].numElements() == 0)
    return unimplemented("expected operands with elements");
  KernelSpec pool = spec;
  pool.results.pop_back();
  return checkWindowPool(pool);
}

Status checkAveragePool(const KernelSpec &spec) {
  return checkWindowPool(spec);
}

Status checkGlobalAveragePool(const KernelSpec &spec) {
  return checkGlobalPool(spec);
}

Status checkGlobalMaxPool(const KernelSpec &spec) {
  return checkGlobalPool(spec);
}

StatusOr<std::unique_ptr<Kernel>> prepareMaxPool(const KernelSpec &spec,
                                                 PrepareContext &context) {
  return prepareWith(imagesInRows(spec), context, checkMaxPool, buildMaxPool);
}

StatusOr<std::unique_ptr<Kernel>>
prepareMaxPoolTraining(const KernelSpec &spec, PrepareContext &context) {
  return prepareWith(spec, context, checkMaxPoolTraining, buildMaxPoolTraining);
}

StatusOr<std::unique_ptr<Kernel>> prepareAveragePool(const KernelSpec &spec,
                                                     PrepareContext &context) {
  return prepareWith(imagesInRows(spec), context, checkAveragePool,
                     buildAveragePool);
}

StatusOr<std::unique_ptr<Kernel>>
prepareGlobalAveragePool(const KernelSpec &spec, PrepareContext &context) {
  return prepareWith(spec, context, checkGlobalAveragePool,
                     buildGlobalAveragePool);
}

StatusOr<std::unique_ptr<Kernel>>
prepareGlobalMaxPool(const KernelSpec &spec, PrepareContext &context) {
  return prepareWith(spec, context, checkGlobalMaxPool, buildGlobalMaxPool);
}

} // namespace weir::cpu
