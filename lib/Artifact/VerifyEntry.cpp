//===- VerifyEntry.cpp - Checks that an entry is well-formed ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "VerifyContext.h"
#include "weir/Artifact/Convert.h"
#include "weir/Artifact/Format.h"

#include <algorithm>
#include <unordered_map>

using namespace weir;
using namespace weir::artifact;

namespace {
/// The compiler splits a concat of more tensors than this. The bound keeps the
/// check of a launch cheap.
constexpr uint32_t maxKernelTensors = 1024;

using PortVector = flatbuffers::Vector<flatbuffers::Offset<Port>>;
using TypeVector = flatbuffers::Vector<flatbuffers::Offset<TensorType>>;

class EntryVerifier {
public:
  EntryVerifier(const Entry &entry, const Variant &variant, const Model &model,
                VisitBudget &budget)
      : entry(entry), variant(variant), model(model), budget(budget) {}

  Status verify();

private:
  /// Calls `check(i, *list[i])` for each table of `list`. Errors get the prefix
  /// "`what` i".
  template <typename Table, typename Check>
  Status forEach(const flatbuffers::Vector<flatbuffers::Offset<Table>> *list,
                 std::string_view what, Check check) {
    WEIR_RETURN_IF_ERROR(budget.visit(list));
    for (uint32_t i = 0; i < sizeOf(list); ++i) {
      Status status = check(i, *list->Get(i));
      if (!status.isOk())
        return std::move(status).withContext(fmt::format("{} {}", what, i));
    }
    return Status::ok();
  }

  Status verifyDevice(uint32_t device) const;
  Status verifyNames();
  Status verifyPorts(const PortVector *ports, std::string_view what,
                     std::vector<uint64_t> &bytes);
  Status verifyAttribute(const Attribute &attribute, UniqueNames &names);
  Status verifyPostOp(const PostOp &postOp, uint32_t numOperands);
  Status verifyTypes(const TypeVector *types, bool isResult,
                     EntryFacts::KernelFacts &facts);
  Status verifyCode(const Kernel &kernel);
  Status verifyKernel(const Kernel &kernel);
  Status verifyArena(const Arena &arena);
  Status verifyBuffer(const Buffer &buffer);
  Status verifyPortBuffer(const Buffer &buffer, std::string_view what,
                          const std::vector<uint64_t> &portBytes);
  Status verifyBlobBuffer(const Buffer &buffer);
  Status verifyScratchBuffer(const Buffer &buffer);
  Status verifyOutputsBound();
  Status verifyVariables();
  Status verifyViews();

  const Entry &entry;
  const Variant &variant;
  const Model &model;
  VisitBudget &budget;
  std::vector<uint64_t> inputBytes, outputBytes;
  EntryFacts facts;
};
} // namespace

Status EntryVerifier::verify() {
  WEIR_RETURN_IF_ERROR(verifyNames());
  WEIR_RETURN_IF_ERROR(verifyPorts(entry.inputs(), "input", inputBytes));
  WEIR_RETURN_IF_ERROR(verifyPorts(entry.outputs(), "output", outputBytes));
  WEIR_RETURN_IF_ERROR(
      forEach(entry.kernels(), "kernel", [&](uint32_t, const Kernel &kernel) {
        return verifyKernel(kernel).withContext(quoted(kernel.name()));
      }));
  WEIR_RETURN_IF_ERROR(
      forEach(entry.arenas(), "arena", [&](uint32_t, const Arena &arena) {
        return verifyArena(arena);
      }));
  WEIR_RETURN_IF_ERROR(
      forEach(entry.buffers(), "buffer", [&](uint32_t, const Buffer &buffer) {
        return verifyBuffer(buffer);
      }));
  WEIR_RETURN_IF_ERROR(verifyOutputsBound());
  WEIR_RETURN_IF_ERROR(verifyVariables());
  WEIR_RETURN_IF_ERROR(verifyViews());
  WEIR_RETURN_IF_ERROR(verifyPrograms(entry, variant, facts, budget));
  return verifyTensors(entry, budget);
}

Status EntryVerifier::verifyDevice(uint32_t device) const {
  if (device < sizeOf(variant.devices()))
    return Status::ok();
  return violation("it is on device {}; the variant has {}", device,
                   sizeOf(variant.devices()));
}

