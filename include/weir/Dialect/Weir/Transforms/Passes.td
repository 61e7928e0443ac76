//===- Passes.td - Passes over weir graphs -----------------*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_PASSES_TD
#define WEIR_DIALECT_WEIR_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

class Weir_ModulePass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = ["::weir::WeirDialect", "::mlir::func::FuncDialect"];
}

def AnnotateDevices : Weir_ModulePass<"weir-annotate-devices"> {
  let summary = "Reads where ops are asked to run, from text and rules";
  let description = [{
    Brings every device annotation into its canonical spelling (`/GPU:0` becomes
    `cuda:0`) and applies the rules in order. A rule is `GLOB=DEVICE`, for all
    ops whose name matches, or `after:NODE=DEVICE`, for all ops that depend on
    the op or input NODE. A rule wins over the text and over earlier rules.

    ```
    %conv = weir.conv %x, %w on "/CPU:0" : ...       // --place='relu*=cpu:1'
    %relu1 = weir.relu %conv : ...
    // becomes
    %conv = weir.conv %x, %w on "cpu:0" : ...
    %relu1 = weir.relu %conv on "cpu:1" : ...
    ```

    A malformed device, an unknown kind, and a rule that fits no op are errors.
  }];
  let options = [ListOption<"place", "place", "std::string",
      "Rules, GLOB=DEVICE or after:NODE=DEVICE">];
}

