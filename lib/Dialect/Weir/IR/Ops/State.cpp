//===- State.cpp - Parameters and constants -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/Buckets.h"
#include "weir/Dialect/Weir/IR/Initializers.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/FillBytes.h"
#include "weir/Support/HostTensor.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace weir;

#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/State.cpp.inc"

void WeirDialect::registerStateOps() {
  addOperations<
#define GET_OP_LIST
#include "weir/Dialect/Weir/IR/Ops/State.cpp.inc"
      >();
}

/// Succeeds if `symbol`, with the name `name`, has type `type`.
static LogicalResult verifyType(Operation *op, FlatSymbolRefAttr name,
                                Operation *symbol, Type type) {
  auto found = symbol->getAttrOfType<TypeAttr>("type").getValue();
  if (found == type)
    return success();
  InFlightDiagnostic error = op->emitOpError("expects type ")
                             << found << " of parameter " << name << ", found "
                             << type;
  error.attachNote(symbol->getLoc()) << "declared here";
  return error;
}

static LogicalResult refuseUndeclared(Operation *op, FlatSymbolRefAttr name,
                                      Type type) {
  return op->emitOpError("names parameter ")
         << name << ", which is not declared; declare it with "
         << llvm::formatv("'weir.parameter @{0} : {1} from "
                          "\"FILE.safetensors\"'",
                          name.getValue(), type)
                .str();
}

LogicalResult AssignOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Type type = getValue().getType();
  Operation *symbol =
      symbols.lookupNearestSymbolFrom(*this, getParameterAttr());
  if (isa_and_nonnull<ParameterOp, BucketOp>(symbol))
    return verifyType(*this, getParameterAttr(), symbol, type);
  if (!isa_and_nonnull<DerivedOp>(symbol))
    return refuseUndeclared(*this, getParameterAttr(), type);
  InFlightDiagnostic error = emitOpError("assigns ")
                             << getParameterAttr()
                             << ", which is derived from other parameters; "
                                "assign one of these";
  error.attachNote(symbol->getLoc()) << "declared here";
  return error;
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *symbol =
      symbols.lookupNearestSymbolFrom(*this, getParameterAttr());
  if (!isa_and_nonnull<ParameterOp, DerivedOp, BucketOp>(symbol))
    return refuseUndeclared(*this, getParameterAttr(), getResult().getType());
  return verifyType(*this, getParameterAttr(), symbol, getResult().getType());
}

//===----------------------------------------------------------------------===//
// Buckets
//===----------------------------------------------------------------------===//

LogicalResult BucketOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (type.getRank() != 1 || !type.hasStaticShape() || type.getEncoding())
    return emitOpError("expects a type of one known dim, found ") << type;
  if (!isa<FloatType>(type.getElementType()))
    return emitOpError("expects elements of a float type, found ") << type;
  if (getParameters().empty())
    return emitOpError("expects at least one parameter");
  llvm::DenseSet<Attribute> seen;
  for (Attribute parameter : getParameters())
    if (!seen.insert(parameter).second)
      return emitOpError("lists parameter ") << parameter << " twice";
  return success();
}

/// Parameters must be declared by `weir.parameter` before the bucket, so no
/// bucket can contain another one.
LogicalResult BucketOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto type = cast<RankedTensorType>(getType());
  SmallVector<Type> types;
  for (auto name : getParameters().getAsRange<FlatSymbolRefAttr>()) {
    auto parameter = dyn_cast_or_null<ParameterOp>(
        symbols.lookupNearestSymbolFrom(*this, name));
    if (!parameter || parameter->getBlock() != (*this)->getBlock() ||
        !parameter->isBeforeInBlock(*this))
      return emitOpError("expects parameters that are declared before it with "
                         "'weir.parameter', found ")
             << name;
    auto part = cast<RankedTensorType>(parameter.getType());
    if (part.getElementType() != type.getElementType() || part.getEncoding()) {
      InFlightDiagnostic error = emitOpError("expects parameters of ")
                                 << type.getElementType() << ", row-major, as "
                                 << name << " is " << part;
      error.attachNote(parameter.getLoc()) << "declared here";
      return error;
    }
    types.push_back(part);
  }
  StatusOr<BucketLayout> layout = layOutBucket(types);
  if (!layout)
    return emitOpError(StringRef(layout.status().message()));
  if (layout->size != type.getDimSize(0))
    return emitOpError("expects type ")
           << RankedTensorType::get(layout->size, type.getElementType())
           << " for these parameters, found " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Derived parameters
//===----------------------------------------------------------------------===//

/// A derived parameter may read only earlier parameters, so there are no
/// cycles.
LogicalResult DerivedOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (auto read : getBlock().getOps<ReadOp>()) {
    Operation *symbol =
        symbols.lookupNearestSymbolFrom(*this, read.getParameterAttr());
    if (isa_and_nonnull<BucketOp>(symbol))
      return read.emitOpError("reads the bucket ")
             << read.getParameterAttr()
             << "; read its parameters by their names";
    bool isBefore = symbol && symbol->getBlock() == (*this)->getBlock() &&
                    symbol->isBeforeInBlock(*this);
    if (symbol && !isBefore)
      return read.emitOpError("expects ")
             << read.getParameterAttr()
             << " to be declared before what is derived from it";
  }
  return success();
}

