//===- Dump.cpp - Artifacts in text -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Artifact/Dump.h"

#include "VerifyContext.h"
#include "weir/Artifact/Convert.h"
#include "weir/Artifact/Format.h"
#include "weir/Support/Counted.h"
#include "weir/Support/DeviceKind.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>

using namespace weir;
using namespace weir::artifact;

namespace {
/// The numbers as text. Artifacts store a single number as a list of one, so
/// such a list is printed without brackets.
template <typename T> std::string listText(const std::vector<T> &numbers) {
  return numbers.size() == 1 ? fmt::format("{}", numbers[0])
                             : fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::string describe(const AttrValue &value) {
  if (auto *ints = std::get_if<std::vector<int64_t>>(&value))
    return listText(*ints);
  if (auto *floats = std::get_if<std::vector<double>>(&value))
    return listText(*floats);
  return fmt::format("{:?}", std::get<std::string>(value));
}

class TextDump {
public:
  explicit TextDump(const Artifact &artifact)
      : artifact(artifact), model(artifact.model()) {}

  std::string print();

private:
  /// Adds a line, indented by `depth` steps.
  template <typename... Args>
  void line(int depth, fmt::format_string<Args...> format, Args &&...args) {
    text.append(2 * depth, ' ');
    fmt::format_to(std::back_inserter(text), format,
                   std::forward<Args>(args)...);
    text += '\n';
  }

  void printBlobs();
  void printVariant(uint32_t index);
  void printDevice(const Device &device);
  void printVariable(const Variable &variable);
  void printPort(std::string_view what, const Port &port);
  void printEntry(const Entry &entry);
  void printMemory(const Entry &entry);
  void printKernel(uint32_t index, const Kernel &kernel);
  void printProgram(const Entry &entry, const Program &program);
  std::string describe(const Entry &entry, const Command &command) const;
  std::string describe(const Entry &entry, const Tensor &tensor) const;
  static std::string describePrediction(const Program &program, uint32_t index);
  std::string describeEvent(const Entry &entry, const Command &command) const;
  std::string describeMoves(const Entry &entry, uint32_t strides) const;
  std::string describeView(const Entry &entry, uint32_t view) const;
  std::string describeViews(const Entry &entry, uint32_t first,
                            uint32_t count) const;
  std::string describeBuffer(const Entry &entry, const Buffer &buffer) const;

  const Artifact &artifact;
  const Model &model;
  /// The variant that is printed now. `depth` is the number of repeats around
  /// the current command.
  const Variant *variant = nullptr;
  uint32_t depth = 0;
  std::string text;
};
} // namespace

std::string TextDump::print() {
  line(0, "weir artifact, format {}, {} bytes, made by {}",
       artifact.formatVersion(), artifact.fileBytes(),
       printable(model.producer()));
  for (uint32_t i = 0; i < sizeOf(model.metadata()); ++i) {
    const Metadata &pair = *model.metadata()->Get(i);
    line(0, "metadata {}: {}", printable(pair.key()), printable(pair.value()));
  }
  printBlobs();
  for (uint32_t i = 0; i < model.variants()->size(); ++i)
    printVariant(i);
  return std::move(text);
}

static std::string describeFill(const Random &fill) {
  if (fill.distribution() == Distribution::Normal)
    return fmt::format("normal with mean {} and deviation {}, seed {}",
                       fill.low(), fill.high(), fill.seed());
  return fmt::format("uniform from {} to {}, seed {}", fill.low(), fill.high(),
                     fill.seed());
}

void TextDump::printBlobs() {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < sizeOf(model.blobs()); ++i)
    bytes += model.blobs()->Get(i)->bytes();
  line(0, "parameters: {}, {} bytes", sizeOf(model.blobs()), bytes);
  for (uint32_t i = 0; i < sizeOf(model.blobs()); ++i) {
    const Blob &blob = *model.blobs()->Get(i);
    line(1, "{} {}: {}, {} bytes{}", i, printable(blob.name()),
         blob.type() ? toTensorDesc(*blob.type()).toString() : "code",
         blob.bytes(),
         blob.fill() ? ", " + describeFill(*blob.fill())
                     : fmt::format(" at {}", blob.offset()));
  }
}

