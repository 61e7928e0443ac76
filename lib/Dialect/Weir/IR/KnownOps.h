//===- KnownOps.h - What is known about ops met before ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Many ops of a graph differ only in their operands. Binding an index spec is
// the slowest part of creating an op, and it is needed again whenever the op is
// verified and in passes. So a context keeps what it has inferred. The keys are
// types and attributes, which are unique in a context.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_IR_KNOWNOPS_H
#define WEIR_LIB_DIALECT_WEIR_IR_KNOWNOPS_H

#include "weir/Dialect/Weir/IR/OpRecord.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <mutex>
#include <tuple>

namespace weir {

/// Values of type T for ops with the same record, attributes and operand types.
/// Values have stable addresses. Thread-safe.
template <typename T> class KnownOps {
public:
  struct Question {
    const OpRecord *record;
    mlir::DictionaryAttr attributes;
    /// The types of the operands, as a function without results.
    mlir::FunctionType operands;
  };

  /// The value for `question`; null if there is none.
  const T *find(const Question &question) const {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = known.find(keyOf(question));
    return found == known.end() ? nullptr : found->second.get();
  }
  /// Adds `value` for `question` and returns it. If another thread has added a
  /// value for `question` before, returns that value instead.
  const T &add(const Question &question, T value) const {
    std::lock_guard<std::mutex> lock(mutex);
    std::unique_ptr<const T> &place = known[keyOf(question)];
    if (!place)
      place = std::make_unique<const T>(std::move(value));
    return *place;
  }

private:
  using Key = std::tuple<const OpRecord *, mlir::Attribute, mlir::Type>;

  static Key keyOf(const Question &question) {
    return {question.record, question.attributes, question.operands};
  }

  // These members are mutable because passes see the interfaces of a context as
  // const.
  mutable std::mutex mutex;
  mutable llvm::DenseMap<Key, std::unique_ptr<const T>> known;
};

/// The function types of ops, from operands to results.
class InferredTypes : public mlir::DialectInterface::Base<InferredTypes>,
                      public KnownOps<mlir::FunctionType> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InferredTypes)

  explicit InferredTypes(mlir::Dialect *dialect) : Base(dialect) {}
};

/// The index specs of ops with all sizes filled in.
class BoundSpecs : public mlir::DialectInterface::Base<BoundSpecs>,
                   public KnownOps<BoundSpec> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BoundSpecs)

  explicit BoundSpecs(mlir::Dialect *dialect) : Base(dialect) {}
};

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_IR_KNOWNOPS_H
