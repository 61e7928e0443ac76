//===- Contraction.td - Products of matrices -*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_OPS_CONTRACTION_TD
#define WEIR_DIALECT_WEIR_IR_OPS_CONTRACTION_TD

include "weir/Dialect/Weir/IR/WeirBase.td"

def LinearOp : Weir_Op<"linear", "...k,nk,+n->...n"> {
  let otherNames = ["dense", "fully_connected", "inner_product", "addmm"];
  let summary = "x times the transposed weight, plus bias";
  let description = [{
    `x` is [..., in], `weight` [out, in], `bias` [out]; the result is
    [..., out]. The form of a dense layer in PyTorch and safetensors.
  }];
  let typeSpec = "F,F,F+->F";
  let inputs = (ins Weir_Tensor:$x, Weir_Tensor:$weight,
      Optional<Weir_Tensor>:$bias);
  let expression = "a * b";
  let combiner = "Sum";
  let precision = "Narrow";
  let kernels = [FusingCPU<"linear", ["f32", "bf16"]>];
}

def MatmulOp : Weir_Op<"matmul", "...mk,...kn->...mn"> {
  let otherNames = ["gemm", "mm", "bmm", "dot", "batch_matmul", "dot_general"];
  let summary = "matrix product, batched over leading dims";
  let description = [{
    [..., m, k] times [..., k, n]; leading dims broadcast as in numpy.
  }];
  let inputs = (ins Weir_Tensor:$lhs, Weir_Tensor:$rhs);
  let expression = "a * b";
  let combiner = "Sum";
  let precision = "Narrow";
  let kernels = [FusingCPU<"matmul", ["f32", "bf16"]>];
}

#endif // WEIR_DIALECT_WEIR_IR_OPS_CONTRACTION_TD
