//===- LoadedEntry.cpp - An entry with everything resolved -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LoadedEntry.h"

#include "VariantSelection.h"
#include "weir/Artifact/Convert.h"
#include "weir/Artifact/Format.h"
#include "weir/Runtime/LaunchText.h"
#include "weir/Support/Printable.h"
#include "weir/Support/Trace.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace weir;

namespace {

class EntryLoader {
public:
  EntryLoader(const artifact::Artifact &artifact,
              const artifact::Variant &variant, const artifact::Entry &entry,
              const SessionOptions &options)
      : artifact(artifact), variant(variant), entry(entry), options(options),
        loaded(std::make_unique<LoadedEntry>()) {}

  StatusOr<std::unique_ptr<LoadedEntry>> load(const DriverSet &drivers);

private:
  Status openAll(const DriverSet &drivers);
  void sizeSlots();
  Status loadProgram(const artifact::Program &program, LoadedProgram &to);
  Status loadCommands(const artifact::Program &program, LoadedProgram &to);
  StatusOr<Step> resolve(const artifact::Command &command, size_t device,
                         StepInfo &info);
  StatusOr<Kernel *> prepare(const artifact::Command &command, size_t device,
                             StepInfo &info);
  void addSlots(const artifact::Command &command);
  void addSlot(const artifact::View &view);
  void loadTensors();
  void addTensor(const artifact::Tensor &tensor);
  void traceLaunches(LoadedProgram &program);
  Status allocateWorkspace(LoadedProgram &program);
  void observe(LoadedProgram &program);
  void noteReadInputs();
  void noteScalarCode(const LoadedProgram &program);
  bool launchesOn(size_t device) const;
  void noteIdleThreads(size_t device, std::span<const DeviceRequest> requests);
  void finishStats();

  const artifact::Artifact &artifact;
  const artifact::Variant &variant;
  const artifact::Entry &entry;
  const SessionOptions &options;
  std::unique_ptr<LoadedEntry> loaded;
  size_t numSlots = 0;
};

/// The row of a queue in traces.
std::string rowName(int queue) {
  if (queue == 0)
    return "compute";
  return queue == 1 ? "copy" : fmt::format("copy {}", queue);
}

StepKind toStepKind(artifact::Opcode opcode) {
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
  }
  return StepKind::Fill;
}

template <typename Ports> std::vector<TensorInfo> toInfos(const Ports *ports) {
  std::vector<TensorInfo> infos;
  if (ports)
    for (const artifact::Port *port : *ports)
      infos.push_back(
          {port->name()->str(), artifact::toTensorDesc(*port->type()), true});
  return infos;
}

} // namespace

Status EntryLoader::openAll(const DriverSet &drivers) {
  std::vector<DeviceRequest> requests = requestsOf(variant, options.threads);
  for (DeviceRequest &request : requests)
    request.mayPin = options.pinThreads;
  WEIR_ASSIGN_OR_RETURN(loaded->devices, openDevices(drivers, requests));
  for (size_t i = 0; i < requests.size(); ++i) {
    DeviceStats &stats = loaded->stats.emplace_back();
    stats.info = loaded->devices[i]->info();
    stats.isolated = requests[i].isolated;
    if (entry.num_groups() && entry.num_groups()->size())
      stats.groups = entry.num_groups()->Get(static_cast<uint32_t>(i));
  }
  return Status::ok();
}

void EntryLoader::sizeSlots() {
  for (const artifact::Program *program : *entry.programs())
    if (program->commands())
      for (const artifact::Command *command : *program->commands())
        numSlots += command->num_views();
  if (options.observer && entry.tensors())
    numSlots += entry.tensors()->size();
  // Steps point into the slots, so the slots must never move.
  loaded->slots.reserve(numSlots);
}

void EntryLoader::addSlots(const artifact::Command &command) {
  for (uint32_t i = 0; i < command.num_views(); ++i)
    addSlot(*entry.views()->Get(command.first_view() + i));
}

void EntryLoader::addSlot(const artifact::View &view) {
  const PlacedBuffer &buffer = loaded->buffers[view.buffer()];
  const auto slot = static_cast<uint32_t>(loaded->slots.size());
  loaded->slots.push_back(buffer.base ? buffer.base + view.byte_offset()
                                      : nullptr);
  if (buffer.kind == artifact::BufferKind::Input)
    loaded->inputPatches.push_back({slot, buffer.port, view.byte_offset()});
  if (buffer.kind == artifact::BufferKind::Output)
    loaded->outputPatches.push_back({slot, buffer.port, view.byte_offset()});
}

