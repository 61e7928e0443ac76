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
    Its body declares arenas, buffers and programs. `devices` is a device table
    (`#weir.devices`): the devices of the entry, what is stated about each, and
    the links between them. `in_flight` is the number of runs that may be in
    flight at the same time.

    ```
    exec.entry @main on ["sim:0" {isolated, threads = 2}, "cpu:0"] in_flight 2 {
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Weir_DeviceTableAttr:$devices,
      DefaultValuedAttr<I64Attr, "1">:$in_flight);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `on` custom<DeviceTable>($devices) (`in_flight` $in_flight^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
    /// The isolated device in whose memory `device` has its buffers; empty for
    /// the host's.
    ::llvm::StringRef getSpace(::llvm::StringRef device);
  }];
}

def ProgramOp : Exec_Op<"program", [
    HasParent<"EntryOp">, SingleBlock, NoTerminator]> {
  let summary = "the commands of one queue of a device, in order";
  let arguments = (ins StrAttr:$device, Exec_QueueRoleAttr:$queue);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `on` $device `queue` custom<Role>($queue) attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
  }];
}

def ArenaOp : Exec_Op<"arena", [HasParent<"EntryOp">]> {
  let summary = "scratch memory of a device";
  let description = [{
    Contains scratch buffers of the device. `lower_bound` is the liveness lower
    bound: no plan can use fewer bytes. With a `queue`, only that queue accesses
    the arena, and all runs use the same bytes, because the queue is in order.
    Otherwise each run in flight has its own.
  }];
  let arguments = (ins I64Attr:$bytes, StrAttr:$device,
      OptionalAttr<Exec_QueueRoleAttr>:$queue, I64Attr:$lower_bound);
  let assemblyFormat = [{
    $bytes `bytes` `on` $device (`queue` custom<Role>($queue)^)?
    `lower_bound` $lower_bound attr-dict
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
  let description = [{Lies in the memory of its device, or of the host.}];
  let arguments = (ins I64Attr:$index, StrAttr:$name,
      OptionalAttr<StrAttr>:$home, TypeAttrOf<Weir_Tensor>:$type);
  let assemblyFormat = "$index $name (`on` $home^)? `:` $type attr-dict";
  let hasVerifier = 1;
}

def OutputOp : Exec_BufferOp<"output"> {
  let summary = "an output, bound by the caller for each run";
  let description = [{Lies in the memory of its device, or of the host.}];
  let arguments = (ins I64Attr:$index, StrAttr:$name,
      OptionalAttr<StrAttr>:$home, TypeAttrOf<Weir_Tensor>:$type);
  let assemblyFormat = "$index $name (`on` $home^)? `:` $type attr-dict";
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
    DeclareOpInterfaceMethods<SymbolUserOpInterface>], ["isWritable"]> {
  let summary = "a parameter to which some entry assigns new values";
  let description = [{
    Starts with the parameter's value and keeps its value between runs. The
    buffer is the value that the run begins with. To assign another one, write
    to an `exec.version` of it.
  }];
  let arguments = (ins FlatSymbolRefAttr:$parameter, StrAttr:$device,
      TypeAttrOf<Weir_Tensor>:$type);
  let assemblyFormat = "$parameter `on` $device `:` $type attr-dict";
}

def ScratchOp : Exec_BufferOp<"scratch"> {
  let summary = "bytes in an arena of the device";
  let description = [{
    `at` is the offset in the device's arena, or in that of its `queue`. Both
    are set by -exec-plan-memory.
  }];
  let arguments = (ins I64Attr:$bytes, StrAttr:$device,
      OptionalAttr<Exec_QueueRoleAttr>:$queue, OptionalAttr<I64Attr>:$offset);
  let assemblyFormat = [{
    $bytes `bytes` `on` $device (`queue` custom<Role>($queue)^)?
    (`at` $offset^)? attr-dict
  }];
  let hasVerifier = 1;
}

def VersionOp : Exec_BufferOp<"version"> {
  let summary = "the next contents of the bytes of a buffer";
  let description = [{
    All commands that read the contents before must run before the first write
    to this buffer. A buffer has at most one next version. `storage` is the
    first buffer of the chain; it follows from the source and is not printed.

    ```
    %w = exec.variable @w on "cpu:0" : tensor<4xf32>
    %w_1 = exec.version %w
    ...
      exec.launch "update" by "a_kernel"(%w : tensor<4xf32>,
          %g : tensor<4xf32>) -> (%w_1 : tensor<4xf32>) {} overwrites [0]
    ```
  }];
  let arguments = (ins Exec_Buffer:$source, Exec_Buffer:$storage);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$source)>];
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
    : Exec_Op<mnemonic, !listconcat(traits, [
          ParentOneOf<["ProgramOp", "RepeatOp"]>])>;

def LaunchOp : Exec_Command<"launch", [AttrSizedOperandSegments]> {
  let summary = "runs a kernel";
  let description = [{
    Each operand and result is a view: a buffer, the byte offset of the view
    (omitted if 0), and its type. In the body of `exec.repeat`, `step` says how
    many bytes the view moves with each trip of each enclosing repeat, the
    outermost first. The encoding of the type gives the strides:
    none for row-major, `#weir.layout<...>` for a dense permutation,
    `#exec.strides<[...]>` for strides in elements. `inside` names the tensors
    of the model that the kernel computes but does not store. `flops` are its
    floating-point operations. `overwrites` has for each result the operand
    whose bytes it may replace while the kernel runs, or -1. All other results
    have bytes of their own. `lasts` is the predicted time in ns, as for copies
    and fills.

    ```
    exec.launch "slice" by "a_kernel"(
        %x[16] : tensor<2x4xf32, #exec.strides<[8, 1]>>)
        -> (%y[0 step [32]] : tensor<2x4xf32>) {}
    ```
  }];
  let arguments = (ins StrAttr:$name, StrAttr:$kernel,
      Variadic<Exec_Buffer>:$reads, Variadic<Exec_Buffer>:$writes,
      DenseI64ArrayAttr:$offsets, TypeArrayAttr:$types,
      OptionalAttr<ArrayAttr>:$steps, DictionaryAttr:$config,
      DefaultValuedAttr<ArrayAttr, "{}">:$post_ops,
      OptionalAttr<StrArrayAttr>:$inside,
      DefaultValuedAttr<I64Attr, "0">:$flops,
      DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$overwrites,
      DefaultValuedAttr<I64Attr, "0">:$predicted_ns);
  let assemblyFormat = [{
    $name `by` $kernel ``
    custom<Views>($reads, $writes, $offsets, $types, $steps)
    $config (`then` $post_ops^)? (`inside` $inside^)? (`flops` $flops^)?
    (`overwrites` $overwrites^)? (`lasts` $predicted_ns^)? attr-dict
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
    if the target is an alias of the source. Copies with the same number behind
    `over` share a link, which carries one of them at a time.
  }];
  let arguments = (ins StrAttr:$name, UnitAttr:$crossing, Exec_Buffer:$from,
      Exec_Buffer:$to, DefaultValuedAttr<I64Attr, "0">:$from_offset,
      DefaultValuedAttr<I64Attr, "0">:$to_offset, I64Attr:$bytes,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$from_step,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$to_step,
      DefaultValuedAttr<I64Attr, "0">:$predicted_ns,
      DefaultValuedAttr<I64Attr, "0">:$shared_link);
  let assemblyFormat = [{
    $name (`crossing` $crossing^)? $from `` custom<Place>($from_offset,
    $from_step) `to` $to `` custom<Place>($to_offset, $to_step) `:` $bytes
    (`lasts` $predicted_ns^)? (`over` $shared_link^)? attr-dict
  }];
  let hasVerifier = 1;
}

