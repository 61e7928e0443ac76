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
    What placement moves: an anchor with its epilogue, or a cluster of pointwise
    ops. It becomes one kernel launch or a short list of them. Operands are
    explicit; block argument i stands for operand i.

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

def KeepOp : Weir_PlainOp<"keep", [MemoryEffects<[MemWrite]>]> {
  let summary = "a reader that keeps a tensor from being fused away";
  let description = [{
    What `--keep` leaves of a name. No kernel can hold the tensor inside, since
    somebody outside reads it; it is computed also where nothing else needs it.
    The reader itself does nothing and is gone in the exec dialect.
  }];
  let arguments = (ins Weir_Tensor:$input);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def LaunchOp : Weir_PlainOp<"launch", [Pure]> {
  let summary = "one kernel of a lowered group";
  let description = [{
    `kernel` is the name in the device kind's kernel table; `config` holds the
    attributes it is prepared from. With `copies`, the launch is a list of
    strided copies, each a launch of the kernel of its own.
  }];
  let arguments = (ins StrAttr:$kernel, Variadic<Weir_Tensor>:$inputs,
      DictionaryAttr:$config, DefaultValuedAttr<ArrayAttr, "{}">:$post_ops,
      DefaultValuedAttr<ArrayAttr, "{}">:$copies);
  let results = (outs Variadic<Weir_Tensor>:$results);
  let assemblyFormat = [{
    $kernel `(` $inputs `)` $config (`then` $post_ops^)? (`copies` $copies^)?
    attr-dict `:` functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
}

def ViewOp : Weir_PlainOp<"view", [Pure]> {
  let summary = "the same bytes as another tensor of a lowered group";
  let description = [{
    What lowering leaves of an op that moves no byte: a reshape, a transpose or
    a relayout of dims of size 1. It costs nothing.
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