/// Whether both views have the same elements.
static bool showSame(const artifact::Entry &entry, const artifact::Tensor &left,
                     const artifact::Tensor &right) {
  if (left.view() < 0 || right.view() < 0)
    return false;
  const artifact::View &a =
      *entry.views()->Get(static_cast<uint32_t>(left.view()));
  const artifact::View &b =
      *entry.views()->Get(static_cast<uint32_t>(right.view()));
  return a.buffer() == b.buffer() && a.byte_offset() == b.byte_offset() &&
         left.program() == right.program() &&
         left.command() == right.command() &&
         artifact::toTensorDesc(*left.type()) ==
             artifact::toTensorDesc(*right.type());
}

void EntryLoader::addTensor(const artifact::Tensor &tensor) {
  const size_t number = loaded->tensors.size();
  PlanTensor &to = loaded->tensors.emplace_back();
  to.name = entry.names()->Get(tensor.name())->str();
  if (tensor.command() < 0)
    return;
  LoadedProgram &program = loaded->programs[tensor.program()];
  const auto step = static_cast<size_t>(tensor.command());
  const StepInfo &info = program.infos[step];
  to.device = loaded->devices[program.device]->info().name;
  to.op = std::string(info.op);
  to.kernel = info.spec ? info.spec->name : "copy";
  to.place = PlanTensor::Place::Inside;
  if (tensor.view() < 0)
    return;
  to.place = PlanTensor::Place::Visible;
  to.desc = artifact::toTensorDesc(*tensor.type());
  const auto at = static_cast<uint32_t>(number);
  to.isAlias = at > 0 && showSame(entry, *entry.tensors()->Get(at - 1), tensor);
  program.tensors.push_back(
      {step, number, loaded->slots.data() + loaded->slots.size()});
  addSlot(*entry.views()->Get(static_cast<uint32_t>(tensor.view())));
}

/// Collects what the observer receives, and after which steps.
void EntryLoader::loadTensors() {
  if (!options.observer || !entry.tensors())
    return;
  for (const artifact::Tensor *tensor : *entry.tensors())
    addTensor(*tensor);
  for (LoadedProgram &program : loaded->programs) {
    std::stable_sort(
        program.tensors.begin(), program.tensors.end(),
        [](const auto &a, const auto &b) { return a.step < b.step; });
    program.list.observer = options.observer;
    program.list.tensors = program.tensors;
  }
}

StatusOr<Kernel *> EntryLoader::prepare(const artifact::Command &command,
                                        size_t device, StepInfo &info) {
  info.spec = &loaded->kernels->spec(command.index());
  info.flops = entry.kernels()->Get(command.index())->flops();
  std::vector<const void *> constants(info.spec->operands.size());
  for (size_t i = 0; i < constants.size(); ++i) {
    const artifact::View &view =
        *entry.views()->Get(command.first_view() + static_cast<uint32_t>(i));
    const PlacedBuffer &buffer = loaded->buffers[view.buffer()];
    if (buffer.isConstant())
      constants[i] = buffer.base + view.byte_offset();
  }
  Device &on = *loaded->devices[device];
  auto kernel =
      loaded->kernels->get(on, command.index(), std::move(constants),
                           [this](auto part) { artifact.release(part); });
  if (kernel)
    return kernel;
  // Messages of kernels may quote attributes of the artifact.
  return Status(kernel.status().code(), printable(kernel.status().message()))
      .withContext(describeLaunch(info, on.info().name));
}

StatusOr<Step> EntryLoader::resolve(const artifact::Command &command,
                                    size_t device, StepInfo &info) {
  info.op = entry.names()->Get(command.name())->string_view();
  Step step;
  step.kind = toStepKind(command.opcode());
  step.bytes = command.bytes();
  step.crossing =
      command.flags() & static_cast<uint8_t>(artifact::CommandFlags::Crossing);
  step.slots = loaded->slots.data() + loaded->slots.size();
  addSlots(command);
  if (step.kind == StepKind::Launch) {
    WEIR_ASSIGN_OR_RETURN(step.kernel, prepare(command, device, info));
  } else {
    step.event = &loaded->events[command.index()];
  }
  return step;
}

