//===- WeirInterfaces.td - What passes may ask any op -*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_WEIRINTERFACES_TD
#define WEIR_DIALECT_WEIR_IR_WEIRINTERFACES_TD

include "mlir/IR/OpBase.td"

def WeirOpInterface : OpInterface<"WeirOpInterface"> {
  let cppNamespace = "::weir";
  let description = [{
    All that passes know of a computing op. The defaults follow from the op's
    record; a family file overrides what its index spec cannot say.
  }];
  let methods = [
    InterfaceMethod<"The op's record.", "const ::weir::OpRecord &",
        "getOpRecord", (ins)>,
    InterfaceMethod<[{
        Builds the op's meaning out of simpler weir ops in front of `builder`'s
        insertion point and returns the values that replace its results. Only
        for ops whose record has a body and whose shapes are static.
      }], "::llvm::SmallVector<::mlir::Value>", "expandBody",
      (ins "::mlir::OpBuilder &":$builder)>,
    InterfaceMethod<[{
        The result as views of the operands, one copy per operand (concat) or
        per result (split); empty for an op that computes.
      }], "::llvm::SmallVector<::weir::ElementCopy>", "getCopies", (ins), [{}],
      [{ return {}; }]>,
    InterfaceMethod<[{
        Whether the result holds the bytes of operand 0 unchanged, under
        another shape, when that operand is row-major.
      }], "bool", "isReinterpretation", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<"Where the op was asked to run; null if anywhere.",
        "::mlir::StringAttr", "getDeviceAttr", (ins)>,
    InterfaceMethod<"The pipeline stage the op was given; null if none.",
        "::mlir::IntegerAttr", "getStageAttr", (ins)>,
    InterfaceMethod<"Asks for the op to run on `device`.", "void",
        "setDeviceAttr", (ins "::mlir::StringAttr":$device)>,
  ];
}

#endif // WEIR_DIALECT_WEIR_IR_WEIRINTERFACES_TD
