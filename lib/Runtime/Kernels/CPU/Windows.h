//===- Windows.h - Windows of convolution, pooling -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_WINDOWS_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_WINDOWS_H

#include "Plan.h"

#include <span>

namespace weir::cpu {

/// Whether each of `values` is `wanted`.
bool areAll(const Dims &values, int64_t wanted);

/// The windows of an op, one number per spatial dim. `dilations` are ONNX's: 1
/// is a dense window.
struct Windows {
  Dims kernel;
  Dims strides;
  Dims dilations;
  Dims padsBegin;
  Dims padsEnd;

  size_t rank() const { return kernel.size(); }
  /// Input cells from the first to the last one that a window touches.
  int64_t extent(size_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
  /// oneDNN's dilations: 0 is a dense window.
  Dims gaps() const;
};

/// An error unless windows of the sizes `kernel` make sense.
Status checkWindowSizes(const Dims &kernel);

/// `spec`, of windows of the shape `kernel` over operand 0, as oneDNN is fast
/// on it: without spatial dims in which images and windows have one cell, and
/// what is left of one dim as a row, below a height of 1. The bytes stay the
/// same. `hasWeights`: operand 1 has the windows' cells behind its first two
/// dims.
KernelSpec inRows(const KernelSpec &spec, const Dims &kernel, bool hasWeights);

/// Reads strides, dilations and pads of windows of the shape `kernel`.
StatusOr<Windows> readWindows(const AttrMap &attrs, Dims kernel);

/// The padding at the end, per spatial dim, with which the windows have the
/// places of the image `places` when they slide over the image `covered`;
/// negative where the last window stops before that image does.
StatusOr<Dims> endPadding(const Windows &windows, const TensorDesc &covered,
                          const TensorDesc &places);

/// One layout of images for oneDNN: channels-last if all of `images` are (dims
/// of size 1 apart), else row-major if all are, else nothing. The descriptors
/// come back with the strides that say so.
bool agreeOnLayout(std::span<TensorDesc *const> images);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_WINDOWS_H
