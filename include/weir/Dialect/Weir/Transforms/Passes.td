//===- Passes.td - Passes over weir graphs -----------------*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_PASSES_TD
#define WEIR_DIALECT_WEIR_TRANSFORMS_PASSES_TD

include "weir/Dialect/Weir/Transforms/ModulePass.td"
include "weir/Dialect/Weir/Transforms/PlacementPasses.td"

def AnnotateDevices : Weir_ModulePass<"weir-annotate-devices"> {
  let summary = "Applies device annotations from the text and from rules";
  let description = [{
    Rewrites every device annotation in its canonical spelling (`/GPU:0` becomes
    `cuda:0`) and applies the rules in order. A rule is `GLOB=DEVICE`, for all
    ops whose name matches, or `after:NODE=DEVICE`, for all ops that depend on
    the op or input NODE. A rule overrides annotations in the text and earlier
    rules. ENTRY/GLOB and after:ENTRY/NODE name things of one entry only.

    ```
    %conv = weir.conv %x, %w on "/CPU:0" : ...       // --place='relu*=cpu:1'
    %relu1 = weir.relu %conv : ...
    // becomes
    %conv = weir.conv %x, %w on "cpu:0" : ...
    %relu1 = weir.relu %conv on "cpu:1" : ...
    ```

    A malformed device and an unknown kind are errors. So is a rule that decides
    nothing. Such a rule matches no op, or only ops that no device computes, or
    later rules match all ops that it matches.
  }];
  let options = [ListOption<"place", "place", "std::string",
      "Rules, GLOB=DEVICE or after:NODE=DEVICE">];
}

def AssignLayouts : Weir_ModulePass<"weir-assign-layouts"> {
  let summary = "Chooses each tensor's order of dims in memory";
  let description = [{
    Convolutions run channels-last. Ops that follow their operand keep its
    layout, and so do reshapes and transposes if their result can follow from
    it. Some ops take operands of any layout and have row-major results. All
    other ops, and the entry's inputs and outputs, are row-major.

    If a reader needs another layout than the producer's, a `weir.relayout` is
    inserted between them. No relayout is needed in three cases:

    - A cast of an input, or an op that repeats a smaller tensor, writes its
      result in the layout that its only reader needs.
    - If an image is flattened in front of a product with a known weight, the
      rows of the weight are reordered instead.
    - A `weir.keep` takes its tensor in any layout.

    Layouts do not depend on devices here, so placement cannot change results.
    Some devices get other views afterwards: see weir-view-transposes.

    ```
    %y = weir.conv %x, %w : tensor<1x3x8x8xf32>, ...
    // becomes
    %l = weir.relayout %x : tensor<1x3x8x8xf32>
        -> tensor<1x3x8x8xf32, #weir.layout<[0, 2, 3, 1]>>
    %y = weir.conv %l, %w : ...
        -> tensor<1x4x8x8xf32, #weir.layout<[0, 2, 3, 1]>>
    ```
  }];
}

def BindInputs : Weir_ModulePass<"weir-bind-inputs"> {
  let summary = "Makes inputs of entries constants";
  let description = [{
    Each `NAME=FILE` replaces an input by the tensor in a numpy file (.npy) or
    ONNX file (.pb). The tensor must have the input's type. Afterwards the
    entries do not have these inputs any more. NAME stands for the input of
    every entry that has it, and ENTRY/NAME for that of one entry. In an entry
    for which both are given, ENTRY/NAME counts.
  }];
  let options = [ListOption<"bind", "bind", "std::string",
      "Inputs and their values, NAME=FILE">];
}

def BindShapes : Weir_ModulePass<"weir-bind-shapes"> {
  let summary = "Sets the unknown dims of entry inputs";
  let description = [{
    Each `NAME:1x3x224x224` sets the shape of an input. All result types are
    inferred again. Afterwards every shape is static. It is an error if an input
    still has an unknown dim. Inputs that weir-add-training has added get the
    shape of what they are compared with. NAME stands for the input of every
    entry that has it, and ENTRY/NAME for that of one entry. In an entry for
    which both are given, the shapes of ENTRY/NAME count.

    An input with several shapes makes as many plans: copies of the function,
    whose `weir.entry` is the name by which callers run them. The k-th shapes of
    all inputs belong to plan k. An input with one shape has it in all plans.

    ```
    func.func @main(%x: tensor<?x8xf32>) ...   // shapes=x:1x8 and x:4x8
    // becomes
    func.func @"main[x:1x8]"(%x: tensor<1x8xf32>) ... {weir.entry = "main"}
    func.func @"main[x:4x8]"(%x: tensor<4x8xf32>) ... {weir.entry = "main"}
    ```
  }];
  let options = [ListOption<"shapes", "shapes", "std::string",
      "Shapes of inputs, NAME:DIMxDIM...">];
}

