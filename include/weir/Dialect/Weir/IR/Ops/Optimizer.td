//===- Optimizer.td - How training changes parameters -*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// `minimize` stands for a training step. The pass weir-build-steps replaces it
// by an update for each parameter. The update alone defines an optimiser:
// `adam` exists because there is an op `adam_update`. The attributes of that op
// are the numbers that users may give.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_OPS_OPTIMIZER_TD
#define WEIR_DIALECT_WEIR_IR_OPS_OPTIMIZER_TD

include "weir/Dialect/Weir/IR/WeirBase.td"

/// The op `mnemonic`, an update of a parameter by an optimiser. Its results are
/// the next values of the parameter and of its state. The gradient and the
/// state have the parameter's type. All other operands are scalars, which
/// depend on the step and are the same for all parameters.
class Weir_Update<string mnemonic, dag scalars, list<string> overridden>
    : Weir_Op<mnemonic, "", [
          DeclareOpInterfaceMethods<UpdateOpInterface, overridden>]> {
  let typeSpec = "F->F";
  let layout = "Follow";
  let isInternal = 1;
  let hasVerifier = 1;
  let inputs = !con((ins Weir_Tensor:$parameter, Weir_Tensor:$gradient),
                    scalars, (ins Variadic<Weir_Tensor>:$state));
  let results = (outs Weir_Tensor:$updated, Variadic<Weir_Tensor>:$next_state);
  let shapes = "return inferForUpdate(operands, listState(attrs).size());";
}

/// Adam by Kingma and Ba, 2015. `correction1` and `correction2` are
/// 1 / (1 - beta1^t) and 1 / sqrt(1 - beta2^t) in update number t, from 1 on.
class Weir_AdamUpdate<string mnemonic, string decay, string decoupled>
    : Weir_Update<mnemonic, (ins Weir_Tensor:$rate, Weir_Tensor:$correction1,
                         Weir_Tensor:$correction2),
                  ["listState", "buildScalars"]> {
  let attributes = (ins Weir_Float<"0.9">:$beta1, Weir_Float<"0.999">:$beta2,
      Weir_Float<"1e-8">:$epsilon, Weir_Bool<"false">:$epsilon_hat,
      Weir_Float<decay>:$weight_decay,
      Weir_Bool<decoupled>:$decoupled_decay, Weir_Float<"0.0">:$l1_decay);
  let body = [{
    auto g = addDecay(b, operands[0], operands[1]);
    auto w = decayApart(b, operands[0], operands[2]);
    auto m = moveAverage(b, "b", b.attr("beta1"), operands[5], g);
    auto v = moveAverage(b, "b * b", b.attr("beta2"), operands[6], g);
    auto root = withEpsilon(
        b, getEpsilonHat() ? "(sqrt(a) + {}) * b" : "sqrt(a) * b + {}",
        {v, operands[4]});
    auto size = b.value(operands[2]) * b.value(operands[3]);
    return {b.pointwise("a - d * b / c", {w, m, root, size}), m, v};
  }];
}

