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
#include "VariableBuffers.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/Transforms/ParameterFacts.h"

namespace weir {

/// Converts one function. EntryConversion.cpp declares what exists when the
/// run begins; CommandConversion.cpp adds the commands.
class EntryConverter {
public:
  using ConstantNames = llvm::DenseMap<mlir::Value, mlir::FlatSymbolRefAttr>;

  EntryConverter(mlir::func::FuncOp function, const ConstantNames &constants,
                 const ParameterFacts &facts, exec::EntryOp entry)
      : function(function), constants(constants), facts(facts), builder(entry),
        origins(function,
                [this](mlir::StringAttr left, mlir::StringAttr right) {
                  return builder.shareMemory(left, right);
                }),
        buffers(builder, origins), outputs(builder, buffers),
        variables(builder, buffers, facts),
        joins(builder, origins, buffers, outputs, variables) {}

  mlir::LogicalResult convert();

private:
  mlir::LogicalResult addOutput(unsigned index, mlir::Value value);
  mlir::LogicalResult addOutputs();
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

  mlir::func::FuncOp function;
  const ConstantNames &constants;
  const ParameterFacts &facts;
  EntryBuilder builder;
  ValueOrigins origins;
  ValueBuffers buffers;
  OutputBuffers outputs;
  VariableBuffers variables;
  JoinBuffers joins;
  NamedTensors tensors;
};

} // namespace weir

#endif // WEIR_LIB_CONVERSION_WEIRTOEXEC_ENTRYCONVERTER_H
