//===- VerifyContext.h - What the parts of the verifier share -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_ARTIFACT_VERIFYCONTEXT_H
#define WEIR_LIB_ARTIFACT_VERIFYCONTEXT_H

#include "Names.h"
#include "weir/Artifact/Format.h"
#include "weir/Artifact/Schema.h"
#include "weir/Support/Status.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace weir::artifact {

/// The error of a broken rule.
template <typename... Args>
Status violation(fmt::format_string<Args...> format, Args &&...args) {
  return dataLoss(fmt::format(format, std::forward<Args>(args)...));
}

/// The error about a model that exceeds the limits of artifacts, although no
/// part of it is damaged.
template <typename... Args>
Status tooLarge(fmt::format_string<Args...> format, Args &&...args) {
  return invalidArgument(fmt::format(format, std::forward<Args>(args)...));
}

/// Counts the bytes of all vectors and strings that are visited. In a model
/// that Weir has written, vectors and strings share no bytes. Without the
/// limit, a model with shared bytes could take time in proportion to the square
/// of its size.
class VisitBudget {
public:
  explicit VisitBudget(uint64_t modelBytes) : left(modelBytes) {}

  template <typename T> Status visit(const flatbuffers::Vector<T> *vector) {
    constexpr size_t alignment = alignof(std::remove_pointer_t<T>);
    if (vector && reinterpret_cast<uintptr_t>(vector->Data()) % alignment != 0)
      return violation("a list does not begin at a multiple of {} bytes",
                       alignment);
    return take(uint64_t(sizeOf(vector)) *
                flatbuffers::IndirectHelper<T>::element_stride);
  }

  /// Counts the views of one command. Commands may share views, but each use of
  /// a view takes time to check and memory at load.
  Status useViews(uint64_t count) {
    if (count > viewsLeft)
      return tooLarge(
          "commands and tensors use more than the {} views that all of "
          "an artifact may use; compile a part of the graph, or fewer entries",
          maxViewUses);
    viewsLeft -= count;
    holdSlots(count);
    return Status::ok();
  }

  /// Counts a use of `name`, which may be absent.
  Status useName(const flatbuffers::String *name) {
    const uint64_t bytes = name ? name->size() : 0;
    if (bytes > nameBytesLeft)
      return tooLarge("the names of commands and of what they use have more "
                      "than {} bytes, each counted as often as it is used; "
                      "shorten the names of ops, inputs, outputs and "
                      "parameters",
                      maxNameBytes);
    nameBytesLeft -= bytes;
    return Status::ok();
  }

  /// Counts slots that every run in flight needs.
  void holdSlots(uint64_t count) { slots += count; }
  uint64_t slotsHeld() const { return slots; }

  /// Counts commands that a run carries out, because `verifyTermination` takes
  /// time for each of them.
  Status executeCommands(uint64_t count) {
    if (count > commandsLeft)
      return tooLarge("it carries out more than the {} commands that the "
                      "entries of an artifact may; compile it with shorter "
                      "loops, or fewer entries",
                      maxExecutedCommands);
    commandsLeft -= count;
    return Status::ok();
  }

  /// Counts the steps that are needed to compare two tensors of a launch with
  /// overlapping spans. `ranks` is the sum of their ranks.
  Status compareOverlap(uint64_t ranks) {
    const uint64_t steps = std::max<uint64_t>(ranks * ranks, 1);
    if (steps > overlapStepsLeft)
      return tooLarge("tensors of launches lie between each other in so many "
                      "places that comparing them takes more than {} steps; "
                      "compile a part of the graph, or fewer entries",
                      maxOverlapSteps);
    overlapStepsLeft -= steps;
    return Status::ok();
  }

private:
  Status take(uint64_t bytes) {
    if (bytes > left)
      return violation("parts of the model share bytes");
    left -= bytes;
    return Status::ok();
  }

  uint64_t left;
  uint64_t viewsLeft = maxViewUses;
  uint64_t nameBytesLeft = maxNameBytes;
  uint64_t slots = 0;
  uint64_t commandsLeft = maxExecutedCommands;
  uint64_t overlapStepsLeft = maxOverlapSteps;
};

/// Names of one kind. Each must be present and different from the others.
class UniqueNames {
public:
  Status add(const flatbuffers::String *name, VisitBudget &budget);

private:
  std::unordered_set<std::string_view> seen;
};

/// The bytes that a tensor of type `type` spans. An error if `type` is not
/// well-formed.
StatusOr<uint64_t> verifyTensorType(const TensorType *type,
                                    VisitBudget &budget);

