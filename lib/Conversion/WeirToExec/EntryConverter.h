//===- EntryConverter.h - Converts a function to an exec.entry --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CONVERSION_WEIRTOEXEC_ENTRYCONVERTER_H
#define WEIR_LIB_CONVERSION_WEIRTOEXEC_ENTRYCONVERTER_H

#include "JoinBuffers.h"
#include "NamedTensors.h"
#include "OutputBuffers.h"
#include "ValueBuffers.h"
#include "VariableUpdates.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/Transforms/ParameterFacts.h"

#include "llvm/ADT/MapVector.h"

namespace weir {

/// Converts one function. EntryConversion.cpp declares what exists when the
/// run begins and chooses where values are computed; CommandConversion.cpp
/// adds the commands.
class EntryConverter {
public:
  using ConstantNames = llvm::DenseMap<mlir::Value, mlir::FlatSymbolRefAttr>;

  EntryConverter(mlir::func::FuncOp function, const ConstantNames &constants,
                 const ParameterFacts &facts, exec::EntryOp entry)
      : function(function), constants(constants), facts(facts), builder(entry),
        buffers(builder), outputs(builder, buffers),
        devices(entry.getDevices()),
        firstDevice(llvm::cast<mlir::StringAttr>(devices[0])),
        joins(builder, buffers, outputs) {}

  mlir::LogicalResult convert();

private:
  /// A result of the function that becomes a parameter's value for the next
  /// run. `buffer` has the value of this run, and `version` has that one.
  struct Assignment {
    mlir::FlatSymbolRefAttr parameter;
    mlir::Value value;
    mlir::Value buffer;
    mlir::Value version;
  };

  mlir::LogicalResult findResults();
  mlir::LogicalResult addOutput(unsigned index, mlir::Value value);
  mlir::Value addVariable(mlir::FlatSymbolRefAttr parameter,
                          mlir::Location where, mlir::Type type);
  Place
  addVariablePart(mlir::FlatSymbolRefAttr parameter,
                  mlir::BlockArgument argument,
                  llvm::DenseMap<mlir::Attribute, mlir::Value> &variables);
  void addVariables();
  void addArguments();
  mlir::LogicalResult convertOp(mlir::Operation *op);
  mlir::LogicalResult convertGroup(GroupOp group);
  mlir::LogicalResult convertLaunch(LaunchOp launch, mlir::StringAttr device);
  mlir::LogicalResult convertParts(LaunchOp launch, mlir::StringAttr device,
                                   mlir::ArrayRef<exec::View> writes);
  mlir::FailureOr<exec::View> read(LaunchOp launch, unsigned operand,
                                   mlir::StringAttr device);
  Place addResult(mlir::Value result, mlir::StringAttr device);
  Place getTarget(mlir::Value root, mlir::StringAttr device);
  mlir::FailureOr<exec::View> viewOf(mlir::Value value, mlir::StringAttr device,
                                     mlir::Operation *reader);
  mlir::LogicalResult nameTensors(mlir::Value root, mlir::StringAttr device,
                                  LaunchOp launch);
  void chooseUpdates();
  void chooseJoined();
  void addVersion(Assignment &assignment);
  mlir::LogicalResult assignVariables();

  mlir::Value getSource(mlir::Value value) const;
  mlir::Value trace(mlir::Value value);
  mlir::StringAttr placeOf(mlir::Value root) const;
  mlir::StringAttr deviceOf(mlir::Value root) const {
    mlir::StringAttr place = placeOf(root);
    return place ? place : firstDevice;
  }
  mlir::StringAttr homeOf(mlir::StringAttr device) const;
  mlir::StringAttr findHostCopier() const;

  mlir::func::FuncOp function;
  const ConstantNames &constants;
  const ParameterFacts &facts;
  EntryBuilder builder;
  ValueBuffers buffers;
  OutputBuffers outputs;
  mlir::ArrayAttr devices;
  mlir::StringAttr firstDevice;
  /// The roots of values that were traced.
  llvm::DenseMap<mlir::Value, mlir::Value> roots;
  mlir::SmallVector<Assignment> assignments;
  VariableUpdates updates;
  JoinBuffers joins;
  NamedTensors tensors;
};

} // namespace weir

#endif // WEIR_LIB_CONVERSION_WEIRTOEXEC_ENTRYCONVERTER_H