void TextDump::printVariant(uint32_t index) {
  variant = model.variants()->Get(index);
  line(0, "variant {}{}", index,
       variant->frames() == 1
           ? std::string()
           : fmt::format(": {} in flight", counted(variant->frames(), "run")));
  for (const Device *device : *variant->devices())
    printDevice(*device);
  for (uint32_t i = 0; i < sizeOf(variant->cpu_features()); ++i)
    line(1, "needs {}", printable(variant->cpu_features()->Get(i)));
  for (uint32_t i = 0; i < sizeOf(variant->variables()); ++i)
    printVariable(*variant->variables()->Get(i));
  for (uint32_t i = 0; i < sizeOf(variant->kernels()); ++i)
    printKernel(i, *variant->kernels()->Get(i));
  for (const Entry *entry : *variant->entries())
    printEntry(*entry);
}

/// Whether the device `name` is of a kind whose devices divide the machine's
/// cores among themselves. False for a kind whose plug-in is not loaded.
static bool sharesCores(std::string_view name) {
  const std::string_view kind = name.substr(0, name.find(':'));
  return std::ranges::any_of(deviceKinds(), [&](DeviceKind known) {
    return known->name == kind && known->sharesCores;
  });
}

void TextDump::printDevice(const Device &device) {
  std::vector<std::string> parts;
  if (device.threads())
    parts.push_back(counted(device.threads(), "thread"));
  else if (sharesCores(device.name()->string_view()))
    parts.emplace_back("its share of the cores");
  if (device.isolated())
    parts.emplace_back("own memory");
  if (device.memory_cap())
    parts.push_back(fmt::format("at most {} bytes held", device.memory_cap()));
  line(1, "device {}{}{}", printable(device.name()), parts.empty() ? "" : ": ",
       fmt::join(parts, ", "));
  for (uint32_t i = 0; i < sizeOf(device.options()); ++i)
    line(2, "option {} = {}", printable(device.options()->Get(i)->name()),
         printable(device.options()->Get(i)->value()));
}

void TextDump::printVariable(const Variable &variable) {
  line(1, "variable {} on {}{}", printable(nameOf(variable, model)),
       printable(variant->devices()->Get(variable.device())->name()),
       isBucket(variable) ? fmt::format(": {} bytes", variable.bytes())
                          : std::string());
  for (uint32_t i = 0; i < sizeOf(variable.parts()); ++i) {
    const VariablePart &part = *variable.parts()->Get(i);
    line(2, "from byte {}: {}", part.offset(),
         printable(model.blobs()->Get(part.blob())->name()));
  }
}

void TextDump::printPort(std::string_view what, const Port &port) {
  const auto space = port.space();
  line(2, "{} {}: {}{}", what, printable(port.name()),
       toTensorDesc(*port.type()).toString(),
       space == hostSpace
           ? std::string()
           : " in the memory of " +
                 printable(variant->devices()->Get(space - 1u)->name()));
}

void TextDump::printEntry(const Entry &entry) {
  line(1, "entry {}", printable(entry.name()));
  for (uint32_t i = 0; i < sizeOf(entry.inputs()); ++i)
    printPort("input", *entry.inputs()->Get(i));
  for (uint32_t i = 0; i < sizeOf(entry.outputs()); ++i)
    printPort("output", *entry.outputs()->Get(i));
  printMemory(entry);
  for (uint32_t i = 0; i < sizeOf(entry.programs()); ++i)
    printProgram(entry, *entry.programs()->Get(i));
  for (uint32_t i = 0; i < sizeOf(entry.tensors()); ++i)
    line(2, "tensor {}", describe(entry, *entry.tensors()->Get(i)));
}

