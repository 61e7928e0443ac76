//===- CudnnGraph.h - What cuDNN computes in one launch ---------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A CudnnGraph is a plain description. It is made from a kernel's spec alone,
// on any machine, and CudnnPlan turns it into what cuDNN runs.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNGRAPH_H
#define WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNGRAPH_H

#include "weir/Support/TensorDesc.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weir {

/// A tensor of a graph. All tensors of a graph have the same number of dims:
/// batch, channels, and two or three spatial dims; or batch, heads, rows and
/// columns.
struct CudnnTensor {
  TensorDesc desc;
  /// The number of the tensor's buffer in the launch. A tensor without a buffer
  /// is a value in f32 that stays inside of the kernel.
  std::optional<size_t> buffer;
  /// The value of a tensor that is a number. Of `desc`, only the number of dims
  /// counts for such a tensor.
  std::optional<float> number;
};

/// The most tensors of a graph, and buffers of a launch.
inline constexpr size_t mostCudnnTensors = 64;

enum class CudnnOp {
  /// The convolution of images and weights.
  Conv,
  /// The gradient of a convolution for its images. Its operands are a tensor
  /// with the size of the convolution's result, and the weights.
  ConvGradient,
  /// The gradient of a convolution for its weights. Its operands are a tensor
  /// with the size of the convolution's result, and the images.
  WeightGradient,
  /// Attention. Its operands are queries, keys, values and perhaps a tensor
  /// that is added to the scores.
  Attention,
  // Functions of one value.
  Abs,
  Elu,
  Exp,
  GeluErf,
  Log,
  Relu,
  Sigmoid,
  Softplus,
  Sqrt,
  Swish,
  Tanh,
  // Functions of two values.
  Add,
  Div,
  Max,
  Min,
  Mul,
  Sub,
};

/// Computes one tensor from others.
struct CudnnNode {
  CudnnOp op;
  /// The numbers of tensors of the graph.
  std::vector<size_t> inputs;
  size_t output;
};

/// The windows of a convolution. Each list has one number per spatial dim.
struct CudnnWindows {
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> padsBegin;
  std::vector<int64_t> padsEnd;
};

/// Which scores are masked because their key comes later than their query. The
/// scores that are not masked end at a diagonal. The diagonal begins at the
/// first query and key, or ends at the last query and key.
enum class CudnnCausal { None, TopLeft, BottomRight };

struct CudnnAttention {
  /// The factor of the scores.
  float scale = 1;
  CudnnCausal causal = CudnnCausal::None;
};

struct CudnnGraph {
  std::vector<CudnnTensor> tensors;
  /// The nodes, each after the nodes whose results it reads. The last node
  /// computes the result.
  std::vector<CudnnNode> nodes;
  /// The windows of a convolution.
  CudnnWindows windows;
  CudnnAttention attention;
  /// Whether f32 may be rounded to TF32 for products.
  bool allowsTF32 = false;

  size_t add(CudnnTensor tensor) {
    tensors.push_back(std::move(tensor));
    return tensors.size() - 1;
  }
  /// One line per tensor and node, for tests and errors.
  std::string toString() const;
};

std::string toString(CudnnOp op);

} // namespace weir

#endif // WEIR_LIB_PLUGINS_CUDA_CUDNN_CUDNNGRAPH_H
