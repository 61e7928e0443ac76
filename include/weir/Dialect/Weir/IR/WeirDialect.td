//===- WeirDialect.td - The weir dialect and its attributes ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_WEIRDIALECT_TD
#define WEIR_DIALECT_WEIR_IR_WEIRDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/TensorEncoding.td"

def Weir_Dialect : Dialect {
  let name = "weir";
  let cppNamespace = "::weir";
  let summary = "Dataflow graphs of tensor operations, and where they run";
  let description = [{
    A graph is a `func.func` over ranked tensors; SSA is the dependency graph.
    Each op is one record. Its index spec says which elements it reads and
    writes. Its scalar expression or its body says what it computes. Its kernel
    rows say which library kernels serve it on which device kind.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    /// The record of a `leaf` with these attributes, an index spec, an
    /// expression and a combiner that are valid together.
    const ::weir::OpRecord &getLeafRecord(::mlir::StringAttr spec,
                                          ::mlir::StringAttr expression,
                                          ::mlir::StringAttr combiner);

  private:
    ::std::mutex leafMutex;
    ::llvm::DenseMap<::mlir::Attribute, ::std::unique_ptr<::weir::OpRecord>>
        leafRecords;
    void registerAttributes();
    void registerContractionOps();
    void registerConvolutionOps();
    void registerDeviceOps();
    void registerElementwiseOps();
    void registerGradientOps();
    void registerIndexingOps();
    void registerLossOps();
    void registerNormalizationOps();
    void registerOptimizerOps();
    void registerPoolingOps();
    void registerRandomOps();
    void registerReductionOps();
    void registerShapeOps();
    void registerStateOps();
    void registerStructureOps();
  }];
}

class Weir_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Weir_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Weir_LayoutAttr : Weir_Attr<"Layout", "layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "the order of a tensor's dims in memory";
  let description = [{
    The tensor's encoding. It lists the logical dims from the outermost to the
    innermost in memory: `#weir.layout<[0, 2, 3, 1]>` is NHWC. A tensor without
    encoding is row-major. Layouts never change shapes, axes or values.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$order);
  let assemblyFormat = "`<` `[` $order `]` `>`";
}

def Weir_PostOpAttr : Weir_Attr<"PostOp", "post_op"> {
  let summary = "an operation that is fused into a kernel";
  let description = [{
    The kernel applies it to its first result. `operand` is the position of the
    kernel operand that a binary operation reads, or -1.
  }];
  let parameters = (ins StringRefParameter<>:$algorithm,
      "::mlir::FloatAttr":$alpha, "::mlir::FloatAttr":$beta,
      "int64_t":$operand);
  let assemblyFormat = "`<` struct($algorithm, $alpha, $beta, $operand) `>`";
}

def Weir_ElementCopyAttr : Weir_Attr<"ElementCopy", "element_copy"> {
  let summary = "a strided copy of a part of an operand to a part of a result";
  let description = [{
    One part of a launch that only copies. Offsets and strides are in elements.
  }];
  let parameters = (ins "int64_t":$operand, "int64_t":$result,
      "::mlir::DenseI64ArrayAttr":$dims, "int64_t":$from_offset,
      "::mlir::DenseI64ArrayAttr":$from_strides, "int64_t":$to_offset,
      "::mlir::DenseI64ArrayAttr":$to_strides);
  let assemblyFormat = [{
    `<` struct($operand, $result, $dims, $from_offset, $from_strides,
               $to_offset, $to_strides) `>`
  }];
}

def Weir_UniformAttr : Weir_Attr<"Uniform", "uniform"> {
  let summary = "random elements of a parameter, uniform between two bounds";
  let description = [{
    They follow from the seed alone (weir/Support/RandomFill.h).
  }];
  let parameters = (ins "uint64_t":$seed, "::mlir::FloatAttr":$low,
      "::mlir::FloatAttr":$high);
  let assemblyFormat = "`<` struct($seed, $low, $high) `>`";
}

#endif // WEIR_DIALECT_WEIR_IR_WEIRDIALECT_TD
