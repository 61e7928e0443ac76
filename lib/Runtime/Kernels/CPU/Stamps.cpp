//===- Stamps.cpp - Transposed convolution without overlap ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Stamps.h"

#include "Pointwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

using namespace weir;
using namespace weir::cpu;

/// Whether the epilogue has no operand, or a scalar.
static bool isPlain(const Epilogue &epilogue) {
  return epilogue.op.operand < 0 ||
         areAll(cutRepeated(epilogue.value.desc).dims, 1);
}

bool cpu::suitsStamps(const KernelBuilder &builder, const Images &images,
                      std::span<const Epilogue> epilogues) {
  const TensorDesc &input = images.input.desc;
  const TensorDesc &result = images.result.desc;
  const Windows &windows = images.windows;
  auto isKnown = [&](const Value &value) {
    return value.place == Value::Place::Buffer &&
           builder.isConstant(static_cast<int>(value.index));
  };
  if (input.dims.size() != 4 || windows.kernel != windows.strides ||
      !areAll(windows.dilations, 1) || !areAll(windows.padsBegin, 0) ||
      result.dims[2] != input.dims[2] * windows.kernel[0] ||
      result.dims[3] != input.dims[3] * windows.kernel[1] ||
      !images.areInPlace() || images.weights.desc.type != input.type ||
      (result.type != input.type && result.type != DType::F32) ||
      !isKnown(images.weights) || (images.bias && !isKnown(*images.bias)))
    return false;
  return std::all_of(epilogues.begin(), epilogues.end(), isPlain);
}

namespace {

/// Rows [first, first + count) of every stamp.
struct Rows {
  int64_t first, count;
};

} // namespace

/// Copies the weights of these rows to a matrix. A weight of `channel` goes to
/// element (channel, (row * columns + column) * outputs + output).
static void takeStamps(const TensorDesc &weights, Rows rows, const void *from,
                       void *to) {
  const size_t size = byteSize(weights.type);
  const auto *source = static_cast<const std::byte *>(from);
  auto *target = static_cast<std::byte *>(to);
  for (int64_t channel = 0; channel < weights.dims[0]; ++channel)
    for (int64_t row = rows.first; row < rows.first + rows.count; ++row)
      for (int64_t column = 0; column < weights.dims[3]; ++column)
        for (int64_t output = 0; output < weights.dims[1]; ++output) {
          const int64_t at =
              channel * weights.strides[0] + output * weights.strides[1] +
              row * weights.strides[2] + column * weights.strides[3];
          std::memcpy(target, source + static_cast<size_t>(at) * size, size);
          target += size;
        }
}

/// `images.bias` repeated for each cell of the rows of a stamp.
static StatusOr<Value> repeatBias(KernelBuilder &builder, const Images &images,
                                  int64_t cells) {
  const TensorDesc &bias = images.bias->desc;
  const size_t bytes = bias.spanBytes();
  auto repeat = [=](const void *from, void *to) {
    for (int64_t i = 0; i < cells; ++i)
      std::memcpy(static_cast<std::byte *>(to) + static_cast<size_t>(i) * bytes,
                  from, bytes);
  };
  WEIR_ASSIGN_OR_RETURN(
      const void *repeated,
      builder.derived(*images.bias, fmt::format("{} times", cells),
                      bytes * static_cast<size_t>(cells), repeat));
  return Value{Value::Place::Constant, 0, 0, repeated,
               TensorDesc::rowMajor(bias.type, {1, 1, cells * bias.dims[0]})};
}

/// `epilogues` for a result with the dims `dims`.
static std::vector<Epilogue> withDims(std::span<const Epilogue> epilogues,
                                      const Dims &dims) {
  std::vector<Epilogue> seen(epilogues.begin(), epilogues.end());
  for (Epilogue &epilogue : seen)
    if (epilogue.op.operand >= 0)
      epilogue.value.desc = broadcastTo(
          TensorDesc::rowMajor(epilogue.value.desc.type, {1}), dims);
  return seen;
}

