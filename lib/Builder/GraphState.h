//===- GraphState.h - The IR of a graph under construction ------*- C++ -*-===//
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

/// An entry of a graph. Until `finish`, its function has no terminator, and its
/// type does not list its arguments.
struct GraphEntry {
  explicit GraphEntry(mlir::func::FuncOp function) : function(function) {}

  mlir::func::FuncOp function;
  /// The outputs and their names.
  std::vector<std::pair<std::string, mlir::Value>> outputs;
  llvm::StringSet<> outputNames;
  /// The names of inputs and ops.
  llvm::StringSet<> names;
  /// The names of the parameters that have an assignment.
  llvm::StringSet<> assigned;
  /// Whether the entry has a `minimize`, which changes parameters without an
  /// assignment.
  bool minimizes = false;
  /// The values that read parameters in this entry, by parameter.
  llvm::DenseMap<mlir::Attribute, mlir::Value> reads;
};

/// The module of a graph, with its context and the errors so far.
class GraphState : public std::enable_shared_from_this<GraphState> {
public:
  GraphState(llvm::StringRef name, CallSite site);

  //===--------------------------------------------------------------------===//
  // Calls. Each of the user's calls begins with `beginCall`.
  //===--------------------------------------------------------------------===//

  /// Begins a call. `what` is the op or method in errors of this call.
  void beginCall(llvm::StringRef what, CallSite site);
  /// Records an error of this call.
  void fail(const llvm::Twine &message) { failIn(call, message); }
  /// Records an error of an earlier call. `earlier` is what `currentCall`
  /// returned during that call.
  void failIn(const std::string &earlier, const llvm::Twine &message);
  /// The place, op and number of this call, as errors name it.
  const std::string &currentCall() const { return call; }
  /// The location of this call in the user's program.
  mlir::Location location() const { return callLocation; }

  mlir::Value unwrap(const Value &value) const {
    return mlir::Value::getFromOpaquePointer(value.impl);
  }
  /// The IR value for `value` in the current entry. If `value` is a parameter,
  /// the entry reads it. `value` must be usable.
  mlir::Value use(const Value &value);
  Value wrap(mlir::Value value) {
    return {shared_from_this(), value.getAsOpaquePointer()};
  }
  /// The result of a failed call.
  Value failed() { return {shared_from_this(), nullptr}; }
  /// Whether `value` stands for an operand that is left out.
  static bool isLeftOut(const Value &value) { return !value.graph; }

  /// Whether `value` exists in this graph. Records an error if it does not,
  /// unless an earlier failed call is the reason. `what` names the value in
  /// errors.
  bool isKnown(const Value &value, const llvm::Twine &what);
  /// Whether `value` is known, and the current entry can read it. Records
  /// errors as `isKnown` does.
  bool isUsable(const Value &value, const llvm::Twine &what);
  /// Reserves `name` for an op or input of `entry`. Records an error if a
  /// parameter, or another op or input of the entry, already has the name.
  bool takeName(llvm::StringRef name, GraphEntry &entry);
  /// Reserves `name` for a parameter. Records an error if an entry, or anything
  /// in an entry, already has the name.
  bool takeParameterName(llvm::StringRef name);
  /// The attribute for a device name. If the name is malformed, records an
  /// error and returns null.
  mlir::StringAttr readDevice(std::string_view device);
  /// The device of the innermost DeviceScope, or null.
  mlir::StringAttr scopedDevice() const {
    return scopedDevices.empty() ? mlir::StringAttr() : scopedDevices.back();
  }

  /// Begins another entry. Records an error if another entry has its name.
  void beginEntry(llvm::StringRef name);
  GraphEntry &current() { return entries.back(); }
  /// The entry to which `value` belongs.
  GraphEntry &ownerOf(mlir::Value value);

  /// Adds the op with inferred types and verifies it. Returns null after an
  /// error.
  mlir::Operation *addOp(mlir::OperationState &op);
  /// Declares a parameter and reads it.
  Value addParameter(llvm::StringRef name, mlir::RankedTensorType type,
                     llvm::ArrayRef<mlir::NamedAttribute> source);

  //===--------------------------------------------------------------------===//
  // The whole
  //===--------------------------------------------------------------------===//

  Status status() const;
  /// A copy of the graph as a complete module in this context.
  mlir::OwningOpRef<mlir::ModuleOp> finish();

  mlir::MLIRContext context;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The entries. The last one is the current entry.
  std::vector<GraphEntry> entries;
  /// The devices of the open DeviceScopes. The innermost one is last.
  std::vector<mlir::StringAttr> scopedDevices;

private:
  /// Records an error if `name` is empty or taken.
  bool checkName(llvm::StringRef name, bool isTaken);
  void finish(GraphEntry &entry);

  std::string call;
  mlir::Location callLocation;
  int numCalls = 0;
  /// The index in `entries` of each function.
  llvm::DenseMap<mlir::Operation *, size_t> entryNumbers;
  llvm::StringSet<> entryNames, parameterNames;
  /// The names of the inputs and ops of all entries.
  llvm::StringSet<> namesInEntries;
  std::string errors;
};

} // namespace weir

#endif // WEIR_LIB_BUILDER_GRAPHSTATE_H
