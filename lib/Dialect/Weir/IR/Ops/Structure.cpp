//===- Structure.cpp - Groups of ops and the kernels they become ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace weir;

#define GET_OP_CLASSES
#include "weir/Dialect/Weir/IR/Ops/Structure.cpp.inc"

void WeirDialect::registerStructureOps() {
  addOperations<
#define GET_OP_LIST
#include "weir/Dialect/Weir/IR/Ops/Structure.cpp.inc"
      >();
}

ParseResult GroupOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseAssignmentList(arguments, operands))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("on"))) {
    std::string device;
    if (parser.parseString(&device))
      return failure();
    result.addAttribute("device", parser.getBuilder().getStringAttr(device));
  }
  FunctionType type;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  if (type.getNumInputs() != arguments.size())
    return parser.emitError(location)
           << "expects " << arguments.size() << " operand types, found "
           << type.getNumInputs();
  for (auto [argument, inputType] : llvm::zip(arguments, type.getInputs()))
    argument.type = inputType;
  result.addTypes(type.getResults());
  return failure(parser.resolveOperands(operands, type.getInputs(), location,
                                        result.operands) ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

void GroupOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(llvm::zip(getBlock().getArguments(), getInputs()),
                        printer, [&](auto pair) {
                          printer << std::get<0>(pair) << " = "
                                  << std::get<1>(pair);
                        });
  printer << ")";
  if (getDeviceAttr())
    printer << " on " << getDeviceAttr();
  printer.printOptionalAttrDict((*this)->getAttrs(), {"device"});
  printer << " : ";
  printer.printFunctionalType(getInputs().getTypes(), getResultTypes());
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult GroupOp::verify() {
  if (getBlock().getArgumentTypes() != getInputs().getTypes())
    return emitOpError("expects block arguments of its operands' types");
  // That there is one is verified after this.
  auto yield =
      getBlock().empty() ? YieldOp() : dyn_cast<YieldOp>(getBlock().back());
  if (yield && yield.getValues().getTypes() != getResultTypes())
    return emitOpError("expects to yield its result types");
  return success();
}

LogicalResult ViewOp::verify() {
  auto from = cast<RankedTensorType>(getInput().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  if (from.getElementType() != to.getElementType() ||
      from.getNumElements() != to.getNumElements())
    return emitOpError("expects the same elements, found ")
           << from << " as " << to;
  return success();
}