Status EntryVerifier::verifyNames() {
  WEIR_RETURN_IF_ERROR(budget.visit(entry.names()));
  for (uint32_t i = 0; i < sizeOf(entry.names()); ++i)
    WEIR_RETURN_IF_ERROR(budget.visit(entry.names()->Get(i)));
  WEIR_RETURN_IF_ERROR(budget.visit(entry.num_groups()));
  uint32_t numGroups = sizeOf(entry.num_groups());
  if (numGroups != 0 && numGroups != sizeOf(variant.devices()))
    return violation("it counts the groups of {} devices; the variant has {}",
                     numGroups, sizeOf(variant.devices()));
  return Status::ok();
}

Status EntryVerifier::verifyPorts(const PortVector *ports,
                                  std::string_view what,
                                  std::vector<uint64_t> &bytes) {
  UniqueNames names;
  return forEach(ports, what, [&](uint32_t, const Port &port) -> Status {
    WEIR_RETURN_IF_ERROR(names.add(port.name(), budget));
    auto span = verifyTensorType(port.type(), budget);
    if (!span)
      return std::move(span).status().withContext(quoted(port.name()));
    if (!toTensorDesc(*port.type()).isRowMajor())
      return violation("{}: its type is not row-major", quoted(port.name()));
    bytes.push_back(*span);
    return Status::ok();
  });
}

Status EntryVerifier::verifyAttribute(const Attribute &attribute,
                                      UniqueNames &names) {
  WEIR_RETURN_IF_ERROR(names.add(attribute.name(), budget));
  WEIR_RETURN_IF_ERROR(budget.visit(attribute.ints()));
  WEIR_RETURN_IF_ERROR(budget.visit(attribute.floats()));
  WEIR_RETURN_IF_ERROR(budget.visit(attribute.text()));
  AttributeKind kind = attribute.kind();
  if (kind > AttributeKind::MAX)
    return violation("{} is of the unknown kind {}", quoted(attribute.name()),
                     static_cast<int>(kind));
  if ((attribute.ints() && kind != AttributeKind::Ints) ||
      (attribute.floats() && kind != AttributeKind::Floats) ||
      (attribute.text() && kind != AttributeKind::Text))
    return violation("{} has a value that is not of its kind",
                     quoted(attribute.name()));
  return Status::ok();
}

Status EntryVerifier::verifyPostOp(const PostOp &postOp, uint32_t numOperands) {
  WEIR_RETURN_IF_ERROR(budget.visit(postOp.algorithm()));
  if (postOp.algorithm()->size() == 0)
    return violation("its algorithm is empty");
  if (postOp.operand() < -1 ||
      postOp.operand() >= static_cast<int64_t>(numOperands))
    return violation("it reads operand {}; the kernel has {}", postOp.operand(),
                     numOperands);
  return Status::ok();
}

/// Checks that elements of a result have distinct addresses: in the order of
/// strides, each dim must step over everything that the smaller strides span.
static Status verifyDistinct(const TensorType &type) {
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < sizeOf(type.dims()); ++i) {
    if (type.dims()->Get(i) == 0)
      return Status::ok();
    if (type.dims()->Get(i) > 1)
      order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return type.strides()->Get(a) < type.strides()->Get(b);
  });
  int64_t inner = 1;
  for (uint32_t i : order) {
    const int64_t dim = type.dims()->Get(i), stride = type.strides()->Get(i);
    if (stride < inner)
      return violation("elements overlap: dim {} of size {} has stride {}, the "
                       "dims inside it span {} elements",
                       i, dim, stride, inner);
    inner += (dim - 1) * stride;
  }
  return Status::ok();
}

Status EntryVerifier::verifyTypes(const TypeVector *types, bool isResult,
                                  EntryFacts::KernelFacts &kernel) {
  return forEach(types, isResult ? "result" : "operand",
                 [&](uint32_t, const TensorType &type) -> Status {
                   WEIR_ASSIGN_OR_RETURN(uint64_t span,
                                         verifyTensorType(&type, budget));
                   kernel.spanBytes.push_back(span);
                   kernel.elementBytes.push_back(
                       byteSize(static_cast<DType>(type.element_type())));
                   return isResult ? verifyDistinct(type) : Status::ok();
                 });
}

