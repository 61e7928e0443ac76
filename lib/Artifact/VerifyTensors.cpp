//===- VerifyTensors.cpp - Checks the names of the model's tensors --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "VerifyContext.h"
#include "weir/Support/DType.h"

using namespace weir;
using namespace weir::artifact;

/// Checks the command that stores the tensor or holds it inside.
static Status verifyOrigin(const Entry &entry, const Tensor &tensor) {
  if (tensor.program() >= sizeOf(entry.programs()))
    return violation("it is of program {}; the entry has {}", tensor.program(),
                     sizeOf(entry.programs()));
  const auto *commands = entry.programs()->Get(tensor.program())->commands();
  if (tensor.command() < 0 ||
      static_cast<uint32_t>(tensor.command()) >= sizeOf(commands))
    return violation("it is of command {}; program {} has {}", tensor.command(),
                     tensor.program(), sizeOf(commands));
  const Opcode opcode =
      commands->Get(static_cast<uint32_t>(tensor.command()))->opcode();
  if (opcode == Opcode::Launch ||
      (opcode == Opcode::Copy && tensor.view() >= 0))
    return Status::ok();
  return violation("it is of command {}, a {}, which computes nothing",
                   tensor.command(), EnumNameOpcode(opcode));
}

static Status verifyPlace(const Entry &entry, const Tensor &tensor,
                          VisitBudget &budget) {
  if (static_cast<uint32_t>(tensor.view()) >= sizeOf(entry.views()))
    return violation("it lies at view {}; the entry has {}", tensor.view(),
                     sizeOf(entry.views()));
  WEIR_RETURN_IF_ERROR(budget.useViews(1));
  WEIR_ASSIGN_OR_RETURN(const uint64_t span,
                        verifyTensorType(tensor.type(), budget));
  const View &view = *entry.views()->Get(static_cast<uint32_t>(tensor.view()));
  const uint64_t bytes = entry.buffers()->Get(view.buffer())->bytes();
  if (span > bytes - view.byte_offset())
    return violation("it needs {} bytes at byte {} of buffer {}, which has {}",
                     span, view.byte_offset(), view.buffer(), bytes);
  const auto element = static_cast<DType>(tensor.type()->element_type());
  if (view.byte_offset() % byteSize(element) != 0)
    return violation("view {} at byte {} is not aligned to its elements",
                     tensor.view(), view.byte_offset());
  return Status::ok();
}

static Status verifyTensor(const Entry &entry, const Tensor &tensor,
                           VisitBudget &budget) {
  if (tensor.name() >= sizeOf(entry.names()))
    return violation("its name is number {}; the entry has {}", tensor.name(),
                     sizeOf(entry.names()));
  if (tensor.view() < -1 || tensor.command() < -1)
    return violation("its view {} or command {} is not a valid index",
                     tensor.view(), tensor.command());
  if (tensor.view() == -1 && tensor.type())
    return violation("it has a type, but no view");
  if (tensor.view() == -1 && tensor.command() == -1)
    return Status::ok();
  WEIR_RETURN_IF_ERROR(verifyOrigin(entry, tensor));
  return tensor.view() == -1 ? Status::ok()
                             : verifyPlace(entry, tensor, budget);
}

Status weir::artifact::verifyTensors(const Entry &entry, VisitBudget &budget) {
  WEIR_RETURN_IF_ERROR(budget.visit(entry.tensors()));
  for (uint32_t i = 0; i < sizeOf(entry.tensors()); ++i)
    if (Status status = verifyTensor(entry, *entry.tensors()->Get(i), budget);
        !status.isOk())
      return std::move(status).withContext(fmt::format("tensor {}", i));
  return Status::ok();
}
