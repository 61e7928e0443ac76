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

/// Builds a graph in which each node reads the result of the node before it.
class CudnnChain {
public:
  /// All values have the dims of `result`.
  CudnnChain(CudnnGraph &graph, TensorDesc result)
      : graph(graph), result(std::move(result)) {}

  /// Makes `op` of the tensors `inputs` the next value, and returns the number
  /// of that value.
  size_t compute(CudnnOp op, std::vector<size_t> inputs);
  /// Makes `op` of the last value the next value. The second operand of `op`,
  /// if it has one, is `number` or the tensor `other`.
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

/// `desc` with the strides of images whose channels are last in memory.
TensorDesc channelsLast(TensorDesc desc);

/// Whether `desc` lies in memory like `channelsLast(desc)`.
bool isChannelsLast(const TensorDesc &desc);

/// `desc`, which is an image or a tensor that is repeated along images. If
/// `desc` has one spatial dim, a spatial dim of size 1 is put before it.
TensorDesc withTwoSpatialDims(TensorDesc desc);

/// `desc` as an operand of an op whose result is `result`. The operand has one
/// element, one per channel, or one per element of the result.
StatusOr<TensorDesc> alignWith(const TensorDesc &desc,
                               const TensorDesc &result);

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNPOSTOPS_H