def CheckIndices : Weir_ModulePass<"weir-check-indices"> {
  let summary = "Refuses constant indices that are out of range";
  let description = [{
    Every constant index must be in [-size, size) of the dim that it indexes.
    The error names the op, the index and the range. Indices that are not
    constant are checked in each run: `weir-lower-groups` notes at launches
    which operands these are.
  }];
}

def DeriveParameters : Weir_ModulePass<"weir-derive-parameters"> {
  let summary =
      "Computes values that depend on parameters alone at compile time";
  let description = [{
    Values that an entry computes only from constants and from parameters that
    no entry assigns become `weir.derived` parameters. Their bytes are computed
    when the artifact is written. What two entries compute in the same way is
    one derived parameter. Parameters without remaining readers leave the entry.

    ```
    %w = weir.read @w : tensor<8x4xf32>
    %t = weir.transpose %w {perm = [1, 0]} : tensor<8x4xf32>
    %y = weir.some_op %x, %t : ...
    // becomes
    weir.derived @t : tensor<4x8xf32> {
      %w = weir.read @w : tensor<8x4xf32>
      %t = weir.transpose %w {perm = [1, 0]} : tensor<8x4xf32>
      weir.yield %t : tensor<4x8xf32>
    }
    ...
    %y = weir.some_op %x, %t : ...      // %t is an argument that stands for @t
    ```

    A value is not derived if

    - it is larger than 1 MiB, and than the parameters and constants together
      from which it is computed;
    - it takes more than 2^30 flops;
    - a tensor on the way is larger than 2^28 bytes, and than these parameters
      and constants;
    - the compiler would have to make more than 2^29 bytes of initial elements
      of parameters; or
    - measuring its cost would visit too many ops.

    Each run computes such a value, from operands that are derived. The
    attribute `weir.not_derived` of the module lists these values for --explain.
  }];
}

def FoldAffine : Weir_ModulePass<"weir-fold-affine"> {
  let summary = "Folds scales and shifts by known values into weights";
  let description = [{
    Looks for ops that sum products with a known weight (convolution, linear,
    matrix product) followed by a chain of additions, subtractions,
    multiplications and divisions by values known at compile time. Each such
    value has one element or varies along one dim, and each result in the chain
    has one reader. The chain is folded into the weight and the bias. A
    composite whose body is such a chain, for instance a batch norm, counts as a
    chain. Only f32 and f64 are folded, since smaller types would round the
    weights again.

    ```
    %c = convolution of %x with %w
    %n = weir.batch_norm %c, %scale, %bias, %mean, %variance : ...
    // becomes, with %w_folded and %n_bias_folded computed from parameters alone
    %n = convolution of %x with %w_folded, plus %n_bias_folded
    ```

    If the op takes no bias, an `add` remains. A chain without such an op in
    front becomes at most one `mul` and one `add`. Ops with another device or
    stage annotation than the op before them are not folded. Results change by
    rounding only: nothing is folded whose values are unknown, that overflows or
    becomes subnormal, or that cancels where the ops would round.
  }];
}

def FoldConstants : Weir_ModulePass<"weir-fold-constants"> {
  let summary = "Computes values that depend on constants alone";
  let description = [{
    Evaluates ops whose operands are all `weir.constant`s with the reference
    kernels, and removes ops that change nothing. Two kinds of ops are not
    folded: those whose results are larger than 1 MiB and than their operands
    together, and those of more than 2^28 flops.
  }];
}