Status EntryVerifier::verifyCode(const Kernel &kernel) {
  if (kernel.code() == -1) {
    if (kernel.function() || kernel.tasks() || kernel.grain() ||
        kernel.scratch())
      return violation("it describes generated code, but names no code");
    return Status::ok();
  }
  if (kernel.code() < 0 ||
      static_cast<uint32_t>(kernel.code()) >= sizeOf(model.blobs()))
    return violation("its code is blob {}; the artifact has {}", kernel.code(),
                     sizeOf(model.blobs()));
  const Blob &blob = *model.blobs()->Get(static_cast<uint32_t>(kernel.code()));
  if (blob.type())
    return violation("its code is blob {} ({}), which is a tensor",
                     kernel.code(), quoted(blob.name()));
  if (kernel.tasks() > maxBytes || kernel.grain() == 0 ||
      kernel.grain() > maxBytes || kernel.scratch() > maxBytes)
    return violation("it has {} tasks, grain {} and {} bytes of scratch; "
                     "expected a grain of at least 1, and no number above {}",
                     kernel.tasks(), kernel.grain(), kernel.scratch(),
                     maxBytes);
  return Status::ok();
}

Status EntryVerifier::verifyKernel(const Kernel &kernel) {
  UniqueNames kernelName;
  WEIR_RETURN_IF_ERROR(kernelName.add(kernel.name(), budget));
  UniqueNames attributeNames;
  WEIR_RETURN_IF_ERROR(forEach(kernel.attributes(), "attribute",
                               [&](uint32_t, const Attribute &attribute) {
                                 return verifyAttribute(attribute,
                                                        attributeNames);
                               }));
  WEIR_RETURN_IF_ERROR(verifyCode(kernel));
  uint32_t numOperands = sizeOf(kernel.operands());
  uint32_t numResults = sizeOf(kernel.results());
  if (numResults == 0 || numOperands > maxKernelTensors ||
      numResults > maxKernelTensors)
    return violation("it has {} operands and {} results; expected at most {} "
                     "of either and at least one result",
                     numOperands, numResults, maxKernelTensors);
  auto &known = facts.kernels.emplace_back();
  known.numOperands = numOperands;
  WEIR_RETURN_IF_ERROR(verifyTypes(kernel.operands(), false, known));
  WEIR_RETURN_IF_ERROR(verifyTypes(kernel.results(), true, known));
  return forEach(kernel.post_ops(), "post-op",
                 [&](uint32_t, const PostOp &postOp) {
                   return verifyPostOp(postOp, numOperands);
                 });
}

Status EntryVerifier::verifyArena(const Arena &arena) {
  WEIR_RETURN_IF_ERROR(verifyDevice(arena.device()));
  if (arena.bytes() > maxBytes)
    return violation("it has {} bytes; at most {} are allowed", arena.bytes(),
                     maxBytes);
  if (arena.lower_bound() > arena.bytes())
    return violation("its lower bound of {} bytes exceeds its {} bytes",
                     arena.lower_bound(), arena.bytes());
  return Status::ok();
}

Status EntryVerifier::verifyBuffer(const Buffer &buffer) {
  WEIR_RETURN_IF_ERROR(verifyDevice(buffer.device()));
  switch (buffer.kind()) {
  case BufferKind::Input:
    return verifyPortBuffer(buffer, "input", inputBytes);
  case BufferKind::Output:
    return verifyPortBuffer(buffer, "output", outputBytes);
  case BufferKind::Parameter:
  case BufferKind::Variable:
    return verifyBlobBuffer(buffer);
  case BufferKind::Scratch:
    return verifyScratchBuffer(buffer);
  }
  return violation("it is of the unknown kind {}",
                   static_cast<int>(buffer.kind()));
}

Status EntryVerifier::verifyPortBuffer(const Buffer &buffer,
                                       std::string_view what,
                                       const std::vector<uint64_t> &portBytes) {
  if (buffer.index() >= portBytes.size())
    return violation("it is {0} {1}; the entry has {2} {0}s", what,
                     buffer.index(), portBytes.size());
  if (buffer.offset() != 0 || buffer.bytes() != portBytes[buffer.index()])
    return violation("it has {} bytes at offset {}; {} {} has {} bytes at "
                     "offset 0",
                     buffer.bytes(), buffer.offset(), what, buffer.index(),
                     portBytes[buffer.index()]);
  return Status::ok();
}