/// The number of elements of a well-formed type. If strides repeat an element,
/// each repetition counts.
uint64_t countElements(const TensorType &type);

/// Whether a tensor of `span` bytes repeats elements: it then has more elements
/// than fit into the span.
bool repeatsElements(const TensorType &type, uint64_t span);

/// Checks a tensor of `span` bytes. If it repeats elements, it must have at
/// most `most` elements. `type` is well-formed.
Status verifyRepeated(const TensorType &type, uint64_t span,
                      uint64_t most = maxRepeatedElements);

/// Checks that all elements of a tensor have distinct addresses, as is needed
/// for a tensor that is written. `type` is well-formed.
Status verifyDistinct(const TensorType &type);

/// Calls `check(i, *list[i])` for each table of `list`. Errors get the prefix
/// "`what` i".
template <typename Table, typename Check>
Status forEach(const flatbuffers::Vector<flatbuffers::Offset<Table>> *list,
               std::string_view what, VisitBudget &budget, Check check) {
  WEIR_RETURN_IF_ERROR(budget.visit(list));
  for (uint32_t i = 0; i < sizeOf(list); ++i) {
    Status status = check(i, *list->Get(i));
    if (!status.isOk())
      return std::move(status).withContext(fmt::format("{} {}", what, i));
  }
  return Status::ok();
}

/// Checks that `role` is the role of a queue.
Status verifyQueueRole(QueueRole role);

/// What is known about a kernel when its launches are checked.
struct KernelFacts {
  const Kernel *kernel;
  uint32_t numOperands;
  /// The bytes of each operand and result, from the first to the last element.
  /// `elementBytes` has the bytes of one element.
  std::vector<uint64_t> spanBytes;
  std::vector<uint64_t> elementBytes;
};

/// What is known about a variant when its entries are checked.
struct VariantFacts {
  const Variant &variant;
  const Model &model;
  std::vector<KernelFacts> kernels;
  /// The numbers of variables by the numbers of their blobs. A bucket has
  /// several blobs.
  std::unordered_map<uint32_t, uint32_t> variables;

  uint32_t spaceOf(uint32_t device) const {
    return spaceOfDevice(device, variant.devices()->Get(device)->isolated());
  }
};

/// A Repeat around a command. Its body consists of commands [begin, end).
struct EnclosingRepeat {
  uint32_t begin;
  uint32_t end;
  uint32_t trips;
};
using EnclosingRepeats = std::vector<EnclosingRepeat>;

/// What strides add to the offset of a view, or to the value of an event: the
/// least and the most in all trips of the repeats around a command. `strides`
/// is an index into `entry.strides` that must fit `repeats`.
struct TripRange {
  int64_t least = 0;
  int64_t most = 0;
  /// A common divisor of all strides; 0 if there are none.
  uint64_t step = 0;
};
StatusOr<TripRange> rangeOverTrips(const Entry &entry, uint32_t strides,
                                   const EnclosingRepeats &repeats);

/// Removes the repeats that end in front of command `index`.
void leaveRepeats(EnclosingRepeats &repeats, uint32_t index);
/// Checks the command `command`, which is a Repeat, and adds it to `repeats`.
Status enterRepeat(EnclosingRepeats &repeats, const Command &command,
                   uint32_t index, uint32_t numCommands);

Status verifyKernels(VariantFacts &facts, VisitBudget &budget);
Status verifyEntry(const Entry &entry, const VariantFacts &facts,
                   VisitBudget &budget);
Status verifyPrograms(const Entry &entry, const VariantFacts &facts,
                      VisitBudget &budget);
/// Checks which tensors of a launch share bytes.
Status verifyOverlaps(const Entry &entry, const Command &launch,
                      const KernelFacts &kernel,
                      const EnclosingRepeats &repeats, VisitBudget &budget);
/// Carries out a trial run without kernels. Checks that every program reaches
/// its end, and checks the values of events on the way. The commands must be
/// verified.
Status verifyTermination(const Entry &entry);
/// Checks the tensors of an entry. Its programs and views must be verified.
Status verifyTensors(const Entry &entry, const VariantFacts &facts,
                     VisitBudget &budget);

/// The command in an error: "command 3 ('conv1')".
std::string locateCommand(const Entry &entry, const Command &command,
                          uint32_t index);

} // namespace weir::artifact

#endif // WEIR_LIB_ARTIFACT_VERIFYCONTEXT_H
