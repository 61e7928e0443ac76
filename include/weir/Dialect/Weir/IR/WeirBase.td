//===- WeirBase.td - The base class of computing ops -*- tablegen -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_WEIRBASE_TD
#define WEIR_DIALECT_WEIR_IR_WEIRBASE_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "weir/Dialect/Weir/IR/WeirDialect.td"
include "weir/Dialect/Weir/IR/WeirInterfaces.td"

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

def Weir_Tensor : RankedTensorOf<[F32, F16, BF16, F64, I8, UI8, I16, UI16,
                                  I32, UI32, I64, UI64, I1]>;

def Weir_Ints : DefaultValuedAttr<I64ArrayAttr, "{}">;
def Weir_NotNegative : AttrConstraint<CPred<[{
    ::llvm::all_of(
        ::llvm::cast<::mlir::ArrayAttr>($_self)
            .getAsRange<::mlir::IntegerAttr>(),
        [](::mlir::IntegerAttr number) { return number.getInt() >= 0; })
  }]>, "of numbers from 0 on">;
def Weir_NotZero : AttrConstraint<CPred<[{
    ::llvm::all_of(
        ::llvm::cast<::mlir::ArrayAttr>($_self)
            .getAsRange<::mlir::IntegerAttr>(),
        [](::mlir::IntegerAttr number) { return number.getInt() != 0; })
  }]>, "of numbers other than 0">;
/// Steps between elements; a negative step goes backwards.
def Weir_Steps
    : DefaultValuedAttr<ConfinedAttr<I64ArrayAttr, [Weir_NotZero]>, "{}">;
/// Padding around the tensor that a window slides over.
def Weir_Pads
    : DefaultValuedAttr<ConfinedAttr<I64ArrayAttr, [Weir_NotNegative]>, "{}">;
class Weir_Int<string value> : DefaultValuedAttr<I64Attr, value>;
class Weir_Float<string value> : DefaultValuedAttr<F64Attr, value>;
class Weir_Bool<string value> : DefaultValuedAttr<BoolAttr, value>;

//===----------------------------------------------------------------------===//
// Kernel rows
//===----------------------------------------------------------------------===//

/// A library kernel that serves an op on one device kind for the listed element
/// types (of operand 0). `params` are "name=value" texts that the kernel gets
/// in addition to the op's attributes. A value that is neither a number nor an
/// algorithm names an attribute of the op. With `postOps`, the kernel supports
/// epilogues.
class KernelRow<string device_, string kernel_, list<string> types_,
                list<string> params_, bit postOps_> {
  string device = device_;
  string kernel = kernel_;
  list<string> types = types_;
  list<string> params = params_;
  bit postOps = postOps_;
}
class CPU<string kernel, list<string> types, list<string> params = [],
          bit postOps = 0> : KernelRow<"cpu", kernel, types, params, postOps>;
/// A row whose kernel takes post-ops.
class FusingCPU<string kernel, list<string> types, list<string> params = []>
    : CPU<kernel, types, params, 1>;
