//===- Commands.cpp - Syntax and verifiers of commands ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Steps.h"
#include "weir/Dialect/Exec/IR/ExecOps.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace weir;
using namespace weir::exec;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

using UnresolvedOperands = SmallVectorImpl<OpAsmParser::UnresolvedOperand>;

/// Parses the brackets of `%buffer[16 step [64, 8]] : type`. The first number
/// is an offset, and each number after `step` is what a trip of one repeat adds
/// to it. An offset of 0 may be left out.
static ParseResult parsePlace(OpAsmParser &parser, IntegerAttr &offset,
                              DenseI64ArrayAttr &step) {
  Builder &builder = parser.getBuilder();
  int64_t number = 0;
  SmallVector<int64_t> steps;
  if (failed(parser.parseOptionalLSquare()))
    return success();
  auto parseStep = [&] { return parser.parseInteger(steps.emplace_back()); };
  if (parser.parseInteger(number) ||
      (succeeded(parser.parseOptionalKeyword("step")) &&
       parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                      parseStep)) ||
      parser.parseRSquare())
    return failure();
  offset = builder.getI64IntegerAttr(number);
  step = builder.getDenseI64ArrayAttr(steps);
  return success();
}

static void printPlace(raw_ostream &out, int64_t offset,
                       ArrayRef<int64_t> step) {
  if (offset == 0 && step.empty())
    return;
  out << "[" << offset;
  if (!step.empty()) {
    out << " step [";
    llvm::interleaveComma(step, out);
    out << "]";
  }
  out << "]";
}

static void printPlace(OpAsmPrinter &printer, Operation *, IntegerAttr offset,
                       DenseI64ArrayAttr step) {
  printPlace(printer.getStream(), offset ? offset.getInt() : 0,
             step ? step.asArrayRef() : ArrayRef<int64_t>());
}

static ParseResult parseView(OpAsmParser &parser, UnresolvedOperands &operands,
                             SmallVectorImpl<int64_t> &offsets,
                             SmallVectorImpl<Attribute> &types,
                             SmallVectorImpl<Attribute> &steps) {
  IntegerAttr offset;
  DenseI64ArrayAttr step;
  Type type;
  if (parser.parseOperand(operands.emplace_back()) ||
      parsePlace(parser, offset, step) || parser.parseColonType(type))
    return failure();
  offsets.push_back(offset ? offset.getInt() : 0);
  types.push_back(TypeAttr::get(type));
  steps.push_back(step ? step : parser.getBuilder().getDenseI64ArrayAttr({}));
  return success();
}

static ParseResult parseViews(OpAsmParser &parser, UnresolvedOperands &reads,
                              UnresolvedOperands &writes,
                              DenseI64ArrayAttr &offsets, ArrayAttr &types,
                              ArrayAttr &steps) {
  SmallVector<int64_t> offsetList;
  SmallVector<Attribute> typeList, stepList;
  auto parseList = [&](UnresolvedOperands &operands) {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
      return parseView(parser, operands, offsetList, typeList, stepList);
    });
  };
  if (parseList(reads) || parser.parseArrow() || parseList(writes))
    return failure();
  offsets = parser.getBuilder().getDenseI64ArrayAttr(offsetList);
  types = parser.getBuilder().getArrayAttr(typeList);
  if (llvm::any_of(stepList, [](Attribute step) {
        return !cast<DenseI64ArrayAttr>(step).empty();
      }))
    steps = parser.getBuilder().getArrayAttr(stepList);
  return success();
}

static void printViews(OpAsmPrinter &printer, LaunchOp launch, OperandRange,
                       OperandRange, DenseI64ArrayAttr, ArrayAttr, ArrayAttr) {
  auto printList = [&](unsigned begin, unsigned end) {
    printer << "(";
    llvm::interleaveComma(llvm::seq(begin, end), printer, [&](unsigned i) {
      View view = launch.getView(i);
      printer << view.buffer;
      printPlace(printer.getStream(), view.byteOffset, view.step);
      printer << " : " << view.type;
    });
    printer << ")";
  };
  unsigned numReads = launch.getReads().size();
  printList(0, numReads);
  printer << " -> ";
  printList(numReads, launch.getNumViews());
}