void TextDump::printMemory(const Entry &entry) {
  for (uint32_t i = 0; i < sizeOf(entry.num_groups()); ++i)
    line(2, "groups on {}: {}", printable(variant->devices()->Get(i)->name()),
         entry.num_groups()->Get(i));
  for (uint32_t i = 0; i < sizeOf(entry.arenas()); ++i) {
    const Arena &arena = *entry.arenas()->Get(i);
    line(2, "arena {} on {}{}: {} bytes, lower bound {}", i,
         printable(variant->devices()->Get(arena.device())->name()),
         arena.per_frame() ? std::string()
                           : fmt::format(" queue {}", nameOf(arena.queue())),
         arena.bytes(), arena.lower_bound());
  }
}

void TextDump::printKernel(uint32_t index, const Kernel &kernel) {
  std::vector<std::string> operands, results;
  for (uint32_t i = 0; i < sizeOf(kernel.operands()); ++i)
    operands.push_back(toTensorDesc(*kernel.operands()->Get(i)).toString());
  for (uint32_t i = 0; i < sizeOf(kernel.results()); ++i)
    results.push_back(toTensorDesc(*kernel.results()->Get(i)).toString());
  line(1, "kernel {} {}: ({}) -> ({})", index, printable(kernel.name()),
       fmt::join(operands, ", "), fmt::join(results, ", "));
  if (kernel.threads() > 0)
    line(2, "GPU function {} of blob {}, {} of {}, {} bytes of shared memory",
         kernel.function(), kernel.code(), counted(kernel.tasks(), "block"),
         counted(kernel.threads(), "thread"), kernel.scratch());
  else if (kernel.code() >= 0)
    line(2, "function {} of blob {}, {}, grain {}, {} bytes of scratch",
         kernel.function(), kernel.code(), counted(kernel.tasks(), "task"),
         kernel.grain(), kernel.scratch());
  if (kernel.flops() != 0)
    line(2, "{} flops", kernel.flops());
  for (const auto &[name, value] : toAttrMap(kernel.attributes()))
    line(2, "{:?} = {}", name, ::describe(value));
  for (uint32_t i = 0; i < sizeOf(kernel.post_ops()); ++i) {
    const PostOp &postOp = *kernel.post_ops()->Get(i);
    line(2, "then {} alpha {} beta {}{}", printable(postOp.algorithm()),
         postOp.alpha(), postOp.beta(),
         postOp.operand() < 0
             ? std::string()
             : fmt::format(" with operand {}", postOp.operand()));
  }
  for (uint32_t i = 0; i < sizeOf(kernel.overwrites()); ++i)
    if (kernel.overwrites()->Get(i) >= 0)
      line(2, "result {} may overwrite operand {}", i,
           kernel.overwrites()->Get(i));
}

void TextDump::printProgram(const Entry &entry, const Program &program) {
  line(2, "program on {} queue {}: {}",
       printable(variant->devices()->Get(program.device())->name()),
       nameOf(program.queue()), counted(sizeOf(program.commands()), "command"));
  EnclosingRepeats repeats;
  for (uint32_t i = 0; i < sizeOf(program.commands()); ++i) {
    const Command &command = *program.commands()->Get(i);
    leaveRepeats(repeats, i);
    depth = static_cast<uint32_t>(repeats.size());
    line(3 + static_cast<int>(depth), "{} {}{}", i, describe(entry, command),
         describePrediction(program, i));
    if (command.opcode() == Opcode::Repeat)
      repeats.push_back({i + 1, i + 1 + static_cast<uint32_t>(command.value()),
                         command.index()});
  }
  depth = 0;
}

std::string TextDump::describe(const Entry &entry,
                               const Command &command) const {
  std::string name = printable(entry.names()->Get(command.name()));
  uint32_t first = command.first_view();
  switch (command.opcode()) {
  case Opcode::Launch: {
    const Kernel &kernel = *variant->kernels()->Get(command.index());
    uint32_t numOperands = sizeOf(kernel.operands());
    return fmt::format("launch {}: kernel {} {} ({}) -> ({})", name,
                       command.index(), printable(kernel.name()),
                       describeViews(entry, first, numOperands),
                       describeViews(entry, first + numOperands,
                                     command.num_views() - numOperands));
  }
  case Opcode::Copy:
    return fmt::format("copy {}: {} -> {}, {} bytes{}", name,
                       describeView(entry, first),
                       describeView(entry, first + 1), command.bytes(),
                       command.flags() ? ", crossing" : "");
  case Opcode::Record:
    return fmt::format("record {}: {}", name, describeEvent(entry, command));
  case Opcode::Wait:
    return fmt::format("wait {}: {}", name, describeEvent(entry, command));
  case Opcode::Fill:
    return fmt::format("fill {}: {}, {} bytes", name,
                       describeView(entry, first), command.bytes());
  case Opcode::Repeat:
    return fmt::format(
        "repeat {}: {} of {}", name, counted(command.index(), "trip"),
        counted(static_cast<uint64_t>(command.value()), "command"));
  }
  return name;
}

