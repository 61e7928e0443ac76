//===- ParameterFacts.h - What the entries do with parameters ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// All entries of a module share its parameters. A parameter that one entry
// reads may be assigned by another entry, and its value is then not known at
// compile time. Passes that treat parameters as known use this class.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_PARAMETERFACTS_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_PARAMETERFACTS_H

#include "weir/Dialect/Weir/IR/WeirOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace weir {

/// The facts about the parameters of a module, after weir-lift-parameters.
class ParameterFacts {
public:
  explicit ParameterFacts(mlir::ModuleOp module);

  /// Whether an entry assigns a new value to the parameter or bucket with this
  /// symbol, or to the bucket in which the parameter is.
  bool isAssigned(mlir::Attribute parameter) const {
    return homes.contains(parameter);
  }

  /// The device of an assigned parameter, in a placed module. It is the device
  /// on which the first entry computes the new value. Null if all new values
  /// come from the host.
  mlir::StringAttr getHome(mlir::Attribute parameter) const {
    return homes.lookup(parameter);
  }

  /// Where a parameter is in a bucket that an entry assigns.
  struct Place {
    BucketOp bucket;
    /// The offset in the bucket, in elements.
    int64_t offset = 0;
  };
  /// The place of `parameter`, or nothing if it is in no assigned bucket.
  std::optional<Place> getPlace(mlir::Attribute parameter) const {
    auto found = places.find(parameter);
    return found == places.end() ? std::nullopt : std::optional(found->second);
  }
  /// The variable in which `parameter` lies: its bucket, if an entry assigns
  /// that bucket, else the parameter itself.
  mlir::FlatSymbolRefAttr getVariable(mlir::FlatSymbolRefAttr parameter) const {
    auto place = getPlace(parameter);
    return place ? mlir::FlatSymbolRefAttr::get(place->bucket.getSymNameAttr())
                 : parameter;
  }

  /// The device that reads a value at `use`, in a placed module. It is
  /// - the device of the group that uses it,
  /// - the isolated device in whose memory the output lies, or
  /// - the home of the parameter that is assigned.
  /// Null if the value is read from the host's memory, or not at all.
  mlir::StringAttr getReader(mlir::OpOperand &use) const;

private:
  void addBuckets(mlir::ModuleOp module);

  llvm::DenseMap<mlir::Attribute, mlir::StringAttr> homes;
  llvm::DenseMap<mlir::Attribute, Place> places;
  /// The home of parameters whose new values all come from the host.
  mlir::StringAttr firstDevice;
};

/// The parameter of which `value` is the unchanged value. Null if `value` is
/// something else.
mlir::Attribute getParameter(mlir::func::FuncOp entry, mlir::Value value);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_PARAMETERFACTS_H
