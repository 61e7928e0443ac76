//===- VariableBuffers.h - The variables of an entry ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_WEIRTOEXEC_VARIABLEBUFFERS_H
#define WEIR_LIB_CONVERSION_WEIRTOEXEC_VARIABLEBUFFERS_H

#include "OutputBuffers.h"
#include "ValueBuffers.h"
#include "VariableUpdates.h"
#include "weir/Dialect/Weir/Transforms/ParameterFacts.h"

namespace weir {

/// Knows the variables of an entry, and inserts copies to the variables that no
/// launch updates in place.
class VariableBuffers {
public:
  VariableBuffers(EntryBuilder &builder, ValueBuffers &values,
                  const ParameterFacts &facts)
      : builder(builder), values(values), facts(facts) {}

  /// Adds a variable that gets `value` for the next run.
  void add(mlir::FlatSymbolRefAttr parameter, mlir::Value value);
  /// Chooses the values that launches write directly to variables.
  void chooseInPlace(mlir::func::FuncOp function, const ValueOrigins &origins,
                     const OutputBuffers &outputs);
  /// Adds the value of an argument that is a parameter, if some entry assigns
  /// the parameter.
  void addValue(mlir::FlatSymbolRefAttr parameter,
                mlir::BlockArgument argument);
  /// The variable that the launch of `root` updates in place, or null.
  mlir::Value find(mlir::Value root) const;
  /// For each result of `launch`, the operand that it overwrites, or -1. Empty
  /// if the launch overwrites nothing.
  mlir::SmallVector<int32_t> getOverwrites(LaunchOp launch) const {
    return updates.overwrites.lookup(launch);
  }
  /// Copies values to the variables that no launch updates in place. An error
  /// is reported at `function`.
  mlir::LogicalResult copyRest(mlir::func::FuncOp function);

private:
  /// A value that a parameter has in the next run.
  struct Assignment {
    VariableUpdate update;
    /// The variable with its value of this run.
    exec::VariableOp before;
    /// The variable with its value of the next run.
    mlir::Value after;
  };

  exec::VariableOp addVariable(mlir::FlatSymbolRefAttr parameter,
                               mlir::Location where, mlir::Type type);
  void addAfter(Assignment &assignment);

  EntryBuilder &builder;
  ValueBuffers &values;
  const ParameterFacts &facts;
  mlir::SmallVector<Assignment> assignments;
  /// All variables, by the names of parameters and buckets.
  llvm::DenseMap<mlir::Attribute, mlir::Value> variables;
  VariableUpdates updates;
};

} // namespace weir

#endif // WEIR_LIB_CONVERSION_WEIRTOEXEC_VARIABLEBUFFERS_H
