//===- Convolution.td - Convolutions -*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_OPS_CONVOLUTION_TD
#define WEIR_DIALECT_WEIR_IR_OPS_CONVOLUTION_TD

include "weir/Dialect/Weir/IR/WeirBase.td"

class Weir_Convolution<string mnemonic, string spec, string kernel>
    : Weir_Op<mnemonic, spec> {
  let typeSpec = "F,F,F+->F";
  let inputs = (ins Weir_Tensor:$x, Weir_Tensor:$weight,
      Optional<Weir_Tensor>:$bias);
  let expression = "a * b";
  let combiner = "Sum";
  let layout = "ChannelsLast";
  let precision = "Narrow";
  let kernels = [FusingCPU<kernel, ["f32", "bf16"]>];
}

def ConvOp : Weir_Convolution<"conv",
    "n(gc)[x*strides+k*dilations-pads],(go)c[k],+(go)->n(go)[x]|g=groups",
    "conv"> {
  let otherNames = ["convolution", "conv1d", "conv2d", "conv3d"];
  let summary = "convolution over 1 to 3 spatial dims";
  let description = [{
    `x` is [batch, channels, spatial...], `weight` [out, channels / groups,
    kernel...], `bias` [out]. `pads` lists begins, then ends, as in ONNX. The
    kernel is not flipped.
  }];
  let attributes = (ins Weir_Ints:$strides, Weir_Pads:$pads,
      Weir_Ints:$dilations, Weir_Int<"1">:$groups);
}

def ConvTransposeOp : Weir_Convolution<"conv_transpose",
    "n(gc)[x],(gc)o[k],+(go)->n(go)[x*strides+k*dilations-pads]|g=groups",
    "conv_transpose"> {
  let otherNames = ["deconvolution", "conv_transpose2d", "conv2d_transpose"];
  let summary = "transposed convolution, the gradient of conv for its input";
  let description = [{
    `x` is [batch, channels, spatial...], `weight` [channels, out / groups,
    kernel...], `bias` [out]. `output_padding` enlarges the result at its end.
  }];
  let attributes = (ins Weir_Ints:$strides, Weir_Pads:$pads,
      Weir_Ints:$dilations, Weir_Int<"1">:$groups,
      Weir_Ints:$output_padding);
}

def ConvWeightGradientOp : Weir_Op<"conv_weight_gradient",
    "n(gc)[x*strides+k*dilations-pads],n(go)[x]->(go)c[k]"
    "|g=groups,k=kernel_shape"> {
  let summary = "gradient of conv for its weight";
  let description = [{
    `x` is the input of the convolution, `gradient` the gradient of its result.
    The result has the shape of the weight, whose spatial dims are
    `kernel_shape`. The other attributes are those of the convolution.
  }];
  let typeSpec = "F,F->F";
  let inputs = (ins Weir_Tensor:$x, Weir_Tensor:$gradient);
  let attributes = (ins I64ArrayAttr:$kernel_shape, Weir_Ints:$strides,
      Weir_Pads:$pads, Weir_Ints:$dilations, Weir_Int<"1">:$groups);
  let expression = "a * b";
  let combiner = "Sum";
  let precision = "Narrow";
  let layout = "Free";
  let kernels = [CPU<"conv_weight_gradient", ["f32", "bf16"]>];
}

#endif // WEIR_DIALECT_WEIR_IR_OPS_CONVOLUTION_TD
