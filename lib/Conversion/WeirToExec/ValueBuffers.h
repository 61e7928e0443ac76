//===- ValueBuffers.h - Which buffer holds a value on a device --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_CONVERSION_WEIRTOEXEC_VALUEBUFFERS_H
#define WEIR_CONVERSION_WEIRTOEXEC_VALUEBUFFERS_H

#include "EntryBuilder.h"

#include "weir/Dialect/Weir/IR/WeirOps.h"

namespace weir {

/// How the bytes of a value come to be.
enum class Origin {
  /// Bound by the caller.
  Input,
  /// Read-only bytes of the artifact; also constants.
  Parameter,
  /// A parameter that the entry assigns.
  Variable,
  /// Written by a launch, or brought from another device.
  Computed,
};

/// Knows, of every value of a lowered graph, which buffer holds it on which
/// device, and writes the copies that bring it there.
///
/// Values that are the same bytes (a group's operand and its argument, a
/// reinterpretation and its operand) share one root, which has the buffer.
class ValueBuffers {
public:
  explicit ValueBuffers(EntryBuilder &builder)
      : builder(builder), isIsolated(builder.getEntry().getIsolated()) {}

  void addInput(mlir::Value value, mlir::Value buffer);
  void addParameter(mlir::Value value, mlir::FlatSymbolRefAttr name);
  void addVariable(mlir::Value value, mlir::Value buffer);
  void addComputed(mlir::Value value, mlir::Value buffer);
  /// Brings what `copy` reads to the device where it is read.
  mlir::LogicalResult addCrossing(CopyOp copy);
  /// `value` is the bytes of `source` unchanged.
  void addAlias(mlir::Value value, mlir::Value source) {
    roots[value] = getRoot(source);
  }

  mlir::Value getRoot(mlir::Value value) const {
    auto root = roots.find(value);
    return root == roots.end() ? value : root->second;
  }
  /// Of a value that was added.
  Origin getOrigin(mlir::Value value) const {
    return sources.at(getRoot(value)).origin;
  }
  /// The buffer that has `value` for a command of `device`, or an error at
  /// `reader`.
  mlir::FailureOr<mlir::Value> get(mlir::Value value, mlir::StringAttr device,
                                   mlir::Operation *reader);
  /// Where `value` first is, for copies of it; `device` is the one whose copy
  /// of a parameter is taken.
  mlir::Value getOriginal(mlir::Value value, mlir::StringAttr device);

private:
  struct Source {
    Origin origin;
    /// Null for parameters.
    mlir::Value buffer;
    mlir::FlatSymbolRefAttr parameter;
    mlir::StringAttr device;
  };

  mlir::Value getParameter(const Source &source, mlir::Value value,
                           mlir::StringAttr device);
  mlir::Value copyFromHost(mlir::Value value, const Source &source,
                           mlir::StringAttr device);

  EntryBuilder &builder;
  bool isIsolated;
  llvm::DenseMap<mlir::Value, mlir::Value> roots;
  /// By root.
  llvm::DenseMap<mlir::Value, Source> sources;
  /// Buffers of parameters by name, and of a device's own copies by root; the
  /// device is null where one buffer serves all.
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::StringAttr>, mlir::Value>
      parameters;
  llvm::DenseMap<std::pair<mlir::Value, mlir::StringAttr>, mlir::Value> copies;
};

} // namespace weir

#endif // WEIR_CONVERSION_WEIRTOEXEC_VALUEBUFFERS_H