Status EntryLoader::loadCommands(const artifact::Program &program,
                                 LoadedProgram &to) {
  if (program.commands())
    for (const artifact::Command *command : *program.commands()) {
      StepInfo info;
      WEIR_ASSIGN_OR_RETURN(const Step step,
                            resolve(*command, to.device, info));
      to.steps.push_back(step);
      to.infos.push_back(info);
    }
  return Status::ok();
}

Status EntryLoader::loadProgram(const artifact::Program &program,
                                LoadedProgram &to) {
  to.device = program.device();
  to.queueIndex = program.queue();
  WEIR_ASSIGN_OR_RETURN(to.queue,
                        loaded->devices[to.device]->openQueue(to.queueIndex));
  WEIR_RETURN_IF_ERROR(loaded->devices[to.device]->whilePreparing(
      [&] { return loadCommands(program, to); }));
  to.list.needsTeam =
      std::any_of(to.steps.begin(), to.steps.end(), [](const Step &step) {
        return step.kind == StepKind::Launch && !step.kernel->isSerial();
      });
  to.list.steps = to.steps;
  to.list.infos = to.infos;
  WEIR_RETURN_IF_ERROR(allocateWorkspace(to));
  observe(to);
  return Status::ok();
}

Status EntryLoader::allocateWorkspace(LoadedProgram &program) {
  size_t bytes = 0;
  for (const Step &step : program.steps)
    if (step.kind == StepKind::Launch)
      bytes = std::max(bytes, step.kernel->workspaceBytes());
  if (bytes == 0)
    return Status::ok();
  auto memory = loaded->devices[program.device]->allocate(bytes);
  if (!memory)
    return std::move(memory).status().withContext("cannot allocate workspace");
  program.list.workspace = (*memory)->data();
  loaded->workspaces.push_back(*std::move(memory));
  loaded->stats[program.device].workspaceBytes += bytes;
  return Status::ok();
}

void EntryLoader::observe(LoadedProgram &program) {
  program.list.checkNumerics = options.checkNumerics;
  if (!options.trace)
    return;
  constexpr size_t runsHeld = 16, fewest = 4096, many = size_t(1) << 18;
  // At least one whole run.
  const size_t steps = program.steps.size();
  program.list.trace = &options.trace->addRow(
      loaded->devices[program.device]->info().name, rowName(program.queueIndex),
      std::clamp(steps * runsHeld, fewest, std::max(steps, many)));
  // The trace outlives the artifact, which owns the names.
  for (StepInfo &info : program.infos)
    info.op = options.trace->intern(info.op);
  traceLaunches(program);
}

void EntryLoader::traceLaunches(LoadedProgram &program) {
  for (size_t i = 0; i < program.steps.size(); ++i) {
    StepInfo &info = program.infos[i];
    if (program.steps[i].kind != StepKind::Launch)
      continue;
    info.detail = options.trace->keep(
        {info.spec->name, program.steps[i].kernel->implementation(),
         describeShapes(*info.spec), countBytes(*info.spec), info.flops});
  }
}

/// Finds the inputs that a run can do without.
void EntryLoader::noteReadInputs() {
  for (TensorInfo &input : loaded->inputs)
    input.isRead = false;
  for (const PortPatch &patch : loaded->inputPatches)
    loaded->inputs[patch.port].isRead = true;
}

/// Adds a note for the user if launches on `program`'s device run scalar code.
void EntryLoader::noteScalarCode(const LoadedProgram &program) {
  size_t numLaunches = 0, numScalar = 0, first = 0;
  for (size_t i = program.steps.size(); i-- > 0;) {
    if (program.steps[i].kind != StepKind::Launch)
      continue;
    ++numLaunches;
    if (program.steps[i].kernel->runsScalarCode()) {
      ++numScalar;
      first = i;
    }
  }
  if (numScalar == 0)
    return;
  std::string &note = loaded->stats[program.device].info.note;
  note += fmt::format(
      "{}{} of {} launches run slow scalar code of the library, first {} as {}",
      note.empty() ? "" : "; ", numScalar, numLaunches,
      describeLaunch(program.infos[first],
                     loaded->stats[program.device].info.name),
      program.steps[first].kernel->implementation());
}

