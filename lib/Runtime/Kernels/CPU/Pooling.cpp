//===- Pooling.cpp - The pooling kernels -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Pointwise.h"
#include "Windows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

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
  /// With which the windows have the places of the result.
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

/// Brings operand and result to one fast layout. The result is a temporary
/// where it had another one.
static Pooling readPooling(Plan &plan, algorithm kind, Windows windows) {
  Pooling pooling{kind, plan.operand(0), plan.result(), std::move(windows), {}};
  TensorDesc *both[] = {&pooling.input.desc, &pooling.result.desc};
  if (agreeOnLayout(both))
    return pooling;
  const TensorDesc &input = pooling.input.desc, &result = pooling.result.desc;
  pooling.input =
      plan.relaid(pooling.input, channelsLast(input.type, input.dims));
  TensorDesc wanted = channelsLast(result.type, result.dims);
  pooling.result = sameLayout(result, wanted) ? pooling.result.as(wanted)
                                              : plan.temporary(wanted);
  return pooling;
}

/// oneDNN is slow on one spatial dim; a second one of size 1 costs nothing.
static TensorDesc withHeight(const TensorDesc &desc) {
  if (desc.dims.size() != 3)
    return desc;
  TensorDesc view = desc;
  view.dims.insert(view.dims.begin() + 2, 1);
  view.strides.insert(view.strides.begin() + 2, desc.strides[2] * desc.dims[2]);
  return view;
}

static Dims withHeight(const Dims &dims, int64_t value) {
  Dims all = dims;
  if (dims.size() == 1)
    all.insert(all.begin(), value);
  return all;
}

static dnnl::primitive_desc describePooling(const Pooling &pooling,
                                            const dnnl::primitive_attr &attr) {
  const Windows &windows = pooling.windows;
  return dnnl::pooling_forward::primitive_desc(
      cpuEngine(), dnnl::prop_kind::forward_inference, pooling.kind,
      memoryDesc(withHeight(pooling.input.desc)),
      memoryDesc(withHeight(pooling.result.desc)),
      withHeight(windows.strides, 1), withHeight(windows.kernel, 1),
      withHeight(Dims(windows.rank(), 0), 0), withHeight(windows.padsBegin, 0),
      withHeight(pooling.padsEnd, 0), attr);
}

/// The operand of a post-op where oneDNN fuses it right: a scalar, one value a
/// channel, or a channels-last image like the result. (Version 3.2 reads a
/// channels-first image at the wrong places.)
static std::optional<Value> viewForPooling(const Value &value,
                                           const TensorDesc &result) {
  TensorDesc cut = cutRepeated(value.desc);
  Dims perChannel(result.dims.size(), 1);
  bool isScalar = cut.dims == perChannel;
  perChannel[1] = result.dims[1];
  if (isScalar || (cut.dims == perChannel && cut.strides[1] == 1))
    return value.as(withHeight(channelsLast(cut.type, cut.dims)));
  TensorDesc wanted = result;
  wanted.type = cut.type;
  if (!isChannelsLast(result) || !sameLayout(value.desc, wanted))
    return std::nullopt;
  return value.as(withHeight(wanted));
}

/// Copies `result` to the kernel's result where it is a temporary.
static Status returnResult(Plan &plan, const Value &result) {
  if (result.place == Value::Place::Workspace)
    plan.copy(result, plan.result().as(broadcastTo(plan.result().desc,
                                                   plan.result().desc.dims)));
  return Status::ok();
}

static Status addPooling(Plan &plan, const Pooling &pooling,
                         std::span<const Epilogue> epilogues) {
  auto make = [&](const dnnl::primitive_attr &attr) {
    return describePooling(pooling, attr);
  };
  auto bind =
      [&](const dnnl::primitive_desc &) -> StatusOr<std::vector<Argument>> {
    return std::vector<Argument>{
        {DNNL_ARG_SRC, pooling.input.as(withHeight(pooling.input.desc))},
        {DNNL_ARG_DST, pooling.result.as(withHeight(pooling.result.desc))}};
  };
  auto view = [&](const Value &value) {
    return viewForPooling(value, pooling.result.desc);
  };
  WEIR_RETURN_IF_ERROR(
      addFused(plan, make, bind, pooling.result, epilogues, view));
  return returnResult(plan, pooling.result);
}

