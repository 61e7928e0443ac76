//===- EntryTranslation.cpp - The entries of an artifact --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "EntryTranslation.h"

#include "weir/Artifact/Convert.h"
#include "weir/Dialect/Weir/Transforms/GraphAttributes.h"

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
  EntryTranslator(exec::EntryOp entry, VariantTables &tables,
                  const ModelTensors &model)
      : entry(entry), tables(tables), model(model) {}

  std::unique_ptr<artifact::EntryT> translate();

private:
  void addArena(exec::ArenaOp arena);
  template <typename PortOp>
  void addPort(PortOp op, std::vector<std::unique_ptr<artifact::PortT>> &ports);
  void addPorts();
  LogicalResult addBuffer(exec::BufferOpInterface buffer);
  LogicalResult locate(Operation *op, artifact::BufferT &buffer);
  void nameEvents();
  void nameEvents(Block &block, StringRef &last);
  LogicalResult addProgram(exec::ProgramOp program);
  LogicalResult addCommands(Block &block, int32_t &last);
  LogicalResult addRepeat(exec::RepeatOp repeat);
  FailureOr<Command> translate(Operation *op);
  void addPrediction(Operation *op);
  void addTensor(exec::TensorOp op, int32_t command);
  void addInside(exec::LaunchOp op, int32_t command);
  void sortTensors();
  void addView(Value buffer, int64_t byteOffset, ArrayRef<int64_t> step = {});
  uint32_t addStep(ArrayRef<int64_t> step);
  template <typename EventOp>
  Command translateEvent(EventOp event, Opcode opcode);
  uint32_t getName(StringRef name);

  exec::EntryOp entry;
  VariantTables &tables;
  const ModelTensors &model;
  std::unique_ptr<artifact::EntryT> table =
      std::make_unique<artifact::EntryT>();
  llvm::DenseMap<exec::ArenaKey, uint32_t> arenas;
  llvm::StringMap<uint32_t> names;
  std::map<std::vector<int64_t>, uint32_t> steps;
  llvm::DenseMap<Operation *, uint32_t> buffers;
  /// For each event, the name of the command in front of the record of the
  /// event.
  llvm::DenseMap<uint64_t, StringRef> eventNames;
  /// The tensors by their numbers.
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

void EntryTranslator::addArena(exec::ArenaOp op) {
  arenas[exec::getArenaKey(op)] = static_cast<uint32_t>(table->arenas.size());
  auto &arena =
      table->arenas.emplace_back(std::make_unique<artifact::ArenaT>());
  arena->device = tables.getDevice(op.getDevice());
  arena->per_frame = !op.getQueue();
  arena->queue =
      artifact::fromQueueRole(op.getQueue().value_or(QueueRole::Compute));
  arena->bytes = op.getBytes();
  arena->lower_bound = op.getLowerBound();
}

template <typename PortOp>
void EntryTranslator::addPort(
    PortOp op, std::vector<std::unique_ptr<artifact::PortT>> &ports) {
  const uint64_t index = op.getIndex();
  if (ports.size() <= index)
    ports.resize(index + 1);
  ports[index] = std::make_unique<artifact::PortT>();
  ports[index]->name = op.getName().str();
  ports[index]->type = artifact::fromTensorDesc(
      exec::describeView(cast<RankedTensorType>(op.getType())));
  ports[index]->space = tables.getSpace(op.getDevice());
}

void EntryTranslator::addPorts() {
  Block &block = entry.getBlock();
  for (auto input : block.getOps<exec::InputOp>())
    addPort(input, table->inputs);
  for (auto output : block.getOps<exec::OutputOp>())
    addPort(output, table->outputs);
}

LogicalResult EntryTranslator::locate(Operation *op,
                                      artifact::BufferT &buffer) {
  auto use = [&](BufferKind kind, FailureOr<uint32_t> index) {
    buffer.kind = kind;
    buffer.index = succeeded(index) ? *index : 0;
    return LogicalResult(index);
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
        return use(BufferKind::Parameter, tables.getParameter(parameter));
      })
      .Case([&](exec::VariableOp variable) {
        return use(BufferKind::Variable, tables.getVariable(variable));
      })
      .Case([&](exec::ScratchOp scratch) -> LogicalResult {
        if (!scratch.getOffset())
          return scratch.emitOpError("has no place; run exec-plan-memory "
                                     "first");
        buffer.kind = BufferKind::Scratch;
        buffer.index = arenas.at(exec::getArenaKey(scratch));
        buffer.offset = *scratch.getOffset();
        return success();
      });
}