def AssignLayouts : Weir_ModulePass<"weir-assign-layouts"> {
  let summary = "Chooses each tensor's order of dims in memory";
  let description = [{
    Convolutions run channels-last; ops that only follow their operand keep it
    so; all others, and the entry's inputs and outputs, are row-major. Where a
    reader wants another layout than the producer's, a `weir.relayout` stands
    between them. Layouts never depend on devices, so that placement cannot
    change results.

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
  let summary = "Makes inputs of the entry constants";
  let description = [{
    Each `NAME=FILE` replaces an input by the tensor in a file of numpy (.npy)
    or ONNX (.pb), whose type must be the input's. Afterwards the entry has
    these inputs no more.
  }];
  let options = [ListOption<"bind", "bind", "std::string",
      "Inputs and their values, NAME=FILE">];
}

def BindShapes : Weir_ModulePass<"weir-bind-shapes"> {
  let summary = "Gives the unknown dims of entry inputs a size";
  let description = [{
    Each `NAME:1x3x224x224` fixes the shape of an input; all result types are
    inferred anew. Afterwards every shape is static; an input that still has an
    unknown dim is an error.
  }];
  let options = [ListOption<"shapes", "shapes", "std::string",
      "Shapes of inputs, NAME:DIMxDIM...">];
}

def CheckIndices : Weir_ModulePass<"weir-check-indices"> {
  let summary = "Refuses constant indices that are out of range";
  let description = [{
    Every index that an op reads from a constant has to be in [-size, size) of
    the dim that it indexes; the error names the op, the index and the range.
    Other indices are looked at in each run: `weir-lower-groups` writes which.
  }];
}

def DeriveParameters : Weir_ModulePass<"weir-derive-parameters"> {
  let summary =
      "Computes what depends on parameters alone once, at compile time";
  let description = [{
    What the entry computes from parameters that nothing assigns and from
    constants becomes a `weir.derived` parameter, whose bytes are computed when
    the artifact is written. Parameters that nothing reads any more leave the
    entry.

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

    A value is left to the run, with what it is made of derived instead, if it
    is larger than 1 MiB and than all it is made of, or takes more than 2^30
    flops. The module lists these in `weir.not_derived` for --explain.
  }];
}

def FoldConstants : Weir_ModulePass<"weir-fold-constants"> {
  let summary = "Computes what depends on constants alone";
  let description = [{
    Evaluates ops whose operands are all `weir.constant`s with the reference
    kernels, and removes ops that move no element. Results of more than 1 MiB
    that are larger than what they are made of, and ops of more than 2^28 flops,
    are left to the run.
  }];
}

def FormGroups : Weir_ModulePass<"weir-form-groups"> {
  let summary = "Puts ops that run as one kernel into groups";
  let description = [{
    An anchor whose kernel takes epilogues (convolution, matmul, ...) takes the
    chain of pointwise ops behind it along, as far as each value has one reader
    and nothing asks for another device. Ops that code is generated for form
    clusters: an op joins the cluster of one of its operands if both can be done
    row by row and no cycle between groups arises, up to 32 ops. Every other op
    is a group of its own.
    Where only an annotation kept an op out, the group carries a
    `weir.split_by` attribute that `--explain` lists.

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

def InsertCopies : Weir_ModulePass<"weir-insert-copies"> {
  let summary = "Writes out the crossings between devices";
  let description = [{
    A value that groups of another device than its producer's read gets one
    `weir.copy` for each such device, right behind its producer. Inputs,
    parameters and constants reach each device from the host and do not cross.
  }];
}

def KeepTensors : Weir_ModulePass<"weir-keep-tensors"> {
  let summary = "makes tensors survive that kernels would hold inside";
  let description = [{
    Adds a `weir.keep` behind every op with a name that fits a glob of `keep`,
    so that its results are left in memory and can be looked at.

    ```
    %m = ...                %m = ...
    %y = ... %m ...    =>   weir.keep %m : tensor<...>
                            %y = ... %m ...
    ```
  }];
  let options = [ListOption<"keep", "keep", "std::string",
      "globs of op or tensor names">];
}

def LiftParameters : Weir_ModulePass<"weir-lift-parameters"> {
  let summary = "Turns reads and assigns of parameters into pure SSA";
  let description = [{
    Every parameter that is read becomes an entry argument marked
    `weir.parameter`, every assign a result marked `weir.assigns`. Results get
    their names as `weir.name`. Afterwards the function has no state.
  }];
}

def LowerGroups : Weir_ModulePass<"weir-lower-groups"> {
  let summary = "Chooses the kernels of placed groups";
  let description = [{
    Replaces the ops of each group by `weir.launch`es of the library kernels of
    the group's device kind. Epilogues ride along as post-ops where the anchor's
    kernel takes them. Ops that code is generated for become launches of
    `generated`, neighbours one launch together: the ops move into a function of
    the nested module `weir_clusters`, equal ones into one.

    ```
    %y = weir.launch "generated"(%x) {cluster = "y"}
        : (tensor<4xf32>) -> tensor<4xf32>
    module @weir_clusters {
      func.func private @y(%x: tensor<4xf32>) -> tensor<4xf32> {
        %e = weir.erf %x : tensor<4xf32>
        ...
    ```

    A composite that needs a library kernel inside is expanded. An op without
    any kernel runs as the reference kernel if that is allowed.
  }];
  let options = [Option<"allowReference", "allow-reference", "bool", "false",
      "Run ops that no library kernel serves on the slow reference kernels">];
}

def PlaceGroups : Weir_ModulePass<"weir-place-groups"> {
  let summary = "Gives every group its device";
  let description = [{
    Annotations decide; a group without one follows its operands. A group whose
    device is missing or lacks a kernel moves to the best legal device, which is
    reported, or is an error when strict. Each group tells in `weir.placement`
    why it is where it is and what the other devices would cost.
  }];
  let options = [
    Option<"mode", "mode", "std::string", "\"explicit\"",
           "explicit, or random:SEED">,
    Option<"strict", "strict", "bool", "false",
           "Whether a group that cannot be where it should be is an error">,
    Option<"allowReference", "allow-reference", "bool", "false",
           "Whether ops without a library kernel are legal on CPU devices">,
  ];
}

def SelectEntry : Weir_ModulePass<"weir-select-entry"> {
  let summary = "Keeps one function, the entry";
  let description = [{
    The function named by the option; without it the only function, else
    `main`.
  }];
  let options = [Option<"entry", "entry", "std::string", "\"\"",
      "The function to compile">];
}

def SetDevices : Weir_ModulePass<"weir-set-devices"> {
  let summary = "Fixes the list of devices to compile for";
  let description = [{
    From the option, the topology file, or else the devices that annotations
    name, or else `cpu:0`. Later passes find the list, the threads per CPU
    device, and whether devices have heaps of their own, in attributes of the
    module.
  }];
  let options = [
    Option<"devices", "devices", "std::string", "\"\"",
           "Device list, for instance cpu:0-1">,
    Option<"topology", "topology", "std::string", "\"\"",
           "Topology file (docs/topology.md)">,
    Option<"threads", "threads", "int64_t", "0",
           "Threads per CPU device; 0 for an even share of the cores">,
    Option<"isolated", "isolated", "bool", "false",
           "Whether every device has its own heap">,
  ];
}

def VerifyPhase : Weir_ModulePass<"weir-verify-phase"> {
  let summary = "Checks what holds after a phase of the pipeline";
  let description = [{
    Later passes rely on it: `bound` (static shapes), `lifted` (no reads or
    assigns), `grouped` (all ops in groups), `placed` (every group on a listed
    device), `partitioned` (no group reads a value of another device),
    `lowered` (groups hold only launches and reinterpretations). A failure is a
    bug in Weir.
  }];
  let options = [Option<"phase", "phase", "std::string", "\"\"",
      "The phase that has just ended">];
}

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_PASSES_TD