/// Cells that the window at place `o` of dim `i` counts: those inside the
/// input, and with `withPadding` those inside the padding of the attributes.
static int64_t countCells(const Windows &windows, size_t i, int64_t input,
                          int64_t o, bool withPadding) {
  int64_t first = withPadding ? -windows.padsBegin[i] : 0;
  int64_t end = input + (withPadding ? windows.padsEnd[i] : 0);
  int64_t begin = o * windows.strides[i] - windows.padsBegin[i];
  // The cells of the window that lie before `bound`.
  auto cellsBefore = [&](int64_t bound) {
    int64_t gap = windows.dilations[i];
    int64_t cells = (std::max(bound - begin, int64_t(0)) + gap - 1) / gap;
    return std::min(cells, windows.kernel[i]);
  };
  return cellsBefore(end) - cellsBefore(first);
}

/// For each place of the result, the number of cells in a window over the
/// number that it counts: what an average over whole windows is short of. A
/// window that counts none has the sum 0.
static Epilogue correction(Plan &plan, const Pooling &pooling,
                           bool withPadding) {
  const Windows &windows = pooling.windows;
  Dims dims = pooling.result.desc.dims;
  dims[0] = dims[1] = 1;
  TensorDesc desc = TensorDesc::rowMajor(DType::F32, dims);
  std::vector<float> factors(desc.numElements(), 1.0f);
  for (size_t i = 0; i < windows.rank(); ++i)
    for (size_t flat = 0; flat < factors.size(); ++flat) {
      int64_t place = flat / desc.strides[i + 2] % dims[i + 2];
      int64_t counted = countCells(windows, i, pooling.input.desc.dims[i + 2],
                                   place, withPadding);
      factors[flat] *= static_cast<float>(windows.kernel[i]) /
                       static_cast<float>(std::max<int64_t>(counted, 1));
    }
  Value value = plan.constant(std::move(factors), desc);
  value.desc = broadcastTo(desc, pooling.result.desc.dims);
  return {{"binary_mul", 0, 0, 0}, value};
}

static bool overhangs(const Pooling &pooling) {
  for (size_t i = 0; i < pooling.padsEnd.size(); ++i)
    if (pooling.padsEnd[i] > pooling.windows.padsEnd[i])
      return true;
  return false;
}

static bool isDilated(const Windows &windows) {
  for (int64_t dilation : windows.dilations)
    if (dilation != 1)
      return true;
  return false;
}

/// Each of them is a step of the kernel.
static constexpr int64_t mostDilatedCells = 4096;

/// An error unless a temporary of the shape `dims` can have a size in bytes.
static Status checkElements(const Dims &dims) {
  int64_t elements = 1;
  for (int64_t dim : dims)
    if (__builtin_mul_overflow(elements, dim, &elements) ||
        elements > int64_t(1) << 44)
      return resourceExhausted(fmt::format(
          "a temporary of shape [{}] is needed, which no memory holds",
          fmt::join(dims, ", ")));
  return Status::ok();
}

/// The input with the windows' whole padding around it, filled with what a
/// window ignores. Every place of the result gets a whole stride, without which
/// oneDNN refuses to read places apart.
static StatusOr<Value> padded(Plan &plan, const Pooling &pooling) {
  const Windows &windows = pooling.windows;
  TensorDesc inner = pooling.input.desc;
  Dims dims = inner.dims;
  int64_t offset = 0;
  for (size_t i = 0; i < windows.rank(); ++i)
    dims[i + 2] =
        std::max(dims[i + 2] + windows.padsBegin[i] +
                     std::max<int64_t>(pooling.padsEnd[i], 0),
                 pooling.result.desc.dims[i + 2] * windows.strides[i]);
  WEIR_RETURN_IF_ERROR(checkElements(dims));
  TensorDesc outer = denseLike(inner.type, dims, inner);
  for (size_t i = 0; i < windows.rank(); ++i)
    offset += windows.padsBegin[i] * outer.strides[i + 2];
  if (dims == inner.dims)
    return pooling.input;

  float fill = pooling.kind == algorithm::pooling_max
                   ? -std::numeric_limits<float>::infinity()
                   : 0.0f;
  Value whole = plan.temporary(outer);
  plan.copy(plan.constant({fill}, {DType::F32, {1}, {1}}), whole);
  inner.strides = outer.strides;
  plan.copy(pooling.input, whole.from(offset, inner));
  return whole;
}