/// The row of ops that only move or convert elements.
class CPUReorder : CPU<"reorder", ["f32", "bf16"]>;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The base of every computing op. The record has all that Weir knows about the
/// op.
///
///   indexSpec   which elements it reads and writes (weir/Support/IndexSpec.h).
///               The spec of a composite gives the shapes alone: its body says
///               what it reads. Empty if no spec describes the op: the family's
///               file then defines `inferShapes`
///   typeSpec    element types: one entry per operand and one per result. An
///               upper-case letter is the same type wherever it occurs (F, G: a
///               float, I: an integer, L: an integer or i1, others: any). A
///               lower-case name is that type, `@attr` the type in an
///               attribute. `F+` is F, or f32 if F has 16 bits. The last entry
///               applies to all operands or results behind it. With `shapes`,
///               the entries of results only say which of them have 16 bits
///               under --precision=bf16: those of operand 0's letter
///   expression  leaf: the scalar at each point (weir/Support/ScalarExpr.h)
///   combiner    leaf: how points that share a result element are combined
///   fill        leaf: the attribute with the value of elements that no point
///               reaches
///   body        composite: C++ code that builds the op from `operands` with
///               `b`, a weir::BodyBuilder, and returns its results. Operands of
///               f16 and bf16 are widened to f32, unless the op only moves
///               elements and `widens` is 0
///   gradient    C++ code that builds the gradients of the operands with `b`,
///               and returns a list of them, with null for an operand without
///               one. It has `operands` and `results`, and `grads`, the
///               gradients of the results; all are widened as for `body`.
///               It may put an op in the place of this one that also computes
///               what the gradient needs (`max_pool`). Without it, gradients
///               follow from the expression or the body
///   shapes      C++ code that returns the types of several results, for
///               operands of the types `operands` and the attributes `attrs`.
///               The index spec has the first result alone
///   layout      RowMajor: operands and results are row-major. Follow: the
///               result and operands of its shape have operand 0's layout.
///               ChannelsLast: channels-last is best for operand 0 and the
///               result. Free: operands have any layout, and the result is
///               row-major
///   precision   under --precision=bf16 (docs/precision.md). Narrow: bf16,
///               which is faster. Follow: bf16 if its neighbours are in bf16.
///               Sensitive: as Follow, but best with an operand that was not
///               rounded. Wide: f32
class Weir_Op<string mnemonic, string indexSpec_, list<Trait> traits = []>
    : Op<Weir_Dialect, mnemonic, !listconcat(traits, [
          Pure,
          DeclareOpInterfaceMethods<WeirOpInterface,
                                    ["buildGradient", "expandBody"]>,
          DeclareOpInterfaceMethods<InferTypeOpInterface>])> {
  string indexSpec = indexSpec_;
  string typeSpec = "T->T";
  string expression = "";
  string combiner = "None";
  string fill = "";
  string layout = "RowMajor";
  string precision = "Wide";
  list<KernelRow> kernels = [];
  code body = "";
  code gradient = "";
  code shapes = "";
  bit widens = 1;
  // Whether only passes and bodies build the op, and no front end does.
  bit isInternal = 0;
  // Whether the op only changes the layout.
  bit isRelayout = 0;
  // The op that must probably not be applied to its own result: this op, or an
  // op that this one applies to operand 0 first. If operand 0 is already the
  // result of that op, a warning says so.
  string applies = "";
  // The names of the op in other systems. An error about such a name names this
  // op.
  list<string> otherNames = [];
  bit hasOwnShapes = !or(!empty(indexSpec_), !not(!empty(shapes)));
  // The function that infers the types of results. The index spec alone does so
  // if it is null.
  string inference = !if(hasOwnShapes, "inferShapes", "nullptr");
  // Whether the family file defines `getOpRecord`, because the op's attributes
  // are a part of its record.
  bit hasOwnRecord = 0;

  dag inputs = (ins);
  dag attributes = (ins);
  let arguments = !con(inputs, attributes,
      (ins OptionalAttr<StrAttr>:$device,
           OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$stage));
  let results = (outs Weir_Tensor:$result);
  let hasCustomAssemblyFormat = 1;

  code ownShapesDeclaration = !if(hasOwnShapes, [{
    /// The result types, or an error for the user.
    static ::weir::StatusOr<::llvm::SmallVector<::mlir::Type>>
    inferShapes(::mlir::TypeRange operands, const ::weir::AttrMap &attrs);
  }], "");
  code moreDeclarations = "";
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                        ::mlir::TypeRange actual);
  }] # ownShapesDeclaration # moreDeclarations;

  let extraClassDefinition = [{
    const ::weir::OpRecord &$cppClass::getRecord() {
      static const ::weir::OpRecord record({
          "}] # mnemonic # [{",
          "}] # indexSpec # [{",
          "}] # typeSpec # [{",
          "}] # expression # [{",
          ::weir::Combiner::}] # combiner # [{,
          "}] # fill # [{",
          ::weir::LayoutRole::}] # layout # [{,
          ::weir::PrecisionRole::}] # precision # [{,
          {}] # !interleave(!foreach(row, kernels,
              "{\"" # row.device # "\", \"" # row.kernel # "\", {"
              # !interleave(!foreach(type, row.types, "\"" # type # "\""), ", ")
              # "}, {"
              # !interleave(!foreach(param, row.params, "\"" # param # "\""),
                            ", ")
              # "}, " # !if(row.postOps, "true", "false") # "}"), ", ") # [{},
          }] # !if(!empty(body), "false", "true") # [{,
          }] # !if(isRelayout, "true", "false") # [{,
          "}] # applies # [{",
          {}] # !interleave(!foreach(i, !range(!size(inputs)),
              "\"" # !getdagname(inputs, i) # "\""), ", ") # [{},
          {}] # !interleave(!foreach(name, otherNames, "\"" # name # "\""),
                            ", ") # [{}});
      return record;
    }
    }] # !if(hasOwnRecord, "", [{
    const ::weir::OpRecord &$cppClass::getOpRecord() { return getRecord(); }
    }]) # [{
    }] # !if(!empty(shapes), "", [{
    ::weir::StatusOr<::llvm::SmallVector<::mlir::Type>>
    $cppClass::inferShapes(::mlir::TypeRange operands,
                           const ::weir::AttrMap &attrs) {
      }] # shapes # [{
    }
    }]) # [{
    ::llvm::SmallVector<::mlir::Value>
    $cppClass::expandBody(::mlir::OpBuilder &builder) {
      }] # !if(!empty(body), [{
      llvm_unreachable("only a composite has a body");
      }], [{
      ::weir::BodyBuilder b(builder, getOperation());
      ::llvm::SmallVector<::mlir::Value> operands = }] # !if(widens,
          "b.widenedOperands()",
          "::llvm::to_vector(getOperation()->getOperands())") # [{;
      auto build = [&]() -> ::llvm::SmallVector<::mlir::Value> {
      }] # body # [{
      };
      return b.narrowed(build());
      }]) # [{
    }
    ::std::optional<::llvm::SmallVector<::mlir::Value>>
    $cppClass::buildGradient(::mlir::OpBuilder &builder,
                             ::mlir::ValueRange resultGradients) {
      }] # !if(!empty(gradient), [{
      (void)builder, (void)resultGradients;
      return ::std::nullopt;
      }], [{
      ::weir::BodyBuilder b(builder, getOperation());
      ::llvm::SmallVector<::mlir::Value> operands = b.widenedOperands();
      ::llvm::SmallVector<::mlir::Value> results =
          b.widened(getOperation()->getResults());
      ::llvm::SmallVector<::weir::BodyValue> grads =
          b.values(b.widened(resultGradients));
      (void)operands, (void)results, (void)grads;
      auto build = [&]() -> ::llvm::SmallVector<::mlir::Value> {
      }] # gradient # [{
      };
      return b.asOperands(build());
      }]) # [{
    }
    ::mlir::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context,
        ::std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      ::mlir::Attribute inherent = attributes;
      if (properties)
        inherent = getPropertiesAsAttr(context, *properties.as<Properties *>());
      return ::weir::opdetail::inferResultTypes(
          getRecord(), location, operands.getTypes(),
          ::llvm::dyn_cast_or_null<::mlir::DictionaryAttr>(inherent),
          }] # inference # [{, types);
    }
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                            ::mlir::TypeRange actual) {
      return ::weir::opdetail::areEqualUpToLayout(inferred, actual);
    }
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser,
                                         ::mlir::OperationState &result) {
      Properties defaults;
      populateDefaultProperties(result.name, defaults);
      return ::weir::opdetail::parseOp(
          parser, result,
          ::llvm::cast_or_null<::mlir::DictionaryAttr>(
              getPropertiesAsAttr(parser.getContext(), defaults)));
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) {
      Properties defaults;
      populateDefaultProperties(getOperation()->getName(), defaults);
      ::weir::opdetail::printOp(
          printer, getOperation(),
          ::llvm::cast_or_null<::mlir::DictionaryAttr>(
              getPropertiesAsAttr(getContext(), defaults)));
    }
  }];
}

/// Computes every element of the result from the operands' elements at the same
/// position, with numpy broadcasting.
class Weir_Pointwise<string mnemonic, int numOperands, string expression_,
                     list<Trait> traits = []>
    : Weir_Op<mnemonic,
              !interleave(!listsplat("...", numOperands), ",") # "->...",
              traits> {
  let expression = expression_;
  let layout = "Follow";
}

/// An op for state or structure. It has neither a kernel nor an index spec.
class Weir_PlainOp<string mnemonic, list<Trait> traits = []>
    : Op<Weir_Dialect, mnemonic, traits>;

#endif // WEIR_DIALECT_WEIR_IR_WEIRBASE_TD
