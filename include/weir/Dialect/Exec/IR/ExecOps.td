//===- ExecOps.td - Buffers, programs and commands ---------*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_EXEC_IR_EXECOPS_TD
#define WEIR_DIALECT_EXEC_IR_EXECOPS_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "weir/Dialect/Exec/IR/ExecDialect.td"
include "weir/Dialect/Exec/IR/ExecInterfaces.td"
include "weir/Dialect/Weir/IR/WeirBase.td"

class Exec_Op<string mnemonic, list<Trait> traits = []>
    : Op<Exec_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

def EntryOp : Exec_Op<"entry", [
    IsolatedFromAbove, Symbol, SingleBlock, NoTerminator]> {
  let summary = "everything that one run does, on all devices";
  let description = [{
    Its body declares arenas, buffers and programs. `isolated` devices have
    their own heaps; otherwise all devices share the host's memory. These lists
    have one number per device:

    - `threads`: the threads of a CPU device (0: its share of the cores).
    - `memory`: the most bytes of its arena (0: no cap).
    - `groups`: the number of groups placed on it, for reports.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$devices,
      UnitAttr:$isolated, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$threads,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$memory,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$groups);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `on` $devices (`isolated` $isolated^)? (`threads` $threads^)?
    (`memory` $memory^)? (`groups` $groups^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
  }];
}

def ProgramOp : Exec_Op<"program", [
    HasParent<"EntryOp">, SingleBlock, NoTerminator]> {
  let summary = "the commands of one queue of a device, in order";
  let arguments = (ins StrAttr:$device, I64Attr:$queue);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `on` $device `queue` $queue attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
  }];
}

def ArenaOp : Exec_Op<"arena", [HasParent<"EntryOp">]> {
  let summary = "the scratch memory of a device";
  let description = [{
    Contains all scratch buffers of the device. `lower_bound` is the liveness
    lower bound: no plan can use fewer bytes.
  }];
  let arguments = (ins I64Attr:$bytes, StrAttr:$device, I64Attr:$lower_bound);
  let assemblyFormat = [{
    $bytes `bytes` `on` $device `lower_bound` $lower_bound attr-dict
  }];
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

class Exec_BufferOp<string mnemonic, list<Trait> traits = [],
                    list<string> overridden = []>
    : Exec_Op<mnemonic, !listconcat(traits, [
          HasParent<"EntryOp">,
          DeclareOpInterfaceMethods<BufferOpInterface, overridden>])> {
  let results = (outs Exec_Buffer:$buffer);
}

def InputOp : Exec_BufferOp<"input", [], ["isWritable"]> {
  let summary = "an input, bound by the caller for each run";
  let arguments = (ins I64Attr:$index, StrAttr:$name, StrAttr:$device,
      TypeAttrOf<Weir_Tensor>:$type);
  let assemblyFormat = "$index $name `on` $device `:` $type attr-dict";
  let hasVerifier = 1;
}

def OutputOp : Exec_BufferOp<"output"> {
  let summary = "an output, bound by the caller for each run";
  let arguments = (ins I64Attr:$index, StrAttr:$name, StrAttr:$device,
      TypeAttrOf<Weir_Tensor>:$type);
  let assemblyFormat = "$index $name `on` $device `:` $type attr-dict";
  let hasVerifier = 1;
}

def ParameterOp : Exec_BufferOp<"parameter", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>], ["isWritable"]> {
  let summary = "a parameter that the entry only reads";
  let arguments = (ins FlatSymbolRefAttr:$parameter, StrAttr:$device,
      TypeAttrOf<Weir_Tensor>:$type);
  let assemblyFormat = "$parameter `on` $device `:` $type attr-dict";
}

def VariableOp : Exec_BufferOp<"variable", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a parameter to which the entry assigns a new value";
  let description = [{
    Starts with the parameter's value and keeps its value between runs. All
    reads of a run come before its writes.
  }];
  let arguments = (ins FlatSymbolRefAttr:$parameter, StrAttr:$device,
      TypeAttrOf<Weir_Tensor>:$type);
  let assemblyFormat = "$parameter `on` $device `:` $type attr-dict";
}

def ScratchOp : Exec_BufferOp<"scratch"> {
  let summary = "bytes in the device's arena";
  let description = [{`at` is the offset, set by -exec-plan-memory.}];
  let arguments = (ins I64Attr:$bytes, StrAttr:$device,
      OptionalAttr<I64Attr>:$offset);
  let assemblyFormat = [{
    $bytes `bytes` `on` $device (`at` $offset^)? attr-dict
  }];
  let hasVerifier = 1;
}

