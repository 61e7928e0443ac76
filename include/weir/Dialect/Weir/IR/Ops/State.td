//===- State.td - Parameters and constants -*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_OPS_STATE_TD
#define WEIR_DIALECT_WEIR_IR_OPS_STATE_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "weir/Dialect/Weir/IR/WeirBase.td"

def AssignOp : Weir_PlainOp<"assign", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "sets the value of a parameter or bucket for the next run";
  let arguments = (ins FlatSymbolRefAttr:$parameter, Weir_Tensor:$value);
  let assemblyFormat = "$parameter `,` $value attr-dict `:` type($value)";
}

def BucketOp : Weir_PlainOp<"bucket", [
    Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "parameters that lie one behind the other and change together";
  let description = [{
    A step that trains a network updates all its weights. In a bucket these are
    one tensor, so a few kernels update all of them.

    ```
    weir.bucket @weights : tensor<48xf32> of [@dense.weight, @dense.bias]
    ...
    %w = weir.read @weights : tensor<48xf32>
    %next = weir.sub %w, %change : tensor<48xf32>, tensor<48xf32>
    weir.assign @weights, %next : tensor<48xf32>
    ```

    The parameters are declared before the bucket. They are of one float type,
    and each is in one bucket at most. The elements of each, row-major, begin at
    a multiple of 16 elements behind those of the one before. Between them and
    at the end, up to a multiple of 16 elements, are zeros when the first run
    begins. So each parameter is aligned to at least 32 bytes.

    Every entry can read the bucket, and each parameter by its own name: that is
    a part of the bucket and moves no bytes. Entries assign the bucket as a
    whole. Callers of a model see the parameters and not the bucket.

    A bucket that no entry assigns does not exist behind weir-lift-parameters.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Weir_Tensor>:$type,
      FlatSymbolRefArrayAttr:$parameters);
  let assemblyFormat = "$sym_name `:` $type `of` $parameters attr-dict";
  let hasVerifier = 1;
}

def ConstantOp : Weir_PlainOp<"constant", [
    ConstantLike, Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "a tensor known at compile time";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Weir_Tensor:$result);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def DerivedOp : Weir_PlainOp<"derived", [
    IsolatedFromAbove, SingleBlock, Symbol,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a parameter computed from other parameters, once";
  let description = [{
    Its value depends only on constants and on parameters that nothing assigns.
    The compiler computes the value when it writes the artifact. The artifact
    then contains the value. It does not contain parameters that nothing else
    reads.

    ```
    weir.derived @scaled : tensor<8x4xf32> {
      %w = weir.read @weight : tensor<8x4xf32>
      %s = weir.read @scale : tensor<4xf32>
      %r = weir.mul %w, %s : tensor<8x4xf32>, tensor<4xf32>
      weir.yield %r : tensor<8x4xf32>
    }
    ```

    The body may read only parameters that are declared before it.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Weir_Tensor>:$type);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `:` $type attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
  }];
}

def ParameterOp : Weir_PlainOp<"parameter", [Symbol]> {
  let summary = "a named tensor that persists between runs";
  let description = [{
    Its initial value is in a safetensors file, whose path is relative to the
    file that declares the parameter, or in the text itself:

    ```
    weir.parameter @weight : tensor<10x5408xf32> from "cnn.safetensors"
        key "dense.weight"
    weir.parameter @scale : tensor<2xf32> = dense<[0.5, 2.0]> : tensor<2xf32>
    ```

    Without `key`, the tensor in the file has the symbol's name. With `offset`
    the file may have any format: its bytes from the offset on are the elements,
    row-major and little-endian. So weights can stay in the model file from
    which they were read:

    ```
    weir.parameter @conv1 : tensor<64x3x7x7xf32> from "net.onnx" offset 1408
    ```

    The elements of a float parameter can be random. The artifact then has the
    seed, and the parameter is filled when the artifact is loaded. So large
    networks for tests and measurements have small artifacts:

    ```
    weir.parameter @conv1 : tensor<64x3x7x7xf32>
        uniform <seed = 1, low = -0.1, high = 0.1>
    ```

    An initialiser chooses them as layers are usually started (docs/training.md
    lists them):

    ```
    weir.parameter @conv1 : tensor<64x3x7x7xf32>
        initial {name = "he_normal", seed = 1}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Weir_Tensor>:$type,
      OptionalAttr<StrAttr>:$file, OptionalAttr<StrAttr>:$key,
      OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$offset,
      OptionalAttr<ElementsAttr>:$value,
      OptionalAttr<Weir_UniformAttr>:$uniform,
      OptionalAttr<DictionaryAttr>:$initial);
  let assemblyFormat = [{
    $sym_name `:` $type (`from` $file^ (`key` $key^)? (`offset` $offset^)?)?
    (`=` $value^)? (`uniform` $uniform^)?
    (`initial` $initial^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The initial random elements; nothing if the parameter starts otherwise.
    /// An orthogonal matrix does not count as random.
    std::optional<::weir::RandomFill> getFill();
  }];
}

def ReadOp : Weir_PlainOp<"read", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a parameter or bucket when the run begins";
  let arguments = (ins FlatSymbolRefAttr:$parameter);
  let results = (outs Weir_Tensor:$result);
  let assemblyFormat = "$parameter attr-dict `:` type($result)";
}

#endif // WEIR_DIALECT_WEIR_IR_OPS_STATE_TD
