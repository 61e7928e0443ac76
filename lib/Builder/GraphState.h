//===- GraphState.h - A graph that is being built, as IR -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_BUILDER_GRAPHSTATE_H
#define WEIR_LIB_BUILDER_GRAPHSTATE_H

#include "weir/Builder/GraphBase.h"
#include "weir/Support/HostTensor.h"
#include "weir/Support/Status.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringSet.h"

namespace weir {

/// The module of a graph, with its context, and the errors so far. The entry
/// has no terminator and the type of no arguments until `finish`.
class GraphState : public std::enable_shared_from_this<GraphState> {
public:
  GraphState(llvm::StringRef name, CallSite site);

  //===--------------------------------------------------------------------===//
  // Calls. Each of the user's calls begins with `beginCall`.
  //===--------------------------------------------------------------------===//

  /// `what` is the op or method in errors of this call.
  void beginCall(llvm::StringRef what, CallSite site);
  /// Remembers an error of this call.
  void fail(const llvm::Twine &message);
  /// The place of this call in the user's program.
  mlir::Location location() const { return callLocation; }

  mlir::Value unwrap(const Value &value) const {
    return mlir::Value::getFromOpaquePointer(value.impl);
  }
  Value wrap(mlir::Value value) {
    return {shared_from_this(), value.getAsOpaquePointer()};
  }
  /// What a failed call returns.
  Value failed() { return {shared_from_this(), nullptr}; }
  /// Whether `value` stands for an operand that is left out.
  static bool isLeftOut(const Value &value) { return !value.graph; }

  /// Whether `value` can be used; tells why not, unless a call that failed
  /// earlier is the cause. `what` names it in errors.
  bool isUsable(const Value &value, const llvm::Twine &what);
  /// Whether nothing else is called `name` yet; tells if something is.
  bool takeName(llvm::StringRef name);
  /// The same for a parameter, which is no entry's namesake either.
  bool takeParameterName(llvm::StringRef name);
  /// The attribute for a device name; null if it is malformed, which is told.
  mlir::StringAttr readDevice(std::string_view device);
  /// What the innermost DeviceScope asks for, or null.
  mlir::StringAttr scopedDevice() const {
    return scopedDevices.empty() ? mlir::StringAttr() : scopedDevices.back();
  }

  /// Adds the op with inferred types and checks it; null after an error.
  mlir::Operation *addOp(mlir::OperationState &op);
  /// Declares a parameter and reads it.
  Value addParameter(llvm::StringRef name, mlir::RankedTensorType type,
                     llvm::ArrayRef<mlir::NamedAttribute> source);

  //===--------------------------------------------------------------------===//
  // The whole
  //===--------------------------------------------------------------------===//

  Status status() const;
  /// A complete module of its own, in this context.
  mlir::OwningOpRef<mlir::ModuleOp> finish();

  mlir::MLIRContext context;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp entry;
  /// The outputs and their names.
  std::vector<std::pair<std::string, mlir::Value>> outputs;
  /// The devices of the DeviceScopes, the innermost last.
  std::vector<mlir::StringAttr> scopedDevices;

private:
  std::string call;
  mlir::Location callLocation;
  int numCalls = 0;
  llvm::StringSet<> names;
  std::string errors;
};

} // namespace weir

#endif // WEIR_LIB_BUILDER_GRAPHSTATE_H