LogicalResult EntryTranslator::addBuffer(exec::BufferOpInterface op) {
  // A buffer that no program uses has no place in memory.
  if (isa<exec::AliasOp, exec::VersionOp>(op.getOperation()) ||
      (isa<exec::ScratchOp>(op.getOperation()) && !exec::isUsed(op)))
    return success();
  buffers[op] = static_cast<uint32_t>(table->buffers.size());
  auto &buffer =
      table->buffers.emplace_back(std::make_unique<artifact::BufferT>());
  buffer->space = tables.getSpace(op.getDevice());
  buffer->bytes = op.getByteSize();
  return locate(op, *buffer);
}

/// Names each event after the command in front of its first record. Also finds
/// the largest value of each event.
void EntryTranslator::nameEvents() {
  for (auto program : entry.getBlock().getOps<exec::ProgramOp>()) {
    StringRef last = program.getDevice();
    nameEvents(program.getBlock(), last);
  }
}

void EntryTranslator::nameEvents(Block &block, StringRef &last) {
  for (Operation &op : block) {
    if (StringRef name = exec::getCommandName(&op); !name.empty())
      last = name;
    if (auto repeat = dyn_cast<exec::RepeatOp>(op))
      nameEvents(repeat.getBlock(), last);
    auto record = dyn_cast<exec::RecordOp>(op);
    if (!record)
      continue;
    eventNames.try_emplace(record.getEvent(), last);
    table->events.resize(
        std::max<size_t>(table->events.size(), record.getEvent() + 1));
    auto range = exec::rangeOverTrips(record.getStep(), exec::getTrips(record));
    uint32_t &most = table->events[record.getEvent()];
    most = std::max(most,
                    static_cast<uint32_t>(
                        static_cast<int64_t>(record.getValue()) + range->most));
  }
}

/// The index at which `step` begins in the list of strides. 0 if all strides
/// are 0.
uint32_t EntryTranslator::addStep(ArrayRef<int64_t> step) {
  if (llvm::all_of(step, [](int64_t each) { return each == 0; }))
    return 0;
  if (table->strides.empty())
    table->strides.push_back(0);
  auto [known, isNew] =
      steps.try_emplace(std::vector<int64_t>(step.begin(), step.end()),
                        static_cast<uint32_t>(table->strides.size()));
  if (isNew)
    table->strides.insert(table->strides.end(), step.begin(), step.end());
  return known->second;
}

void EntryTranslator::addView(Value buffer, int64_t byteOffset,
                              ArrayRef<int64_t> step) {
  table->views.emplace_back(buffers.at(exec::getStorage(buffer)), addStep(step),
                            static_cast<uint64_t>(byteOffset));
}

template <typename EventOp>
Command EntryTranslator::translateEvent(EventOp event, Opcode opcode) {
  return Command(opcode, 0, getName(eventNames.lookup(event.getEvent())),
                 static_cast<uint32_t>(event.getEvent()), 0, 0,
                 static_cast<int32_t>(event.getValue()),
                 addStep(event.getStep()), 0);
}

/// The command for `op`. Its views are appended to the table.
FailureOr<Command> EntryTranslator::translate(Operation *op) {
  auto first = static_cast<uint32_t>(table->views.size());
  return llvm::TypeSwitch<Operation *, FailureOr<Command>>(op)
      .Case([&](exec::LaunchOp launch) -> FailureOr<Command> {
        FailureOr<uint32_t> kernel = tables.getKernel(launch);
        if (failed(kernel))
          return failure();
        for (unsigned i = 0; i < launch.getNumViews(); ++i) {
          exec::View view = launch.getView(i);
          addView(view.buffer, view.byteOffset, view.step);
        }
        return Command(Opcode::Launch, 0, getName(launch.getName()), *kernel,
                       first, launch.getNumViews(), 0, 0, 0);
      })
      .Case([&](exec::CopyOp copy) {
        addView(copy.getFrom(), copy.getFromOffset(), copy.getFromStep());
        addView(copy.getTo(), copy.getToOffset(), copy.getToStep());
        auto flags = copy.getCrossing()
                         ? static_cast<uint8_t>(CommandFlags::Crossing)
                         : uint8_t(0);
        return Command(Opcode::Copy, flags, getName(copy.getName()), 0, first,
                       2, 0, 0, copy.getBytes());
      })
      .Case([&](exec::FillOp fill) {
        addView(fill.getTo(), fill.getToOffset(), fill.getToStep());
        return Command(Opcode::Fill, 0, getName(fill.getName()), 0, first, 1, 0,
                       0, fill.getBytes());
      })
      .Case([&](exec::RecordOp record) {
        return translateEvent(record, Opcode::Record);
      })
      .Case([&](exec::WaitOp wait) {
        return translateEvent(wait, Opcode::Wait);
      });
}