def FormGroups : Weir_ModulePass<"weir-form-groups"> {
  let summary = "Combines ops into groups, the units of placement";
  let description = [{
    The ops of a group run on one device, in one kernel or a short list of them.
    Three kinds of groups are formed:

    - An anchor whose kernel takes epilogues (convolution, matmul, ...) takes in
      the chain of pointwise ops behind it, of up to 16 ops with the anchor. The
      chain ends where a value has a second reader, or where an op asks for
      another device or stage.
    - Ops for which code is generated form clusters of up to 32 ops. An op joins
      the cluster of one of its operands if both can be computed row by row, or
      are small, and if no cycle between groups arises. An op that combines
      elements joins no cluster in which elements are moved.
    - Every other op is a group of its own.

    Views behind an op belong to its group.

    If an op did not join only because of its annotation, the group has a
    `weir.split_by` attribute, which `--explain` lists.

    ```
    %c = weir.conv %x, %w : ...
    %r = weir.relu %c : ...
    // becomes
    %r = weir.group (%a = %x, %b = %w) : ... {
      %c = weir.conv %a, %b : ...
      %r = weir.relu %c : ...
      weir.yield %r : ...
    }
    ```
  }];
}

def FuseAttention : Weir_ModulePass<"weir-fuse-attention"> {
  let summary = "Makes attention one launch where a kernel computes all of it";
  let description = [{
    Attention is a product of queries and transposed keys, a factor, a mask, a
    softmax and a product with values. On a device whose plug-in has a row for
    `attention`, these ops become one launch in the group of the last product,
    if nothing else reads what is computed between. A factor in front of the
    first product becomes part of the launch, too.

    The launch reads queries, keys with one row for each key, values and perhaps
    a mask. Its attribute `scale` is the product of all factors. There are three
    kinds of masks:

    - A mask that hides later keys becomes the attribute `causal`: `top_left` or
      `bottom_right`.
    - A mask that is added to the scores becomes operand 3.
    - A mask that chooses between scores and a number becomes one that is added.
      A group of its own computes it, which all layers share.

    The ops stay as they are if the kernel's check refuses the launch. The
    reason is noted for reports.

    ```
    %s = weir.group ... on "cuda:0" { matmul of %q, %kt; mul by 0.125 }
    %p = weir.group ... on "cuda:0" { softmax of %s }
    %y = weir.group ... on "cuda:0" { matmul of %p, %v }
    // becomes
    %k = weir.group ... on "cuda:0" { transpose of %kt }
    %y = weir.group ... on "cuda:0" {
      weir.launch "attention"(%q, %k, %v) {scale = 0.125 : f64} }
    ```

    The pass runs before weir-view-transposes.
  }];
}

def InlineCalls : Weir_ModulePass<"weir-inline-calls"> {
  let summary = "Replaces calls by the ops of the functions that they call";
  let description = [{
    So functions of a file can share a network. An op keeps its name if the
    function that calls has none of this name. Otherwise the name of the call
    and a dot come before it. An output that a call computes has the call's
    name. It is an error if functions call each other in a circle.

    ```
    func.func private @layer(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
      %h = weir.relu %x : tensor<2x8xf32>
      return %h : tensor<2x8xf32>
    }
    func.func @main(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
      %a = func.call @layer(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
      %b = func.call @layer(%a) : (tensor<2x8xf32>) -> tensor<2x8xf32>
      return %b : tensor<2x8xf32>
    }
    // becomes
    func.func @main(%x: tensor<2x8xf32>)
        -> (tensor<2x8xf32> {weir.name = "b"}) {
      %h = weir.relu %x : tensor<2x8xf32>
      %b.h = weir.relu %h : tensor<2x8xf32>
      return %b.h : tensor<2x8xf32>
    }
    ```
  }];
}

def InsertCopies : Weir_ModulePass<"weir-insert-copies"> {
  let summary = "Inserts copies at crossings between devices";
  let description = [{
    A value that groups on another device than its producer's read gets one
    `weir.copy` for each such device, before its first reader there. Inputs,
    parameters and constants reach each device from the host and do not cross.

    An input in the memory of an isolated device counts as made on that device.
    Its copies come first, because it is there when the run begins. An output in
    the memory of an isolated device counts as read on that device.

    A parameter that is assigned has one home: the device on which the first
    entry computes its new value. If another entry computes it elsewhere, its
    new value is copied there.
  }];
}