/// The predicted time as text: ", lasts 5000 ns over link 1". Empty if it is
/// not known.
std::string TextDump::describePrediction(const Program &program,
                                         uint32_t index) {
  if (sizeOf(program.predictions()) == 0)
    return {};
  const Prediction &prediction = *program.predictions()->Get(index);
  if (prediction.nanoseconds() == 0)
    return {};
  return fmt::format(", lasts {} ns{}", prediction.nanoseconds(),
                     prediction.link() == 0
                         ? std::string()
                         : fmt::format(" over link {}", prediction.link()));
}

/// The event as text: "event 3", followed by the value unless that is always 1.
std::string TextDump::describeEvent(const Entry &entry,
                                    const Command &command) const {
  std::string moves = describeMoves(entry, command.strides());
  if (command.value() == 1 && moves.empty())
    return fmt::format("event {}", command.index());
  return fmt::format("event {} value {}{}", command.index(), command.value(),
                     moves);
}

/// What each trip of the enclosing repeats adds, as text: " step [4, 8]".
std::string TextDump::describeMoves(const Entry &entry,
                                    uint32_t strides) const {
  if (strides == 0 || depth == 0)
    return {};
  std::vector<int64_t> steps;
  for (uint32_t k = 0; k < depth; ++k)
    steps.push_back(entry.strides()->Get(strides + k));
  return fmt::format(" step [{}]", fmt::join(steps, ", "));
}

std::string TextDump::describe(const Entry &entry, const Tensor &tensor) const {
  std::string name = printable(entry.names()->Get(tensor.name()));
  if (tensor.command() < 0)
    return name + ": not computed by a run";
  const Program &program = *entry.programs()->Get(tensor.program());
  const Command &command =
      *program.commands()->Get(static_cast<uint32_t>(tensor.command()));
  std::string origin = printable(entry.names()->Get(command.name()));
  if (tensor.view() < 0)
    return fmt::format("{}: inside of {}", name, origin);
  return fmt::format(
      "{}: {} at {} behind {}", name, toTensorDesc(*tensor.type()).toString(),
      describeView(entry, static_cast<uint32_t>(tensor.view())), origin);
}

std::string TextDump::describeViews(const Entry &entry, uint32_t first,
                                    uint32_t count) const {
  std::vector<std::string> views;
  for (uint32_t i = 0; i < count; ++i)
    views.push_back(describeView(entry, first + i));
  return fmt::format("{}", fmt::join(views, ", "));
}

std::string TextDump::describeView(const Entry &entry, uint32_t view) const {
  const View &where = *entry.views()->Get(view);
  std::string buffer =
      describeBuffer(entry, *entry.buffers()->Get(where.buffer()));
  if (where.byte_offset() != 0)
    buffer += fmt::format("[{}..]", where.byte_offset());
  return buffer + describeMoves(entry, where.strides());
}

std::string TextDump::describeBuffer(const Entry &entry,
                                     const Buffer &buffer) const {
  if (buffer.kind() == BufferKind::Scratch)
    return fmt::format("arena {}+{}", buffer.index(), buffer.offset());
  constexpr std::string_view kinds[] = {"input", "output", "parameter",
                                        "variable"};
  return fmt::format("{} {}", kinds[static_cast<size_t>(buffer.kind())],
                     printable(nameOf(buffer, entry, *variant, model)));
}

std::string weir::artifact::dumpText(const Artifact &artifact) {
  return TextDump(artifact).print();
}