Status EntryVerifier::verifyBlobBuffer(const Buffer &buffer) {
  if (buffer.index() >= sizeOf(model.blobs()))
    return violation("it is blob {}; the artifact has {}", buffer.index(),
                     sizeOf(model.blobs()));
  const Blob &blob = *model.blobs()->Get(buffer.index());
  if (!blob.type())
    return violation("blob {} ({}) is not a tensor", buffer.index(),
                     quoted(blob.name()));
  if (buffer.offset() != 0 || buffer.bytes() != blob.bytes())
    return violation("it has {} bytes at offset {}; blob {} ({}) has {} bytes "
                     "at offset 0",
                     buffer.bytes(), buffer.offset(), buffer.index(),
                     quoted(blob.name()), blob.bytes());
  return Status::ok();
}

Status EntryVerifier::verifyScratchBuffer(const Buffer &buffer) {
  if (buffer.index() >= sizeOf(entry.arenas()))
    return violation("it is in arena {}; the entry has {}", buffer.index(),
                     sizeOf(entry.arenas()));
  const Arena &arena = *entry.arenas()->Get(buffer.index());
  if (arena.device() != buffer.device())
    return violation("it is on device {}, its arena {} on device {}",
                     buffer.device(), buffer.index(), arena.device());
  if (buffer.offset() % arenaAlignment != 0)
    return violation("its offset {} is not a multiple of {}", buffer.offset(),
                     arenaAlignment);
  if (buffer.offset() > arena.bytes() ||
      buffer.bytes() > arena.bytes() - buffer.offset())
    return violation("its {} bytes at offset {} lie outside arena {} of {} "
                     "bytes",
                     buffer.bytes(), buffer.offset(), buffer.index(),
                     arena.bytes());
  return Status::ok();
}

Status EntryVerifier::verifyOutputsBound() {
  std::vector<bool> isBound(outputBytes.size());
  for (uint32_t i = 0; i < sizeOf(entry.buffers()); ++i)
    if (entry.buffers()->Get(i)->kind() == BufferKind::Output)
      isBound[entry.buffers()->Get(i)->index()] = true;
  for (uint32_t i = 0; i < isBound.size(); ++i)
    if (!isBound[i])
      return violation("output {} ({}) has no buffer", i,
                       quoted(entry.outputs()->Get(i)->name()));
  return Status::ok();
}

/// A variable must be on one device, the one that assigns it. Readers on other
/// devices would see its initial value for ever.
Status EntryVerifier::verifyVariables() {
  std::unordered_map<uint32_t, const Buffer *> variables;
  for (uint32_t i = 0; i < sizeOf(entry.buffers()); ++i)
    if (const Buffer *buffer = entry.buffers()->Get(i);
        buffer->kind() == BufferKind::Variable)
      variables.try_emplace(buffer->index(), buffer);
  for (uint32_t i = 0; i < sizeOf(entry.buffers()); ++i) {
    const Buffer &buffer = *entry.buffers()->Get(i);
    const bool isBlob = buffer.kind() == BufferKind::Variable ||
                        buffer.kind() == BufferKind::Parameter;
    auto variable = isBlob ? variables.find(buffer.index()) : variables.end();
    if (variable == variables.end() ||
        (variable->second->kind() == buffer.kind() &&
         variable->second->device() == buffer.device()))
      continue;
    return violation(
        "buffer {}: blob {} ({}) is a variable of device {}; it "
        "cannot be a {} of device {} too",
        i, buffer.index(), quoted(model.blobs()->Get(buffer.index())->name()),
        variable->second->device(),
        buffer.kind() == BufferKind::Variable ? "variable" : "parameter",
        buffer.device());
  }
  return Status::ok();
}

Status EntryVerifier::verifyViews() {
  WEIR_RETURN_IF_ERROR(budget.visit(entry.views()));
  for (uint32_t i = 0; i < sizeOf(entry.views()); ++i) {
    const View &view = *entry.views()->Get(i);
    if (view.buffer() >= sizeOf(entry.buffers()))
      return violation("view {}: it is of buffer {}; the entry has {}", i,
                       view.buffer(), sizeOf(entry.buffers()));
    const Buffer &buffer = *entry.buffers()->Get(view.buffer());
    if (view.byte_offset() > buffer.bytes())
      return violation("view {}: it begins at byte {} of buffer {}, which has "
                       "{} bytes",
                       i, view.byte_offset(), view.buffer(), buffer.bytes());
  }
  return Status::ok();
}

Status weir::artifact::verifyEntry(const Entry &entry, const Variant &variant,
                                   const Model &model, VisitBudget &budget) {
  return EntryVerifier(entry, variant, model, budget).verify();
}
