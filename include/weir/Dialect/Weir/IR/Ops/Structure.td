//===- Structure.td - Groups of ops and the kernels they become -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_OPS_STRUCTURE_TD
#define WEIR_DIALECT_WEIR_IR_OPS_STRUCTURE_TD

include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "weir/Dialect/Weir/IR/WeirBase.td"

def GroupOp : Weir_PlainOp<"group", [
    IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlockImplicitTerminator<"::weir::YieldOp">]> {
  let summary = "ops that run together on one device";
  let description = [{
    The unit of placement: an anchor with its epilogue, or a cluster of ops for
    which code is generated. It becomes one kernel launch or a short list of
    them. Operands are explicit; block argument i represents operand i.

    ```
    %r = weir.group (%a = %x, %w = %weight) on "cpu:0"
        : (tensor<1x8xf32>, tensor<8x4xf32>) -> tensor<1x4xf32> {
      %m = weir.matmul %a, %w : tensor<1x8xf32>, tensor<8x4xf32>
      %y = weir.relu %m : tensor<1x4xf32>
      weir.yield %y : tensor<1x4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Weir_Tensor>:$inputs,
      OptionalAttr<StrAttr>:$device, OptionalAttr<I64Attr>:$stage);
  let results = (outs Variadic<Weir_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
  }];
}

def JoinOp : Weir_PlainOp<"join", [Pure]> {
  let summary = "tensors of a lowered group at places of one tensor";
  let description = [{
    The elements of input i begin at element `offsets[i]` of the result. Between
    them are zeros. Where the exec dialect can, it lets the launches that
    compute the inputs write to these places.
  }];
  let arguments = (ins Variadic<Weir_Tensor>:$inputs,
      DenseI64ArrayAttr:$offsets);
  let results = (outs Weir_Tensor:$result);
  let assemblyFormat = [{
    $inputs `at` $offsets attr-dict `:` functional-type($inputs, $result)
  }];
  let hasVerifier = 1;
}

def KeepOp : Weir_PlainOp<"keep", [MemoryEffects<[MemWrite]>]> {
  let summary = "a reader that keeps a tensor from being fused away";
  let description = [{
    `--keep` inserts it behind the named op. A kernel cannot hold the tensor
    inside, since this op outside reads it. The tensor is computed even if
    nothing else needs it. The op itself does nothing and does not exist in the
    exec dialect.
  }];
  let arguments = (ins Weir_Tensor:$input);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def LaunchOp : Weir_PlainOp<"launch", [Pure]> {
  let summary = "one kernel of a lowered group";
  let description = [{
    `kernel` is the name in the device kind's kernel table. `config` has the
    attributes from which the kernel is prepared. With `copies`, the launch is a
    list of strided copies, each of which becomes a launch of the kernel.
    `flops` are the floating-point operations of the ops that it computes.
    `overwritten_by` has a number for each operand: the result that may lie in
    the operand's bytes, because the kernel reads each element before it stores
    the result's, or -1.
  }];
  let arguments = (ins StrAttr:$kernel, Variadic<Weir_Tensor>:$inputs,
      DictionaryAttr:$config, DefaultValuedAttr<ArrayAttr, "{}">:$post_ops,
      DefaultValuedAttr<ArrayAttr, "{}">:$copies,
      DefaultValuedAttr<I64Attr, "0">:$flops,
      OptionalAttr<DenseI64ArrayAttr>:$overwritten_by);
  let results = (outs Variadic<Weir_Tensor>:$results);
  let assemblyFormat = [{
    $kernel `(` $inputs `)` $config (`then` $post_ops^)? (`copies` $copies^)?
    (`overwritten_by` $overwritten_by^)? attr-dict
    `:` functional-type($inputs, $results) (`flops` $flops^)?
  }];
  let hasVerifier = 1;
}

def ViewOp : Weir_PlainOp<"view", [Pure]> {
  let summary = "the same bytes as another tensor of a lowered group";
  let description = [{
    Lowering replaces an op that moves no bytes by a view: a reshape, or a
    transpose or relayout that does not change the order of bytes. It costs
    nothing.
  }];
  let arguments = (ins Weir_Tensor:$input);
  let results = (outs Weir_Tensor:$result);
  let assemblyFormat = [{
    $input attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def YieldOp : Weir_PlainOp<"yield", [
    Pure, ReturnLike, Terminator, ParentOneOf<["DerivedOp", "GroupOp"]>]> {
  let summary = "the results of a group, or the value of a derived parameter";
  let arguments = (ins Variadic<Weir_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ (void)$_builder; (void)$_state; }]>];
}

#endif // WEIR_DIALECT_WEIR_IR_OPS_STRUCTURE_TD
