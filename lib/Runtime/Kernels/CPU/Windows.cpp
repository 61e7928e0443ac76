//===- Windows.cpp - Windows of convolution, pooling -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Windows.h"

#include <fmt/format.h>

#include <algorithm>

using namespace weir;
using namespace weir::cpu;

bool cpu::areAll(const Dims &values, int64_t wanted) {
  return std::all_of(values.begin(), values.end(),
                     [&](int64_t value) { return value == wanted; });
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The spatial dims of `spec` in which a window or an image has more than one
/// cell, or which are padded. If there are none, the last dim.
static std::vector<size_t> findLongDims(const KernelSpec &spec,
                                        const Dims &kernel) {
  const size_t rank = kernel.size();
  const Dims &pads = spec.attrs.ints("pads");
  std::vector<size_t> found;
  for (size_t i = 0; i < rank; ++i) {
    const bool isPadded =
        pads.size() == 2 * rank && (pads[i] != 0 || pads[rank + i] != 0);
    if (kernel[i] != 1 || isPadded || spec.operands[0].dims[i + 2] != 1 ||
        spec.results[0].dims[i + 2] != 1)
      found.push_back(i);
  }
  if (found.empty())
    found.push_back(rank - 1);
  return found;
}

/// The values of the dims `kept`. Dim 0 has its value at `values[first]`. If
/// only one dim is kept, the result has `height` before its value.
static Dims keepDims(const Dims &values, size_t first,
                     const std::vector<size_t> &kept, int64_t height) {
  Dims result;
  if (kept.size() == 1)
    result.push_back(height);
  for (size_t i : kept)
    result.push_back(values[first + i]);
  return result;
}

/// `desc` with the spatial dims `kept` only. Its dims are the last dims of an
/// image of rank `rank`.
static TensorDesc keepDims(TensorDesc desc, size_t rank,
                           const std::vector<size_t> &kept) {
  while (desc.dims.size() < rank) {
    desc.dims.insert(desc.dims.begin(), 1);
    desc.strides.insert(desc.strides.begin(), 0);
  }
  const size_t last = kept.back() + 2;
  Dims dims = keepDims(desc.dims, 2, kept, 1);
  Dims strides =
      keepDims(desc.strides, 2, kept, desc.strides[last] * desc.dims[last]);
  dims.insert(dims.begin(), desc.dims.begin(), desc.dims.begin() + 2);
  strides.insert(strides.begin(), desc.strides.begin(),
                 desc.strides.begin() + 2);
  return {desc.type, std::move(dims), std::move(strides)};
}

static AttrMap keepDims(const AttrMap &attrs, size_t rank,
                        const std::vector<size_t> &kept) {
  AttrMap result = attrs;
  for (const char *name : {"kernel_shape", "strides", "dilations"})
    if (const Dims &values = attrs.ints(name); values.size() == rank)
      result.set(name, keepDims(values, 0, kept, 1));
  if (const Dims &pads = attrs.ints("pads"); pads.size() == 2 * rank) {
    Dims both = keepDims(pads, 0, kept, 0);
    const Dims ends = keepDims(pads, rank, kept, 0);
    both.insert(both.end(), ends.begin(), ends.end());
    result.set("pads", std::move(both));
  }
  return result;
}

KernelSpec cpu::inRows(const KernelSpec &spec, const Dims &kernel,
                       bool hasWeights) {
  const size_t rank = kernel.size();
  const auto hasRank = [&](const TensorDesc &desc) {
    return desc.dims.size() == rank + 2;
  };
  if (rank == 0 || spec.operands.size() < 1u + hasWeights ||
      spec.results.size() != 1 || !hasRank(spec.operands[0]) ||
      !hasRank(spec.results[0]) || (hasWeights && !hasRank(spec.operands[1])))
    return spec;
  const std::vector<size_t> kept = findLongDims(spec, kernel);
  KernelSpec result = spec;
  const auto keep = [&](TensorDesc &desc) {
    if (desc.dims.size() <= rank + 2)
      desc = keepDims(desc, rank + 2, kept);
  };
  keep(result.operands[0]);
  keep(result.results[0]);
  if (hasWeights)
    keep(result.operands[1]);
  for (const PostOp &op : spec.postOps)
    if (op.operand > int(hasWeights) &&
        op.operand < static_cast<int>(spec.operands.size()))
      keep(result.operands[op.operand]);
  result.attrs = keepDims(spec.attrs, rank, kept);
  return result;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

Dims Windows::gaps() const {
  Dims gaps = dilations;
  for (int64_t &gap : gaps)
    --gap;
  return gaps;
}

/// The largest number in an attribute, and the largest size of a window. The
/// library writes code for each cell of a window along the width and for each
/// position in the padding. It also tries out each number below a stride.
static constexpr int64_t longestWindow = int64_t(1) << 13;
/// The largest size of a dim along which windows have several cells. The
/// library makes tables with an entry for each position of such a window.
static constexpr int64_t longestImage = int64_t(1) << 20;
/// The largest extent of a window, and the largest distance between the first
/// and the last window, in cells. The library keeps sums of a few such numbers
/// in 32 bits.
static constexpr int64_t lastPlace = int64_t(1) << 30;

static Status checkRange(const Dims &values, std::string_view what,
                         int64_t least) {
  for (int64_t value : values)
    if (value < least || value > longestWindow)
      return invalidArgument(fmt::format("expected {} from {} to {}, found {}",
                                         what, least, longestWindow, value));
  return Status::ok();
}

Status cpu::checkWindowSizes(const Dims &kernel) {
  WEIR_RETURN_IF_ERROR(checkRange(kernel, "windows of size", 1));
  return checkElements(kernel, "windows");
}

Status cpu::checkImage(const TensorDesc &images) {
  return checkElements(std::span(images.dims).subspan(1), "images");
}

/// The attribute `name`, which must have `size` numbers of at least `least`. If
/// it is absent or empty, `size` times `fallback`.
static StatusOr<Dims> readDims(const AttrMap &attrs, std::string_view name,
                               size_t size, int64_t fallback, int64_t least) {
  const Dims &values = attrs.ints(name);
  if (values.empty())
    return Dims(size, fallback);
  if (values.size() != size)
    return invalidArgument(
        fmt::format("expected {} numbers in attribute '{}', found {}", size,
                    name, values.size()));
  WEIR_RETURN_IF_ERROR(checkRange(
      values, fmt::format("numbers in attribute '{}'", name), least));
  return values;
}

StatusOr<Windows> cpu::readWindows(const AttrMap &attrs, Dims kernel) {
  size_t rank = kernel.size();
  if (rank < 1 || rank > 3)
    return unimplemented(
        fmt::format("expected 1 to 3 spatial dims, found {}", rank));
  WEIR_RETURN_IF_ERROR(checkWindowSizes(kernel));
  Windows windows{std::move(kernel), {}, {}, {}, {}};
  WEIR_ASSIGN_OR_RETURN(windows.strides,
                        readDims(attrs, "strides", rank, 1, 1));
  WEIR_ASSIGN_OR_RETURN(windows.dilations,
                        readDims(attrs, "dilations", rank, 1, 1));
  WEIR_ASSIGN_OR_RETURN(Dims pads, readDims(attrs, "pads", 2 * rank, 0, 0));
  windows.padsBegin.assign(pads.begin(), pads.begin() + rank);
  windows.padsEnd.assign(pads.begin() + rank, pads.end());
  return windows;
}

StatusOr<Dims> cpu::endPadding(const Windows &windows,
                               const TensorDesc &covered,
                               const TensorDesc &places) {
  Dims pads(windows.rank());
  WEIR_RETURN_IF_ERROR(checkImage(covered));
  WEIR_RETURN_IF_ERROR(checkImage(places));
  for (size_t i = 0; i < windows.rank(); ++i) {
    const int64_t cells = std::max(places.dims[i + 2], covered.dims[i + 2]);
    if (windows.kernel[i] > 1 && cells > longestImage)
      return unimplemented(
          fmt::format("expected images of up to {} cells along dims in which "
                      "windows have several, found {}",
                      longestImage, cells));
    const int64_t last = (places.dims[i + 2] - 1) * windows.strides[i];
    if (std::max(last, windows.extent(i)) > lastPlace)
      return unimplemented(fmt::format(
          "expected windows that begin and end within {} cells of the first "
          "one's begin, found one that begins at {} with an extent of {}",
          lastPlace, last, windows.extent(i)));
    pads[i] =
        last + windows.extent(i) - covered.dims[i + 2] - windows.padsBegin[i];
  }
  return pads;
}

bool cpu::agreeOnLayout(std::span<TensorDesc *const> images) {
  auto all = [&](auto isSo) {
    return std::all_of(images.begin(), images.end(),
                       [&](const TensorDesc *desc) { return isSo(*desc); });
  };
  if (all(isChannelsLast)) {
    for (TensorDesc *desc : images)
      *desc = channelsLast(desc->type, desc->dims);
    return true;
  }
  if (all([](const TensorDesc &desc) { return desc.isRowMajor(); })) {
    for (TensorDesc *desc : images)
      *desc = TensorDesc::rowMajor(desc->type, desc->dims);
    return true;
  }
  return false;
}
