//===- Activation.h - Activations of recurrent layers -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_IMPORT_ONNX_ACTIVATION_H
#define WEIR_LIB_IMPORT_ONNX_ACTIVATION_H

#include "NodeBuilder.h"

namespace weir::onnx {

/// A function that a recurrent layer applies to the sums of its gates.
struct Activation {
  using Make = Tensor (*)(NodeBuilder &node, Tensor x, double alpha,
                          double beta);

  Make make;
  double alpha, beta;

  Tensor operator()(NodeBuilder &node, Tensor x) const {
    return make(node, x, alpha, beta);
  }
};

/// The activations `names`. Names are not case-sensitive, as in ONNX Runtime.
/// The attribute `activation_alpha` lists the alphas, and `activation_beta` the
/// betas. An activation without an alpha or a beta takes no number from the
/// list. Warns if numbers are left over. The result is empty after an error.
std::vector<Activation> readActivations(NodeBuilder &node,
                                        llvm::ArrayRef<std::string_view> names);

} // namespace weir::onnx

#endif // WEIR_LIB_IMPORT_ONNX_ACTIVATION_H
