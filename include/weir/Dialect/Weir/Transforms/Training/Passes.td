//===- Passes.td - Passes that build training steps --------*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_TRAINING_PASSES_TD
#define WEIR_DIALECT_WEIR_TRANSFORMS_TRAINING_PASSES_TD

include "weir/Dialect/Weir/Transforms/ModulePass.td"

def AddGradients : Weir_ModulePass<"weir-add-gradients"> {
  let summary = "Makes gradients of a loss outputs of its entry";
  let description = [{
    For each LOSS=GLOB, the gradients of LOSS for all parameters and inputs of
    floats whose names fit GLOB become outputs, NAME.grad, behind the others.
    LOSS is an output or an op with one element. ENTRY/LOSS names that of one
    entry.

    ```
    func.func @main(%x: tensor<4xf32>) -> tensor<f32> ...   // loss=x
    // becomes
    func.func @main(%x: tensor<4xf32>)
        -> (tensor<f32>, tensor<4xf32> {weir.name = "x.grad"}) {
      ...
      %0 = weir.gradient %loss of %x : tensor<f32> of tensor<4xf32>
    ```
  }];
  let options = [ListOption<"gradients", "gradients", "std::string",
      "Losses and what they are differentiated for, LOSS=GLOB">];
}

def AddTraining : Weir_ModulePass<"weir-add-training"> {
  let summary = "Adds entries that train another one and validate it";
  let description = [{
    The entry `train` is a copy of the entry that has the loss. It shares the
    parameters, returns the loss and ends with `weir.minimize`. Its norms use
    the statistics of the batch and average them into the running ones.

    The loss is an output or op of the entry, or follows from one by an op that
    the option names: `loss=OP(OUTPUT)`. Such an op compares the output with a
    new input, `labels` or `targets`. The mean of its rows is the loss, and with
    labels the entry returns the accuracy, too. There is then also a copy
    without `weir.minimize`, the entry `validate`.

    Dropout that is for training alone stays in `train` and is removed from the
    others. docs/training.md describes the option, which is that of `--train`.

    ```
    func.func @main(%x: tensor<4x8xf32>) -> tensor<4x3xf32> { ... }
    // train='loss=sparse_softmax_cross_entropy(y), optimizer=sgd(rate=0.1)'
    // adds
    func.func @train(%x: tensor<4x8xf32>, %labels: tensor<4xi64>)
        -> (tensor<f32> {weir.name = "loss"}, tensor<f32> ...) {
      ...
      %loss = weir.reduce_mean %rows {keepdims = false} : tensor<4xf32>
      weir.minimize %loss {optimizer = {name = "sgd", rate = 0.1}} : tensor<f32>
    ```
  }];
  let options = [Option<"train", "train", "std::string", "",
      "loss=..., optimizer=NAME(NUMBER=VALUE, ...), ...">];
}

def BuildSteps : Weir_ModulePass<"weir-build-steps"> {
  let summary = "Replaces weir.minimize by gradients and updates";
  let description = [{
    Each `weir.minimize` becomes a `weir.gradient` of its loss, the optimiser's
    updates, and assigns of their results. Gradients are accumulated over
    several runs and clipped in between, if the optimiser's attributes ask for
    it. What the optimiser keeps becomes parameters, NAME.STATE, which start
    with the optimiser's initial value. The parameter `step` counts the runs of
    all entries that train.

    An update has the device and the stage of the first op that reads its
    parameter. Parameters of one element type, group, device and stage are
    updated together, in at most four parts, so that the first part can be
    updated while gradients of the last one are computed. The parameters of a
    part become a `weir.bucket`, unless another `weir.minimize` divides them
    differently.

    ```
    weir.minimize %loss
        {optimizer = {name = "sgd", rate = 0.1, momentum = 0.9}} : tensor<f32>
    // becomes
    %g = weir.gradient %loss of %w : tensor<f32> of tensor<8xf32>
    %v = weir.read @w.momentum_buffer : tensor<8xf32>
    %next:2 = weir.sgd_update %w, %g, %rate, %v {momentum = 0.9} : ...
    weir.assign @w, %next#0 : tensor<8xf32>
    weir.assign @w.momentum_buffer, %next#1 : tensor<8xf32>
    weir.assign @step, %step_next : tensor<i64>
    ```
  }];
}

def Differentiate : Weir_ModulePass<"weir-differentiate"> {
  let summary = "Builds the ops that compute gradients";
  let description = [{
    Replaces each `weir.gradient` by the ops that compute its results, in the
    order of the text, and removes `weir.stop_gradient`. New ops have the device
    and the stage of the op whose gradient they compute, and are named after it:
    `conv1.grad.weight` computes the gradient of the operand `weight`.

    ```
    %y = %x times %w
    %loss = weir.reduce_sum %y : ...
    %dw = weir.gradient %loss of %w : ...
    // becomes
    %dw = %x times %dy
    ```

    It is an error if the loss does not depend on a value whose gradient is
    asked for, or if an op between them has no gradient.
  }];
}

def NumberStreams : Weir_ModulePass<"weir-number-streams"> {
  let summary = "Gives each op that draws random numbers its own stream";
  let description = [{
    The stream follows from the op's name, so that a change of the graph
    elsewhere does not change what an op draws. If two names give one number,
    the later op in the entry takes the next one that is free. Streams that the
    text says stay. Afterwards equal ops differ, and are not merged.

    ```
    %drop1 = weir.dropout %x, %step : tensor<4x8xf32>, tensor<i64>
    // becomes
    %drop1 = weir.dropout %x, %step {stream = 3167152283 : i64}
        : tensor<4x8xf32>, tensor<i64>
    ```
  }];
}

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_TRAINING_PASSES_TD
