//===- Device.td - Movement of tensors between devices and layouts --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_OPS_DEVICE_TD
#define WEIR_DIALECT_WEIR_IR_OPS_DEVICE_TD

include "weir/Dialect/Weir/IR/WeirBase.td"

def CopyOp : Weir_PlainOp<"copy", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "a value on another device";
  let description = [{
    A crossing. Each value crosses at most once to each reading device.
  }];
  let arguments = (ins Weir_Tensor:$input, StrAttr:$from, StrAttr:$to);
  let results = (outs Weir_Tensor:$result);
  let assemblyFormat = [{
    $input `from` $from `to` $to attr-dict `:` type($input)
  }];
}

def RelayoutOp : Weir_Pointwise<"relayout", 1, "a"> {
  let summary = "the same tensor in another layout";
  let description = [{
    The result type names the layout:

    ```
    %y = weir.relayout %x : tensor<1x3x8x8xf32>
        -> tensor<1x3x8x8xf32, #weir.layout<[0, 2, 3, 1]>>
    ```
  }];
  let inputs = (ins Weir_Tensor:$input);
  let precision = "Follow";
  let kernels = [CPUReorder<>];
  let isInternal = 1;
  let isRelayout = 1;
}

#endif // WEIR_DIALECT_WEIR_IR_OPS_DEVICE_TD
