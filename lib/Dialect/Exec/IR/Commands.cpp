//===- Commands.cpp - Syntax and verifiers of commands ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Artifact/Format.h"
#include "weir/Dialect/Exec/IR/ExecOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weir;
using namespace weir::exec;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

using UnresolvedOperands = SmallVectorImpl<OpAsmParser::UnresolvedOperand>;

/// `%buffer[byte] : type`, the byte left out where 0.
static ParseResult parseView(OpAsmParser &parser, UnresolvedOperands &operands,
                             SmallVectorImpl<int64_t> &offsets,
                             SmallVectorImpl<Attribute> &types) {
  int64_t offset = 0;
  Type type;
  if (parser.parseOperand(operands.emplace_back()))
    return failure();
  if (succeeded(parser.parseOptionalLSquare()) &&
      (parser.parseInteger(offset) || parser.parseRSquare()))
    return failure();
  if (parser.parseColonType(type))
    return failure();
  offsets.push_back(offset);
  types.push_back(TypeAttr::get(type));
  return success();
}

static ParseResult parseViews(OpAsmParser &parser, UnresolvedOperands &reads,
                              UnresolvedOperands &writes,
                              DenseI64ArrayAttr &offsets, ArrayAttr &types) {
  SmallVector<int64_t> offsetList;
  SmallVector<Attribute> typeList;
  auto parseList = [&](UnresolvedOperands &operands) {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
      return parseView(parser, operands, offsetList, typeList);
    });
  };
  if (parseList(reads) || parser.parseArrow() || parseList(writes))
    return failure();
  offsets = parser.getBuilder().getDenseI64ArrayAttr(offsetList);
  types = parser.getBuilder().getArrayAttr(typeList);
  return success();
}

static void printViews(OpAsmPrinter &printer, LaunchOp launch, OperandRange,
                       OperandRange, DenseI64ArrayAttr, ArrayAttr) {
  auto printList = [&](unsigned begin, unsigned end) {
    printer << "(";
    llvm::interleaveComma(llvm::seq(begin, end), printer, [&](unsigned i) {
      View view = launch.getView(i);
      printer << view.buffer;
      if (view.byteOffset != 0)
        printer << "[" << view.byteOffset << "]";
      printer << " : " << view.type;
    });
    printer << ")";
  };
  unsigned numReads = launch.getReads().size();
  printList(0, numReads);
  printer << " -> ";
  printList(numReads, launch.getNumViews());
}

#define GET_OP_CLASSES
#include "weir/Dialect/Exec/IR/ExecOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult ProgramOp::verifyRegions() {
  if (getQueue() >= artifact::maxQueues)
    return emitOpError("is on queue ")
           << getQueue() << "; a device has " << artifact::maxQueues;
  for (Operation &op : getBlock())
    if (!isa<LaunchOp, CopyOp, FillOp, RecordOp, WaitOp, TensorOp>(op))
      return op.emitOpError("is not a command of a program");
  return success();
}

/// Succeeds if [offset, offset + bytes) lies inside `buffer`.
static LogicalResult verifyRange(Operation *op, Value buffer, int64_t offset,
                                 uint64_t bytes) {
  uint64_t size = getStorage(buffer).getByteSize();
  if (offset >= 0 && static_cast<uint64_t>(offset) <= size &&
      bytes <= size - static_cast<uint64_t>(offset))
    return success();
  InFlightDiagnostic error = op->emitOpError("needs ")
                             << bytes << " bytes at byte " << offset
                             << " of a buffer of " << size;
  error.attachNote(buffer.getLoc()) << "the buffer";
  return error;
}

static LogicalResult verifyWritable(Operation *op, Value buffer) {
  if (buffer.getDefiningOp<BufferOpInterface>().isWritable())
    return success();
  InFlightDiagnostic error = op->emitOpError("writes to a read-only buffer");
  error.attachNote(buffer.getLoc()) << "the buffer";
  return error;
}

