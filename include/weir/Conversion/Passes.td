//===- Passes.td - Conversions between dialects ------------*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_CONVERSION_PASSES_TD
#define WEIR_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def WeirToExec : Pass<"convert-weir-to-exec", "::mlir::ModuleOp"> {
  let summary = "Turns a lowered graph into buffers and programs";
  let description = [{
    Each function becomes an `exec.entry`; constants become parameters of the
    module, which functions share. A parameter or bucket that any of them
    assigns is an `exec.variable` in all of them, on one device.

    Every launch goes to the compute queue of its group's device, in the order
    of the text. Results that the function returns are written directly to the
    output's buffer. All other values get scratch buffers, which have no offsets
    yet. A `weir.join` is one buffer: launches write its inputs directly to
    their places where that is possible. Other inputs are copied there, and the
    attribute `exec.copied` of the copy says why.

    The next value of an assigned parameter is an `exec.version` of its
    variable. The launch that computes it writes directly there, if no other
    reader of the old value needs the new one, and if the launch itself reads
    the old value only as an operand that its kernel may overwrite. Then readers
    can come first; -exec-order-launches puts them there. All other values are
    copied to their variables, and the attribute `exec.copied` of the variable
    says why. Kernel functions keep `weir.overwritten_by` only for operands that
    a launch overwrites.

    If devices share the host's memory, inputs and parameters are read in place,
    and a crossing is a copy of 0 bytes before the first reader. Isolated
    devices get a copy of each input and parameter that they read. An input or
    output with the attribute `weir.space` lies in the memory of that device,
    where its commands access it without a copy. A crossing to or from an
    isolated device is copied on the reader's queue `copy_in`. If only the
    writer reaches its memory, it is copied on the writer's queue `copy_out`.
    Copies of a queue are in the order in which they become ready.
    -exec-assign-events adds events later.
  }];
  let dependentDialects = ["::weir::WeirDialect", "::weir::exec::ExecDialect"];
}

def ConvertClustersToLoops
    : Pass<"convert-clusters-to-loops", "::mlir::ModuleOp"> {
  let summary = "Lowers the clusters of generated kernels to loops";
  let description = [{
    Each function of the module `weir_clusters` becomes one kernel function, or
    a short list of them, in a nested module for each target. Launches of
    `generated` then name the kernel functions instead of the clusters. If there
    are several functions, each has a launch, with values between them.

    ```
    module @weir_kernels_0 attributes {weir.target_cpu = "x86-64-v3"} {
      func.func @y(%x: memref<4xf32>, %y: memref<4xf32>, %begin: index,
                   %end: index, %scratch: memref<0xi8>)
          attributes {weir.tasks = 4 : i64, weir.grain = 4 : i64,
                      weir.scratch = 0 : i64} {
        scf.for %i = %begin to %end step %c1 {
          ...
    ```

    A target has the form NAME=BITS: a CPU and the width of its vectors.

    Launches on devices for which code is generated as for NVIDIA's GPUs have
    functions of their own, in the module `weir_kernels_gpu`. Such a function is
    the code of one thread. It has no arguments for tasks and scratch: it asks
    for the number of its thread and block, and for shared memory. `weir.tasks`
    is the number of blocks, `weir.threads` that of threads of a block, and
    `weir.scratch` the bytes of shared memory.
  }];
  let options = [ListOption<"targets", "targets", "std::string",
      "The CPUs that kernels are made for, each as NAME=BITS">,
    ListOption<"gpus", "gpus", "std::string",
      "The GPUs that kernels are made for, such as sm_90">,
    Option<"keepClusters", "keep-clusters", "bool", "false",
      "Keep the module weir_clusters, each cluster for CPUs with what it "
      "became in weir.lowered">];
}

def ConvertLinalgToKernels
    : Pass<"convert-linalg-to-kernels", "::mlir::ModuleOp"> {
  let summary = "Lowers functions of linalg ops to vector loops";
  let description = [{
    Each function on tensors becomes a function on memory, divided into tasks.
    Results, reductions, and tensors that are cheaper to store than to recompute
    for every reader are stored. All others stay in registers. A task computes
    all steps for a part of the results. So it stores only a part of each tensor
    between steps, in the thread's scratch.

    ```
    func.func @y(%x: tensor<4096x768xf32>) -> tensor<4096x768xf32> {
      %y = linalg.generic ...
    // becomes
    func.func @y(%x: memref<4096x768xf32>, %y: memref<4096x768xf32>,
                 %begin: index, %end: index, %scratch: memref<0xi8>)
        attributes {weir.tasks = 512 : i64, weir.grain = 8 : i64,
                    weir.scratch = 0 : i64} {
      scf.for %task = %begin to %end step %c1 {
        ...
          %a = vector.load %flat[%i] : memref<3145728xf32>, vector<16xf32>
    ```

    Results do not depend on how tasks are divided or on their order.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", "512",
           "Bits of a vector register">,
    Option<"gpu", "gpu", "bool", "false",
           "Divide the work among the threads of a GPU">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect",
  ];
}

def ConvertWeirToLinalg : Pass<"convert-weir-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lowers ops to linalg on tensors";
  let description = [{
    A leaf op becomes one `linalg.generic`. Its indexing maps come from the op's
    index spec, and its body from the op's scalar expression. Composites are
    expanded first. Ops that only move elements become tensor ops. Windows that
    extend beyond their tensor read a `tensor.pad`. Sums of f16 and bf16 are
    computed in f32 and rounded once.

    ```
    %y = weir.abs %x : tensor<4xf32>
    // becomes
    %e = tensor.empty() : tensor<4xf32>
    %y = linalg.generic {..., iterator_types = ["parallel"]}
        ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%a: f32, %out: f32):
        %y = math.absf %a : f32
        linalg.yield %y : f32
    } -> tensor<4xf32>
    ```

    Shapes must be static. Layouts are dropped; unsigned elements become
    signless ones with the same bits. Afterwards no computing op of the weir
    dialect is left.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
  ];
}

#endif // WEIR_CONVERSION_PASSES_TD
