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

def Weir_DeviceTableAttr : Weir_Attr<"DeviceTable", "devices"> {
  let summary = "the devices of a module, and what is stated about them";
  let description = [{
    Lists the devices that a graph is compiled for, in the order in which
    placement prefers them, and the links between them. Devices have canonical
    names. A dictionary behind a name has what is stated about the device:

    - `isolated`: the device has its own memory. All others share the host's.
    - `threads`: the threads of a device that has a share of the cores; without
      it, an even share.
    - `memory_bytes`: the most bytes that a model may hold on it.
    - `flops`, `bytes_per_second`, `launch_seconds`: its rates, by which times
      are predicted. `flops` is a dictionary by element type.
    - `kernels`, `excluded_kernels`: the only kernels that it has, or those that
      it lacks.
    - `options`: the options of its kind, as texts.
    - `groups`: the number of groups placed on it, for reports.

    A link carries copies in one direction. It has the devices `from` and `to`,
    and may have `bytes_per_second`, `latency_seconds`, and `shared`, the name
    of links that together carry one copy at a time.

    ```
    #weir.devices<["sim:0" {isolated, threads = 2}, "cpu:0"], links = [
        {from = "cpu:0", to = "sim:0", bytes_per_second = 1.0e9},
        {from = "sim:0", to = "cpu:0", bytes_per_second = 2.0e9} ]>
    ```

    docs/topology.md says more, since a topology file states the same.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::NamedAttribute">:$devices,
      ArrayRefParameter<"::mlir::DictionaryAttr">:$links);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The table that states what `topology` does.
    static DeviceTableAttr get(::mlir::MLIRContext *context,
                               const ::weir::Topology &topology);
    /// The topology that states what the table does, but for `groups`.
    ::weir::Topology toTopology() const;

    /// The names of the devices, in order.
    ::mlir::ArrayAttr getNames() const;
    /// Whether the table lists `device`, and calls it isolated.
    bool isIsolated(::llvm::StringRef device) const;
    /// Whether any device is isolated.
    bool hasIsolated() const;

    /// The number of groups on each device; empty if it is not stated.
    ::llvm::SmallVector<int64_t> getGroups() const;
    /// The table with these numbers of groups, one per device. If `groups` is
    /// empty, the table states no numbers.
    DeviceTableAttr withGroups(::llvm::ArrayRef<int64_t> groups) const;

    /// Reads or prints the table without the name of the attribute and the
    /// brackets around it.
    static ::mlir::FailureOr<DeviceTableAttr>
    parseTable(::mlir::AsmParser &parser);
    void printTable(::mlir::AsmPrinter &printer) const;
  }];
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