def AliasOp : Exec_BufferOp<"alias", [], ["isWritable"]> {
  let summary = "a buffer of another device whose memory is shared";
  let arguments = (ins Exec_Buffer:$source, StrAttr:$device);
  let assemblyFormat = "$source `on` $device attr-dict";
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

class Exec_Command<string mnemonic, list<Trait> traits = []>
    : Exec_Op<mnemonic, !listconcat(traits, [HasParent<"ProgramOp">])>;

def LaunchOp : Exec_Command<"launch", [AttrSizedOperandSegments]> {
  let summary = "runs a kernel";
  let description = [{
    Each operand and result is a view: a buffer, the byte offset of the view
    (omitted if 0), and its type. The encoding of the type gives the strides:
    none for row-major, `#weir.layout<...>` for a dense permutation,
    `#exec.strides<[...]>` for strides in elements. `inside` names the tensors
    of the model that the kernel computes but does not store. `flops` are its
    floating-point operations.

    ```
    exec.launch "slice" by "a_kernel"(
        %x[16] : tensor<2x4xf32, #exec.strides<[8, 1]>>)
        -> (%y : tensor<2x4xf32>) {}
    ```
  }];
  let arguments = (ins StrAttr:$name, StrAttr:$kernel,
      Variadic<Exec_Buffer>:$reads, Variadic<Exec_Buffer>:$writes,
      DenseI64ArrayAttr:$offsets, TypeArrayAttr:$types, DictionaryAttr:$config,
      DefaultValuedAttr<ArrayAttr, "{}">:$post_ops,
      OptionalAttr<StrArrayAttr>:$inside,
      DefaultValuedAttr<I64Attr, "0">:$flops);
  let assemblyFormat = [{
    $name `by` $kernel `` custom<Views>($reads, $writes, $offsets, $types)
    $config (`then` $post_ops^)? (`inside` $inside^)? (`flops` $flops^)?
    attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// View `index`: operands, then results.
    ::weir::exec::View getView(unsigned index);
    unsigned getNumViews() { return getNumOperands(); }
  }];
}

def CopyOp : Exec_Command<"copy"> {
  let summary = "copies bytes between buffers";
  let description = [{
    With `crossing`, the copy brings a value to another device. It has 0 bytes
    if the target is an alias of the source.
  }];
  let arguments = (ins StrAttr:$name, UnitAttr:$crossing, Exec_Buffer:$from,
      Exec_Buffer:$to, DefaultValuedAttr<I64Attr, "0">:$from_offset,
      DefaultValuedAttr<I64Attr, "0">:$to_offset, I64Attr:$bytes);
  let assemblyFormat = [{
    $name (`crossing` $crossing^)? $from (`[` $from_offset^ `]`)? `to`
    $to (`[` $to_offset^ `]`)? `:` $bytes attr-dict
  }];
  let hasVerifier = 1;
}

def FillOp : Exec_Command<"fill"> {
  let summary = "sets bytes to zero";
  let arguments = (ins StrAttr:$name, Exec_Buffer:$to,
      DefaultValuedAttr<I64Attr, "0">:$to_offset, I64Attr:$bytes);
  let assemblyFormat = [{
    $name $to (`[` $to_offset^ `]`)? `:` $bytes attr-dict
  }];
  let hasVerifier = 1;
}

def RecordOp : Exec_Command<"record"> {
  let summary = "sets an event, after all earlier commands of the program";
  let arguments = (ins I64Attr:$event);
  let assemblyFormat = "$event attr-dict";
}

def WaitOp : Exec_Command<"wait"> {
  let summary = "blocks the program until an event is set";
  let arguments = (ins I64Attr:$event);
  let assemblyFormat = "$event attr-dict";
}

def TensorOp : Exec_Op<"tensor", [HasParent<"ProgramOp">]> {
  let summary = "the model's name for bytes that a command has written";
  let description = [{
    This is not a command. It says that after the command before it, a tensor of
    the model is in a buffer. Tools that inspect a run use it. The numbers
    increase in an order that all devices agree with.

    ```
    exec.tensor 4 "relu1" %conv1 : tensor<1x8xf32>
    ```
  }];
  let arguments = (ins I64Attr:$number, StrAttr:$name, Exec_Buffer:$buffer,
      DefaultValuedAttr<I64Attr, "0">:$offset, TypeAttrOf<Weir_Tensor>:$type);
  let assemblyFormat = [{
    $number $name $buffer (`[` $offset^ `]`)? `:` $type attr-dict
  }];
  let hasVerifier = 1;
}

#endif // WEIR_DIALECT_EXEC_IR_EXECOPS_TD