/// Adds a Repeat command, which contains the number of commands in its body,
/// and then these commands.
LogicalResult EntryTranslator::addRepeat(exec::RepeatOp repeat) {
  auto &commands = table->programs.back()->commands;
  const size_t at = commands.size();
  commands.emplace_back();
  int32_t last = -1;
  if (failed(addCommands(repeat.getBlock(), last)))
    return failure();
  commands[at] = Command(Opcode::Repeat, 0, commands[at + 1].name(),
                         static_cast<uint32_t>(repeat.getTrips()), 0, 0,
                         static_cast<int32_t>(commands.size() - at - 1), 0, 0);
  return success();
}

/// Adds the commands of `block`. `last` is the index of the last launch or copy
/// so far.
LogicalResult EntryTranslator::addCommands(Block &block, int32_t &last) {
  auto &commands = table->programs.back()->commands;
  for (Operation &op : block) {
    if (auto tensor = dyn_cast<exec::TensorOp>(op)) {
      addTensor(tensor, last);
      continue;
    }
    if (auto repeat = dyn_cast<exec::RepeatOp>(op)) {
      if (failed(addRepeat(repeat)))
        return failure();
      continue;
    }
    FailureOr<Command> command = translate(&op);
    if (failed(command))
      return failure();
    auto number = static_cast<int32_t>(commands.size());
    if (isa<exec::LaunchOp, exec::CopyOp>(op))
      last = number;
    commands.push_back(*command);
    addPrediction(&op);
    if (auto launch = dyn_cast<exec::LaunchOp>(op))
      addInside(launch, number);
  }
  return success();
}

/// Adds the predicted time of `op`. The command of `op` must be the last one.
void EntryTranslator::addPrediction(Operation *op) {
  const uint64_t ns = exec::getPredictedNs(op);
  if (ns == 0)
    return;
  artifact::ProgramT &program = *table->programs.back();
  program.predictions.resize(program.commands.size() - 1);
  program.predictions.emplace_back(ns, exec::getSharedLink(op));
}

LogicalResult EntryTranslator::addProgram(exec::ProgramOp op) {
  auto &program =
      table->programs.emplace_back(std::make_unique<artifact::ProgramT>());
  program->device = tables.getDevice(op.getDevice());
  program->queue = artifact::fromQueueRole(op.getQueue());
  int32_t last = -1;
  if (failed(addCommands(op.getBlock(), last)))
    return failure();
  // Predictions are kept only for devices that use them.
  StatusOr<DeviceName> name = parseDeviceName(op.getDevice());
  if (program->predictions.empty() || !name.isOk() ||
      !name->kind->usesPredictions)
    program->predictions.clear();
  else
    program->predictions.resize(program->commands.size());
  return success();
}

/// Adds a tensor. The command with index `command` is the last one that writes
/// it.
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

/// Adds the tensors that the kernel of `op` computes internally. They come
/// after all others.
void EntryTranslator::addInside(exec::LaunchOp op, int32_t command) {
  if (!op.getInside() || isa<exec::RepeatOp>(op->getParentOp()))
    return;
  for (auto name : op.getInside()->getAsRange<StringAttr>()) {
    auto tensor = std::make_unique<artifact::TensorT>();
    tensor->name = getName(name);
    tensor->program = static_cast<uint16_t>(table->programs.size() - 1);
    tensor->command = command;
    tensors.emplace(std::numeric_limits<int64_t>::max(), std::move(tensor));
  }
}

/// Lists each tensor once. First come the tensors that exist, and then those of
/// the model that no longer exist.
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
  table->name = getEntryName(entry).str();
  for (int64_t count : entry.getDevices().getGroups())
    table->num_groups.push_back(static_cast<uint32_t>(count));
  Block &block = entry.getBlock();
  for (auto arena : block.getOps<exec::ArenaOp>())
    addArena(arena);
  addPorts();
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
weir::translateEntry(exec::EntryOp entry, VariantTables &tables,
                     const ModelTensors &model) {
  return EntryTranslator(entry, tables, model).translate();
}
