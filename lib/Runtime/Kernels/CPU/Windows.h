//===- Windows.h - Windows of convolution, pooling --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_KERNELS_CPU_WINDOWS_H
#define WEIR_LIB_RUNTIME_KERNELS_CPU_WINDOWS_H

#include "KernelBuilder.h"

#include <span>

namespace weir::cpu {

/// Whether all of `values` are equal to `wanted`.
bool areAll(const Dims &values, int64_t wanted);

/// The windows of an op, with one number per spatial dim. `dilations` are
/// ONNX's: 1 is a dense window.
struct Windows {
  Dims kernel;
  Dims strides;
  Dims dilations;
  Dims padsBegin;
  Dims padsEnd;

  size_t rank() const { return kernel.size(); }
  /// The number of input cells from the first to the last that a window covers.
  int64_t extent(size_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
  /// oneDNN's dilations: 0 is a dense window.
  Dims gaps() const;
};

/// Checks that the library can count the elements of one image. Dim 0 of
/// `images` is the number of images.
Status checkImage(const TensorDesc &images);

/// Checks that the window sizes `kernel` are valid.
Status checkWindowSizes(const Dims &kernel);

/// `spec`, which has windows of the shape `kernel` over operand 0, in a form on
/// which oneDNN is fast. Spatial dims in which images and windows have one cell
/// are removed. If one spatial dim remains, it becomes the width, and a height
/// of 1 is put before it. The bytes stay the same. `hasWeights` says that
/// operand 1 has the cells of the windows as dims, after its first two dims.
KernelSpec inRows(const KernelSpec &spec, const Dims &kernel, bool hasWeights);

/// Reads strides, dilations and pads of windows of the shape `kernel`.
StatusOr<Windows> readWindows(const AttrMap &attrs, Dims kernel);

/// The end padding, per spatial dim, for which windows that slide over the
/// image `covered` have as many positions as the image `places`. Negative if
/// the last window ends before the image does.
StatusOr<Dims> endPadding(const Windows &windows, const TensorDesc &covered,
                          const TensorDesc &places);

/// Finds one layout of images for oneDNN, and gives the descriptors its
/// strides. The layout is channels-last if all of `images` are channels-last,
/// or row-major if all are row-major. Otherwise returns false. Dims of size 1
/// may have any stride.
bool agreeOnLayout(std::span<TensorDesc *const> images);

} // namespace weir::cpu

#endif // WEIR_LIB_RUNTIME_KERNELS_CPU_WINDOWS_H
