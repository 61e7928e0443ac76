//===- Random.td - Random numbers -*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Each element is a function of `seed`, `step`, `stream` and its place in the
// row-major tensor (weir/Support/Philox.h). So the numbers are the same on
// every device, with any number of threads, and again in the backward part.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_OPS_RANDOM_TD
#define WEIR_DIALECT_WEIR_IR_OPS_RANDOM_TD

include "weir/Dialect/Weir/IR/WeirBase.td"

/// `step` is a scalar that differs from run to run, such as the number of the
/// training step. `stream` distinguishes draws. Without one, the compiler
/// derives a number from the op's name.
class Weir_Random<string mnemonic, string indexSpec>
    : Weir_Op<mnemonic, indexSpec, [
          DeclareOpInterfaceMethods<RandomOpInterface>]> {
  let hasVerifier = 1;
}

def DropoutOp : Weir_Random<"dropout", "...,->..."> {
  let summary = "the input with random elements replaced by 0";
  let description = [{
    Each element is 0 with the probability `ratio`, else it is divided by
    1 - `ratio`. An element is kept if the number that `random_uniform` draws at
    its place is at least `ratio`. The gradient draws the same numbers again.

    `step` is the number of the training step, so that each step drops other
    elements. Equal `seed`, `step` and `stream` drop the same ones. Without a
    `stream`, the op gets one that follows from its name.
  }];
  let typeSpec = "F,I->F";
  let inputs = (ins Weir_Tensor:$input, Weir_Tensor:$step);
  let precision = "Follow";
  let layout = "Follow";
  let attributes = (ins Weir_Float<"0.5">:$ratio, Weir_Int<"0">:$seed,
      Weir_Int<"-1">:$stream);
  let body = [{
    return {dropElements(b, *this, operands[0], operands[1])};
  }];
}

def RandomNormalOp : Weir_Random<"random_normal", "->...|...=shape"> {
  let otherNames = ["randn"];
  let summary = "random numbers of a normal distribution";
  let description = [{
    Two uniform numbers of 24 bits make one number (Box and Muller, 1958), which
    lies within 5.8 `scale` of `mean`. `seed`, `step` and `stream` are those of
    `dropout`.
  }];
  let typeSpec = "I->@type";
  let inputs = (ins Weir_Tensor:$step);
  let attributes = (ins I64ArrayAttr:$shape, TypeAttr:$type,
      Weir_Float<"0.0">:$mean, Weir_Float<"1.0">:$scale, Weir_Int<"0">:$seed,
      Weir_Int<"-1">:$stream);
  let body = [{
    return {drawNormal(b, *this, operands[0])};
  }];
}

def RandomUniformOp : Weir_Random<"random_uniform", "->...|...=shape"> {
  let otherNames = ["rand"];
  let summary = "random numbers, uniform from `low` to `high`";
  let description = [{
    `low` + u * (`high` - `low`). Here u is one of the 2^24 multiples of 2^-24
    in [0, 1), the same for every element type that holds it. Rounding may make
    the result `high`. `seed`, `step` and `stream` are those of `dropout`.
  }];
  let typeSpec = "I->@type";
  let inputs = (ins Weir_Tensor:$step);
  let attributes = (ins I64ArrayAttr:$shape, TypeAttr:$type,
      Weir_Float<"0.0">:$low, Weir_Float<"1.0">:$high, Weir_Int<"0">:$seed,
      Weir_Int<"-1">:$stream);
  let body = [{
    return {drawUniform(b, *this, operands[0])};
  }];
}

#endif // WEIR_DIALECT_WEIR_IR_OPS_RANDOM_TD
