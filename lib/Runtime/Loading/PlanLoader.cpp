//===- PlanLoader.cpp - Resolves the commands of an entry -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PlanLoader.h"

#include "PlanTensors.h"
#include "SlotTable.h"
#include "weir/Artifact/Convert.h"
#include "weir/Artifact/Format.h"
#include "weir/Runtime/LaunchText.h"
#include "weir/Support/Printable.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string_view>

using namespace weir;

namespace {

/// The time for which a device prepares kernels at a stretch. After this time,
/// the device carries out the runs that wait, which takes a switch of threads.
constexpr std::chrono::milliseconds timeSlice{10};

/// Resolves the commands of one program.
class ProgramLoader {
public:
  /// `stepOf` gets the number of the step that each command has become; -1 for
  /// a Repeat.
  ProgramLoader(const PlanSources &sources, const artifact::Entry &entry,
                const artifact::Program &from, Plan &plan, SlotTable &slots,
                PlanProgram &program, std::vector<int64_t> &stepOf)
      : sources(sources), entry(entry), from(from), plan(plan), slots(slots),
        program(program), stepOf(stepOf) {
    if (from.commands())
      stepOf.assign(from.commands()->size(), -1);
  }

  bool isDone() const { return at == stepOf.size(); }
  /// Loads further commands for about `time`. At least one command must be
  /// left.
  Status loadFor(std::chrono::milliseconds time);

private:
  /// A Repeat around the current command.
  struct Loop {
    RepeatStep *repeat;
    /// The first command after the body of the Repeat.
    uint64_t end;
  };
  Status addNext();
  Status addCommand(const artifact::Command &command);
  void beginLoop(const artifact::Command &command);
  void endLoops();
  void addSlots(const artifact::Command &command);
  void addEvent(const artifact::Command &command, Step &step);
  void noteVariables(const artifact::Command &command, Step &step);
  void noteWrite(const artifact::View &view, Step &step);
  StatusOr<const PreparedKernel *> prepare(const artifact::Command &command,
                                           StepInfo &info);
  /// Notes the parameters that `command` reads in place. Views for which
  /// `isPacked` is true are left out: the kernel has a packed copy of them.
  void noteParameters(const artifact::Command &command,
                      const std::vector<bool> &isPacked);
  /// Lets `slot` move in the loops around the current command. `first` is the
  /// number of the first stride; 0 if the slot does not move.
  void addMoves(uint32_t slot, uint32_t first);
  const artifact::View &view(const artifact::Command &command,
                             uint32_t index) const {
    return *entry.views()->Get(command.first_view() + index);
  }

  const PlanSources &sources;
  const artifact::Entry &entry;
  const artifact::Program &from;
  Plan &plan;
  SlotTable &slots;
  PlanProgram &program;
  std::vector<int64_t> &stepOf;
  /// The next command.
  uint64_t at = 0;
  std::vector<Loop> loops;
};

} // namespace

static StepKind toStepKind(artifact::Opcode opcode) {
  switch (opcode) {
  case artifact::Opcode::Launch:
    return StepKind::Launch;
  case artifact::Opcode::Copy:
    return StepKind::Copy;
  case artifact::Opcode::Record:
    return StepKind::Record;
  case artifact::Opcode::Wait:
    return StepKind::Wait;
  case artifact::Opcode::Fill:
    return StepKind::Fill;
  case artifact::Opcode::Repeat:
    return StepKind::Repeat;
  }
  return StepKind::Fill;
}

void ProgramLoader::addMoves(uint32_t slot, uint32_t first) {
  if (first == 0)
    return;
  for (uint32_t i = 0; i < loops.size(); ++i)
    if (const int64_t stride = entry.strides()->Get(first + i))
      loops[i].repeat->moves.push_back({slot, stride});
}

void ProgramLoader::addSlots(const artifact::Command &command) {
  for (uint32_t i = 0; i < command.num_views(); ++i) {
    const artifact::View &used = view(command, i);
    addMoves(slots.add(used), used.strides());
  }
}

void ProgramLoader::addEvent(const artifact::Command &command, Step &step) {
  step.event = &plan.events[command.index()];
  step.value = command.value();
  step.moves = command.strides() != 0 && !loops.empty();
  if (step.moves) {
    step.slot = slots.addNumber();
    addMoves(step.slot, command.strides());
  }
}

void ProgramLoader::noteWrite(const artifact::View &view, Step &step) {
  const PlacedBuffer &buffer = slots.buffer(view);
  if (buffer.kind != artifact::BufferKind::Variable)
    return;
  step.writesVariable = true;
  const auto [first, end] = sources.memory.parametersOf(buffer.index);
  for (uint32_t variable = first; variable < end; ++variable)
    program.variableWrites.push_back({program.steps.size(), variable});
}