def AdadeltaUpdateOp : Weir_Update<"adadelta_update", (ins Weir_Tensor:$rate),
                                   ["listState"]> {
  let summary = "an update of AdaDelta";
  let description = [{
    Zeiler, 2012: ADADELTA: an adaptive learning rate method. With g the
    gradient:

    square_avg' = rho * square_avg + (1 - rho) * g^2
    delta = sqrt(acc_delta + epsilon) / sqrt(square_avg' + epsilon) * g
    acc_delta' = rho * acc_delta + (1 - rho) * delta^2
    parameter' = parameter - rate * delta

    PyTorch and Keras compute the same; Keras has rho 0.95 and epsilon 1e-7.
  }];
  let attributes = (ins Weir_Float<"0.9">:$rho, Weir_Float<"1e-6">:$epsilon,
      Weir_Float<"0.0">:$weight_decay, Weir_Bool<"false">:$decoupled_decay,
      Weir_Float<"0.0">:$l1_decay);
  let body = [{
    auto g = addDecay(b, operands[0], operands[1]);
    auto w = decayApart(b, operands[0], operands[2]);
    auto squares = moveAverage(b, "b * b", b.attr("rho"), operands[3], g);
    auto delta = withEpsilon(b, "sqrt(a + {0}) / sqrt(b + {0}) * c",
                             {operands[4], squares, g});
    auto deltas = moveAverage(b, "b * b", b.attr("rho"), operands[4], delta);
    return {b.pointwise("a - c * b", {w, delta, operands[2]}), squares, deltas};
  }];
}

def AdagradUpdateOp : Weir_Update<"adagrad_update", (ins Weir_Tensor:$rate),
                                  ["listState"]> {
  let summary = "an update of AdaGrad";
  let description = [{
    Duchi, Hazan and Singer, 2011: Adaptive subgradient methods. With g the
    gradient:

    sum' = sum + g^2
    parameter' = parameter - rate * g / (sqrt(sum') + epsilon)

    This is PyTorch's. For Keras': `epsilon_inside`, which puts the epsilon
    under the root, epsilon 1e-7, and `initial` 0.1, from which `sum` starts.
  }];
  let attributes = (ins Weir_Float<"1e-10">:$epsilon,
      Weir_Bool<"false">:$epsilon_inside, Weir_Float<"0.0">:$initial,
      Weir_Float<"0.0">:$weight_decay, Weir_Bool<"false">:$decoupled_decay,
      Weir_Float<"0.0">:$l1_decay);
  let body = [{
    auto g = addDecay(b, operands[0], operands[1]);
    auto w = decayApart(b, operands[0], operands[2]);
    auto sum = b.pointwise("a + b * b", {operands[3], g});
    auto step = divideByRoot(b, g, sum, getEpsilonInside());
    return {b.pointwise("a - c * b", {w, step, operands[2]}), sum};
  }];
}