def KeepTensors : Weir_ModulePass<"weir-keep-tensors"> {
  let summary = "Stores tensors that kernels would hold inside";
  let description = [{
    Adds a `weir.keep` for every tensor whose name matches a glob of `keep`.
    Kernels then store the tensor in memory, where it can be inspected.
    ENTRY/GLOB names tensors of one entry only.

    ```
    %m = ...                %m = ...
    %y = ... %m ...    =>   weir.keep %m : tensor<...>
                            %y = ... %m ...
    ```
  }];
  let options = [ListOption<"keep", "keep", "std::string",
      "Globs of tensor names">];
}

def LeaveOutDevices : Weir_ModulePass<"weir-leave-out-devices"> {
  let summary = "Removes devices that a machine may lack";
  let description = [{
    Removes devices of the kinds that a machine may lack
    (`DeviceKindInfo::mayBeMissing`) from the list, and annotations that name
    them. Inputs and outputs in their memory are then bound in the host's. If no
    device that computes is left, `cpu:0` is added. The graph computes the same,
    so an artifact can have a variant for both cases.

    ```
    module attributes {weir.devices = #weir.devices<["cuda:0", "cpu:0"]>} {
      ... weir.relu %x on "cuda:0"
    // becomes
    module attributes {weir.devices = #weir.devices<["cpu:0"]>} {
      ... weir.relu %x
    ```
  }];
  let options = [Option<"threads", "threads", "uint32_t", "0",
      "Threads of `cpu:0` if it is added; 0 for all cores">];
}

def LiftParameters : Weir_ModulePass<"weir-lift-parameters"> {
  let summary = "Turns reads and assigns of parameters into pure SSA";
  let description = [{
    Every parameter that is read becomes an argument of each entry that reads
    it, with the attribute `weir.parameter`. Every assign becomes a result with
    the attribute `weir.assigns`. Results get their names as `weir.name`. A
    bucket that no entry assigns is removed, and its parameters are read one by
    one. Afterwards the functions have no state.
  }];
}

def LowerGroups : Weir_ModulePass<"weir-lower-groups"> {
  let summary = "Chooses the kernels of placed groups";
  let description = [{
    Replaces the ops of each group by launches of kernels of the group's device:

    - An op with a library kernel becomes a `weir.launch` of it. Epilogues
      become its post-ops as far as the kernel accepts them. The others move to
      the group that alone reads their result, if code is generated for that.
    - Adjacent ops for which code is generated become one launch of `generated`.
      The ops move to a function of the nested module `weir_clusters`. Equal
      clusters share one function.
    - An op that moves no bytes becomes a `weir.view`, and a pack a `weir.join`.
    - A composite whose body needs a library kernel is expanded.
    - An op without any kernel runs on the reference kernel, if that is allowed.

    ```
    %y = weir.launch "generated"(%x) {cluster = "y"}
        : (tensor<4xf32>) -> tensor<4xf32>
    module @weir_clusters {
      func.func private @y(%x: tensor<4xf32>) -> tensor<4xf32> {
        %e = weir.erf %x : tensor<4xf32>
        ...
    ```

    For checks of kernels, the ops of library launches on CPUs can be kept: each
    launch has a function in the nested module `weir_launches`. The attribute
    `weir.launch` of the function has the attributes of the launch.
  }];
  let options = [
    Option<"allowReference", "allow-reference", "bool", "false",
        "Run ops that no library kernel serves on the slow reference kernels">,
    Option<"keepOps", "keep-ops", "bool", "false",
        "Keep what the kernels of libraries compute">];
}

def LowerPrecision : Weir_ModulePass<"weir-lower-precision"> {
  let summary = "Computes in 16 bits what is faster in them";
  let description = [{
    Ops whose records say so (convolutions, matrix products) read and write the
    16-bit type `type`. So do ops between them that lose no more than the
    rounding of their result. These stay in f32:

    - sums, biases and scales;
    - the entry's inputs and outputs, and what is used only for these;
    - products of fewer than 2^17 flops, which would be no faster, unless they
      stand between larger ones;
    - pointwise ops with a constant or parameter that may not be exact in
      `type`, or with an operand that is f32;
    - ops that magnify errors, if their operand exists in f32 at no cost;
    - with f16, the ops of devices without kernels for it.

    Casts are inserted where a value changes its type. Casts of weights are
    computed at compile time. Casts behind an op become a part of its kernel.
    The module lists the ops that were kept in f32 for --explain.

    ```
    %c = convolution of %x with %w : ... -> tensor<1x8x6x6xf32>
    // becomes
    %x_bf16 = %x cast to bf16
    %w_bf16 = %w cast to bf16
    %c = convolution of %x_bf16 with %w_bf16 : ... -> tensor<1x8x6x6xbf16>
    %c_f32 = %c cast to f32
    ```
  }];
  let options = [Option<"type", "type", "std::string", "\"bf16\"",
      "bf16 or f16">];
}

