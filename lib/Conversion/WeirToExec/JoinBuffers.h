//===- JoinBuffers.h - The buffers of joins, and their parts ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A `weir.join` moves no bytes if the launches that compute its inputs write
// to their places in its buffer.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_WEIRTOEXEC_JOINBUFFERS_H
#define WEIR_LIB_CONVERSION_WEIRTOEXEC_JOINBUFFERS_H

#include "OutputBuffers.h"
#include "ValueBuffers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <string>
#include <utility>

namespace weir {

/// What the conversion knows of the values that joins read.
struct JoinSources {
  /// The value that has a buffer and the same bytes as a given value.
  std::function<mlir::Value(mlir::Value)> trace;
  /// Whether both devices access the same memory.
  std::function<bool(mlir::StringAttr, mlir::StringAttr)> isShared;
  /// Whether a value, by its root, has a place of its own: in an output or in a
  /// variable.
  std::function<bool(mlir::Value)> isPlaced;
};

/// Chooses the inputs of joins that are computed in place, and inserts the
/// commands for the others.
class JoinBuffers {
public:
  JoinBuffers(EntryBuilder &builder, ValueBuffers &values,
              OutputBuffers &outputs)
      : builder(builder), values(values), outputs(outputs) {}

  /// Chooses the inputs that are computed in place.
  void choose(mlir::func::FuncOp function, const JoinSources &sources);
  /// The place in a join where the value with this root is computed; without a
  /// buffer if there is none.
  Place getPlace(mlir::Value root);
  /// Copies the other inputs of `join` to their places, and sets the bytes
  /// between them to zero.
  mlir::LogicalResult convert(JoinOp join, mlir::StringAttr device);

private:
  /// Input `input` of a join.
  struct Part {
    JoinOp join;
    unsigned input = 0;
  };

  void chooseIn(JoinOp join, mlir::StringAttr device,
                const JoinSources &sources);
  std::string whyNot(mlir::Value root, mlir::StringAttr device,
                     const JoinSources &sources) const;
  mlir::Value getBuffer(JoinOp join);
  Place getPart(Part part);

  EntryBuilder &builder;
  ValueBuffers &values;
  OutputBuffers &outputs;
  /// Where values are computed in place, by their roots.
  llvm::DenseMap<mlir::Value, Part> parts;
  /// Why inputs are copied, by the join and the number of the input.
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, std::string> reasons;
  /// Roots whose buffer passes as a whole to another device that shares the
  /// memory.
  llvm::DenseSet<mlir::Value> passedOn;
  /// The buffer of each join.
  llvm::DenseMap<mlir::Operation *, mlir::Value> buffers;
};

} // namespace weir

#endif // WEIR_LIB_CONVERSION_WEIRTOEXEC_JOINBUFFERS_H
