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
#include "VariableBuffers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <string>
#include <utility>

namespace weir {

/// Chooses the inputs of joins that are computed in place, and inserts the
/// commands for the other inputs.
class JoinBuffers {
public:
  JoinBuffers(EntryBuilder &builder, const ValueOrigins &origins,
              ValueBuffers &values, OutputBuffers &outputs,
              const VariableBuffers &variables)
      : builder(builder), origins(origins), values(values), outputs(outputs),
        variables(variables) {}

  /// Chooses the inputs that are computed in place.
  void choose(mlir::func::FuncOp function);
  /// The place in a join at which the value with this root is computed. The
  /// place has no buffer if the value is computed elsewhere.
  Place getPlace(mlir::Value root);
  /// Copies the inputs of `join` that are not computed in place, and sets the
  /// bytes between inputs to zero.
  mlir::LogicalResult convert(JoinOp join, mlir::StringAttr device);

private:
  /// Input `input` of a join.
  struct Part {
    JoinOp join;
    unsigned input = 0;
  };

  void chooseIn(JoinOp join, mlir::StringAttr device);
  std::string whyNot(mlir::Value root, mlir::StringAttr device) const;
  mlir::Value getBuffer(JoinOp join);
  Place getPart(Part part);

  EntryBuilder &builder;
  const ValueOrigins &origins;
  ValueBuffers &values;
  OutputBuffers &outputs;
  const VariableBuffers &variables;
  /// The parts of joins that are computed in place, by the roots of their
  /// values.
  llvm::DenseMap<mlir::Value, Part> parts;
  /// The reasons for which inputs are copied, by the join and the number of the
  /// input.
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, std::string> reasons;
  /// Roots whose buffer passes as a whole to another device that shares the
  /// memory.
  llvm::DenseSet<mlir::Value> passedOn;
  /// The buffer of each join.
  llvm::DenseMap<mlir::Operation *, mlir::Value> buffers;
};

} // namespace weir

#endif // WEIR_LIB_CONVERSION_WEIRTOEXEC_JOINBUFFERS_H
