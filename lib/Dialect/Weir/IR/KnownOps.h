//===- KnownOps.h - What is known about ops met before ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A graph has many ops that differ in their operands alone. To bind an index
// spec takes longer than all else that the creation of an op does, ops are
// verified several times, and passes ask for bound specs. So a context keeps
// what it has inferred. Types and attributes are unique in a context, and so
// are the questions.
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

/// A value of type T for each op of a record, with its attributes and the types
/// of its operands. Values stay where they are. Threads may share it.
template <typename T> class KnownOps {
public:
  struct Question {
    const OpRecord *record;
    mlir::DictionaryAttr attributes;
    /// The types of the operands, as a function without results.
    mlir::FunctionType operands;
  };

  /// Null if nothing has been added for `question`.
  const T *find(const Question &question) const {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = known.find(keyOf(question));
    return found == known.end() ? nullptr : found->second.get();
  }
  /// The value that was added first.
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

  // Passes see a context's interfaces as constants.
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
