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

Dims Windows::gaps() const {
  Dims gaps = dilations;
  for (int64_t &gap : gaps)
    --gap;
  return gaps;
}

/// Beyond these no window and no image makes sense, and products of them
/// would overflow.
static constexpr int64_t mostCells = int64_t(1) << 30;
static constexpr int64_t longestImage = int64_t(1) << 32;

static Status checkRange(const Dims &values, std::string_view what,
                         int64_t least) {
  for (int64_t value : values)
    if (value < least || value > mostCells)
      return invalidArgument(fmt::format("expected {} from {} to {}, found {}",
                                         what, least, mostCells, value));
  return Status::ok();
}

Status cpu::checkWindowSizes(const Dims &kernel) {
  return checkRange(kernel, "windows of size", 1);
}

/// The attribute `name` of `size` numbers from `least` on, or `size` defaults
/// where it is absent or empty.
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
  for (size_t i = 0; i < windows.rank(); ++i) {
    if (std::max(places.dims[i + 2], covered.dims[i + 2]) > longestImage)
      return unimplemented(fmt::format(
          "expected images of up to {} cells along each dim", longestImage));
    pads[i] = (places.dims[i + 2] - 1) * windows.strides[i] +
              windows.extent(i) - covered.dims[i + 2] - windows.padsBegin[i];
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
