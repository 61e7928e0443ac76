//===- InferredTypes.h - The result types of ops met before ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A graph has many ops that differ in their operands alone. To bind an index
// spec takes longer than all else that the creation of an op does, and ops are
// verified several times. So a context keeps what it has inferred. Types and
// attributes are unique in a context, and so are the questions.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DIALECT_WEIR_IR_INFERREDTYPES_H
#define WEIR_LIB_DIALECT_WEIR_IR_INFERREDTYPES_H

#include "weir/Dialect/Weir/IR/OpRecord.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/DenseMap.h"

#include <mutex>
#include <tuple>

namespace weir {

class InferredTypes : public mlir::DialectInterface::Base<InferredTypes> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InferredTypes)

  explicit InferredTypes(mlir::Dialect *dialect) : Base(dialect) {}

  /// The function type of an op of `record` with `attributes`, from operands to
  /// results; null if it has not been added. `operands` has no results.
  mlir::FunctionType find(const OpRecord &record,
                          mlir::DictionaryAttr attributes,
                          mlir::FunctionType operands) const {
    std::lock_guard<std::mutex> lock(mutex);
    return known.lookup({&record, attributes, operands});
  }
  void add(const OpRecord &record, mlir::DictionaryAttr attributes,
           mlir::FunctionType operands, mlir::FunctionType inferred) const {
    std::lock_guard<std::mutex> lock(mutex);
    known[{&record, attributes, operands}] = inferred;
  }

private:
  using Key = std::tuple<const OpRecord *, mlir::Attribute, mlir::Type>;

  // Passes see a context's interfaces as constants.
  mutable std::mutex mutex;
  mutable llvm::DenseMap<Key, mlir::FunctionType> known;
};

} // namespace weir

#endif // WEIR_LIB_DIALECT_WEIR_IR_INFERREDTYPES_H
