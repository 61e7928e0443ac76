//===- CudnnPostOps.h - Post-ops as nodes of a graph ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNPOSTOPS_H
#define WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNPOSTOPS_H

#include "CudnnGraph.h"
#include "weir/Runtime/Kernel.h"
#include "weir/Support/Status.h"

namespace weir {

/// A graph whose nodes each continue with what the one before computes.
class CudnnChain {
public:
  /// All values have the dims of `result`.
  CudnnChain(CudnnGraph &graph, TensorDesc result)
      : graph(graph), result(std::move(result)) {}

  /// Makes `op` of the tensors `inputs` the next value, and returns its number.
  size_t compute(CudnnOp op, std::vector<size_t> inputs);
  /// Makes `op` of the last value, and of `number` if there is one, the next
  /// value.
  void follow(CudnnOp op) { compute(op, {last}); }
  void follow(CudnnOp op, double number);
  void follow(CudnnOp op, size_t other) { compute(op, {last, other}); }
  /// The number of the last value.
  size_t value() const { return last; }

  /// Continues with `postOp`, or says why cuDNN does not compute it.
  Status follow(const PostOp &postOp, const KernelSpec &spec);

  /// Makes the last value the result, which is buffer `buffer`.
  void finish(size_t buffer);

private:
  Status followBinary(const PostOp &postOp, const KernelSpec &spec);
  bool followUnary(const PostOp &postOp);
  void followHardSigmoid(double scale, double shift);

  CudnnGraph &graph;
  TensorDesc result;
  size_t last = 0;
};

/// `desc` with the strides of images whose channels lie side by side.
TensorDesc channelsLast(TensorDesc desc);

/// Whether `desc` lies in memory like `channelsLast(desc)`.
bool isChannelsLast(const TensorDesc &desc);

/// `desc`, an image or something that is repeated along images, with two
/// spatial dims if it has one.
TensorDesc withTwoSpatialDims(TensorDesc desc);

/// Operand `desc` of an op of values with the dims of `result`: one number, one
/// per channel, or one per element.
StatusOr<TensorDesc> alignWith(const TensorDesc &desc,
                               const TensorDesc &result);

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNPOSTOPS_H
