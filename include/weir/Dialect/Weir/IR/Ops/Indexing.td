//===- Indexing.td - Ops about positions along an axis -*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Negative axes and indices count from the end. An index out of range is an
// error, at compile time if it is a constant, otherwise in the run. Some ops
// accept any index and define what it means. No index accesses memory outside
// of a tensor.
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
    If there are several, the first, or with `last` the last. NaN counts as the
    extreme, as in numpy.
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
  let summary = "for each position along an axis, its index in the input";
  let description = [{
    Result element p is the largest j along `axis` at which the input is p, or
    -1. It turns a scatter into a gather. An index outside of `size` is ignored.
    There must be at least one index along `axis`.
  }];
  let typeSpec = "I->i64";
  let inputs = (ins Weir_Tensor:$indices);
  let attributes = (ins I64Attr:$size, Weir_Int<"0">:$axis);
  let expression = "select(select(a < 0, a + size, a) == index(p), "
                   "index(x@axis), -1)";
  let combiner = "Maximum";
  let kernels = [CPU<"inverse_index", ["i64", "i32", "i16", "i8", "u8", "u16",
                                      "u32", "u64"]>];
  let hasVerifier = 1;
}

def OneHotOp : Weir_Op<"one_hot", ""> {
  let summary = "whether each position of a new axis is the one in the input";
  let description = [{
    The new dim `axis` of the result has `depth` elements. They are all false if
    the index is out of range.
  }];
  let typeSpec = "I->i1";
  let inputs = (ins Weir_Tensor:$indices);
  let attributes = (ins I64Attr:$depth, Weir_Int<"-1">:$axis);
  let body = [{
    return {markPositions(b, operands[0], getOperation()->getResult(0),
                          getAxis())};
  }];
}

def PositionsOp : Weir_Op<"positions", "[x]->[x]"> {
  let summary = "the position of each element along an axis";
  let description = [{
    The elements themselves do not matter. A constant of positions would be
    stored, however long the axis is.
  }];
  let typeSpec = "T->i64";
  let inputs = (ins Weir_Tensor:$input);
  let attributes = (ins I64Attr:$axis);
  let expression = "index(x@axis)";
  let isInternal = 1;
  let hasVerifier = 1;
}

def TopKOp : Weir_Op<"top_k", ""> {
  let summary = "positions of the k largest elements along an axis";
  let description = [{
    The largest comes first. Of equal elements the first comes first. NaN counts
    as the largest. With `largest` false, the smallest are found, the smallest
    first. `take_along_axis` gives the elements. Without the kernel, the work
    grows with the square of the axis.
  }];
  let typeSpec = "T->i64";
  let inputs = (ins Weir_Tensor:$input);
  let attributes = (ins I64Attr:$k, Weir_Int<"-1">:$axis,
      Weir_Bool<"true">:$largest);
  let kernels = [CPU<"top_k", ["f32", "f64", "f16", "bf16", "i1", "i8", "u8",
                               "i16", "u16", "i32", "u32", "i64", "u64"]>];
  let body = [{
    return {findTop(b, b.value(operands[0]), getOperation()->getResult(0),
                    getAxis(), getLargest())};
  }];
}

//===----------------------------------------------------------------------===//
// Gathering
//===----------------------------------------------------------------------===//

def GatherOp : Weir_Op<"gather", "", [
    DeclareOpInterfaceMethods<WeirOpInterface, ["getIndexOperands"]>]> {
  let summary = "parts of a tensor selected by indices along an axis";
  let description = [{
    ONNX's Gather: the dims of `indices` replace dim `axis` of the input. An
    index out of range is an error.
  }];
  let typeSpec = "T,I->T";
  let inputs = (ins Weir_Tensor:$input, Weir_Tensor:$indices);
  let precision = "Follow";
  let attributes = (ins Weir_Int<"0">:$axis);
  let widens = 0;
  let body = [{
    auto indices = b.value(operands[1]);
    auto flat = b.reshape(indices, {indices.getType().getNumElements()});
    auto y = b.make<TakeOp>({operands[0], flat},
                            b.number("axis", getAxis()));
    return {b.reshapeLike(y, getOperation()->getResult(0))};
  }];
}

