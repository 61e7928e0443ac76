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

#include <cstdint>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <vector>

namespace weir::artifact {

/// The error of a broken rule.
template <typename... Args>
Status violation(fmt::format_string<Args...> format, Args &&...args) {
  return dataLoss(fmt::format(format, std::forward<Args>(args)...));
}

/// Counts the bytes of all vectors and strings that are visited. Those of an
/// honest model are disjoint; a model whose parts share bytes could otherwise
/// take time in proportion to the square of its size.
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

  /// Counts the views of one command. Commands may share views, and each use
  /// takes time to check and memory at load.
  Status useViews(uint32_t count) {
    if (count > viewsLeft)
      return violation(
          "commands and tensors use more than the {} views that all of "
          "an artifact may use",
          maxViewUses);
    viewsLeft -= count;
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
};

/// Names of one kind, each of which must be there and differ from the others.
class UniqueNames {
public:
  Status add(const flatbuffers::String *name, VisitBudget &budget);

private:
  std::unordered_set<std::string_view> seen;
};

/// The bytes that a tensor of type `type` spans; an error when `type` is not
/// well-formed.
StatusOr<uint64_t> verifyTensorType(const TensorType *type,
                                    VisitBudget &budget);

/// Of an entry: what its programs are checked against.
struct EntryFacts {
  struct KernelFacts {
    uint32_t numOperands;
    /// Per operand and result.
    std::vector<uint64_t> spanBytes;
    std::vector<uint64_t> elementBytes;
  };
  std::vector<KernelFacts> kernels;
};

Status verifyEntry(const Entry &entry, const Variant &variant,
                   const Model &model, VisitBudget &budget);
Status verifyPrograms(const Entry &entry, const Variant &variant,
                      const EntryFacts &facts, VisitBudget &budget);
/// The names of tensors, of programs and views that were verified.
Status verifyTensors(const Entry &entry, VisitBudget &budget);

} // namespace weir::artifact

#endif // WEIR_LIB_ARTIFACT_VERIFYCONTEXT_H
