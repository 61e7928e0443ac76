//===- Pooling.td - Pooling -*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_OPS_POOLING_TD
#define WEIR_DIALECT_WEIR_IR_OPS_POOLING_TD

include "weir/Dialect/Weir/IR/WeirBase.td"

class Weir_Pool<string mnemonic>
    : Weir_Op<mnemonic,
              "nc[x*strides+k*dilations-pads]->nc[x]|k=kernel_shape"> {
  let inputs = (ins Weir_Tensor:$input);
  let attributes = (ins I64ArrayAttr:$kernel_shape, Weir_Ints:$strides,
      Weir_Pads:$pads, Weir_Ints:$dilations, Weir_Bool<"false">:$ceil_mode);
  let layout = "Follow";
  let precision = "Follow";
  let hasVerifier = 1;
}

class Weir_GlobalPool<string mnemonic>
    : Weir_Op<mnemonic, "nc[x]->nc[x/none]"> {
  let inputs = (ins Weir_Tensor:$input);
  let layout = "Follow";
  let precision = "Follow";
}

def AveragePoolOp : Weir_Pool<"average_pool"> {
  let otherNames = ["avg_pool", "avg_pool2d", "mean_pool"];
  let summary = "mean over a sliding window";
  let description = [{
    Padding counts as elements only with `count_include_pad`. In `ceil_mode`,
    what a window covers beyond the padding never counts. The mean of a window
    that has only padding is 0.
  }];
  let typeSpec = "F->F";
  let attributes = (ins I64ArrayAttr:$kernel_shape, Weir_Ints:$strides,
      Weir_Pads:$pads, Weir_Ints:$dilations, Weir_Bool<"false">:$ceil_mode,
      Weir_Bool<"false">:$count_include_pad);
  let kernels = [CPU<"average_pool", ["f32", "bf16"]>];
  let body = [{
    return {b.windowSum(operands[0]) /
            b.windowCount(operands[0], getCountIncludePad())};
  }];
}

def FirstTapOp
    : Weir_Op<"first_tap",
              "nc[x*strides+k*dilations-pads],nc[x],"
              "[x*strides+k*dilations-pads]->nc[x]|k=kernel_shape"> {
  let summary = "which element of each window is a certain one";
  let description = [{
    `numbers` has a number for each spatial position of the input. For each
    window, the result is the smallest number among the positions whose element
    equals the window's element of `values` or is NaN. If there is none, it is
    the largest i64.
  }];
  let typeSpec = "T,T,i64->i64";
  let inputs = (ins Weir_Tensor:$input, Weir_Tensor:$values,
      Weir_Tensor:$numbers);
  let attributes = (ins I64ArrayAttr:$kernel_shape, Weir_Ints:$strides,
      Weir_Pads:$pads, Weir_Ints:$dilations, Weir_Bool<"false">:$ceil_mode);
  let hasVerifier = 1;
  let isInternal = 1;
  let expression = "select(a == b, c, select(a == a, inf, c))";
  let combiner = "Minimum";
}

def GlobalAveragePoolOp : Weir_GlobalPool<"global_average_pool"> {
  let otherNames = ["adaptive_avg_pool2d", "global_avg_pool"];
  let summary = "mean over all spatial dims, which become 1";
  let typeSpec = "F->F";
  let kernels = [CPU<"global_average_pool", ["f32", "bf16"]>];
  let body = [{ return {b.mean(operands[0], b.spatialAxes(operands[0]))}; }];
}

def GlobalMaxPoolOp : Weir_GlobalPool<"global_max_pool"> {
  let summary = "maximum over all spatial dims, which become 1";
  let kernels = [CPU<"global_max_pool", ["f32", "bf16"]>];
  let expression = "a";
  let combiner = "Maximum";
}

def MaxPoolOp : Weir_Pool<"max_pool"> {
  let otherNames = ["max_pool2d"];
  let summary = "maximum over a sliding window";
  let description = [{
    -inf, or the least integer, for a window that has only padding. The library
    kernel ignores NaN, and gives the lowest finite number for a window that has
    only NaN and -inf. Other kernels give NaN for a window with a NaN.
  }];
  let expression = "a";
  let combiner = "Maximum";
  let kernels = [CPU<"max_pool", ["f32", "bf16"]>];
  // The gradient of a window goes to the first of its maxima. The forward pass
  // notes the positions of these, so the input need not be kept.
  let gradient = [{
    return {spreadToTaps(b, noteTaps(getOperation()), grads[0])};
  }];
}

def MaxPoolGradientOp
    : Weir_Op<"max_pool_gradient", "nc[y],nc[y]->nc[x]|x=sizes"> {
  let summary = "gradient of max_pool for its input";
  let description = [{
    `gradient` is the gradient of the result, `taps` the second result of
    `max_pool_training`. Each element is added to the element of the input that
    the tap says. One whose tap is in the padding, or no tap of the window, is
    dropped. `sizes` are those of the input's spatial dims, the other attributes
    those of `max_pool`.
  }];
  let typeSpec = "F,I->F";
  let inputs = (ins Weir_Tensor:$gradient, Weir_Tensor:$taps);
  let attributes = (ins I64ArrayAttr:$sizes, I64ArrayAttr:$kernel_shape,
      Weir_Ints:$strides, Weir_Pads:$pads, Weir_Ints:$dilations,
      Weir_Bool<"false">:$ceil_mode);
  let layout = "Follow";
  let hasVerifier = 1;
  let isInternal = 1;
  let kernels = [CPU<"max_pool_gradient", ["f32", "bf16"]>];
  let body = [{
    return {addAtTaps(b, operands[0], operands[1], *this)};
  }];
}

def MaxPoolTapsOp : Weir_Pool<"max_pool_taps"> {
  let summary = "position of the maximum of each sliding window";
  let description = [{
    The position of the element that `max_pool` takes, counted in row-major
    order in its channel. If there are several, the first. NaN counts as the
    maximum, also where the kernel of `max_pool` ignores it. -1 for a window
    that has only padding.
  }];
  let typeSpec = "T->i64";
  let layout = "RowMajor";
  let precision = "Wide";
  let widens = 0;
  let body = [{
    return {findTaps(b, operands[0], getOperation())};
  }];
}

def MaxPoolTrainingOp : Weir_Pool<"max_pool_training"> {
  let summary = "max_pool, and which tap of each window it takes";
  let description = [{
    Gradients build it in the place of `max_pool`, whose result is its first.
    The second result has the number of the tap with the window's maximum,
    counted in row-major order in the window. If there are several, the first;
    NaN counts as the maximum, but the library kernel ignores it. A window that
    has only padding has the number of its taps. The numbers are ui8 for windows
    of up to 255 taps, else i32.
  }];
  let typeSpec = "F->F,I";
  let results = (outs Weir_Tensor:$y, Weir_Tensor:$taps);
  let isInternal = 1;
  let shapes = [{ return inferWithTaps(getRecord(), operands, attrs); }];
  let kernels = [CPU<"max_pool_training", ["f32", "bf16"]>];
  let body = [{
    auto x = b.value(operands[0]);
    auto y = b.make<MaxPoolOp>({x}, b.windowAttributes());
    return {y, numberTaps(b, x, getOperation())};
  }];
  let gradient = [{
    return {spreadToTaps(b, getTaps(), grads[0])};
  }];
}

def SumPoolOp : Weir_Pool<"sum_pool"> {
  let summary = "sum over a sliding window";
  let precision = "Wide";
  let expression = "a";
  let combiner = "Sum";
}

#endif // WEIR_DIALECT_WEIR_IR_OPS_POOLING_TD
