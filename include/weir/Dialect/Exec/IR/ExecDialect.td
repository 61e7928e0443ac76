//===- ExecDialect.td - The exec dialect and its type ------*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_EXEC_IR_EXECDIALECT_TD
#define WEIR_DIALECT_EXEC_IR_EXECDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/TensorEncoding.td"

def Exec_Dialect : Dialect {
  let name = "exec";
  let cppNamespace = "::weir::exec";
  let summary = "When each kernel runs, and on which bytes";
  let description = [{
    The exec dialect corresponds one to one to the contents of an artifact and
    to what the runtime does. An `exec.entry` has buffers, and one
    `exec.program` for each queue of each device. The commands of a program run
    in order. Events order commands of different queues.

    ```
    exec.entry @main on ["cpu:0" {threads = 2}, "cpu:1"] {
      %x = exec.input 0 "x" on "cpu:0" : tensor<1x8xf32>
      %w = exec.parameter @w on "cpu:0" : tensor<8x4xf32>
      %y = exec.scratch 16 bytes on "cpu:0" at 0
      %y_1 = exec.alias %y on "cpu:1"
      %z = exec.output 0 "z" on "cpu:1" : tensor<1x4xf32>
      exec.arena 256 bytes on "cpu:0" lower_bound 256
      exec.program on "cpu:0" queue compute {
        exec.launch "y" by "a_kernel"(%x : tensor<1x8xf32>,
            %w : tensor<8x4xf32>) -> (%y : tensor<1x4xf32>) {}
        exec.record 0
      }
      exec.program on "cpu:1" queue compute {
        exec.wait 0
        exec.copy "y to cpu:1" crossing %y to %y_1 : 0
        exec.launch "z" by "a_kernel"(%y_1 : tensor<1x4xf32>)
            -> (%z : tensor<1x4xf32>) {transpose = true}
      }
    }
    ```

    A device has at most one queue of each role: `compute`, `copy_in` and
    `copy_out`.

    A device that is `isolated` has its own memory space. All others share the
    host's. Kernels and fills access the space of their device only; copies
    connect any two. What the caller binds lies in the host's space unless it
    names an isolated device.

    Bytes can be written more than once. `exec.version` is a buffer with the
    next contents of the same bytes, so that each command says which contents it
    reads or writes. Bytes that no command writes keep their contents.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

def Exec_QueueRoleAttr : AttrDef<Exec_Dialect, "QueueRole"> {
  let mnemonic = "queue_role";
  let summary = "what a queue of a device does";
  let description = [{
    - `compute`: runs kernels and fills, and copies within the memory of the
      device;
    - `copy_in`: copies values to the memory of the device. If the device has no
      queue `copy_out`, this queue also copies values from that memory;
    - `copy_out`: copies values from the memory of the device.

    Ops print the role as one word. On its own, the attribute is
    `#exec.queue_role<copy_in>`.
  }];
  let parameters = (ins "::weir::QueueRole":$value);
  let hasCustomAssemblyFormat = 1;
  let returnType = "::weir::QueueRole";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall =
      "::weir::exec::QueueRoleAttr::get($_builder.getContext(), $0)";
  let extraClassDeclaration = [{
    /// Parses the name of a role. An error lists the names.
    static ::mlir::FailureOr<QueueRoleAttr> parseName(
        ::mlir::AsmParser &parser);
  }];
}

def Exec_StridesAttr : AttrDef<Exec_Dialect, "Strides", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "strides";
  let summary = "the distances between neighbours of a view, in elements";
  let description = [{
    The encoding of a view that is not a dense tensor, with one stride per dim:
    `tensor<2x4xf32, #exec.strides<[8, 1]>>` is a part of two rows of a matrix
    with eight columns. A stride of 0 repeats an element.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$strides);
  let assemblyFormat = "`<` `[` $strides `]` `>`";
}

def Exec_BufferType : TypeDef<Exec_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "a contiguous range of bytes in the memory of one device";
  let description = [{
    The op that defines a buffer says whether the caller binds it, it holds a
    parameter, or it is a part of an arena.
  }];
}

def Exec_Buffer
    : DialectType<Exec_Dialect,
                  CPred<"::llvm::isa<::weir::exec::BufferType>($_self)">,
                  "buffer", "::weir::exec::BufferType">,
      BuildableType<"$_builder.getType<::weir::exec::BufferType>()">;

#endif // WEIR_DIALECT_EXEC_IR_EXECDIALECT_TD
