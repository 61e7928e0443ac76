//===- VerifyTensors.cpp - Checks the names of the model's tensors --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "VerifyContext.h"
#include "weir/Support/DType.h"

#include <algorithm>

using namespace weir;
using namespace weir::artifact;

namespace {
/// The commands of each program that are in the body of a Repeat. Such a
/// command may store another part of a tensor in each trip.
class RepeatedCommands {
public:
  explicit RepeatedCommands(const Entry &entry)
      : isRepeated(sizeOf(entry.programs())) {
    for (uint32_t i = 0; i < isRepeated.size(); ++i)
      add(i, *entry.programs()->Get(i));
  }

  bool contains(uint32_t program, uint32_t command) const {
    return command < isRepeated[program].size() && isRepeated[program][command];
  }

private:
  void add(uint32_t program, const Program &table) {
    uint32_t end = 0;
    for (uint32_t i = 0; i < sizeOf(table.commands()); ++i) {
      const Command &command = *table.commands()->Get(i);
      if (command.opcode() == Opcode::Repeat)
        end = std::max(end, i + 1 + static_cast<uint32_t>(command.value()));
      if (i + 1 >= end)
        continue;
      isRepeated[program].resize(end);
      isRepeated[program][i + 1] = true;
    }
  }

  std::vector<std::vector<bool>> isRepeated;
};
} // namespace

/// Checks the command from which `tensor` comes. The command stores the tensor,
/// or its kernel computes the tensor internally.
static Status verifyOrigin(const Entry &entry, const Tensor &tensor,
                           const RepeatedCommands &repeated,
                           VisitBudget &budget) {
  if (tensor.program() >= sizeOf(entry.programs()))
    return violation("it is of program {}; the entry has {}", tensor.program(),
                     sizeOf(entry.programs()));
  const auto *commands = entry.programs()->Get(tensor.program())->commands();
  if (tensor.command() < 0 ||
      static_cast<uint32_t>(tensor.command()) >= sizeOf(commands))
    return violation("it is of command {}; program {} has {}", tensor.command(),
                     tensor.program(), sizeOf(commands));
  if (repeated.contains(tensor.program(),
                        static_cast<uint32_t>(tensor.command())))
    return violation("it is of command {}, which a Repeat carries out more "
                     "than once",
                     tensor.command());
  const Command &command =
      *commands->Get(static_cast<uint32_t>(tensor.command()));
  WEIR_RETURN_IF_ERROR(budget.useName(entry.names()->Get(command.name())));
  const Opcode opcode = command.opcode();
  if (opcode == Opcode::Launch ||
      (opcode == Opcode::Copy && tensor.view() >= 0))
    return Status::ok();
  return violation("it is of command {}, a {}, which computes nothing",
                   tensor.command(), EnumNameOpcode(opcode));
}

static Status verifyPlace(const Entry &entry, const Tensor &tensor,
                          const VariantFacts &facts, VisitBudget &budget) {
  if (static_cast<uint32_t>(tensor.view()) >= sizeOf(entry.views()))
    return violation("it lies at view {}; the entry has {}", tensor.view(),
                     sizeOf(entry.views()));
  WEIR_RETURN_IF_ERROR(budget.useViews(1));
  WEIR_ASSIGN_OR_RETURN(const uint64_t span,
                        verifyTensorType(tensor.type(), budget));
  const View &view = *entry.views()->Get(static_cast<uint32_t>(tensor.view()));
  const Buffer &buffer = *entry.buffers()->Get(view.buffer());
  WEIR_RETURN_IF_ERROR(
      budget.useName(nameOf(buffer, entry, facts.variant, facts.model)));
  const uint64_t bytes = buffer.bytes();
  if (span > bytes - view.byte_offset())
    return violation("it needs {} bytes at byte {} of buffer {}, which has {}",
                     span, view.byte_offset(), view.buffer(), bytes);
  WEIR_RETURN_IF_ERROR(verifyRepeated(*tensor.type(), span));
  const auto element = static_cast<DType>(tensor.type()->element_type());
  if (view.byte_offset() % byteSize(element) != 0)
    return violation("view {} at byte {} is not aligned to its elements",
                     tensor.view(), view.byte_offset());
  return Status::ok();
}

static Status verifyTensor(const Entry &entry, const Tensor &tensor,
                           const RepeatedCommands &repeated,
                           const VariantFacts &facts, VisitBudget &budget) {
  if (tensor.name() >= sizeOf(entry.names()))
    return violation("its name is number {}; the entry has {}", tensor.name(),
                     sizeOf(entry.names()));
  WEIR_RETURN_IF_ERROR(budget.useName(entry.names()->Get(tensor.name())));
  if (tensor.view() < -1 || tensor.command() < -1)
    return violation("its view {} or command {} is not a valid index",
                     tensor.view(), tensor.command());
  if (tensor.view() == -1 && tensor.type())
    return violation("it has a type, but no view");
  if (tensor.view() == -1 && tensor.command() == -1)
    return Status::ok();
  WEIR_RETURN_IF_ERROR(verifyOrigin(entry, tensor, repeated, budget));
  return tensor.view() == -1 ? Status::ok()
                             : verifyPlace(entry, tensor, facts, budget);
}

Status weir::artifact::verifyTensors(const Entry &entry,
                                     const VariantFacts &facts,
                                     VisitBudget &budget) {
  const RepeatedCommands repeated(entry);
  return forEach(entry.tensors(), "tensor", budget,
                 [&](uint32_t, const Tensor &tensor) {
                   return verifyTensor(entry, tensor, repeated, facts, budget);
                 });
}