LogicalResult DerivedOp::verifyRegions() {
  auto type = cast<RankedTensorType>(getType());
  if (!type.hasStaticShape())
    return emitOpError("expects a static shape, found ") << type;
  auto yield =
      getBlock().empty() ? YieldOp() : dyn_cast<YieldOp>(getBlock().back());
  if (!yield || yield.getValues().size() != 1 ||
      yield.getValues().front().getType() != type)
    return emitOpError("expects to end with a 'weir.yield' of one ") << type;
  if (getBlock().getNumArguments())
    return emitOpError("expects a block without arguments; read what it needs "
                       "with 'weir.read'");
  for (Operation &op : getBlock().without_terminator())
    if (!isa<WeirOpInterface, ConstantOp, ReadOp>(op))
      return op.emitOpError("cannot be part of a derived parameter; expected "
                            "ops that compute, constants and 'weir.read'");
  return success();
}

//===----------------------------------------------------------------------===//
// Constants and parameters
//===----------------------------------------------------------------------===//

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult
ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange,
                             DictionaryAttr attrs, OpaqueProperties properties,
                             RegionRange, SmallVectorImpl<Type> &types) {
  Attribute value = properties ? properties.as<Properties *>()->getValue()
                               : attrs.get("value");
  auto elements = dyn_cast_or_null<ElementsAttr>(value);
  if (!elements)
    return failure();
  types.push_back(elements.getShapedType());
  return success();
}

/// Checks that `value` has bytes for all its elements. The type of `value` must
/// be a valid tensor type of weir.
static LogicalResult verifyElements(Operation *op, ElementsAttr value) {
  if (isa<DenseElementsAttr>(value))
    return success();
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  if (!resource)
    return op->emitOpError("expects its elements as 'dense<...>' or "
                           "'dense_resource<...>', found ")
           << value;
  auto type = cast<RankedTensorType>(resource.getType());
  StringRef name = resource.getRawHandle().getKey();
  StatusOr<size_t> expected =
      rowMajorBytes(*toDType(type.getElementType()), toDims(type));
  if (!expected.isOk())
    return op->emitOpError("has a value of type ")
           << type << ": " << expected.status().message();
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob && *expected != 0)
    return op->emitOpError("names resource '")
           << name << "', whose bytes are not in the file";
  size_t found = blob ? blob->getData().size() : 0;
  if (found != *expected)
    return op->emitOpError("expects ")
           << *expected << " bytes of resource '" << name << "' for " << type
           << ", found " << found << "; correct the type or the resource";
  bool hasOther = type.getElementType().isInteger(1) && blob &&
                  llvm::any_of(blob->getData(), [](char byte) {
                    return byte != 0 && byte != 1;
                  });
  if (hasOther)
    return op->emitOpError("expects bytes 0 and 1 as the truth values of "
                           "resource '")
           << name << "', found another";
  return success();
}

LogicalResult ConstantOp::verify() { return verifyElements(*this, getValue()); }

std::optional<RandomFill> ParameterOp::getFill() {
  if (UniformAttr uniform = getUniformAttr())
    return UniformFill{uniform.getSeed(), uniform.getLow().getValueAsDouble(),
                       uniform.getHigh().getValueAsDouble()};
  if (!getInitial())
    return std::nullopt;
  auto made = readInitializer(*getInitial(), cast<RankedTensorType>(getType()));
  if (!made.isOk() || std::holds_alternative<OrthogonalFill>(*made))
    return std::nullopt;
  if (const auto *uniform = std::get_if<UniformFill>(&*made))
    return *uniform;
  return std::get<NormalFill>(*made);
}

LogicalResult ParameterOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (!type.hasStaticShape())
    return emitOpError("expects a static shape, found ") << type;
  if (bool(getFile()) + bool(getValue()) + bool(getUniform()) +
          bool(getInitial()) >
      1)
    return emitOpError("has two of a file, a value, random elements and an "
                       "initialiser; give one of them");
  if (getInitial())
    if (auto made = readInitializer(*getInitial(), type); !made.isOk())
      return emitOpError() << made.status().message();
  if (std::optional<RandomFill> fill = getFill())
    if (Status status = checkFill(*fill, *toDType(type.getElementType()));
        !status.isOk())
      return emitOpError() << status.message();
  if (getOffset() && (!getFile() || getKey()))
    return emitOpError("expects 'offset' with a file and without a key: it "
                       "says where in the file the elements are");
  if (getOffset() && type.getElementType().isInteger(1))
    return emitOpError(
        "expects numbers at an offset of a file, found booleans, of which only "
        "bytes 0 and 1 are valid; use a safetensors file");
  if (getValue() && getValue()->getShapedType() != type)
    return emitOpError("expects a value of type ")
           << type << ", found " << getValue()->getShapedType();
  return getValue() ? verifyElements(*this, *getValue()) : success();
}