/// Calls `visit` with every cell of a window.
template <typename Visit>
static void forEachCell(const Dims &kernel, Visit visit) {
  Dims cell(kernel.size(), 0);
  while (true) {
    visit(cell);
    size_t i = kernel.size();
    while (i > 0 && ++cell[i - 1] == kernel[i - 1])
      cell[--i] = 0;
    if (i == 0)
      return;
  }
}

/// oneDNN's dilated pooling is scalar code. Instead the cells of each window
/// are copied apart, one image per cell, and pooled over the images.
static Status addDilatedPooling(Plan &plan, Pooling pooling,
                                std::span<const Epilogue> epilogues) {
  const Windows &windows = pooling.windows;
  TensorDesc result = pooling.result.desc;
  int64_t places = result.numElements(), cells = 1;
  for (int64_t size : windows.kernel)
    if (cells *= size; cells > mostDilatedCells)
      return unimplemented(fmt::format(
          "expected dilated windows of up to {} cells", mostDilatedCells));
  WEIR_RETURN_IF_ERROR(checkElements({cells, places}));
  WEIR_ASSIGN_OR_RETURN(Value input, padded(plan, pooling));
  Value apart =
      plan.temporary(TensorDesc::rowMajor(result.type, {cells, places}));
  Value to = apart.as(denseLike(result.type, result.dims, result));
  forEachCell(windows.kernel, [&](const Dims &cell) {
    TensorDesc every{result.type, result.dims, input.desc.strides};
    int64_t first = 0;
    for (size_t i = 0; i < windows.rank(); ++i) {
      first += cell[i] * windows.dilations[i] * every.strides[i + 2];
      every.strides[i + 2] *= windows.strides[i];
    }
    plan.copy(input.from(first, every), to);
    to = to.from(places, to.desc);
  });

  Windows column{{cells, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}};
  Pooling columns{pooling.kind, apart, pooling.result, column, {0, 0}};
  columns.input.desc = {
      result.type, {1, places, cells, 1}, {cells * places, 1, places, places}};
  columns.result.desc = channelsLast(result.type, {1, places, 1, 1});
  auto make = [&](const dnnl::primitive_attr &attr) {
    return describePooling(columns, attr);
  };
  auto bind =
      [&](const dnnl::primitive_desc &) -> StatusOr<std::vector<Argument>> {
    return std::vector<Argument>{{DNNL_ARG_SRC, columns.input},
                                 {DNNL_ARG_DST, columns.result}};
  };
  auto view = [](const Value &) { return std::optional<Value>(); };
  WEIR_RETURN_IF_ERROR(
      addFused(plan, make, bind, pooling.result, epilogues, view));
  return returnResult(plan, pooling.result);
}

/// Windows behind the padding would be computed in temporaries of any size.
static Status checkPlaces(const Pooling &pooling) {
  const Windows &windows = pooling.windows;
  for (size_t i = 0; i < windows.rank(); ++i) {
    int64_t last = (pooling.result.desc.dims[i + 2] - 1) * windows.strides[i];
    int64_t end = pooling.input.desc.dims[i + 2] + windows.padsBegin[i] +
                  windows.padsEnd[i];
    if (last >= end)
      return invalidArgument(
          fmt::format("expected windows that begin within the {} cells of the "
                      "padded operand along spatial dim {}, the last one "
                      "begins at {}",
                      end, i, last));
  }
  return Status::ok();
}