static ParseResult parseRole(OpAsmParser &parser, QueueRoleAttr &role) {
  FailureOr<QueueRoleAttr> parsed = QueueRoleAttr::parseName(parser);
  if (failed(parsed))
    return failure();
  role = *parsed;
  return success();
}

static void printRole(OpAsmPrinter &printer, Operation *, QueueRoleAttr role) {
  printer << toString(role.getValue());
}

static ParseResult parseDeviceTable(OpAsmParser &parser,
                                    DeviceTableAttr &devices) {
  FailureOr<DeviceTableAttr> table = DeviceTableAttr::parseTable(parser);
  if (failed(table))
    return failure();
  devices = *table;
  return success();
}

static void printDeviceTable(OpAsmPrinter &printer, EntryOp,
                             DeviceTableAttr devices) {
  devices.printTable(printer);
}

#define GET_OP_CLASSES
#include "weir/Dialect/Exec/IR/ExecOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

/// Checks the predicted time and the shared link that `-exec-predict-times` has
/// set on a command.
static LogicalResult verifyPrediction(Operation *op, uint64_t predictedNs,
                                      uint64_t sharedLink = 0) {
  // Both numbers are signed in the IR.
  if (auto lasts = static_cast<int64_t>(predictedNs); lasts < 0)
    return op->emitOpError("expects to last 0 ns or more, found ") << lasts;
  constexpr uint64_t most = std::numeric_limits<uint32_t>::max();
  if (sharedLink > most)
    return op->emitOpError("expects the number of a shared link from 0 to ")
           << most << ", found " << static_cast<int64_t>(sharedLink);
  return success();
}

/// Checks that the `bytes` bytes from `offset` on lie in the buffer in every
/// trip.
static LogicalResult verifyRange(Operation *op, Value buffer, int64_t offset,
                                 uint64_t bytes, ArrayRef<int64_t> step = {}) {
  uint64_t size = getStorage(buffer).getByteSize();
  StepRange range;
  if (!step.empty() && failed(verifyStep(op, step, range)))
    return failure();
  int64_t first, last;
  if (llvm::AddOverflow(offset, range.least, first) ||
      llvm::AddOverflow(offset, range.most, last))
    return op->emitOpError("has byte offset ")
           << offset << ", which is beyond what a buffer can have";
  if (first >= 0 && static_cast<uint64_t>(last) <= size &&
      bytes <= size - static_cast<uint64_t>(last))
    return success();
  InFlightDiagnostic error = op->emitOpError("needs ")
                             << bytes << " bytes at byte "
                             << (first < 0 ? first : last) << " of a buffer of "
                             << size;
  error.attachNote(buffer.getLoc()) << "the buffer";
  return error;
}

static LogicalResult verifyWritable(Operation *op, Value buffer) {
  if (buffer.getDefiningOp<BufferOpInterface>().isWritable())
    return success();
  if (buffer.getDefiningOp<VariableOp>()) {
    InFlightDiagnostic error =
        op->emitOpError("writes to the value with which a run begins; write to "
                        "an exec.version of it");
    error.attachNote(buffer.getLoc()) << "the variable";
    return error;
  }
  InFlightDiagnostic error = op->emitOpError("writes to a read-only buffer");
  error.attachNote(buffer.getLoc()) << "the buffer";
  return error;
}

View LaunchOp::getView(unsigned index) {
  ArrayRef<int64_t> step;
  if (getSteps())
    step = cast<DenseI64ArrayAttr>((*getSteps())[index]).asArrayRef();
  return {getOperand(index), getOffsets()[index],
          cast<RankedTensorType>(cast<TypeAttr>(getTypes()[index]).getValue()),
          step};
}

