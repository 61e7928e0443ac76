//===- CudnnWindows.cpp - The windows of convolutions --------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CudnnWindows.h"

#include <algorithm>
#include <fmt/format.h>

using namespace weir;
using Dims = std::vector<int64_t>;

/// The largest number that cuDNN counts to.
static constexpr int64_t longest = INT32_MAX;

Status weir::checkDims(const ConvTensors &tensors) {
  const size_t rank = tensors.wide.dims.size();
  for (const TensorDesc *each :
       {&tensors.wide, &tensors.weights, &tensors.narrow})
    for (int64_t dim : each->dims)
      if (dim < 1 || dim > longest)
        return invalidArgument(fmt::format(
            "expected dims from 1 to {}, found {}", longest, each->toString()));
  if (rank < 3 || rank > 5 || tensors.weights.dims.size() != rank ||
      tensors.narrow.dims.size() != rank)
    return invalidArgument(fmt::format(
        "expected images and weights of one rank from 3 to 5, found {}, {} "
        "and {}",
        tensors.wide.toString(), tensors.narrow.toString(),
        tensors.weights.toString()));
  return Status::ok();
}

bool weir::isDepthwise(const ConvTensors &tensors) {
  return tensors.weights.dims[1] == 1 && tensors.wide.dims[1] > 1;
}

/// The `count` numbers of attribute `name`, which must be at least `least`.
/// Without the attribute, all numbers are `least`.
static StatusOr<Dims> readList(const KernelSpec &spec, const char *name,
                               size_t count, int64_t least) {
  const Dims &values = spec.attrs.ints(name);
  if (values.empty())
    return Dims(count, least);
  const bool isInRange = std::ranges::all_of(values, [&](int64_t value) {
    return value >= least && value <= longest;
  });
  if (values.size() != count || !isInRange)
    return invalidArgument(fmt::format("expected {} {} from {} on, found {}",
                                       count, name, least,
                                       fmt::join(values, ", ")));
  return values;
}

static Status checkGroups(const KernelSpec &spec, const ConvTensors &tensors) {
  const Dims &wide = tensors.wide.dims, &weights = tensors.weights.dims,
             &narrow = tensors.narrow.dims;
  const int64_t groups = spec.attrs.intOr("groups", 1);
  if (groups >= 1 && groups <= weights[0] && weights[0] % groups == 0 &&
      wide[0] == narrow[0] && weights[0] == narrow[1] &&
      wide[1] % groups == 0 && weights[1] == wide[1] / groups)
    return Status::ok();
  return invalidArgument(
      fmt::format("images {} and {} and weights {} do not fit {} groups",
                  fmt::join(wide, "x"), fmt::join(narrow, "x"),
                  fmt::join(weights, "x"), groups));
}

static Status checkPositions(const CudnnWindows &windows,
                             const ConvTensors &tensors) {
  const Dims &wide = tensors.wide.dims, &weights = tensors.weights.dims,
             &narrow = tensors.narrow.dims;
  for (size_t i = 0; i < windows.strides.size(); ++i) {
    const __int128 extent =
        __int128(weights[i + 2] - 1) * windows.dilations[i] + 1;
    const __int128 rest = __int128(wide[i + 2]) + windows.padsBegin[i] +
                          windows.padsEnd[i] - extent;
    if (rest < 0 || rest / windows.strides[i] + 1 != narrow[i + 2])
      return invalidArgument(fmt::format(
          "windows of {} on {} cells do not have {} positions along spatial "
          "dim {}",
          weights[i + 2], wide[i + 2], narrow[i + 2], i));
  }
  return Status::ok();
}

/// If there is one spatial dim, puts a spatial dim of size 1 before it. cuDNN
/// does not take images with one spatial dim.
static void widen(CudnnWindows &windows) {
  if (windows.strides.size() != 1)
    return;
  windows.strides.insert(windows.strides.begin(), 1);
  windows.dilations.insert(windows.dilations.begin(), 1);
  windows.padsBegin.insert(windows.padsBegin.begin(), 0);
  windows.padsEnd.insert(windows.padsEnd.begin(), 0);
}

StatusOr<CudnnWindows> weir::readWindows(const KernelSpec &spec,
                                         const ConvTensors &tensors) {
  const size_t rank = tensors.wide.dims.size() - 2;
  CudnnWindows windows;
  WEIR_ASSIGN_OR_RETURN(windows.strides, readList(spec, "strides", rank, 1));
  WEIR_ASSIGN_OR_RETURN(windows.dilations,
                        readList(spec, "dilations", rank, 1));
  WEIR_ASSIGN_OR_RETURN(const Dims pads, readList(spec, "pads", 2 * rank, 0));
  const auto middle = pads.begin() + static_cast<ptrdiff_t>(rank);
  windows.padsBegin.assign(pads.begin(), middle);
  windows.padsEnd.assign(middle, pads.end());
  WEIR_RETURN_IF_ERROR(checkGroups(spec, tensors));
  WEIR_RETURN_IF_ERROR(checkPositions(windows, tensors));
  widen(windows);
  return windows;
}