/// Notes which variables of the variant a command reads and writes.
void ProgramLoader::noteVariables(const artifact::Command &command,
                                  Step &step) {
  uint32_t numRead = 0;
  if (step.kind == StepKind::Launch)
    numRead = static_cast<uint32_t>(
        sources.kernels.spec(command.index()).operands.size());
  else if (step.kind == StepKind::Copy)
    numRead = 1;
  for (uint32_t i = 0; i < command.num_views(); ++i) {
    const PlacedBuffer &buffer = slots.buffer(view(command, i));
    // A copy without bytes only passes a value on.
    const bool writes =
        i >= numRead && (step.kind == StepKind::Launch || step.bytes > 0);
    if (writes)
      noteWrite(view(command, i), step);
    else if (buffer.kind == artifact::BufferKind::Variable)
      plan.readVariables.push_back(buffer.index);
  }
}

void ProgramLoader::noteParameters(const artifact::Command &command,
                                   const std::vector<bool> &isPacked) {
  for (uint32_t i = 0; i < command.num_views(); ++i) {
    const PlacedBuffer &buffer = slots.buffer(view(command, i));
    if (buffer.isHostParameter && !(i < isPacked.size() && isPacked[i]))
      sources.readInPlace.try_emplace(buffer.index, program.device);
  }
}

StatusOr<const PreparedKernel *>
ProgramLoader::prepare(const artifact::Command &command, StepInfo &info) {
  info.spec = &sources.kernels.spec(command.index());
  info.flops = sources.variant.kernels()->Get(command.index())->flops();
  std::vector<const void *> constants(info.spec->operands.size());
  for (uint32_t i = 0; i < constants.size(); ++i) {
    const artifact::View &used = view(command, i);
    const PlacedBuffer &buffer = slots.buffer(used);
    // A view that moves is another operand in each trip.
    if (buffer.isConstant() && (used.strides() == 0 || loops.empty()))
      constants[i] = buffer.base + used.byte_offset();
  }
  Device &device = sources.devices[program.device];
  auto kernel =
      sources.kernels.get(device, command.index(), std::move(constants));
  if (kernel)
    return kernel;
  // Messages of kernels may quote attributes of the artifact, with any
  // characters.
  return Status(kernel.status().code(), printable(kernel.status().message()))
      .withContext(describeLaunch(info, device.info().name));
}

Status ProgramLoader::addCommand(const artifact::Command &command) {
  StepInfo info;
  info.op = entry.names()->Get(command.name())->string_view();
  if (from.predictions() && from.predictions()->size() > 0) {
    const auto *prediction = from.predictions()->Get(static_cast<uint32_t>(at));
    info.predictedNs = prediction->nanoseconds();
    info.sharedLink = prediction->link();
  }
  Step step;
  step.kind = toStepKind(command.opcode());
  step.crossing =
      command.flags() & static_cast<uint8_t>(artifact::CommandFlags::Crossing);
  step.slot = slots.size();
  addSlots(command);
  if (step.kind == StepKind::Launch) {
    WEIR_ASSIGN_OR_RETURN(const PreparedKernel *prepared,
                          prepare(command, info));
    step.kernel = prepared->kernel.get();
    noteParameters(command, prepared->isPacked);
  } else if (step.kind == StepKind::Record || step.kind == StepKind::Wait) {
    addEvent(command, step);
  } else {
    step.bytes = command.bytes();
    // A copy without bytes only passes a value on.
    if (step.bytes > 0)
      noteParameters(command, {});
  }
  noteVariables(command, step);
  program.steps.push_back(step);
  program.infos.push_back(info);
  return Status::ok();
}

void ProgramLoader::beginLoop(const artifact::Command &command) {
  RepeatStep &repeat = program.repeats.emplace_back();
  repeat.trips = command.index();
  repeat.firstStep = program.steps.size();
  repeat.counter = slots.addNumber();
  loops.push_back({&repeat, at + 1 + static_cast<uint64_t>(command.value())});
}

/// Adds the ends of the loops whose bodies end before the next command.
void ProgramLoader::endLoops() {
  while (!loops.empty() && loops.back().end == at) {
    Step step;
    step.kind = StepKind::Repeat;
    step.repeat = loops.back().repeat;
    loops.pop_back();
    // A loop of one trip needs no step.
    if (step.repeat->trips == 1)
      continue;
    program.steps.push_back(step);
    program.infos.push_back({"repeat"});
  }
}

Status ProgramLoader::addNext() {
  const artifact::Command &command =
      *from.commands()->Get(static_cast<uint32_t>(at));
  if (command.opcode() != artifact::Opcode::Repeat) {
    stepOf[at] = static_cast<int64_t>(program.steps.size());
    WEIR_RETURN_IF_ERROR(addCommand(command));
  } else {
    beginLoop(command);
  }
  ++at;
  endLoops();
  return Status::ok();
}

Status ProgramLoader::loadFor(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  do
    WEIR_RETURN_IF_ERROR(addNext());
  while (!isDone() && std::chrono::steady_clock::now() < end);
  return Status::ok();
}

/// The memory space that an artifact calls `number`.
static MemorySpace toSpace(uint32_t number, const ModelDevices &devices) {
  return number == artifact::hostSpace ? MemorySpace()
                                       : MemorySpace(devices[number - 1]);
}

template <typename Ports>
static std::vector<TensorInfo> toInfos(const Ports *ports,
                                       const ModelDevices &devices) {
  std::vector<TensorInfo> infos;
  if (ports)
    for (const artifact::Port *port : *ports)
      infos.push_back({port->name()->str(),
                       artifact::toTensorDesc(*port->type()), true,
                       toSpace(port->space(), devices)});
  return infos;
}

