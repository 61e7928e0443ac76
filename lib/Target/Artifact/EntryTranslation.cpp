//===- EntryTranslation.cpp - The entries of an artifact --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "EntryTranslation.h"

#include "weir/Artifact/Convert.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <limits>
#include <map>

using namespace mlir;
using namespace weir;
using artifact::BufferKind;
using artifact::Command;
using artifact::CommandFlags;
using artifact::Opcode;

namespace {
class EntryTranslator {
public:
  EntryTranslator(exec::EntryOp entry, BlobTable &blobs,
                  const ModelTensors &model, const KernelCode *code)
      : entry(entry), blobs(blobs), model(model),
        kernels(table->kernels, code) {}

  std::unique_ptr<artifact::EntryT> translate();

private:
  void numberDevices();
  void addArena(exec::ArenaOp arena);
  void addPort(std::vector<std::unique_ptr<artifact::PortT>> &ports,
               uint64_t index, StringRef name, Type type);
  LogicalResult addPorts();
  LogicalResult addBuffer(exec::BufferOpInterface buffer);
  LogicalResult locate(Operation *op, artifact::BufferT &buffer);
  void nameEvents();
  LogicalResult addProgram(exec::ProgramOp program);
  FailureOr<Command> translate(Operation *op);
  void addTensor(exec::TensorOp op, int32_t command);
  void addInside(exec::LaunchOp op, int32_t command);
  void sortTensors();
  void addView(Value buffer, int64_t byteOffset);
  uint32_t getName(StringRef name);

  exec::EntryOp entry;
  BlobTable &blobs;
  const ModelTensors &model;
  std::unique_ptr<artifact::EntryT> table =
      std::make_unique<artifact::EntryT>();
  EntryKernels kernels;
  llvm::StringMap<uint16_t> devices;
  llvm::StringMap<uint32_t> arenas;
  llvm::StringMap<uint32_t> names;
  llvm::DenseMap<Operation *, uint32_t> buffers;
  /// The name of the command behind which each event is recorded.
  llvm::DenseMap<uint64_t, StringRef> eventNames;
  /// By their numbers.
  std::multimap<int64_t, std::unique_ptr<artifact::TensorT>> tensors;
};
} // namespace

uint32_t EntryTranslator::getName(StringRef name) {
  auto number = static_cast<uint32_t>(table->names.size());
  auto [known, isNew] = names.try_emplace(name, number);
  if (isNew)
    table->names.push_back(name.str());
  return known->second;
}

void EntryTranslator::numberDevices() {
  for (auto [number, name] :
       llvm::enumerate(entry.getDevices().getAsValueRange<StringAttr>()))
    devices[name] = static_cast<uint16_t>(number);
  for (int64_t count : entry.getGroups())
    table->num_groups.push_back(static_cast<uint32_t>(count));
}

void EntryTranslator::addArena(exec::ArenaOp op) {
  arenas[op.getDevice()] = static_cast<uint32_t>(table->arenas.size());
  auto &arena =
      table->arenas.emplace_back(std::make_unique<artifact::ArenaT>());
  arena->device = devices.lookup(op.getDevice());
  arena->bytes = op.getBytes();
  arena->lower_bound = op.getLowerBound();
}

void EntryTranslator::addPort(
    std::vector<std::unique_ptr<artifact::PortT>> &ports, uint64_t index,
    StringRef name, Type type) {
  if (ports.size() <= index)
    ports.resize(index + 1);
  ports[index] = std::make_unique<artifact::PortT>();
  ports[index]->name = name.str();
  ports[index]->type = artifact::fromTensorDesc(
      exec::describeView(cast<RankedTensorType>(type)));
}

LogicalResult EntryTranslator::addPorts() {
  Block &block = entry.getBlock();
  for (auto input : block.getOps<exec::InputOp>())
    addPort(table->inputs, input.getIndex(), input.getName(), input.getType());
  for (auto output : block.getOps<exec::OutputOp>())
    addPort(table->outputs, output.getIndex(), output.getName(),
            output.getType());
  for (const auto *ports : {&table->inputs, &table->outputs})
    for (auto [index, port] : llvm::enumerate(*ports))
      if (!port)
        return entry.emitOpError("has no ")
               << (ports == &table->inputs ? "input " : "output ") << index
               << "; indices must be 0, 1, ... without a gap";
  return success();
}

