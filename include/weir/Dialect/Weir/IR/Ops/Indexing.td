//===- Indexing.td - Ops about positions along an axis -*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Axes and indices may count from the end. An index outside of its dim is an
// error, of the compilation where it is a constant, else of the run, but for
// ops that say what it means to them. It never reaches memory outside of a
// tensor.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_OPS_INDEXING_TD
#define WEIR_DIALECT_WEIR_IR_OPS_INDEXING_TD

include "weir/Dialect/Weir/IR/WeirBase.td"

//===----------------------------------------------------------------------===//
// Positions of elements
//===----------------------------------------------------------------------===//

class Weir_ArgExtreme<string mnemonic, string extreme>
    : Weir_Op<mnemonic, "[x]->[x/axis]"> {
  let description = [{
    Of several, the first, or the last with `last`. NaN counts as the extreme,
    as in numpy.
  }];
  let typeSpec = "T->i64";
  let inputs = (ins Weir_Tensor:$input);
  let attributes = (ins I64Attr:$axis, Weir_Bool<"true">:$keepdims,
      Weir_Bool<"false">:$last);
  let hasVerifier = 1;
  let body = [{
    auto x = b.value(operands[0]);
    auto extreme = b.}] # extreme # [{(x, b.oneAxis(x, getAxis()));
    return {findExtreme(b, x, extreme, getOperation()->getResult(0), getAxis(),
                        getLast())};
  }];
}

def ArgMaxOp : Weir_ArgExtreme<"arg_max", "maximum"> {
  let summary = "position of the largest element along an axis";
}

def ArgMinOp : Weir_ArgExtreme<"arg_min", "minimum"> {
  let summary = "position of the smallest element along an axis";
}

def InverseIndexOp : Weir_Op<"inverse_index", "[x]->[x(p)axis]|p=size"> {
  let summary = "for each position along an axis where it stands in the input";
  let description = [{
    Result element p is the largest j along `axis` at which the input is p, or
    -1. So scattering becomes gathering. An index outside of `size` is nowhere.
    There is at least one index along `axis`.
  }];
  let typeSpec = "I->i64";
  let inputs = (ins Weir_Tensor:$indices);
  let attributes = (ins I64Attr:$size, Weir_Int<"0">:$axis);
  let expression = "select(select(a < 0, a + size, a) == index(p), "
                   "index(x@axis), -1)";
  let combiner = "Maximum";
  let kernels = [CPU<"inverse_index", ["i64", "i32", "i16", "i8", "u8"]>];
  let hasVerifier = 1;
}

def OneHotOp : Weir_Op<"one_hot", "[x]->[x]"> {
  let summary = "whether each position of a new axis is the one in the input";
  let description = [{
    The new dim `axis` of the result has `depth` elements, all false where the
    index lies outside of it.
  }];
  let typeSpec = "I->i1";
  let inputs = (ins Weir_Tensor:$indices);
  let attributes = (ins I64Attr:$depth, Weir_Int<"-1">:$axis);
  let hasOwnShapes = 1;
  let body = [{
    return {markPositions(b, operands[0], getOperation()->getResult(0),
                          getAxis())};
  }];
}

//===----------------------------------------------------------------------===//
// Gathering
//===----------------------------------------------------------------------===//

def GatherOp : Weir_Op<"gather", "[x],...->[x]"> {
  let summary = "parts of a tensor that indices pick along an axis";
  let description = [{
    ONNX's Gather: the dims of `indices` stand for dim `axis` of the input. An
    index outside of it is an error.
  }];
  let typeSpec = "T,I->T";
  let inputs = (ins Weir_Tensor:$input, Weir_Tensor:$indices);
  let precision = "Follow";
  let attributes = (ins Weir_Int<"0">:$axis);
  let hasOwnShapes = 1;
  let widens = 0;
  let body = [{
    auto indices = b.value(operands[1]);
    auto flat = b.reshape(indices, {indices.getType().getNumElements()});
    auto y = b.make<TakeOp>({operands[0], flat},
                            b.number("axis", getAxis()));
    return {b.reshapeLike(y, getOperation()->getResult(0))};
  }];
}

def GatherNdOp : Weir_Op<"gather_nd", "[x],...->[x]"> {
  let summary = "parts of a tensor at places of several indices each";
  let description = [{
    ONNX's GatherND: the last dim of `indices` holds an index for each dim of
    the input behind the `batch_dims` leading ones, which both share. An index
    outside is an error.
  }];
  let typeSpec = "T,I->T";
  let inputs = (ins Weir_Tensor:$input, Weir_Tensor:$indices);
  let precision = "Follow";
  let attributes = (ins
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">
          :$batch_dims);
  let hasOwnShapes = 1;
  let widens = 0;
  let body = [{
    return {gatherPlaces(b, operands[0], operands[1],
                         getOperation()->getResult(0), getBatchDims())};
  }];
}

