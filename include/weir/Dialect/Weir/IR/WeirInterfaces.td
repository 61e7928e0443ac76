//===- WeirInterfaces.td - The interface of computing ops -*- tablegen -*-===//
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
    All that passes know about a computing op. The defaults follow from the op's
    record. The family's file overrides methods that the index spec cannot
    express.
  }];
  let methods = [
    InterfaceMethod<"The op's record.", "const ::weir::OpRecord &",
        "getOpRecord", (ins)>,
    StaticInterfaceMethod<[{
        The record of all ops of the class. That of a `leaf` lacks what its
        attributes say.
      }], "const ::weir::OpRecord &", "getRecord", (ins)>,
    InterfaceMethod<[{
        Builds the op's body from simpler weir ops at `builder`'s insertion
        point, and returns the values that replace the op's results. Only for
        ops whose record has a body and whose shapes are static.
      }], "::llvm::SmallVector<::mlir::Value>", "expandBody",
      (ins "::mlir::OpBuilder &":$builder)>,
    InterfaceMethod<[{
        Builds the gradients of the operands at `builder`'s insertion point,
        from those of the results. Null is an operand without gradient. Nothing
        is returned if they follow from the expression or the body.
      }], "::std::optional<::llvm::SmallVector<::mlir::Value>>",
      "buildGradient",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$gradients),
      [{}], [{ return ::std::nullopt; }]>,
    InterfaceMethod<[{
        The strided copies of which the op consists: one per operand (concat) or
        per result (split). Empty for all other ops.
      }], "::llvm::SmallVector<::weir::ElementCopy>", "getCopies", (ins), [{}],
      [{ return {}; }]>,
    InterfaceMethod<[{
        The operands that hold indices, of which each must be in its dim. Shapes
        must be static. Ops that accept any value, such as one_hot, have none.
      }], "::llvm::SmallVector<::weir::IndexOperand>", "getIndexOperands",
      (ins), [{}],
      [{ return ::weir::opdetail::getIndicesOfSpec($_op.getOperation()); }]>,
    InterfaceMethod<[{
        Where each operand lies in the result, in elements, if the result has
        the bytes of its operands and zeros between them. The operands can then
        be computed in their places, and the op takes no time. Empty for all
        other ops.
      }], "::llvm::SmallVector<int64_t>", "getPlaces", (ins), [{}],
      [{ return {}; }]>,
    InterfaceMethod<[{
        Whether the result has the bytes of operand 0 in the same order, under
        another shape, if that operand is row-major.
      }], "bool", "isReinterpretation", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
        What of the op is hardly meant, although it can be computed: a warning
        for the user, which follows the op's name. Empty for most ops. Shapes
        must be static.
      }], "::std::string", "getDoubt", (ins), [{}],
      [{ return ::weir::opdetail::describeRepeated($_op.getOperation()); }]>,
    InterfaceMethod<"The op's device annotation, or null.",
        "::mlir::StringAttr", "getDeviceAttr", (ins)>,
    InterfaceMethod<"The op's pipeline stage annotation, or null.",
        "::mlir::IntegerAttr", "getStageAttr", (ins)>,
    InterfaceMethod<"Sets the op's device annotation.", "void",
        "setDeviceAttr", (ins "::mlir::StringAttr":$device)>,
  ];
}

def RandomOpInterface : OpInterface<"RandomOpInterface"> {
  let cppNamespace = "::weir";
  let description = [{
    An op that draws random numbers. They follow from its seed, its step, its
    stream and the place of each element. The stream tells the draws of a graph
    apart; a negative one stands for a number that nobody has chosen yet.
  }];
  let methods = [
    InterfaceMethod<"The number of the stream.", "::mlir::IntegerAttr",
        "getStreamAttr", (ins)>,
    InterfaceMethod<"Sets the number of the stream.", "void",
        "setStreamAttr", (ins "::mlir::IntegerAttr":$stream)>,
  ];
}

def UpdateOpInterface : OpInterface<"UpdateOpInterface"> {
  let cppNamespace = "::weir";
  let description = [{
    The update of a parameter by an optimiser. `attrs` are always all numbers of
    the optimiser, also those that have their default.
  }];
  let methods = [
    StaticInterfaceMethod<"The numbers of the optimiser and their defaults.",
        "::mlir::DictionaryAttr", "getDefaults",
        (ins "::mlir::MLIRContext *":$context), [{}], [{
          typename ConcreteOp::Properties defaults;
          ConcreteOp::populateDefaultProperties(
              ::mlir::OperationName(ConcreteOp::getOperationName(), context),
              defaults);
          return ::llvm::cast<::mlir::DictionaryAttr>(
              ConcreteOp::getPropertiesAsAttr(context, defaults));
        }]>,
    StaticInterfaceMethod<[{
        What the optimiser keeps for each parameter, in the order of the
        operands and results.
      }], "::llvm::SmallVector<::weir::UpdateState>", "listState",
      (ins "const ::weir::AttrMap &":$attrs)>,
    StaticInterfaceMethod<[{
        Builds the scalars in front of the state, from the rate and the number
        of updates before this one, which are f64.
      }], "::llvm::SmallVector<::mlir::Value>", "buildScalars",
      (ins "::weir::BodyBuilder &":$builder, "const ::weir::AttrMap &":$attrs,
           "::mlir::Value":$rate, "::mlir::Value":$count), [{}],
      [{ return {rate}; }]>,
  ];
}

#endif // WEIR_DIALECT_WEIR_IR_WEIRINTERFACES_TD