bool EntryLoader::launchesOn(size_t device) const {
  return std::any_of(loaded->programs.begin(), loaded->programs.end(),
                     [&](const LoadedProgram &program) {
                       return program.device == device &&
                              std::any_of(
                                  program.steps.begin(), program.steps.end(),
                                  [](const Step &step) {
                                    return step.kind == StepKind::Launch;
                                  });
                     });
}

/// Adds a note about devices without work. They keep their share of the cores,
/// so that the number of threads of a device, and with it the bits of results,
/// does not depend on placement.
void EntryLoader::noteIdleThreads(size_t device,
                                  std::span<const DeviceRequest> requests) {
  DeviceInfo &info = loaded->stats[device].info;
  if (requests[device].threads > 0 || info.threads == 0 || launchesOn(device))
    return;
  std::vector<std::string_view> busy;
  for (size_t i = 0; i < requests.size(); ++i)
    if (loaded->stats[i].info.kind == info.kind && launchesOn(i))
      busy.push_back(loaded->stats[i].info.name);
  if (busy.empty())
    return;
  info.note +=
      fmt::format("{}runs no op, but keeps a share of the cores that {} could "
                  "use; leave it out of --devices of graph-compile",
                  info.note.empty() ? "" : "; ", fmt::join(busy, ", "));
}

void EntryLoader::finishStats() {
  const std::vector<DeviceRequest> requests =
      requestsOf(variant, options.threads);
  // Devices may have remarks about the kernels that they prepared.
  for (size_t i = 0; i < loaded->devices.size(); ++i)
    loaded->stats[i].info = loaded->devices[i]->info();
  for (const LoadedProgram &program : loaded->programs)
    noteScalarCode(program);
  for (size_t i = 0; i < loaded->devices.size(); ++i) {
    noteIdleThreads(i, requests);
    loaded->stats[i].packedBytes =
        loaded->kernels->packedBytes(*loaded->devices[i]);
    loaded->stats[i].kernels = loaded->kernels->numKernels(*loaded->devices[i]);
  }
}

StatusOr<std::unique_ptr<LoadedEntry>>
EntryLoader::load(const DriverSet &drivers) {
  WEIR_RETURN_IF_ERROR(openAll(drivers));
  WEIR_ASSIGN_OR_RETURN(
      loaded->buffers, BufferPlacement::create(artifact, variant, entry,
                                               loaded->devices, loaded->stats));
  loaded->kernels = std::make_unique<KernelCache>(entry, artifact);
  loaded->events =
      std::make_unique<Event[]>(std::max<size_t>(entry.num_events(), 1));
  loaded->inputs = toInfos(entry.inputs());
  loaded->outputs = toInfos(entry.outputs());
  if (!entry.programs() || entry.programs()->size() == 0)
    return invalidArgument(fmt::format("entry '{}' has nothing to run",
                                       printable(entry.name()->string_view())));
  sizeSlots();
  // Queues keep the address of a program's list.
  loaded->programs.reserve(entry.programs()->size());
  for (const artifact::Program *program : *entry.programs())
    WEIR_RETURN_IF_ERROR(
        loadProgram(*program, loaded->programs.emplace_back()));
  loadTensors();
  noteReadInputs();
  finishStats();
  return std::move(loaded);
}

StatusOr<std::unique_ptr<LoadedEntry>>
weir::loadEntry(const artifact::Artifact &artifact,
                const SessionOptions &options) {
  constexpr auto mostThreads = static_cast<int>(artifact::maxThreads);
  if (options.threads < 0 || options.threads > mostThreads)
    return invalidArgument(fmt::format(
        "expected SessionOptions::threads of 1 to {}, or 0 for what the "
        "artifact says, found {}",
        mostThreads, options.threads));
  if (std::ranges::count(options.deviceDrivers, nullptr))
    return invalidArgument("a driver in SessionOptions::deviceDrivers is a "
                           "null pointer; leave it out");
  const DriverSet drivers(options.deviceDrivers);
  WEIR_ASSIGN_OR_RETURN(const artifact::Variant *variant,
                        selectVariant(artifact.model(), drivers));
  WEIR_ASSIGN_OR_RETURN(const artifact::Entry *entry,
                        selectEntry(*variant, options.entry));
  return EntryLoader(artifact, *variant, *entry, options).load(drivers);
}
