//===- Normalization.td - Normalisation -*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_OPS_NORMALIZATION_TD
#define WEIR_DIALECT_WEIR_IR_OPS_NORMALIZATION_TD

include "weir/Dialect/Weir/IR/WeirBase.td"

class Weir_Normalization<string mnemonic, string spec>
    : Weir_Op<mnemonic, spec> {
  let typeSpec = "F->F";
  let precision = "Sensitive";
  let kernels = [CPU<mnemonic, ["f32", "bf16"]>];
}

def BatchNormOp : Weir_Normalization<"batch_norm", "nc[x],c,c,c,c->nc[x]"> {
  let summary = "batch normalisation with given statistics";
  let description = [{
    (x - mean) / sqrt(variance + epsilon) * scale + bias per channel (Ioffe and
    Szegedy, 2015).
  }];
  let typeSpec = "F,F+,F+,F+,F+->F";
  let inputs = (ins Weir_Tensor:$x, Weir_Tensor:$scale, Weir_Tensor:$bias,
      Weir_Tensor:$mean, Weir_Tensor:$variance);
  let attributes = (ins Weir_Float<"1e-5">:$epsilon);
  let layout = "Follow";
  let precision = "Follow";
  let hasVerifier = 1;
  let body = [{
    auto x = b.value(operands[0]);
    auto channel = [&](int i) {
      return b.alongChannels(operands[i], operands[0]);
    };
    auto scale = channel(1) * b.rsqrt(channel(4) + b.attr("epsilon"));
    return {(x - channel(3)) * scale + channel(2)};
  }];
}

def BatchNormGradientOp : Weir_Op<"batch_norm_gradient",
    "nc[x],nc[x],c,c,c->nc[x]"> {
  let summary = "gradients of batch_norm_training for x, scale and bias";
  let description = [{
    `gradient` is that of the normalised tensor. `mean` and `variance` are
    results of `batch_norm_training` for `x`; they are not held fixed: the first
    result has what flows through them.
  }];
  let typeSpec = "F,F,F+,F+,F+->F,F+";
  let precision = "Follow";
  let inputs = (ins Weir_Tensor:$gradient, Weir_Tensor:$x, Weir_Tensor:$scale,
      Weir_Tensor:$mean, Weir_Tensor:$variance);
  let attributes = (ins Weir_Float<"1e-5">:$epsilon);
  let results = (outs Weir_Tensor:$x_gradient, Weir_Tensor:$scale_gradient,
      Weir_Tensor:$bias_gradient);
  let layout = "Follow";
  let hasVerifier = 1;
  let shapes = [{ return inferForChannels(getRecord(), operands, attrs, 2); }];
  let kernels = [FusingCPU<"batch_norm_gradient", ["f32", "bf16"]>];
  let body = [{
    auto gradient = b.value(operands[0]), x = b.value(operands[1]);
    auto axes = b.exceptChannels(x);
    auto centred = x - b.alongChannels(operands[3], x);
    auto deviation = b.rsqrt(b.value(operands[4]) + b.attr("epsilon"));
    auto along = b.alongChannels(deviation, x);
    auto scale = along * b.alongChannels(operands[2], x);
    auto sum = b.sum(gradient, axes);
    auto moment = b.sum(gradient * centred, axes);
    double share = shareOfElement(operands[1]);
    auto slope = moment * share * along * along;
    return {(gradient - sum * share - centred * slope) * scale,
            b.reshapeLike(moment, deviation) * deviation,
            b.reshapeLike(sum, deviation)};
  }];
}

def BatchNormTrainingOp : Weir_Op<"batch_norm_training", "nc[x],c,c->nc[x]"> {
  let summary = "batch normalisation with the statistics of the batch";
  let description = [{
    Normalises each channel by its mean and variance over batch and spatial
    dims, then scales and shifts it (Ioffe and Szegedy, 2015). The results are
    the normalised tensor, the mean and the variance. The variance is that of
    the elements themselves, divided by their number n, as for ONNX's running
    variance. For PyTorch's, multiply it by n / (n - 1).
  }];
  let typeSpec = "F,F+,F+->F,F+";
  let precision = "Follow";
  let inputs = (ins Weir_Tensor:$x, Weir_Tensor:$scale, Weir_Tensor:$bias);
  let attributes = (ins Weir_Float<"1e-5">:$epsilon);
  let results = (outs Weir_Tensor:$y, Weir_Tensor:$mean,
      Weir_Tensor:$variance);
  let layout = "Follow";
  let hasVerifier = 1;
  let shapes = [{ return inferForChannels(getRecord(), operands, attrs, 1); }];
  let kernels = [FusingCPU<"batch_norm_training", ["f32", "bf16"]>];
  let body = [{
    auto x = b.value(operands[0]);
    auto axes = b.exceptChannels(x);
    auto mean = b.mean(x, axes);
    auto centred = x - mean;
    auto variance = b.mean(centred * centred, axes);
    auto scale = b.rsqrt(variance + b.attr("epsilon")) *
                 b.alongChannels(operands[1], x);
    return {centred * scale + b.alongChannels(operands[2], x),
            b.reshapeLike(mean, operands[1]),
            b.reshapeLike(variance, operands[1])};
  }];
  let gradient = [{
    auto made = b.makeMany<BatchNormGradientOp>(
        {resultGradients[0], getX(), getScale(), getMean(), getVariance()},
        {b.real("epsilon", b.attr("epsilon"))});
    return {addThroughStatistics(b, made[0], operands[0], getMean(), grads),
            made[1], made[2]};
  }];
}

