//===- Shape.td - Ops that move elements without computing -*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_OPS_SHAPE_TD
#define WEIR_DIALECT_WEIR_IR_OPS_SHAPE_TD

include "weir/Dialect/Weir/IR/WeirBase.td"

def ConcatOp : Weir_Op<"concat", "", [
    DeclareOpInterfaceMethods<WeirOpInterface, ["getCopies"]>]> {
  let otherNames = ["cat", "concatenate"];
  let summary = "tensors joined along an axis";
  let inputs = (ins Variadic<Weir_Tensor>:$inputs);
  let precision = "Follow";
  let attributes = (ins I64Attr:$axis);
  let kernels = [CPUReorder<>];
  let gradient = [{
    return splitLike(b, grads[0], operands, getAxis());
  }];
}

def ExpandOp : Weir_Op<"expand", "...->...|...=shape"> {
  let otherNames = ["broadcast_to", "broadcast"];
  let summary = "repetition of dims of size 1 until the shape fits `shape`";
  let description = [{
    numpy broadcasting of the input with a tensor of shape `shape`, as ONNX's
    Expand.
  }];
  let inputs = (ins Weir_Tensor:$input);
  let precision = "Follow";
  let attributes = (ins I64ArrayAttr:$shape);
  let expression = "a";
  let kernels = [CPUReorder<>];
}

def PackOp : Weir_Op<"pack", "", [
    DeclareOpInterfaceMethods<WeirOpInterface, ["getPlaces"]>]> {
  let summary = "tensors one behind the other, as in a bucket";
  let description = [{
    The elements of each input, row-major, begin at a multiple of 16 elements
    behind those of the input before. Between them and at the end, up to a
    multiple of 16 elements, are zeros. So the result has the form of a
    `weir.bucket` of parameters with the shapes of the inputs.

    ```
    %g = weir.pack %dw, %db : tensor<8x4xf32>, tensor<4xf32>
    ```

    `%g` has 48 elements: those of `%dw` from 0 on, those of `%db` from 32 on.
    An input that a kernel of the same device computes is written to its place
    in the result by that kernel, unless it has to be elsewhere too. So a pack
    of gradients moves no bytes.
  }];
  let inputs = (ins Variadic<Weir_Tensor>:$inputs);
  let widens = 0;
  let body = [{ return {packParts(b, operands)}; }];
  let gradient = [{ return unpackParts(b, grads[0], operands); }];
}

def PadOp : Weir_Op<"pad", "[x-pads]->[x]"> {
  let summary = "a tensor with elements of one value around it";
  let description = [{
    `pads` lists begins, then ends, with one of each per dim. A negative entry
    crops. For integers, a value of 2^53 or more is given by `concat` with a
    constant: the attribute does not hold all of them exactly.
  }];
  let inputs = (ins Weir_Tensor:$input);
  let precision = "Follow";
  let attributes = (ins I64ArrayAttr:$pads, Weir_Float<"0.0">:$value);
  let hasVerifier = 1;
  let expression = "a";
  let fill = "value";
}

def ReshapeOp : Weir_Op<"reshape", "", [
    DeclareOpInterfaceMethods<WeirOpInterface, ["isReinterpretation"]>]> {
  let otherNames = ["flatten", "squeeze", "unsqueeze", "expand_dims"];
  let summary = "the same elements under another shape";
  let description = [{
    One entry of `shape` may be -1 and is inferred. An entry 0 is the input's
    dim at the same position.
  }];
  let inputs = (ins Weir_Tensor:$input);
  let precision = "Follow";
  let attributes = (ins I64ArrayAttr:$shape);
  let gradient = [{ return {b.reshapeLike(grads[0], operands[0])}; }];
}

def SliceOp : Weir_Op<"slice", "[x*steps+starts]->[x]|x=sizes"> {
  let otherNames = ["strided_slice", "narrow", "crop"];
  let summary = "a regular part of a tensor";
  let description = [{
    In each dim, `sizes` elements from `starts` on, `steps` apart. A negative
    step goes backwards.
  }];
  let inputs = (ins Weir_Tensor:$input);
  let precision = "Follow";
  let attributes = (ins I64ArrayAttr:$starts, I64ArrayAttr:$sizes,
      Weir_Steps:$steps);
  let expression = "a";
  let kernels = [CPUReorder<>];
}

def SplitOp : Weir_Op<"split", "", [
    DeclareOpInterfaceMethods<WeirOpInterface, ["getCopies"]>]> {
  let otherNames = ["chunk"];
  let summary = "consecutive parts of a tensor along an axis";
  let description = [{
    `sizes` lists the sizes of the parts along `axis`. Their sum must be the
    dim.
  }];
  let inputs = (ins Weir_Tensor:$input);
  let precision = "Follow";
  let attributes = (ins I64Attr:$axis, I64ArrayAttr:$sizes);
  let results = (outs Variadic<Weir_Tensor>:$parts);
  let kernels = [CPUReorder<>];
  let gradient = [{
    return {b.make<ConcatOp>(llvm::to_vector_of<mlir::Value>(grads),
                             b.number("axis", getAxis()))};
  }];
}

def TransposeOp : Weir_Op<"transpose", "[x]->[x@perm]"> {
  let otherNames = ["permute", "swapaxes"];
  let summary = "dims in another order";
  let description = [{
    Dim i of the result is dim `perm[i]` of the input.
  }];
  let inputs = (ins Weir_Tensor:$input);
  let precision = "Follow";
  let attributes = (ins I64ArrayAttr:$perm);
  let expression = "a";
  let kernels = [CPUReorder<>];
}

#endif // WEIR_DIALECT_WEIR_IR_OPS_SHAPE_TD