static Status buildPooling(Plan &plan, algorithm kind) {
  const AttrMap &attrs = plan.spec.attrs;
  WEIR_RETURN_IF_ERROR(checkPooling(plan.spec));
  WEIR_ASSIGN_OR_RETURN(Windows windows,
                        readWindows(attrs, attrs.ints("kernel_shape")));
  if (windows.rank() + 2 != plan.spec.operands[0].dims.size())
    return invalidArgument(
        fmt::format("expected {} numbers in attribute 'kernel_shape', found {}",
                    plan.spec.operands[0].dims.size() - 2, windows.rank()));
  Pooling pooling = readPooling(plan, kind, std::move(windows));
  WEIR_ASSIGN_OR_RETURN(
      pooling.padsEnd,
      endPadding(pooling.windows, pooling.input.desc, pooling.result.desc));
  WEIR_RETURN_IF_ERROR(checkPlaces(pooling));
  std::vector<Epilogue> epilogues = plan.epilogues();

  // Averages over whole windows, where that is not what ONNX divides by, are
  // corrected afterwards.
  bool dilated = isDilated(pooling.windows);
  bool withPadding = kind == algorithm::pooling_avg_include_padding;
  bool corrects = withPadding ? overhangs(pooling)
                              : kind != algorithm::pooling_max && dilated;
  if (corrects) {
    pooling.kind = algorithm::pooling_avg_include_padding;
    epilogues.insert(epilogues.begin(), correction(plan, pooling, withPadding));
  }
  if (dilated)
    return addDilatedPooling(plan, pooling, epilogues);
  return addPooling(plan, pooling, epilogues);
}

static Status buildMaxPool(Plan &plan) {
  return buildPooling(plan, algorithm::pooling_max);
}

static Status buildAveragePool(Plan &plan) {
  bool includesPadding = plan.spec.attrs.intOr("count_include_pad", 0) != 0;
  return buildPooling(plan, includesPadding
                                ? algorithm::pooling_avg_include_padding
                                : algorithm::pooling_avg_exclude_padding);
}

/// All spatial dims as one, the long one of a column: oneDNN loops over the
/// height of a window but unrolls its width.
static TensorDesc asColumn(const TensorDesc &desc) {
  int64_t cells = 1;
  for (size_t i = 2; i < desc.dims.size(); ++i)
    cells *= desc.dims[i];
  return {desc.type,
          {desc.dims[0], desc.dims[1], cells, 1},
          {desc.strides[0], desc.strides[1], desc.strides.back(),
           desc.strides.back()}};
}

static Status buildGlobalPool(Plan &plan, algorithm kind) {
  WEIR_RETURN_IF_ERROR(checkPooling(plan.spec));
  Pooling pooling = readPooling(plan, kind, {});
  TensorDesc &input = pooling.input.desc, &result = pooling.result.desc;
  if (result.numElements() != result.dims[0] * result.dims[1])
    return invalidArgument("expected a result with spatial dims of size 1");
  TensorDesc *images[] = {&input, &result};
  input = asColumn(input);
  result = asColumn(result);
  agreeOnLayout(images);
  pooling.windows = {{input.dims[2], 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}};
  pooling.padsEnd = {0, 0};
  std::vector<Epilogue> epilogues = plan.epilogues();
  for (Epilogue &epilogue : epilogues)
    if (epilogue.op.operand >= 0)
      epilogue.value.desc = asColumn(epilogue.value.desc);
  return addPooling(plan, pooling, epilogues);
}

static Status buildGlobalAveragePool(Plan &plan) {
  return buildGlobalPool(plan, algorithm::pooling_avg_include_padding);
}

static Status buildGlobalMaxPool(Plan &plan) {
  return buildGlobalPool(plan, algorithm::pooling_max);
}

namespace weir::cpu {

StatusOr<std::unique_ptr<Kernel>> prepareMaxPool(const KernelSpec &spec,
                                                 PrepareContext &context) {
  return prepareWith(spec, context, buildMaxPool);
}

StatusOr<std::unique_ptr<Kernel>> prepareAveragePool(const KernelSpec &spec,
                                                     PrepareContext &context) {
  return prepareWith(spec, context, buildAveragePool);
}

StatusOr<std::unique_ptr<Kernel>>
prepareGlobalAveragePool(const KernelSpec &spec, PrepareContext &context) {
  return prepareWith(spec, context, buildGlobalAveragePool);
}

StatusOr<std::unique_ptr<Kernel>>
prepareGlobalMaxPool(const KernelSpec &spec, PrepareContext &context) {
  return prepareWith(spec, context, buildGlobalMaxPool);
}

} // namespace weir::cpu