def GatherNdOp : Weir_Op<"gather_nd", "", [
    DeclareOpInterfaceMethods<WeirOpInterface, ["getIndexOperands"]>]> {
  let summary = "parts of a tensor, each selected by several indices";
  let description = [{
    ONNX's GatherND: the input and `indices` share the `batch_dims` leading
    dims. The last dim of `indices` has an index for each of the following dims
    of the input. An index out of range is an error.
  }];
  let typeSpec = "T,I->T";
  let inputs = (ins Weir_Tensor:$input, Weir_Tensor:$indices);
  let precision = "Follow";
  let attributes = (ins
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">
          :$batch_dims);
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
    input's element `indices[j, k]`. This is interpolation along one axis with
    any number of taps. An index out of range is an error.
  }];
  let typeSpec = "F,I,G->F";
  let inputs = (ins Weir_Tensor:$input, Weir_Tensor:$indices,
      Weir_Tensor:$weights);
  let precision = "Follow";
  let attributes = (ins Weir_Int<"0">:$axis);
  let expression = "a * c";
  let combiner = "Sum";
  let layout = "Follow";
  let gradient = [{
    return {scatterTaps(b, operands, grads[0], getAxis()), {},
            weighTaps(b, operands, grads[0], getAxis())};
  }];
}

def TakeOp : Weir_Op<"take", "[x{b}axis],j->[x(j)axis]"> {
  let otherNames = ["embedding", "index_select"];
  let summary = "elements selected by a list of indices along an axis";
  let description = [{
    An index out of range is an error.
  }];
  let typeSpec = "T,I->T";
  let inputs = (ins Weir_Tensor:$input, Weir_Tensor:$indices);
  let precision = "Follow";
  let attributes = (ins Weir_Int<"0">:$axis);
  let expression = "a";
  let layout = "Follow";
  let gradient = [{
    return {scatterRows(b, operands[0], operands[1], grads[0], getAxis()), {}};
  }];
}

def TakeAlongAxisOp : Weir_Op<"take_along_axis", "[x{b}axis],[x]->[x]"> {
  let otherNames = ["gather_elements"];
  let summary = "for each index, the element at it along an axis";
  let description = [{
    numpy's take_along_axis: input and indices have the same dims except for
    `axis`. An index out of range is an error.
  }];
  let typeSpec = "T,I->T";
  let inputs = (ins Weir_Tensor:$input, Weir_Tensor:$indices);
  let precision = "Follow";
  let attributes = (ins Weir_Int<"0">:$axis);
  let expression = "a";
  let gradient = [{
    return {scatterElements(b, operands[0], operands[1], grads[0], getAxis()),
            {}};
  }];
}

//===----------------------------------------------------------------------===//
// Scattering
//===----------------------------------------------------------------------===//