LogicalResult EntryTranslator::locate(Operation *op,
                                      artifact::BufferT &buffer) {
  auto useBlob = [&](BufferKind kind, FlatSymbolRefAttr name) {
    FailureOr<uint32_t> blob = blobs.get(name);
    buffer.kind = kind;
    buffer.index = succeeded(blob) ? *blob : 0;
    return LogicalResult(blob);
  };
  auto usePort = [&](BufferKind kind, uint64_t index) {
    buffer.kind = kind;
    buffer.index = static_cast<uint32_t>(index);
    return success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](exec::InputOp input) {
        return usePort(BufferKind::Input, input.getIndex());
      })
      .Case([&](exec::OutputOp output) {
        return usePort(BufferKind::Output, output.getIndex());
      })
      .Case([&](exec::ParameterOp parameter) {
        return useBlob(BufferKind::Parameter, parameter.getParameterAttr());
      })
      .Case([&](exec::VariableOp variable) {
        return useBlob(BufferKind::Variable, variable.getParameterAttr());
      })
      .Case([&](exec::ScratchOp scratch) -> LogicalResult {
        if (!scratch.getOffset())
          return scratch.emitOpError("has no place; run exec-plan-memory "
                                     "first");
        buffer.kind = BufferKind::Scratch;
        buffer.index = arenas.lookup(scratch.getDevice());
        buffer.offset = *scratch.getOffset();
        return success();
      });
}

LogicalResult EntryTranslator::addBuffer(exec::BufferOpInterface op) {
  // Nothing is planned for a buffer that nothing touches.
  if (isa<exec::AliasOp>(op.getOperation()) ||
      (isa<exec::ScratchOp>(op.getOperation()) && op->use_empty()))
    return success();
  buffers[op] = static_cast<uint32_t>(table->buffers.size());
  auto &buffer =
      table->buffers.emplace_back(std::make_unique<artifact::BufferT>());
  buffer->device = devices.lookup(op.getDevice());
  buffer->bytes = op.getByteSize();
  return locate(op, *buffer);
}

void EntryTranslator::nameEvents() {
  for (auto program : entry.getBlock().getOps<exec::ProgramOp>()) {
    StringRef last = program.getDevice();
    for (Operation &op : program.getBlock()) {
      if (StringRef name = exec::getCommandName(&op); !name.empty())
        last = name;
      if (auto record = dyn_cast<exec::RecordOp>(op)) {
        eventNames[record.getEvent()] = last;
        table->num_events = std::max(
            table->num_events, static_cast<uint32_t>(record.getEvent() + 1));
      }
    }
  }
}

void EntryTranslator::addView(Value buffer, int64_t byteOffset) {
  table->views.emplace_back(buffers.at(exec::getStorage(buffer)),
                            static_cast<uint64_t>(byteOffset));
}

/// The command, whose views are added behind those that are there.
FailureOr<Command> EntryTranslator::translate(Operation *op) {
  auto first = static_cast<uint32_t>(table->views.size());
  return llvm::TypeSwitch<Operation *, FailureOr<Command>>(op)
      .Case([&](exec::LaunchOp launch) -> FailureOr<Command> {
        FailureOr<uint32_t> kernel = kernels.get(launch);
        if (failed(kernel))
          return failure();
        for (unsigned i = 0; i < launch.getNumViews(); ++i)
          addView(launch.getView(i).buffer, launch.getView(i).byteOffset);
        return Command(Opcode::Launch, 0, getName(launch.getName()), *kernel,
                       first, launch.getNumViews(), 0);
      })
      .Case([&](exec::CopyOp copy) {
        addView(copy.getFrom(), copy.getFromOffset());
        addView(copy.getTo(), copy.getToOffset());
        auto flags = copy.getCrossing()
                         ? static_cast<uint8_t>(CommandFlags::Crossing)
                         : uint8_t(0);
        return Command(Opcode::Copy, flags, getName(copy.getName()), 0, first,
                       2, copy.getBytes());
      })
      .Case([&](exec::FillOp fill) {
        addView(fill.getTo(), fill.getToOffset());
        return Command(Opcode::Fill, 0, getName(fill.getName()), 0, first, 1,
                       fill.getBytes());
      })
      .Case<exec::RecordOp, exec::WaitOp>([&](auto event) {
        bool isRecord = isa<exec::RecordOp>(op);
        return Command(isRecord ? Opcode::Record : Opcode::Wait, 0,
                       getName(eventNames.lookup(event.getEvent())),
                       static_cast<uint32_t>(event.getEvent()), 0, 0, 0);
      });
}