/// Notes which records and waits use events of several device kinds.
static void noteKinds(const ModelDevices &devices, Plan &plan) {
  std::map<const Event *, std::set<std::string_view>> kinds;
  const auto forEachUse = [&](auto function) {
    for (PlanProgram &program : plan.programs)
      for (Step &step : program.steps)
        if (step.kind == StepKind::Record || step.kind == StepKind::Wait)
          function(program, step);
  };
  forEachUse([&](const PlanProgram &program, const Step &step) {
    kinds[step.event].insert(devices[program.device].info().kind);
  });
  forEachUse([&](const PlanProgram &, Step &step) {
    step.acrossKinds = kinds.at(step.event).size() > 1;
  });
}

/// Notes which inputs are read. A run can do without the others.
static void noteReadInputs(Plan &plan) {
  for (TensorInfo &input : plan.inputs)
    input.isRead = false;
  for (const PortPatch &patch : plan.inputPatches)
    plan.inputs[patch.port].isRead = true;
}

static Status makeEvents(const artifact::Entry &entry, Plan &plan) {
  const auto *values = entry.events();
  plan.numEvents = values ? values->size() : 0;
  plan.events = std::make_unique<Event[]>(std::max<size_t>(plan.numEvents, 1));
  for (uint32_t i = 0; i < plan.numEvents; ++i)
    plan.largestValue = std::max(plan.largestValue, values->Get(i));
  // Counters are compared modulo 2^32, so the values of all runs in flight must
  // be close to each other.
  constexpr uint32_t mostValues = uint32_t(1) << 22;
  if (plan.largestValue < mostValues)
    return Status::ok();
  return invalidArgument(fmt::format(
      "entry '{}' has an event that reaches {}, the largest value that can run "
      "is {}; compile it with shorter loops",
      printable(plan.name), plan.largestValue, mostValues - 1));
}

static Status loadProgram(const PlanSources &sources,
                          const artifact::Entry &entry,
                          const artifact::Program &from, Plan &plan,
                          SlotTable &slots, std::vector<int64_t> &stepOf) {
  PlanProgram &program = plan.programs.emplace_back();
  program.device = from.device();
  program.role = artifact::toQueueRole(from.queue());
  Device &device = sources.devices[program.device];
  WEIR_ASSIGN_OR_RETURN(
      program.queue, sources.devices.openQueue(program.device, program.role));
  ProgramLoader loader(sources, entry, from, plan, slots, program, stepOf);
  while (!loader.isDone())
    WEIR_RETURN_IF_ERROR(
        device.whilePreparing([&] { return loader.loadFor(timeSlice); }));
  program.list.needsTeam =
      std::ranges::any_of(program.steps, [](const Step &step) {
        return step.kind == StepKind::Launch && !step.kernel->isSerial();
      });
  program.list.mayRunAlone =
      std::ranges::all_of(program.steps, [](const Step &step) {
        return step.kind != StepKind::Launch || step.kernel->mayRunAlone();
      });
  program.list.steps = program.steps;
  program.list.infos = program.infos;
  return Status::ok();
}

/// The parameters in the variables of the variant that `read` lists. Each
/// parameter is listed once, in order.
static std::vector<uint32_t> listParameters(std::vector<uint32_t> read,
                                            const ModelMemory &memory) {
  std::ranges::sort(read);
  const auto repeated = std::ranges::unique(read);
  read.erase(repeated.begin(), repeated.end());
  std::vector<uint32_t> parameters;
  for (uint32_t variable : read) {
    const auto [first, end] = memory.parametersOf(variable);
    for (uint32_t number = first; number < end; ++number)
      parameters.push_back(number);
  }
  return parameters;
}

Status weir::loadPlan(const PlanSources &sources, const artifact::Entry &entry,
                      Plan &plan) {
  plan.name = entry.name()->str();
  plan.inputs = toInfos(entry.inputs(), sources.devices);
  plan.outputs = toInfos(entry.outputs(), sources.devices);
  if (!entry.programs() || entry.programs()->size() == 0)
    return invalidArgument(
        fmt::format("entry '{}' has nothing to run", printable(plan.name)));
  WEIR_RETURN_IF_ERROR(makeEvents(entry, plan));
  SlotTable slots(sources.memory.place(entry), plan);
  // Queues keep the address of a program's list, so programs must not move.
  plan.programs.reserve(entry.programs()->size());
  std::vector<std::vector<int64_t>> stepOf(entry.programs()->size());
  for (uint32_t i = 0; i < entry.programs()->size(); ++i)
    WEIR_RETURN_IF_ERROR(loadProgram(sources, entry, *entry.programs()->Get(i),
                                     plan, slots, stepOf[i]));
  noteKinds(sources.devices, plan);
  plan.readVariables = listParameters(plan.readVariables, sources.memory);
  if (sources.observer)
    loadTensors(sources, entry, stepOf, slots, plan);
  noteReadInputs(plan);
  return Status::ok();
}