def GroupNormOp : Weir_Op<"group_norm", "nc[x],c,c->nc[x]"> {
  let summary = "normalisation over groups of channels";
  let description = [{
    The channels are divided into `groups` consecutive groups. Each group is
    normalised with its own mean and variance. Then each channel is scaled and
    shifted (Wu and He, 2018).
  }];
  let typeSpec = "F,F+,F+->F";
  let precision = "Sensitive";
  let inputs = (ins Weir_Tensor:$x, Weir_Tensor:$scale, Weir_Tensor:$bias);
  let attributes = (ins I64Attr:$groups, Weir_Float<"1e-5">:$epsilon);
  let hasVerifier = 1;
  let body = [{
    auto grouped = b.splitChannels(operands[0], getGroups());
    auto normal = b.standardize(grouped, b.trailingAxes(grouped, 2),
                                b.attr("epsilon"));
    auto x = b.reshapeLike(normal, operands[0]);
    return {x * b.alongChannels(operands[1], operands[0]) +
            b.alongChannels(operands[2], operands[0])};
  }];
}

def LayerNormOp : Weir_Normalization<"layer_norm", "...,<...,<...->..."> {
  let summary = "normalisation over the trailing dims";
  let description = [{
    Normalises over the dims from `axis` on (Ba, Kiros and Hinton, 2016);
    `scale` and `bias` have the shape of these dims.
  }];
  let typeSpec = "F,F+,F+->F";
  let inputs = (ins Weir_Tensor:$x, Weir_Tensor:$scale,
      Optional<Weir_Tensor>:$bias);
  let attributes = (ins Weir_Int<"-1">:$axis, Weir_Float<"1e-5">:$epsilon);
  let hasVerifier = 1;
  let body = [{
    auto x = b.value(operands[0]);
    auto y = b.standardize(x, b.trailingAxes(x, getAxis()), b.attr("epsilon")) *
             b.value(operands[1]);
    if (operands.size() == 3)
      y = y + b.value(operands[2]);
    return {y};
  }];
}

def LogSoftmaxOp : Weir_Normalization<"log_softmax", "...->..."> {
  let summary = "logarithm of softmax";
  let applies = "softmax";
  let inputs = (ins Weir_Tensor:$input);
  let attributes = (ins Weir_Int<"-1">:$axis);
  let hasVerifier = 1;
  let body = [{
    auto x = b.value(operands[0]);
    auto axes = b.oneAxis(x, getAxis());
    auto shifted = x - b.maximum(x, axes);
    return {shifted - b.log(b.sum(b.exp(shifted), axes))};
  }];
  let gradient = [{
    auto y = b.value(results[0]);
    auto sum = b.sum(grads[0], b.oneAxis(y, getAxis()));
    return {grads[0] - b.exp(y) * sum};
  }];
}

def LrnOp : Weir_Normalization<"lrn", "nc[x]->nc[x]"> {
  let otherNames = ["local_response_norm"];
  let summary = "local response normalisation across channels";
  let description = [{
    x / (bias + alpha / size * sum of the squares of `size` channels
    around)^beta (Krizhevsky, Sutskever and Hinton, 2012; ONNX's LRN).
  }];
  let inputs = (ins Weir_Tensor:$input);
  let attributes = (ins I64Attr:$size, Weir_Float<"1e-4">:$alpha,
      Weir_Float<"0.75">:$beta, Weir_Float<"1.0">:$bias);
  let layout = "Follow";
  let precision = "Follow";
  let hasVerifier = 1;
  let body = [{
    auto x = b.value(operands[0]);
    auto squares = b.channelWindowSum(x * x, getSize());
    auto scale = squares * (b.attr("alpha") / getSize()) + b.attr("bias");
    return {x / b.pow(scale, b.attr("beta"))};
  }];
}

def SoftmaxOp : Weir_Normalization<"softmax", "...->..."> {
  let summary = "exponentials along an axis, scaled to sum to 1";
  let applies = "softmax";
  let inputs = (ins Weir_Tensor:$input);
  let attributes = (ins Weir_Int<"-1">:$axis);
  let hasVerifier = 1;
  let body = [{
    auto x = b.value(operands[0]);
    auto axes = b.oneAxis(x, getAxis());
    auto e = b.exp(x - b.maximum(x, axes));
    return {e / b.sum(e, axes)};
  }];
  let gradient = [{
    auto y = b.value(results[0]);
    auto sum = b.sum(grads[0] * y, b.oneAxis(y, getAxis()));
    return {y * (grads[0] - sum)};
  }];
}

#endif // WEIR_DIALECT_WEIR_IR_OPS_NORMALIZATION_TD