def FillOp : Exec_Command<"fill"> {
  let summary = "sets bytes to zero";
  let arguments = (ins StrAttr:$name, Exec_Buffer:$to,
      DefaultValuedAttr<I64Attr, "0">:$to_offset, I64Attr:$bytes,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$to_step,
      DefaultValuedAttr<I64Attr, "0">:$predicted_ns);
  let assemblyFormat = [{
    $name $to `` custom<Place>($to_offset, $to_step) `:` $bytes
    (`lasts` $predicted_ns^)? attr-dict
  }];
  let hasVerifier = 1;
}

class Exec_EventCommand<string mnemonic> : Exec_Command<mnemonic> {
  let arguments = (ins I64Attr:$event, DefaultValuedAttr<I64Attr, "1">:$value,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$step);
  let assemblyFormat = [{
    $event (`value` $value^)? (`step` $step^)? attr-dict
  }];
  let hasVerifier = 1;
}

def RecordOp : Exec_EventCommand<"record"> {
  let summary = "raises an event, after all earlier commands of the program";
  let description = [{
    An event is a counter that starts at 0 in each run. All records of an event
    are in one program, and each raises it. `step` says by how much the value
    grows with each trip of each enclosing `exec.repeat`, the outermost first.

    ```
    exec.record 3 value 2 step [2]
    ```
  }];
}

def WaitOp : Exec_EventCommand<"wait"> {
  let summary = "blocks the program until an event has reached a value";
  let description = [{A value below 1 is always reached.}];
}

def RepeatOp : Exec_Command<"repeat", [
    SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "carries out its commands a number of times";
  let description = [{
    ```
    exec.repeat 3 {
      exec.wait 0 value 1 step [1]
      exec.launch "half" by "a_kernel"(%x[0 step [64]] : tensor<16xf32>)
          -> (%y[0 step [64]] : tensor<16xf32>) {}
      exec.record 1 value 1 step [1]
    }
    ```
  }];
  let arguments = (ins I64Attr:$trips);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$trips attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
  }];
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