/// Checks that `type` determines the place of each element.
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
  auto elementBytes = static_cast<int64_t>(byteSize(desc.type));
  if (view.byteOffset % elementBytes != 0)
    return op->emitOpError("has a view at byte ")
           << view.byteOffset << ", where no " << view.type.getElementType()
           << " can lie";
  for (int64_t step : view.step)
    if (step % elementBytes != 0)
      return op->emitOpError("moves a view by ")
             << step << " bytes, where no " << view.type.getElementType()
             << " can lie";
  return verifyRange(op, view.buffer, view.byteOffset, desc.spanBytes(),
                     view.step);
}

static LogicalResult verifyOverwrites(LaunchOp op) {
  ArrayRef<int32_t> overwrites = op.getOverwrites();
  if (!overwrites.empty() && overwrites.size() != op.getWrites().size())
    return op.emitOpError("says for ")
           << overwrites.size() << " results what they overwrite; it has "
           << op.getWrites().size();
  auto numReads = static_cast<unsigned>(op.getReads().size());
  for (auto [result, operand] : llvm::enumerate(overwrites)) {
    if (operand == -1)
      continue;
    if (operand < 0 || static_cast<unsigned>(operand) >= numReads)
      return op.emitOpError("result ")
             << result << " overwrites operand " << operand << "; expected -1 "
             << "or one of " << numReads << " operands";
    Attribute read = op.getTypes()[static_cast<unsigned>(operand)];
    Attribute written = op.getTypes()[numReads + result];
    if (read != written)
      return op.emitOpError("result ")
             << result << " of type " << written << " overwrites operand "
             << operand << " of type " << read << "; expected the same type";
  }
  return success();
}

static LogicalResult verifySteps(LaunchOp op) {
  if (!op.getSteps())
    return success();
  if (op.getSteps()->size() == op.getNumViews() &&
      llvm::all_of(*op.getSteps(), llvm::IsaPred<DenseI64ArrayAttr>))
    return success();
  return op.emitOpError("expects a list of steps for each of its ")
         << op.getNumViews() << " views";
}

LogicalResult LaunchOp::verify() {
  if (getOffsets().size() != getNumViews() ||
      getTypes().size() != getNumViews())
    return emitOpError("expects an offset and a type for each of its ")
           << getNumViews() << " views";
  if (getWrites().empty())
    return emitOpError("expects a result");
  if (failed(verifySteps(*this)) || failed(verifyOverwrites(*this)))
    return failure();
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
  return verifyPrediction(*this, getPredictedNs());
}

/// Checks that the size `bytes`, which is signed in the IR, is not negative.
static LogicalResult verifyBytes(Operation *op, uint64_t bytes) {
  if (static_cast<int64_t>(bytes) >= 0)
    return success();
  return op->emitOpError("expects a size that is not negative, found ")
         << static_cast<int64_t>(bytes);
}

LogicalResult CopyOp::verify() {
  if (failed(verifyPrediction(*this, getPredictedNs(), getSharedLink())) ||
      failed(verifyBytes(*this, getBytes())) ||
      failed(verifyRange(*this, getFrom(), getFromOffset(), getBytes(),
                         getFromStep())) ||
      failed(
          verifyRange(*this, getTo(), getToOffset(), getBytes(), getToStep())))
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
  if (failed(verifyPrediction(*this, getPredictedNs())) ||
      failed(verifyBytes(*this, getBytes())) ||
      failed(
          verifyRange(*this, getTo(), getToOffset(), getBytes(), getToStep())))
    return failure();
  return verifyWritable(*this, getTo());
}

StringRef exec::getCommandName(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<LaunchOp, CopyOp, FillOp>(
          [](auto named) { return named.getName(); })
      .Default(StringRef());
}

uint64_t exec::getPredictedNs(Operation *op) {
  return llvm::TypeSwitch<Operation *, uint64_t>(op)
      .Case<LaunchOp, CopyOp, FillOp>(
          [](auto timed) { return timed.getPredictedNs(); })
      .Default(uint64_t(0));
}

uint32_t exec::getSharedLink(Operation *op) {
  auto copy = dyn_cast<CopyOp>(op);
  return copy ? static_cast<uint32_t>(copy.getSharedLink()) : 0;
}
