//===- Structure.cpp - Groups of ops and the kernels they become ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Support/ShapeLimits.h"

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

LogicalResult JoinOp::verify() {
  auto whole = cast<RankedTensorType>(getResult().getType());
  ArrayRef<int64_t> offsets = getOffsets();
  if (offsets.size() != getInputs().size())
    return emitOpError("expects an offset for each of its ")
           << getInputs().size() << " inputs, found " << offsets.size();
  if (!whole.hasStaticShape())
    return emitOpError("expects a result of static shape, found ") << whole;
  int64_t end = 0;
  for (auto [offset, input] : llvm::zip(offsets, getInputs())) {
    auto type = cast<RankedTensorType>(input.getType());
    const bool fits = type.hasStaticShape() && offset >= end &&
                      offset <= whole.getNumElements() &&
                      type.getNumElements() <= whole.getNumElements() - offset;
    if (!fits || type.getElementType() != whole.getElementType())
      return emitOpError("expects inputs that lie in ")
             << whole << " one behind the other, found " << type << " at "
             << offset;
    end = offset + type.getNumElements();
  }
  return success();
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
  // The terminator is verified after this op.
  auto yield =
      getBlock().empty() ? YieldOp() : dyn_cast<YieldOp>(getBlock().back());
  if (yield && yield.getValues().getTypes() != getResultTypes())
    return emitOpError("expects to yield its result types");
  return success();
}

/// The first type that is not a tensor of static shape, or null.
static Type findUnsized(TypeRange types) {
  auto found = llvm::find_if(types, [](Type type) {
    return !cast<RankedTensorType>(type).hasStaticShape();
  });
  return found == types.end() ? Type() : *found;
}

/// Whether all elements that a copy accesses are inside of `whole`.
static bool liesInside(ArrayRef<int64_t> dims, int64_t offset,
                       ArrayRef<int64_t> strides, Type whole) {
  if (llvm::is_contained(dims, 0))
    return true;
  __int128 first = offset, last = offset;
  for (auto [dim, stride] : llvm::zip(dims, strides))
    (stride < 0 ? first : last) += static_cast<__int128>(dim - 1) * stride;
  auto type = cast<RankedTensorType>(whole);
  return first >= 0 && last < type.getNumElements();
}

static LogicalResult verifyCopy(LaunchOp launch, Attribute attr) {
  auto copy = dyn_cast<ElementCopyAttr>(attr);
  if (!copy)
    return launch.emitOpError("expects copies, found ") << attr;
  auto isNumberOf = [](int64_t number, size_t count) {
    return number >= 0 && number < static_cast<int64_t>(count);
  };
  if (!isNumberOf(copy.getOperand(), launch.getInputs().size()) ||
      !isNumberOf(copy.getResult(), launch.getResults().size()))
    return launch.emitOpError("expects copies between its ")
           << launch.getInputs().size() << " operands and "
           << launch.getResults().size() << " results, found " << attr;
  ArrayRef<int64_t> dims = copy.getDims();
  ArrayRef<int64_t> fromStrides = copy.getFromStrides();
  ArrayRef<int64_t> toStrides = copy.getToStrides();
  bool hasShape =
      fromStrides.size() == dims.size() && toStrides.size() == dims.size() &&
      llvm::all_of(dims,
                   [](int64_t dim) { return dim >= 0 && dim <= sizeLimit; });
  Type from = launch.getInputs()[copy.getOperand()].getType();
  Type to = launch.getResults()[copy.getResult()].getType();
  if (!hasShape || !liesInside(dims, copy.getFromOffset(), fromStrides, from) ||
      !liesInside(dims, copy.getToOffset(), toStrides, to))
    return launch.emitOpError("expects copies of elements inside of ")
           << from << " and " << to << ", found " << attr;
  return success();
}

/// Checks that each number in `overwritten_by` is -1 or names a result with the
/// type of the operand.
static LogicalResult verifyOverwrites(LaunchOp launch) {
  std::optional<ArrayRef<int64_t>> numbers = launch.getOverwrittenBy();
  if (!numbers)
    return success();
  if (numbers->size() != launch.getInputs().size())
    return launch.emitOpError("expects a number for each of its ")
           << launch.getInputs().size() << " operands in 'overwritten_by', "
           << "found " << numbers->size();
  if (!launch.getCopies().empty())
    return launch.emitOpError("expects no 'overwritten_by', since it copies "
                              "elements");
  auto numResults = static_cast<int64_t>(launch.getNumResults());
  for (auto [number, input] : llvm::zip(*numbers, launch.getInputs())) {
    if (number < -1 || number >= numResults)
      return launch.emitOpError("expects -1 or one of its ")
             << numResults << " results in 'overwritten_by', found " << number;
    if (number == -1)
      continue;
    Type result = launch.getResult(static_cast<unsigned>(number)).getType();
    if (input.getType() != result)
      return launch.emitOpError("expects that a result overwrites an operand "
                                "of its type, found ")
             << result << " over " << input.getType();
  }
  return success();
}

LogicalResult LaunchOp::verify() {
  Type unsizedOperand = findUnsized(getInputs().getTypes());
  if (Type type =
          unsizedOperand ? unsizedOperand : findUnsized(getResultTypes()))
    return emitOpError("expects tensors of static shape, found ") << type;
  if (getResults().empty())
    return emitOpError("expects a result");
  auto numInputs = static_cast<int64_t>(getInputs().size());
  for (Attribute attr : getPostOps()) {
    auto postOp = dyn_cast<PostOpAttr>(attr);
    if (!postOp || postOp.getOperand() < -1 || postOp.getOperand() >= numInputs)
      return emitOpError("has a post-op that reads none of its ")
             << numInputs << " operands: " << attr;
  }
  for (Attribute attr : getCopies())
    if (failed(verifyCopy(*this, attr)))
      return failure();
  if (failed(verifyOverwrites(*this)))
    return failure();
  if (int64_t flops = getFlops(); flops < 0)
    return emitOpError("expects flops from 0 up, found ") << flops;
  else if (flops != 0 && !getCopies().empty())
    return emitOpError("expects no flops, since it copies elements, found ")
           << flops;
  return success();
}

LogicalResult ViewOp::verify() {
  auto from = cast<RankedTensorType>(getInput().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  if (Type type = findUnsized({from, to}))
    return emitOpError("expects tensors of static shape, found ") << type;
  if (from.getElementType() != to.getElementType() ||
      from.getNumElements() != to.getNumElements())
    return emitOpError("expects the same elements, found ")
           << from << " as " << to;
  return success();
}
