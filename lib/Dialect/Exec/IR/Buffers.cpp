//===- Buffers.cpp - Verifies entries and their declarations ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Artifact/Format.h"
#include "weir/Dialect/Exec/IR/ExecOps.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Support/Alignment.h"
#include "weir/Support/Topology.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <optional>
#include <set>
#include <utility>
#include <vector>

using namespace mlir;
using namespace weir;
using namespace weir::exec;

#include "weir/Dialect/Exec/IR/ExecInterfaces.cpp.inc"

static uint64_t bytesOf(Type type) {
  return describeView(cast<RankedTensorType>(type)).spanBytes();
}

uint64_t InputOp::getByteSize() { return bytesOf(getType()); }
bool InputOp::isWritable() { return false; }
StringRef InputOp::getDevice() { return getHome().value_or(""); }
StringRef OutputOp::getDevice() { return getHome().value_or(""); }
uint64_t OutputOp::getByteSize() { return bytesOf(getType()); }
uint64_t exec::ParameterOp::getByteSize() { return bytesOf(getType()); }
bool exec::ParameterOp::isWritable() { return false; }
uint64_t VariableOp::getByteSize() { return bytesOf(getType()); }
bool VariableOp::isWritable() { return false; }
uint64_t ScratchOp::getByteSize() { return getBytes(); }
uint64_t AliasOp::getByteSize() {
  return getStorage(getSource()).getByteSize();
}
bool AliasOp::isWritable() { return false; }
uint64_t VersionOp::getByteSize() {
  return getStorage().getDefiningOp<BufferOpInterface>().getByteSize();
}
StringRef VersionOp::getDevice() {
  return getStorage().getDefiningOp<BufferOpInterface>().getDevice();
}

/// Checks the index and the type of a port. The caller binds a port to a
/// row-major tensor of static shape.
static LogicalResult verifyPort(Operation *op, int64_t index, Type type) {
  if (index < 0)
    return op->emitOpError("expects an index that is not negative, found ")
           << index;
  auto tensor = cast<RankedTensorType>(type);
  if (!tensor.hasStaticShape() || tensor.getEncoding())
    return op->emitOpError("expects a row-major tensor of static shape, found ")
           << type;
  return success();
}

LogicalResult InputOp::verify() {
  return verifyPort(*this, getIndex(), getType());
}

LogicalResult OutputOp::verify() {
  return verifyPort(*this, getIndex(), getType());
}

/// Succeeds if `name` is the symbol of a parameter or of an `Other` op, and
/// this op has the type `type`.
template <typename Other>
static LogicalResult verifyParameter(Operation *op, FlatSymbolRefAttr name,
                                     Type type,
                                     SymbolTableCollection &symbols) {
  Operation *symbol = symbols.lookupNearestSymbolFrom(op, name);
  bool isKnown = isa_and_nonnull<weir::ParameterOp, Other>(symbol);
  if (!isKnown)
    return op->emitOpError("holds parameter ")
           << name << ", which is not declared; declare it with "
           << llvm::formatv("'weir.parameter @{0} : {1} from "
                            "\"FILE.safetensors\"'",
                            name.getValue(), type)
                  .str();
  auto found = symbol->getAttrOfType<TypeAttr>("type").getValue();
  if (found == type)
    return success();
  InFlightDiagnostic error = op->emitOpError("expects type ")
                             << found << " of parameter " << name << ", found "
                             << type;
  error.attachNote(symbol->getLoc()) << "declared here";
  return error;
}

LogicalResult
exec::ParameterOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyParameter<weir::DerivedOp>(*this, getParameterAttr(), getType(),
                                          symbols);
}

LogicalResult VariableOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyParameter<weir::BucketOp>(*this, getParameterAttr(), getType(),
                                         symbols);
}

LogicalResult ScratchOp::verify() {
  if (static_cast<int64_t>(getBytes()) < 0)
    return emitOpError("expects a size that is not negative, found ")
           << static_cast<int64_t>(getBytes());
  if (getOffset() && static_cast<int64_t>(*getOffset()) < 0)
    return emitOpError("expects an offset that is not negative, found ")
           << static_cast<int64_t>(*getOffset());
  return success();
}

/// The storage of a version of `source`, which should not be an alias.
static Value storageOfVersion(Value source) {
  auto before = source.getDefiningOp<VersionOp>();
  return before ? before.getStorage() : source;
}

void VersionOp::build(OpBuilder &builder, OperationState &state, Value source) {
  build(builder, state, source, storageOfVersion(source));
}

ParseResult VersionOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand source;
  auto type = BufferType::get(parser.getContext());
  if (parser.parseOperand(source) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.resolveOperand(source, type, result.operands))
    return failure();
  Value value = result.operands.front();
  if (!value.getDefiningOp<BufferOpInterface>())
    return parser.emitError(source.location,
                            "expected a buffer that is declared before");
  result.operands.push_back(storageOfVersion(value));
  result.addTypes(type);
  return success();
}

void VersionOp::print(OpAsmPrinter &printer) {
  printer << " " << getSource();
  printer.printOptionalAttrDict((*this)->getAttrs());
}

