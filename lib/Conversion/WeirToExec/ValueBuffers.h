//===- ValueBuffers.h - Finds the buffer of a value on a device -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_CONVERSION_WEIRTOEXEC_VALUEBUFFERS_H
#define WEIR_CONVERSION_WEIRTOEXEC_VALUEBUFFERS_H

#include "EntryBuilder.h"

#include "weir/Dialect/Weir/IR/ValueOrigins.h"
#include "weir/Dialect/Weir/IR/WeirOps.h"

namespace weir {

/// The origin of a value's bytes.
enum class Origin {
  /// The caller binds them.
  Input,
  /// They are read-only bytes of the artifact. Constants have this origin too.
  Parameter,
  /// They belong to a parameter that the entry assigns.
  Variable,
  /// A launch writes them, or a copy brings them from another device.
  Computed,
};

/// Knows where each device finds the bytes of every value of a lowered graph,
/// and inserts the copies that bring values to devices.
///
/// Values with the same source share its place: a group's operand and its
/// argument, a view and its operand.
class ValueBuffers {
public:
  ValueBuffers(EntryBuilder &builder, const ValueOrigins &origins)
      : builder(builder), origins(origins) {}

  /// `space` is the isolated device in whose memory the input lies, or null for
  /// the host's memory.
  void addInput(mlir::Value value, mlir::Value buffer, mlir::StringAttr space);
  void addParameter(mlir::Value value, mlir::FlatSymbolRefAttr name);
  void addVariable(mlir::Value value, const Place &place);
  void addComputed(mlir::Value value, const Place &place);
  /// Brings the value that `copy` reads to the device that reads the copy. If
  /// the bytes must be copied, they go to `target`, or to scratch if `target`
  /// has no buffer.
  mlir::LogicalResult addCrossing(CopyOp copy, const Place &target);
  /// The origin of a value that was added.
  Origin getOrigin(mlir::Value value) const {
    return sources.at(origins.getSource(value)).origin;
  }
  /// The device in whose memory a variable, or an input of an isolated device,
  /// lies when the run begins. Null for values in the host's memory.
  mlir::StringAttr getHome(mlir::Value value) const {
    const Source &source = sources.at(origins.getSource(value));
    return source.origin == Origin::Computed ? mlir::StringAttr()
                                             : source.device;
  }
  /// The bytes of `value` for a command of `device`, or an error at `reader`.
  mlir::FailureOr<Place> get(mlir::Value value, mlir::StringAttr device,
                             mlir::Operation *reader);
  /// The original bytes of `value`, as the source of copies. If `value` is a
  /// parameter, the copy of `device` is used.
  Place getOriginal(mlir::Value value, mlir::StringAttr device);

private:
  struct Source {
    Origin origin;
    /// The bytes of the value; without a buffer for parameters.
    Place place;
    mlir::FlatSymbolRefAttr parameter;
    /// Null for parameters and for inputs in the host's memory.
    mlir::StringAttr device;
  };

  Place getParameter(const Source &source, mlir::Value value,
                     mlir::StringAttr device);
  Place copyFromHost(mlir::Value value, const Source &source,
                     mlir::StringAttr device);

  EntryBuilder &builder;
  const ValueOrigins &origins;
  llvm::DenseMap<mlir::Value, Source> sources;
  /// Buffers of parameters by name, and copies of values by source, in each
  /// memory space. The space of the host is null.
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::StringAttr>, mlir::Value>
      parameters;
  llvm::DenseMap<std::pair<mlir::Value, mlir::StringAttr>, mlir::Value> copies;
};

} // namespace weir

#endif // WEIR_CONVERSION_WEIRTOEXEC_VALUEBUFFERS_H