def ResampleOp : Weir_Op<"resample", "[x{b}axis],jk,jk->[x(j)axis]"> {
  let summary = "weighted sums of elements along an axis";
  let description = [{
    Result element j along `axis` is the sum over k of `weights[j, k]` times the
    input's element `indices[j, k]`: interpolation with any number of taps, one
    axis at a time. An index outside is an error.
  }];
  let typeSpec = "F,I,G->F";
  let inputs = (ins Weir_Tensor:$input, Weir_Tensor:$indices,
      Weir_Tensor:$weights);
  let precision = "Follow";
  let attributes = (ins Weir_Int<"0">:$axis);
  let expression = "a * c";
  let combiner = "Sum";
  let layout = "Follow";
}

def TakeOp : Weir_Op<"take", "[x{b}axis],j->[x(j)axis]"> {
  let summary = "elements that a list of indices picks along an axis";
  let description = [{
    An index outside is an error.
  }];
  let typeSpec = "T,I->T";
  let inputs = (ins Weir_Tensor:$input, Weir_Tensor:$indices);
  let precision = "Follow";
  let attributes = (ins Weir_Int<"0">:$axis);
  let expression = "a";
  let layout = "Follow";
}

def TakeAlongAxisOp : Weir_Op<"take_along_axis", "[x{b}axis],[x]->[x]"> {
  let summary = "for each index the input's element at it along an axis";
  let description = [{
    numpy's take_along_axis: input and indices have the same dims but for
    `axis`. An index outside is an error.
  }];
  let typeSpec = "T,I->T";
  let inputs = (ins Weir_Tensor:$input, Weir_Tensor:$indices);
  let precision = "Follow";
  let attributes = (ins Weir_Int<"0">:$axis);
  let expression = "a";
}

//===----------------------------------------------------------------------===//
// Scattering
//===----------------------------------------------------------------------===//

def ScatterElementsOp : Weir_Op<"scatter_elements", "[x],[x],[x]->[x]"> {
  let summary = "a tensor with some elements along an axis replaced";
  let description = [{
    ONNX's ScatterElements: `updates` take the places in `indices` along `axis`;
    both may be smaller than the input in any dim. Of several for one place the
    last stays; an index outside is an error.
  }];
  let typeSpec = "T,I,T->T";
  let inputs = (ins Weir_Tensor:$input, Weir_Tensor:$indices,
      Weir_Tensor:$updates);
  let precision = "Follow";
  let attributes = (ins Weir_Int<"0">:$axis);
  let hasOwnShapes = 1;
  let widens = 0;
  let body = [{
    return {replaceElements(b, operands, getAxis())};
  }];
}

def ScatterNdOp : Weir_Op<"scatter_nd", "[x],...,...->[x]"> {
  let summary = "a tensor with parts at places of several indices replaced";
  let description = [{
    ONNX's ScatterND: the last dim of `indices` holds an index for each of the
    input's leading dims. Of several updates for one place the last stays; an
    index outside is an error.
  }];
  let typeSpec = "T,I,T->T";
  let inputs = (ins Weir_Tensor:$input, Weir_Tensor:$indices,
      Weir_Tensor:$updates);
  let precision = "Follow";
  let hasOwnShapes = 1;
  let widens = 0;
  let body = [{
    return {replacePlaces(b, operands)};
  }];
}

//===----------------------------------------------------------------------===//
// By position
//===----------------------------------------------------------------------===//

def CumSumOp : Weir_Op<"cum_sum", "[x]->[x>axis]"> {
  let summary = "sums of all elements up to each along an axis";
  let description = [{
    With `exclusive` without the element itself, with `reverse` from the end.
  }];
  let inputs = (ins Weir_Tensor:$input);
  let attributes = (ins Weir_Int<"0">:$axis, Weir_Bool<"false">:$exclusive,
      Weir_Bool<"false">:$reverse);
  let expression = "a";
  let combiner = "Sum";
}

def TrilOp : Weir_Op<"tril", "...mn->...mn"> {
  let summary = "matrices with zeros above diagonal `k`";
  let inputs = (ins Weir_Tensor:$input);
  let precision = "Follow";
  let attributes = (ins Weir_Int<"0">:$k);
  let expression = "select(index(n) - index(m) <= k, a, 0)";
}

def TriuOp : Weir_Op<"triu", "...mn->...mn"> {
  let summary = "matrices with zeros below diagonal `k`";
  let inputs = (ins Weir_Tensor:$input);
  let precision = "Follow";
  let attributes = (ins Weir_Int<"0">:$k);
  let expression = "select(k <= index(n) - index(m), a, 0)";
}

#endif // WEIR_DIALECT_WEIR_IR_OPS_INDEXING_TD
