//===- OutputBuffers.h - The buffers of an entry's outputs ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_CONVERSION_WEIRTOEXEC_OUTPUTBUFFERS_H
#define WEIR_CONVERSION_WEIRTOEXEC_OUTPUTBUFFERS_H

#include "ValueBuffers.h"

#include "llvm/ADT/MapVector.h"

namespace weir {

/// Knows the outputs of an entry, and inserts copies to the outputs that no
/// command computes directly.
class OutputBuffers {
public:
  OutputBuffers(EntryBuilder &builder, ValueBuffers &values)
      : builder(builder), values(values) {}

  /// Adds the next output, which has the bytes of `root`. `home` is null if
  /// only the host reaches the output.
  void add(mlir::Value root, mlir::StringRef name, mlir::Location where,
           mlir::StringAttr home, mlir::RankedTensorType type);
  /// The first output that has the bytes of `root` and that `device` reaches,
  /// or null.
  mlir::Value find(mlir::Value root, mlir::StringAttr device) const;
  /// Whether some output has the bytes of `root`.
  bool shows(mlir::Value root) const { return outputsOf.contains(root); }
  /// Copies `root` to the outputs that have its bytes but another buffer.
  /// `root` was just computed on `device` or copied to it.
  void copyTo(mlir::Value root, mlir::StringAttr device);
  /// Copies inputs, variables, parameters and constants to the outputs that
  /// have their bytes. `device` copies, unless the value or the output is in
  /// the memory of an isolated device.
  void copyRest(mlir::StringAttr device);

private:
  /// The isolated device in whose memory an output lies; null for the host's.
  mlir::StringAttr getSpace(unsigned output) const;
  /// Copies `from` to an output, by a command of `device`.
  void copy(unsigned output, const Place &from, mlir::StringAttr device,
            bool isCrossing = false);

  EntryBuilder &builder;
  ValueBuffers &values;
  mlir::SmallVector<mlir::Value> buffers;
  /// For each value, by its root, the outputs that have its bytes, in order.
  llvm::MapVector<mlir::Value, mlir::SmallVector<unsigned>> outputsOf;
};

} // namespace weir

#endif // WEIR_CONVERSION_WEIRTOEXEC_OUTPUTBUFFERS_H
