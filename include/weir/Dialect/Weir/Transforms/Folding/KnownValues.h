//===- KnownValues.h - What is known of derivable values --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Values that follow from constants and parameters are derived when the
// artifact is written. Some passes have to know the elements of such values
// earlier, and use this class. Of large tensors, it knows only the magnitudes.
// A file that cannot be read gives no error here, because writing the artifact
// reports it.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_KNOWNVALUES_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_KNOWNVALUES_H

#include "weir/Dialect/Weir/IR/WeirOps.h"
#include "weir/Dialect/Weir/Transforms/Folding/Folding.h"
#include "weir/Support/MappedFile.h"
#include "weir/Support/SafeTensors.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

#include <limits>
#include <optional>

namespace weir {

/// Bounds for the magnitudes of a tensor's elements.
struct Magnitudes {
  /// The least magnitude of the normal numbers; infinity if there are none.
  double least = std::numeric_limits<double>::infinity();
  /// The largest magnitude; infinity if an element is NaN.
  double most = 0;

  /// Takes one more element of a type whose normal numbers begin at `normal`.
  void add(double element, double normal);
  void add(const Magnitudes &others);
};

/// The least positive normal number of a float type.
double getLeastNormal(mlir::Type type);

class KnownValues {
public:
  explicit KnownValues(mlir::ModuleOp module) : symbols(module) {}

  /// The elements of a derivable value of floats, row-major; nothing if there
  /// are many, or they are unknown.
  std::optional<std::vector<double>> getElements(mlir::Value value);

  /// Bounds for the elements of a derivable value of floats, perhaps of many.
  std::optional<Magnitudes> measure(mlir::Value value);

  /// The bytes of a derivable value, row-major, perhaps of many elements in a
  /// file; nothing if they are unknown.
  std::optional<TensorBytes> view(mlir::Value value);

  /// Sets what `measure` returns for `value`, which a pass has made.
  void setMagnitudes(mlir::Value value, const Magnitudes &magnitudes) {
    measured[value] = magnitudes;
  }

private:
  using Bytes = std::optional<std::vector<char>>;

  ParameterOp findParameter(mlir::Value value);
  std::optional<TensorBytes> readFile(ParameterOp parameter);
  Bytes readParameter(ParameterOp parameter);
  Bytes compute(mlir::Operation *op, unsigned depth);
  const Bytes &getBytes(mlir::Value value, unsigned depth);
  std::optional<Magnitudes> measureParameter(ParameterOp parameter);
  std::optional<Magnitudes> measureMoved(mlir::Value value, unsigned depth);
  std::optional<Magnitudes> measure(mlir::Value value, unsigned depth);

  mlir::SymbolTable symbols;
  llvm::StringMap<std::optional<SafeTensors>> tensorFiles;
  llvm::StringMap<std::optional<MappedFile>> maps;
  llvm::DenseMap<mlir::Value, Bytes> known;
  /// The number of bytes in `known`.
  size_t numBytes = 0;
  llvm::DenseMap<mlir::Value, std::optional<Magnitudes>> measured;
};

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_FOLDING_KNOWNVALUES_H