/// Updates are combined, in their order, with the rows that `indices` name. The
/// iteration space of the spec has a point for every pair of an update and a
/// row. The kernel visits only the row of each update.
class Weir_ScatterRows<string mnemonic, string combiner_, string init,
                       string met, string kept>
    : Weir_Op<mnemonic, "vjw,j," # init # "vpw->vpw"> {
  let description = [{
    `updates` are v x j x w, the input is v x p x w. Update j meets row p where
    `indices[j]` is p. An index outside of 0 to p - 1 is ignored. The order of
    the updates counts, whatever the number of threads. Small floats are
    combined as f32 and rounded once. Without updates, `scatter_sum` and
    `scatter_prod` give the input; `scatter_max` and `scatter_min` expect at
    least one.
  }];
  let typeSpec = "T,I,T->T";
  let inputs = (ins Weir_Tensor:$updates, Weir_Tensor:$indices,
      Weir_Tensor:$input);
  let expression = "select(b == index(p), " # met # ", " # kept # ")";
  let combiner = combiner_;
  let kernels = [CPU<"scatter", ["f32", "f64", "f16", "bf16", "i8", "u8", "i16",
                                 "u16", "i32", "u32", "i64", "u64"],
                     ["algorithm=" # mnemonic]>];
}

def ScatterElementsOp : Weir_Op<"scatter_elements", "", [
    DeclareOpInterfaceMethods<WeirOpInterface, ["getIndexOperands"]>]> {
  let summary = "a tensor with some elements along an axis replaced";
  let description = [{
    ONNX's ScatterElements: `updates` replace the elements at `indices` along
    `axis`. Both may be smaller than the input in any dim. If several updates
    have one position, the last one remains. With `reduction` "sum", "product",
    "maximum" or "minimum", updates are combined with what is there instead. An
    index out of range is an error.
  }];
  let typeSpec = "T,I,T->T";
  let inputs = (ins Weir_Tensor:$input, Weir_Tensor:$indices,
      Weir_Tensor:$updates);
  let precision = "Follow";
  let attributes = (ins Weir_Int<"0">:$axis,
      DefaultValuedStrAttr<StrAttr, "none">:$reduction);
  let widens = 0;
  let body = [{
    if (getReduction() != "none")
      return {combineElements(b, operands, getAxis(), getReduction())};
    return {replaceElements(b, operands, getAxis())};
  }];
}

def ScatterMaxOp
    : Weir_ScatterRows<"scatter_max", "Maximum", "", "max(a, c)", "c"> {
  let summary = "maxima of rows and the updates at their indices";
  let hasVerifier = 1;
}

def ScatterMinOp
    : Weir_ScatterRows<"scatter_min", "Minimum", "", "min(a, c)", "c"> {
  let summary = "minima of rows and the updates at their indices";
  let hasVerifier = 1;
}

def ScatterNdOp : Weir_Op<"scatter_nd", "", [
    DeclareOpInterfaceMethods<WeirOpInterface, ["getIndexOperands"]>]> {
  let summary = "a tensor with parts, selected by several indices, replaced";
  let description = [{
    ONNX's ScatterND: the last dim of `indices` has an index for each of the
    input's leading dims. If several updates have one position, the last one
    remains. `reduction` is that of `scatter_elements`. An index out of range is
    an error.
  }];
  let typeSpec = "T,I,T->T";
  let inputs = (ins Weir_Tensor:$input, Weir_Tensor:$indices,
      Weir_Tensor:$updates);
  let precision = "Follow";
  let attributes = (ins DefaultValuedStrAttr<StrAttr, "none">:$reduction);
  let widens = 0;
  let body = [{
    if (getReduction() != "none")
      return {combinePlaces(b, operands, getReduction())};
    return {replacePlaces(b, operands)};
  }];
}

def ScatterProdOp : Weir_ScatterRows<"scatter_prod", "Product", "+", "a", "1"> {
  let summary = "rows multiplied by the updates at their indices";
}

def ScatterSumOp : Weir_ScatterRows<"scatter_sum", "Sum", "+", "a", "0"> {
  let summary = "rows plus the updates at their indices";
  let gradient = [{
    return {takeRows(b, grads[0], operands[1]), {}, grads[0]};
  }];
}

//===----------------------------------------------------------------------===//
// Ops on positions
//===----------------------------------------------------------------------===//

def CumSumOp : Weir_Op<"cum_sum", "[x]->[x>axis]"> {
  let otherNames = ["cumsum"];
  let summary = "sums of all elements up to each position along an axis";
  let description = [{
    With `exclusive`, the element itself is left out. With `reverse`, the sums
    begin at the end.
  }];
  let inputs = (ins Weir_Tensor:$input);
  let attributes = (ins Weir_Int<"0">:$axis, Weir_Bool<"false">:$exclusive,
      Weir_Bool<"false">:$reverse);
  let expression = "a";
  let combiner = "Sum";
  let gradient = [{
    return {b.make<CumSumOp>({grads[0]},
                             {b.number("axis", getAxis()),
                              b.truth("exclusive", getExclusive()),
                              b.truth("reverse", !getReverse())})};
  }];
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