LogicalResult VersionOp::verify() {
  if (getSource().getDefiningOp<AliasOp>())
    return emitOpError("is of an alias; expected a version of the buffer "
                       "itself");
  if (getStorage() != storageOfVersion(getSource()))
    return emitOpError("has another storage than its source");
  auto storage = getStorage().getDefiningOp<BufferOpInterface>();
  if (!storage.isWritable() && !isa<VariableOp>(storage.getOperation())) {
    InFlightDiagnostic error = emitOpError("is of a read-only buffer");
    error.attachNote(storage->getLoc()) << "the buffer";
    return error;
  }
  for (Operation *user : getSource().getUsers())
    if (auto other = dyn_cast<VersionOp>(user);
        other && other != *this && other.getSource() == getSource())
      return emitOpError("is the second one of its buffer; make a version of "
                         "the first one");
  return success();
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

namespace {
class EntryVerifier {
public:
  explicit EntryVerifier(EntryOp entry) : entry(entry) {}
  LogicalResult verify();

private:
  LogicalResult verifyDevices();
  LogicalResult verifyDevice(Operation *op, StringRef device);
  LogicalResult verifyProgram(ProgramOp program);
  LogicalResult verifyArena(ArenaOp arena);
  LogicalResult verifyPort(Operation *op, bool isOutput, uint64_t index);
  LogicalResult verifyPlace(ScratchOp scratch);
  LogicalResult verifyFilled(ArenaOp arena);
  LogicalResult verifyVariable(VariableOp variable);
  LogicalResult verifyAlias(AliasOp alias);
  LogicalResult verifyDeclaration(Operation &op);
  LogicalResult verifyEvents();

  EntryOp entry;
  /// The listed devices, and whether each is isolated.
  llvm::StringMap<bool> devices;
  llvm::MapVector<ArenaKey, ArenaOp> arenas;
  /// The end of the last used buffer in each arena.
  llvm::DenseMap<ArenaOp, uint64_t> arenaEnds;
  std::set<std::pair<StringRef, QueueRole>> queues;
  std::set<std::pair<bool, uint64_t>> ports;
  /// The number of inputs and the number of outputs.
  uint64_t numPorts[2] = {};
  llvm::DenseSet<Attribute> variables;
};
} // namespace

LogicalResult EntryVerifier::verifyDevices() {
  for (const DeviceDesc &device : entry.getDevices().toTopology().devices)
    devices[device.name.toString()] = device.isIsolated;
  if (int64_t frames = static_cast<int64_t>(entry.getInFlight());
      frames < 1 || frames > artifact::maxFrames)
    return entry.emitOpError("expects 'in_flight' from 1 to ")
           << artifact::maxFrames << ", found " << frames;
  return success();
}

LogicalResult EntryVerifier::verifyDevice(Operation *op, StringRef device) {
  if (devices.contains(device))
    return success();
  return op->emitOpError("is on device '")
         << device << "', which the entry does not list: expected one of "
         << entry.getDevices().getNames();
}

LogicalResult EntryVerifier::verifyProgram(ProgramOp program) {
  if (failed(verifyDevice(program, program.getDevice())))
    return failure();
  if (queues.insert({program.getDevice(), program.getQueue()}).second)
    return success();
  return program.emitOpError("is the second one of queue ")
         << toString(program.getQueue()) << " of device "
         << program.getDeviceAttr();
}

static std::string describeQueue(std::optional<QueueRole> queue) {
  return queue ? " queue " + std::string(toString(*queue)) : std::string();
}

LogicalResult EntryVerifier::verifyArena(ArenaOp arena) {
  if (failed(verifyDevice(arena, arena.getDevice())))
    return failure();
  for (auto [name, bytes] : {std::pair("bytes", arena.getBytes()),
                             std::pair("lower_bound", arena.getLowerBound())})
    if (bytes > artifact::maxBytes)
      return arena.emitOpError("expects '")
             << name << "' from 0 to " << artifact::maxBytes << ", found "
             << static_cast<int64_t>(bytes);
  if (arena.getLowerBound() > arena.getBytes())
    return arena.emitOpError("has ")
           << arena.getBytes() << " bytes, fewer than its lower bound of "
           << arena.getLowerBound();
  if (arenas.try_emplace(getArenaKey(arena), arena).second)
    return success();
  return arena.emitOpError("is the second one of device ")
         << arena.getDeviceAttr() << describeQueue(arena.getQueue());
}

/// Checks the index of an input or output, because ports are kept in lists by
/// index.
LogicalResult EntryVerifier::verifyPort(Operation *op, bool isOutput,
                                        uint64_t index) {
  const uint64_t count = numPorts[isOutput];
  if (index >= count)
    return op->emitOpError("has index ")
           << static_cast<int64_t>(index) << "; expected one of 0 to "
           << count - 1 << ", as the entry has " << count
           << (isOutput ? " outputs" : " inputs");
  if (ports.insert({isOutput, index}).second)
    return success();
  return op->emitOpError("is the second one of index ") << index;
}

LogicalResult EntryVerifier::verifyPlace(ScratchOp scratch) {
  if (!scratch.getOffset())
    return success();
  auto known = arenas.find(getArenaKey(scratch));
  if (known == arenas.end())
    return scratch.emitOpError("has an offset, but device ")
           << scratch.getDeviceAttr() << describeQueue(scratch.getQueue())
           << " has no arena";
  ArenaOp arena = known->second;
  uint64_t offset = *scratch.getOffset();
  if (offset % artifact::arenaAlignment != 0)
    return scratch.emitOpError("expects an offset that is a multiple of ")
           << artifact::arenaAlignment << ", found " << offset;
  if (offset <= arena.getBytes() &&
      scratch.getBytes() <= arena.getBytes() - offset) {
    uint64_t &end = arenaEnds[arena];
    if (isUsed(scratch))
      end = std::max(end, offset + scratch.getBytes());
    return success();
  }
  return scratch.emitOpError("lies outside the arena of ")
         << arena.getBytes() << " bytes: " << scratch.getBytes()
         << " bytes at offset " << offset;
}

/// Checks that an arena is no larger than its used buffers need. The artifact's
/// verifier has the same rule. A buffer that no program uses is not in the
/// artifact.
LogicalResult EntryVerifier::verifyFilled(ArenaOp arena) {
  const uint64_t needed =
      alignTo(arenaEnds.lookup(arena), artifact::arenaRounding);
  if (arena.getBytes() <= needed)
    return success();
  return arena.emitOpError("has ")
         << arena.getBytes() << " bytes, of which the buffers in it need "
         << needed << "; make it smaller, or run -exec-plan-memory";
}

LogicalResult EntryVerifier::verifyDeclaration(Operation &op) {
  if (auto program = dyn_cast<ProgramOp>(op))
    return verifyProgram(program);
  if (auto arena = dyn_cast<ArenaOp>(op))
    return verifyArena(arena);
  auto buffer = dyn_cast<BufferOpInterface>(op);
  if (!buffer)
    return op.emitOpError("is not a buffer, arena or program of an entry");
  // A version has the device of its storage.
  if (isa<VersionOp>(op))
    return success();
  if (!buffer.getDevice().empty() &&
      failed(verifyDevice(&op, buffer.getDevice())))
    return failure();
  if (auto input = dyn_cast<InputOp>(op))
    return verifyPort(&op, false, input.getIndex());
  if (auto output = dyn_cast<OutputOp>(op))
    return verifyPort(&op, true, output.getIndex());
  if (auto variable = dyn_cast<VariableOp>(op))
    return verifyVariable(variable);
  if (auto alias = dyn_cast<AliasOp>(op))
    return verifyAlias(alias);
  return success();
}

/// Refuses a second declaration of one variable, because the schedule assumes
/// that different buffers share no bytes.
LogicalResult EntryVerifier::verifyVariable(VariableOp variable) {
  if (variables.insert(variable.getParameterAttr()).second)
    return success();
  return variable.emitOpError("is the second one of ")
         << variable.getParameterAttr()
         << "; use the first one, or an exec.version of it";
}

LogicalResult EntryVerifier::verifyAlias(AliasOp alias) {
  StringRef from = getStorage(alias.getSource()).getDevice();
  StringRef to = alias.getDevice();
  if (from == to || (!devices.lookup(from) && !devices.lookup(to)))
    return success();
  return alias.emitOpError("needs devices that share memory, but ")
         << (devices.lookup(to) ? to : from) << " is isolated; copy the bytes";
}

/// Checks that event numbers are below the number of records and waits, because
/// events are kept in lists by number.
LogicalResult EntryVerifier::verifyEvents() {
  std::vector<std::pair<Operation *, uint64_t>> uses;
  entry.walk([&](Operation *op) {
    if (auto record = dyn_cast<RecordOp>(op))
      uses.emplace_back(op, record.getEvent());
    else if (auto wait = dyn_cast<WaitOp>(op))
      uses.emplace_back(op, wait.getEvent());
  });
  for (auto [op, event] : uses)
    if (event >= uses.size())
      return op->emitOpError("names event ")
             << static_cast<int64_t>(event) << "; expected one of 0 to "
             << uses.size() - 1 << ", as the entry has " << uses.size()
             << " records and waits";
  return success();
}

LogicalResult EntryVerifier::verify() {
  if (failed(verifyDevices()) || failed(verifyEvents()))
    return failure();
  numPorts[0] = llvm::range_size(entry.getBlock().getOps<InputOp>());
  numPorts[1] = llvm::range_size(entry.getBlock().getOps<OutputOp>());
  for (Operation &op : entry.getBlock())
    if (failed(verifyDeclaration(op)))
      return failure();
  // Scratch buffers are checked last, because an arena may come after its
  // buffers.
  for (ScratchOp scratch : entry.getBlock().getOps<ScratchOp>())
    if (failed(verifyPlace(scratch)))
      return failure();
  for (const auto &[key, arena] : arenas)
    if (failed(verifyFilled(arena)))
      return failure();
  return success();
}

StringRef EntryOp::getSpace(StringRef device) {
  return getDevices().isIsolated(device) ? device : StringRef();
}

LogicalResult EntryOp::verify() { return EntryVerifier(*this).verify(); }
