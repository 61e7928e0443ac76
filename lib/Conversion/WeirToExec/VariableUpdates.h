//===- VariableUpdates.h - Which variables are updated in place -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A launch that computes the next value of a variable can write it directly to
// the variable, if every other command that reads the old value can come before
// the launch. The launch itself may read the old value only as an operand that
// its kernel may overwrite. All other values are computed elsewhere, and copied
// to the variable when nothing needs the old value.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_CONVERSION_WEIRTOEXEC_VARIABLEUPDATES_H
#define WEIR_CONVERSION_WEIRTOEXEC_VARIABLEUPDATES_H

#include "OutputBuffers.h"
#include "weir/Dialect/Weir/IR/ValueOrigins.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/Transforms/ParameterFacts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace weir {

/// A value of the function that becomes the next value of a variable.
struct VariableUpdate {
  mlir::FlatSymbolRefAttr parameter;
  mlir::Value value;
  /// The device in whose memory the variable lies.
  mlir::StringAttr device;
};

/// The facts about the memory of values that the conversion knows.
struct ValueMemory {
  const ValueOrigins &origins;
  const EntryBuilder &builder;
  const OutputBuffers &outputs;
  const ParameterFacts &facts;
};

/// The updates that are in place, and the reasons for which other updates are
/// not.
struct VariableUpdates {
  /// The results of launches that are in-place updates, with the numbers of the
  /// updates.
  llvm::MapVector<mlir::Value, size_t> inPlace;
  /// The operand that each result of a launch overwrites, or -1. Launches that
  /// overwrite nothing are not listed.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int32_t>> overwrites;
  /// The reasons for which updates are not in place, by the names of the
  /// parameters.
  llvm::MapVector<mlir::StringAttr, std::string> reasons;
};

VariableUpdates findUpdatesInPlace(mlir::func::FuncOp function,
                                   llvm::ArrayRef<VariableUpdate> updates,
                                   const ValueMemory &memory);

} // namespace weir

#endif // WEIR_CONVERSION_WEIRTOEXEC_VARIABLEUPDATES_H