/// Adds the product that computes `target`, [rows of cells, columns of cells,
/// cells of the stamp's rows * outputs], and its epilogues.
static Status addProduct(KernelBuilder &builder, const Images &images,
                         std::span<const Epilogue> epilogues, Rows rows,
                         const Value &target) {
  const TensorDesc &weights = images.weights.desc;
  const Dims &dims = target.desc.dims;
  const int64_t channels = weights.dims[0];
  const TensorDesc by =
      TensorDesc::rowMajor(weights.type, {1, channels, dims[2]});
  auto take = [&](const void *from, void *to) {
    takeStamps(weights, rows, from, to);
  };
  WEIR_ASSIGN_OR_RETURN(
      const void *stamps,
      builder.derived(images.weights,
                      fmt::format("stamps {} + {}", rows.first, rows.count),
                      by.spanBytes(), take));
  std::optional<Value> bias;
  if (images.bias) {
    WEIR_ASSIGN_OR_RETURN(
        bias, repeatBias(builder, images, rows.count * weights.dims[3]));
  }
  const Value source = images.input.as(
      TensorDesc::rowMajor(weights.type, {dims[0], dims[1], channels}));
  auto make = [&](const dnnl::primitive_attr &attr) {
    return dnnl::matmul::primitive_desc(
        cpuEngine(), memoryDesc(source.desc), memoryDesc(by),
        bias ? memoryDesc(bias->desc) : dnnl::memory::desc(),
        memoryDesc(target.desc), attr);
  };
  auto bind =
      [&](const dnnl::primitive_desc &) -> StatusOr<std::vector<Argument>> {
    std::vector<Argument> arguments{
        {DNNL_ARG_SRC, source},
        {DNNL_ARG_WEIGHTS, Value{Value::Place::Constant, 0, 0, stamps, by}},
        {DNNL_ARG_DST, target}};
    if (bias)
      arguments.emplace_back(DNNL_ARG_BIAS, *bias);
    return arguments;
  };
  auto view = [](const Value &value) {
    return value.as(TensorDesc::rowMajor(value.desc.type, {1, 1, 1}));
  };
  return addFused(builder, make, bind, target, withDims(epilogues, dims), view);
}

/// Adds one product for all rows, and copies its results to their places. The
/// library is slow if it writes narrow results with gaps.
static Status addThroughTemporary(KernelBuilder &builder, const Images &images,
                                  std::span<const Epilogue> epilogues) {
  const Dims &from = images.input.desc.dims;
  const Dims &stamp = images.windows.kernel;
  const Dims &to = images.result.desc.dims;
  const DType type = images.result.desc.type;
  const Value together = builder.temporary(TensorDesc::rowMajor(
      type, {from[0] * from[2], from[3], stamp[0] * stamp[1] * to[1]}));
  WEIR_RETURN_IF_ERROR(
      addProduct(builder, images, epilogues, {0, stamp[0]}, together));
  const TensorDesc apart = TensorDesc::rowMajor(
      type, {from[0] * from[2], from[3], stamp[0], stamp[1] * to[1]});
  builder.copy(
      together.as(permuted(apart, {0, 2, 1, 3})),
      images.result.as(TensorDesc::rowMajor(
          type, {apart.dims[0], apart.dims[2], apart.dims[1], apart.dims[3]})));
  return Status::ok();
}

Status cpu::addStamps(KernelBuilder &builder, const Images &images,
                      std::span<const Epilogue> epilogues) {
  const Dims &from = images.input.desc.dims;
  const Dims &stamp = images.windows.kernel;
  const int64_t width = stamp[1] * images.result.desc.dims[1];
  constexpr int64_t narrow = 16;
  if (width < narrow)
    return addThroughTemporary(builder, images, epilogues);
  TensorDesc row = TensorDesc::rowMajor(images.result.desc.type,
                                        {from[0] * from[2], from[3], width});
  row.strides[0] *= stamp[0];
  for (int64_t i = 0; i < stamp[0]; ++i)
    WEIR_RETURN_IF_ERROR(
        addProduct(builder, images, epilogues, {i, 1},
                   images.result.from(i * from[3] * width, row)));
  return Status::ok();
}
