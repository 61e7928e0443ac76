//===- OpSyntax.cpp - The textual form of computing ops -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/OpSupport.h"

#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace weir;

/// Rejects attributes that the op does not have. Otherwise a misspelt attribute
/// would be kept and ignored. The error names the op.
static LogicalResult checkAttributeNames(OpAsmParser &parser, SMLoc location,
                                         const OperationState &result) {
  ArrayRef<StringAttr> known = result.name.getAttributeNames();
  for (NamedAttribute named : result.attributes) {
    if (llvm::is_contained(known, named.getName()) ||
        named.getName().strref().contains('.'))
      continue;
    std::string list = llvm::join(
        llvm::map_range(known, [](StringAttr name) { return name.getValue(); }),
        ", ");
    return parser.emitError(location)
           << "has no attribute '" << named.getName().strref() << "'; it has "
           << list;
  }
  return success();
}

/// Converts an integer to a float if the op's attribute is a float, so that
/// users may write either.
static void widenNumbers(OpAsmParser &parser, OperationState &result,
                         DictionaryAttr defaults) {
  if (!defaults)
    return;
  for (NamedAttribute named : defaults) {
    Attribute given = result.attributes.get(named.getName());
    auto number = dyn_cast_or_null<IntegerAttr>(given);
    if (isa<FloatAttr>(named.getValue()) && number &&
        number.getType().isInteger(64))
      result.attributes.set(named.getName(),
                            parser.getBuilder().getF64FloatAttr(
                                static_cast<double>(number.getInt())));
  }
}

/// Rejects an attribute whose value is of another kind than the op declares,
/// because the properties of the op could not hold the value.
static LogicalResult checkAttributeKinds(OpAsmParser &parser, SMLoc location,
                                         OperationState &result) {
  return result.name.getRegisteredInfo()->verifyInherentAttrs(
      result.attributes, [&] { return parser.emitError(location, "op "); });
}

static LogicalResult inferTypes(OpAsmParser &parser, OperationState &result) {
  auto *interface = result.name.getInterface<InferTypeOpInterface>();
  SmallVector<Type> types;
  if (failed(interface->inferReturnTypes(
          parser.getContext(), result.location, result.operands,
          result.attributes.getDictionary(parser.getContext()),
          /*properties=*/nullptr, /*regions=*/{}, types)))
    return failure();
  result.addTypes(types);
  return success();
}

/// Rejects an op that lacks an attribute, before types are inferred from it.
static LogicalResult checkRequiredAttributes(OpAsmParser &parser,
                                             SMLoc location,
                                             const OperationState &result,
                                             DictionaryAttr defaults) {
  for (StringAttr name : result.name.getAttributeNames()) {
    bool isOptional =
        isPlacementAttr(name) || (defaults && defaults.contains(name));
    if (!isOptional && !result.attributes.get(name))
      return parser.emitError(location)
             << "requires attribute '" << name.getValue() << "'";
  }
  return success();
}

ParseResult opdetail::parseOp(OpAsmParser &parser, OperationState &result,
                              DictionaryAttr defaults) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> operandTypes, resultTypes;
  SMLoc operandsLocation = parser.getCurrentLocation();
  if (parser.parseOperandList(operands))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("on"))) {
    std::string device;
    if (parser.parseString(&device))
      return failure();
    result.addAttribute("device", parser.getBuilder().getStringAttr(device));
  }
  SMLoc attributesLocation = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(result.attributes) ||
      failed(checkAttributeNames(parser, attributesLocation, result)) ||
      failed(checkRequiredAttributes(parser, attributesLocation, result,
                                     defaults)))
    return failure();
  widenNumbers(parser, result, defaults);
  if (failed(checkAttributeKinds(parser, attributesLocation, result)) ||
      parser.parseColonTypeList(operandTypes) ||
      parser.resolveOperands(operands, operandTypes, operandsLocation,
                             result.operands))
    return failure();
  if (parser.parseOptionalArrowTypeList(resultTypes))
    return failure();
  if (resultTypes.empty())
    return inferTypes(parser, result);
  result.addTypes(resultTypes);
  return success();
}

/// The attributes to print. Attributes with their default values are left out.
/// The device is also left out, because it is printed separately.
static SmallVector<NamedAttribute>
getPrintedAttributes(Operation *op, DictionaryAttr defaults) {
  SmallVector<NamedAttribute> printed;
  for (NamedAttribute named : op->getAttrDictionary())
    if (named.getName() != "device" &&
        (!defaults || defaults.get(named.getName()) != named.getValue()))
      printed.push_back(named);
  return printed;
}

void opdetail::printOp(OpAsmPrinter &printer, Operation *op,
                       DictionaryAttr defaults) {
  printer << ' ';
  printer.printOperands(op->getOperands());
  if (auto device = op->getAttrOfType<StringAttr>("device"))
    printer << " on " << device;
  printer.printOptionalAttrDict(getPrintedAttributes(op, defaults));
  printer << " : " << op->getOperandTypes();
  SmallVector<Type> inferred;
  auto interface = cast<InferTypeOpInterface>(op);
  if (succeeded(interface.inferReturnTypes(
          op->getContext(), std::nullopt, op->getOperands(),
          op->getAttrDictionary(), /*properties=*/nullptr, /*regions=*/{},
          inferred)) &&
      TypeRange(inferred) == op->getResultTypes())
    return;
  printer.printArrowTypeList(op->getResultTypes());
}