LogicalResult EntryTranslator::addProgram(exec::ProgramOp op) {
  auto &program =
      table->programs.emplace_back(std::make_unique<artifact::ProgramT>());
  program->device = devices.lookup(op.getDevice());
  program->queue = static_cast<uint16_t>(op.getQueue());
  int32_t last = -1;
  for (Operation &op : op.getBlock()) {
    if (auto tensor = dyn_cast<exec::TensorOp>(op)) {
      addTensor(tensor, last);
      continue;
    }
    FailureOr<Command> command = translate(&op);
    if (failed(command))
      return failure();
    auto number = static_cast<int32_t>(program->commands.size());
    if (isa<exec::LaunchOp, exec::CopyOp>(op))
      last = number;
    program->commands.push_back(*command);
    if (auto launch = dyn_cast<exec::LaunchOp>(op))
      addInside(launch, number);
  }
  return success();
}

/// `command` is the one that leaves the tensor.
void EntryTranslator::addTensor(exec::TensorOp op, int32_t command) {
  auto tensor = std::make_unique<artifact::TensorT>();
  tensor->name = getName(op.getName());
  tensor->program = static_cast<uint16_t>(table->programs.size() - 1);
  tensor->command = command;
  tensor->view = static_cast<int32_t>(table->views.size());
  tensor->type = artifact::fromTensorDesc(
      exec::describeView(cast<RankedTensorType>(op.getType())));
  addView(op.getBuffer(), static_cast<int64_t>(op.getOffset()));
  tensors.emplace(op.getNumber(), std::move(tensor));
}

/// Tensors inside of kernels come last.
void EntryTranslator::addInside(exec::LaunchOp op, int32_t command) {
  if (!op.getInside())
    return;
  for (auto name : op.getInside()->getAsRange<StringAttr>()) {
    auto tensor = std::make_unique<artifact::TensorT>();
    tensor->name = getName(name);
    tensor->program = static_cast<uint16_t>(table->programs.size() - 1);
    tensor->command = command;
    tensors.emplace(std::numeric_limits<int64_t>::max(), std::move(tensor));
  }
}

/// Lists each tensor once, the seen ones first, and then those of the model
/// that are no longer there.
void EntryTranslator::sortTensors() {
  llvm::StringSet<> known;
  for (auto &[number, tensor] : tensors) {
    StringRef name = table->names[tensor->name];
    if (!model.ambiguous.contains(name) && known.insert(name).second)
      table->tensors.push_back(std::move(tensor));
  }
  for (const std::string &name : model.names) {
    if (!known.insert(name).second)
      continue;
    auto &tensor =
        table->tensors.emplace_back(std::make_unique<artifact::TensorT>());
    tensor->name = getName(name);
  }
}

std::unique_ptr<artifact::EntryT> EntryTranslator::translate() {
  table->name = entry.getSymName().str();
  numberDevices();
  Block &block = entry.getBlock();
  for (auto arena : block.getOps<exec::ArenaOp>())
    addArena(arena);
  if (failed(addPorts()))
    return nullptr;
  for (auto buffer : block.getOps<exec::BufferOpInterface>())
    if (failed(addBuffer(buffer)))
      return nullptr;
  nameEvents();
  for (auto program : block.getOps<exec::ProgramOp>())
    if (failed(addProgram(program)))
      return nullptr;
  sortTensors();
  return std::move(table);
}

std::unique_ptr<artifact::EntryT>
weir::translateEntry(exec::EntryOp entry, BlobTable &blobs,
                     const ModelTensors &model, const KernelCode *code) {
  return EntryTranslator(entry, blobs, model, code).translate();
}
