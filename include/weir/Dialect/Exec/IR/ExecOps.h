//===- ExecOps.h - The ops of the exec dialect ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_EXEC_IR_EXECOPS_H
#define WEIR_DIALECT_EXEC_IR_EXECOPS_H

#include "weir/Dialect/Exec/IR/ExecDialect.h"
#include "weir/Dialect/Weir/IR/WeirDialect.h"
#include "weir/Support/TensorDesc.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include <optional>
#include <utility>

#include "weir/Dialect/Exec/IR/ExecInterfaces.h.inc"

namespace weir::exec {

/// A tensor in a buffer that a command reads or writes.
struct View {
  mlir::Value buffer;
  /// The offset of its first element in the buffer.
  int64_t byteOffset = 0;
  mlir::RankedTensorType type;
  /// The bytes by which each trip of each enclosing repeat moves the view, the
  /// outermost first; none if it does not move.
  mlir::ArrayRef<int64_t> step = {};
};

/// An attribute of a variable whose new value is not written to it directly,
/// and of a copy to a place of a join. It says why a copy is needed.
inline constexpr llvm::StringLiteral copiedAttr = "exec.copied";

/// The device and the queue of an arena. There is no queue if each run in
/// flight has an arena of its own.
using ArenaKey = std::pair<mlir::StringAttr, std::optional<QueueRole>>;

/// The key of the arena `op`, or of the arena in which the scratch buffer `op`
/// lies.
template <typename Op> ArenaKey getArenaKey(Op op) {
  return {op.getDeviceAttr(), op.getQueue()};
}

/// The tensor as kernels see it, with strides from the type's encoding.
TensorDesc describeView(mlir::RankedTensorType type);

/// The op that defines the bytes of `buffer`, with all aliases and versions
/// resolved.
BufferOpInterface getStorage(mlir::Value buffer);

/// Whether a program uses the bytes of `storage`, which is no alias and no
/// version. An alias or a version of `storage` is not a use by itself.
bool isUsed(BufferOpInterface storage);

/// The trips of the repeats around `op`, the outermost first.
llvm::SmallVector<int64_t> getTrips(mlir::Operation *op);

/// The least and the most that `step` adds over all `trips`; nothing if that
/// exceeds the limits of an artifact.
struct StepRange {
  int64_t least = 0;
  int64_t most = 0;
};
std::optional<StepRange> rangeOverTrips(mlir::ArrayRef<int64_t> step,
                                        mlir::ArrayRef<int64_t> trips);

/// The name of a launch, copy or fill; empty for other ops.
llvm::StringRef getCommandName(mlir::Operation *op);
/// The predicted duration of a launch, copy or fill in ns; 0 for other ops, or
/// if it is not known.
uint64_t getPredictedNs(mlir::Operation *op);
/// The number, from 1 on, of the link that a copy shares with other copies; 0
/// if it shares none.
uint32_t getSharedLink(mlir::Operation *op);

} // namespace weir::exec

#define GET_OP_CLASSES
#include "weir/Dialect/Exec/IR/ExecOps.h.inc"

#endif // WEIR_DIALECT_EXEC_IR_EXECOPS_H