def AdamUpdateOp : Weir_AdamUpdate<"adam_update", "0.0", "false"> {
  let summary = "an update of Adam";
  let description = [{
    Kingma and Ba, 2015: Adam: a method for stochastic optimization. With g the
    gradient, in update number t, counted from 1:

    exp_avg' = beta1 * exp_avg + (1 - beta1) * g
    exp_avg_sq' = beta2 * exp_avg_sq + (1 - beta2) * g^2
    root = sqrt(exp_avg_sq' / (1 - beta2^t)) + epsilon
    parameter' = parameter - rate / (1 - beta1^t) * exp_avg' / root

    This is PyTorch's. With `epsilon_hat`, the root is
    (sqrt(exp_avg_sq') + epsilon) / sqrt(1 - beta2^t), as in TensorFlow and
    Keras, where epsilon is 1e-7. `correction1` is 1 / (1 - beta1^t), and
    `correction2` is 1 / sqrt(1 - beta2^t).
  }];
}

def AdamWUpdateOp : Weir_AdamUpdate<"adamw_update", "0.01", "true"> {
  let summary = "an update of Adam with decoupled weight decay";
  let description = [{
    Loshchilov and Hutter, 2019: Decoupled weight decay regularization.
    `adam_update` with `decoupled_decay` and the weight decay 0.01, PyTorch's.
  }];
}

def MinimizeOp : Weir_PlainOp<"minimize"> {
  let summary = "changes parameters so that a loss gets smaller";
  let description = [{
    A step of training. In each run, the optimiser updates parameters that the
    entry reads by their gradients of `loss`, which has one element:

    ```
    weir.minimize %loss {
        optimizer = {name = "adamw", rate = 0.001, weight_decay = 0.05},
        schedule = {name = "cosine", steps = 10000, warmup = 500},
        groups = [ {parameters = ["*.bias"], weight_decay = 0.0} ],
        clip_norm = 1.0} : tensor<f32>
    ```

    The learning rate is the number `rate` of the optimiser, or an operand, a
    scalar that the caller feeds or the graph computes:

    ```
    weir.minimize %loss rate %rate {optimizer = {name = "sgd", momentum = 0.9}}
        : tensor<f32>, tensor<f32>
    ```

    docs/training-optimisers.md lists optimisers, schedules and all numbers.
    The pass `weir-build-steps` replaces the op.
  }];
  let arguments = (ins Weir_Tensor:$loss, Optional<Weir_Tensor>:$rate,
      DictionaryAttr:$optimizer, OptionalAttr<StrArrayAttr>:$parameters,
      OptionalAttr<DictionaryAttr>:$schedule,
      OptionalAttr<TypedArrayAttrBase<DictionaryAttr,
                                      "array of dictionaries">>:$groups,
      OptionalAttr<AnyAttr>:$clip_value, OptionalAttr<AnyAttr>:$clip_norm,
      OptionalAttr<AnyAttr>:$accumulate);
  let assemblyFormat = [{
    $loss (`rate` $rate^)? attr-dict `:` type($loss) (`,` type($rate)^)?
  }];
  let hasVerifier = 1;
}

def RmspropUpdateOp : Weir_Update<"rmsprop_update", (ins Weir_Tensor:$rate),
                                  ["listState"]> {
  let summary = "an update of RMSProp";
  let description = [{
    Tieleman and Hinton, 2012: Lecture 6.5, rmsprop. With g the gradient:

    square_avg' = rho * square_avg + (1 - rho) * g^2
    step = g / (sqrt(square_avg') + epsilon)
    parameter' = parameter - rate * step

    With `centered`, there is a state grad_avg, the average of g itself, and
    its square is subtracted below the root. With `momentum`, there is a state
    momentum_buffer, and the parameter changes by that:

    momentum_buffer' = momentum * momentum_buffer + step
    parameter' = parameter - rate * momentum_buffer'

    This is PyTorch's. For Keras': rho 0.9, epsilon 1e-7, `epsilon_inside`,
    which puts the epsilon under the root, and `rate_inside`, which multiplies
    the step by the rate before it enters the buffer.
  }];
  let attributes = (ins Weir_Float<"0.99">:$rho, Weir_Float<"1e-8">:$epsilon,
      Weir_Bool<"false">:$epsilon_inside, Weir_Bool<"false">:$centered,
      Weir_Float<"0.0">:$momentum, Weir_Bool<"false">:$rate_inside,
      Weir_Float<"0.0">:$weight_decay, Weir_Bool<"false">:$decoupled_decay,
      Weir_Float<"0.0">:$l1_decay);
  let body = [{ return updateByRmsprop(b, *this, operands); }];
}

def SgdUpdateOp : Weir_Update<"sgd_update", (ins Weir_Tensor:$rate),
                              ["listState"]> {
  let summary = "an update of gradient descent, with or without momentum";
  let description = [{
    parameter' = parameter - rate * gradient

    With `momentum` (Polyak, 1964), there is a state momentum_buffer, and g the
    gradient:

    momentum_buffer' = momentum * momentum_buffer + g
    parameter' = parameter - rate * momentum_buffer'

    With `nesterov`, the parameter changes by
    rate * (g + momentum * momentum_buffer') (Sutskever et al., 2013).

    This is PyTorch's. With `rate_inside`, the buffer contains the rate, as in
    Keras and Caffe: g above is rate * gradient, and the rate does not occur
    again. The two differ when the rate changes.
  }];
  let attributes = (ins Weir_Float<"0.0">:$momentum,
      Weir_Bool<"false">:$nesterov, Weir_Bool<"false">:$rate_inside,
      Weir_Float<"0.0">:$weight_decay, Weir_Bool<"false">:$decoupled_decay,
      Weir_Float<"0.0">:$l1_decay);
  let body = [{ return updateBySgd(b, *this, operands); }];
}

#endif // WEIR_DIALECT_WEIR_IR_OPS_OPTIMIZER_TD