View LaunchOp::getView(unsigned index) {
  return {getOperand(index), getOffsets()[index],
          cast<RankedTensorType>(cast<TypeAttr>(getTypes()[index]).getValue())};
}

/// Succeeds if `type` says where each element lies.
static LogicalResult verifyViewType(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || !toDType(tensor.getElementType()))
    return op->emitOpError("expects views of tensors of static shape, found ")
           << type;
  if (!tensor.getEncoding() ||
      isa<LayoutAttr, StridesAttr>(tensor.getEncoding()))
    return success();
  return op->emitOpError("expects a weir.layout or exec.strides, found ")
         << type;
}

static LogicalResult verifyView(Operation *op, const View &view) {
  TensorDesc desc = describeView(view.type);
  if (view.byteOffset % static_cast<int64_t>(byteSize(desc.type)) != 0)
    return op->emitOpError("has a view at byte ")
           << view.byteOffset << ", where no " << view.type.getElementType()
           << " can lie";
  return verifyRange(op, view.buffer, view.byteOffset, desc.spanBytes());
}

LogicalResult LaunchOp::verify() {
  if (getOffsets().size() != getNumViews() ||
      getTypes().size() != getNumViews())
    return emitOpError("expects an offset and a type for each of its ")
           << getNumViews() << " views";
  if (getWrites().empty())
    return emitOpError("expects a result");
  for (Attribute type : getTypes())
    if (failed(verifyViewType(*this, cast<TypeAttr>(type).getValue())))
      return failure();
  for (unsigned i = 0; i < getNumViews(); ++i)
    if (failed(verifyView(*this, getView(i))))
      return failure();
  for (Value buffer : getWrites())
    if (failed(verifyWritable(*this, buffer)))
      return failure();
  int64_t numReads = static_cast<int64_t>(getReads().size());
  for (Attribute attr : getPostOps()) {
    auto postOp = dyn_cast<PostOpAttr>(attr);
    if (!postOp || postOp.getOperand() < -1 || postOp.getOperand() >= numReads)
      return emitOpError("has a post-op that reads none of its ")
             << numReads << " operands: " << attr;
  }
  if (int64_t flops = getFlops(); flops < 0)
    return emitOpError("expects flops from 0 up, found ") << flops;
  return success();
}

LogicalResult CopyOp::verify() {
  if (failed(verifyRange(*this, getFrom(), getFromOffset(), getBytes())) ||
      failed(verifyRange(*this, getTo(), getToOffset(), getBytes())))
    return failure();
  if (getCrossing() &&
      getFrom().getDefiningOp<BufferOpInterface>().getDevice() ==
          getTo().getDefiningOp<BufferOpInterface>().getDevice())
    return emitOpError("is marked as a crossing, but both its buffers are on "
                       "one device");
  if (getBytes() != 0)
    return verifyWritable(*this, getTo());
  if (getStorage(getFrom()) == getStorage(getTo()) ||
      getStorage(getFrom()).getByteSize() == 0)
    return success();
  return emitOpError("of 0 bytes expects a target that is an alias of its "
                     "source");
}

LogicalResult TensorOp::verify() {
  View view{getBuffer(), static_cast<int64_t>(getOffset()),
            cast<RankedTensorType>(getType())};
  if (failed(verifyViewType(*this, view.type)))
    return failure();
  Operation *before = (*this)->getPrevNode();
  while (isa_and_nonnull<TensorOp, RecordOp>(before))
    before = before->getPrevNode();
  if (!isa_and_nonnull<LaunchOp, CopyOp>(before))
    return emitOpError("expects a launch or a copy before it");
  return verifyView(*this, view);
}

LogicalResult FillOp::verify() {
  if (failed(verifyRange(*this, getTo(), getToOffset(), getBytes())))
    return failure();
  return verifyWritable(*this, getTo());
}

StringRef exec::getCommandName(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<LaunchOp, CopyOp, FillOp>(
          [](auto named) { return named.getName(); })
      .Default(StringRef());
}
