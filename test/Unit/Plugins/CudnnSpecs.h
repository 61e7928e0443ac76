//===- CudnnSpecs.h - Specs of kernels of cuDNN -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_PLUGINS_CUDNNSPECS_H
#define WEIR_TEST_UNIT_PLUGINS_CUDNNSPECS_H

#include "weir/Runtime/Kernel.h"

#include <string>
#include <vector>

namespace weir::test {

/// Images or weights whose channels are last in memory.
TensorDesc imageOf(DType type, std::vector<int64_t> dims);

/// A convolution, written down.
struct ConvCase {
  std::vector<int64_t> images;
  /// Row-major.
  std::vector<int64_t> weights;
  std::vector<int64_t> result;
  std::vector<int64_t> strides = {};
  std::vector<int64_t> pads = {};
  int64_t groups = 1;
  bool hasBias = true;
};

/// Strides, and pads that are not the same at both ends.
inline const ConvCase conv3x3 = {
    {8, 64, 56, 56}, {32, 64, 3, 3}, {8, 32, 28, 28}, {2, 2}, {0, 1, 1, 0}};

/// The spec of `conv` without post-ops.
KernelSpec makeSpec(const ConvCase &conv, DType type);

/// The spec of the gradient of `conv` for its weights. Images and gradients
/// have their channels last, and the result is row-major.
KernelSpec weightGradientSpec(const ConvCase &conv, DType type);

/// Appends a post-op. Binary ones get an operand with the dims `other`, where
/// those of images have their channels last.
void addPostOp(KernelSpec &spec, const std::string &algorithm, double alpha = 0,
               double beta = 0);
void addPostOpOf(KernelSpec &spec, const std::string &algorithm,
                 std::vector<int64_t> other);

/// The graph that cuDNN is asked for, or why it is not asked.
std::string graphText(const KernelSpec &spec);

/// Why the kernel's check refuses `spec`, or "".
std::string whyNot(const KernelSpec &spec);

/// Attention without a mask, with a factor of 0.125: queries, keys, values and
/// the result have the dims batch, heads, rows and columns, heads inside of
/// rows in memory.
KernelSpec attentionSpec(const std::vector<int64_t> &dims, DType type);

/// Appends what is added to the scores of attention.
void addMask(KernelSpec &spec, std::vector<int64_t> dims, DType type);

} // namespace weir::test

#endif // WEIR_TEST_UNIT_PLUGINS_CUDNNSPECS_H