def ReadWeights : Weir_ModulePass<"weir-read-weights"> {
  let summary = "Gives parameters the values of a safetensors file";
  let description = [{
    If the file has a tensor with the name of a parameter, the parameter starts
    with its elements. The tensor must have the parameter's type. The other
    parameters keep their values, and a remark names them. The other tensors are
    ignored: a checkpoint also has the state of the optimiser. It is an error if
    no tensor has the name of a parameter.

    ```
    // weights=step-00000100.safetensors
    weir.parameter @w : tensor<4x8xf32> from "net.onnx" offset 1408
    // becomes
    weir.parameter @w : tensor<4x8xf32> from "/folder/step-00000100.safetensors"
    ```
  }];
  let options = [
    Option<"weights", "weights", "std::string", "", "The safetensors file">,
    Option<"hashWeights", "hash-weights", "bool", "false",
           "Whether parameters carry a hash of their bytes">
  ];
}

def RecogniseForms : Weir_ModulePass<"weir-recognise-forms"> {
  let summary = "Recognises activations that are written as arithmetic";
  let description = [{
    Exporters write gelu, hard swish, silu and mish as several ops. If the
    combined expression of such ops, including constants, is one of the known
    forms, and no other op reads the values in between, the named op replaces
    them. Squares and cubes become products. Results change by rounding only.

    ```
    %s = weir.softplus %x : ...
    %t = weir.tanh %s : ...
    %y = weir.mul %x, %t : ...
    // becomes
    %y = weir.mish %x : ...
    ```
  }];
}

def SelectEntry : Weir_ModulePass<"weir-select-entry"> {
  let summary = "Keeps the functions to compile, the entries";
  let description = [{
    Keeps the functions that the option names and erases the others. The name of
    a function is its `weir.entry`, or else its symbol. Without the option, the
    only function is kept, or all public ones.
  }];
  let options = [ListOption<"entry", "entry", "std::string",
      "The functions to compile">];
}

def VerifyPhase : Weir_ModulePass<"weir-verify-phase"> {
  let summary = "Checks what must hold after a phase of the pipeline";
  let description = [{
    Each phase has a property that later passes rely on:

    - `bound`: shapes are static, and no tensor is too large. Ops that compute
      what is hardly meant get a warning.
    - `lifted`: there are no reads and assigns.
    - `grouped`: all ops but constants and `weir.keep` are in groups.
    - `placed`: every group is on a listed device.
    - `partitioned`: no group reads a value of another device, and no output is
      in the memory of another device than its value.
    - `lowered`: groups contain only launches, views and joins, and the kernels
      take their launches.

    A failure of any phase but `bound` is a bug in Weir.
  }];
  let options = [Option<"phase", "phase", "std::string", "\"\"",
      "The phase that has just ended">];
}

def ViewTransposes : Weir_ModulePass<"weir-view-transposes"> {
  let summary = "Lets kernels read and write transposed tensors";
  let description = [{
    The pass is for devices whose kernels look at strides
    (`DeviceKindInfo::takesStrides`). A transpose becomes a view there in two
    cases:

    - All ops that read it are contractions, and their kernels take the operand
      as it lies.
    - The op in front of it is a contraction, and its kernel can write its
      result where the transpose would put it.

    The kernel's check decides. Attention that is one launch counts as a
    contraction.

    ```
    %t = weir.group ... on "cuda:0" { transpose of %k : tensor<8x64x128xf16> }
    %s = weir.group ... on "cuda:0" { matmul of %q, %t }
    // becomes
    %t = weir.group ... { transpose of %k
             : tensor<8x64x128xf16, #weir.layout<[0, 2, 1]>> }
    %s = weir.group ... { matmul of %q, %t }
    ```
  }];
}

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_PASSES_TD
