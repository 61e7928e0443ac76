//===- ParameterFacts.h - What the entries do with parameters ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// All entries of a module share its parameters. So whether the value of one is
// known at compile time does not follow from the entry that reads it: another
// entry may assign it. Passes that treat parameters as known ask here.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_PARAMETERFACTS_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_PARAMETERFACTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace weir {

/// The facts that hold for a whole module behind weir-lift-parameters.
class ParameterFacts {
public:
  explicit ParameterFacts(mlir::ModuleOp module);

  /// Whether an entry assigns a new value to the parameter with this symbol.
  bool isAssigned(mlir::Attribute parameter) const {
    return homes.contains(parameter);
  }

  /// In a placed module: the device of an assigned parameter. That is where the
  /// first entry computes its new value. Null if the new values all come from
  /// the host.
  mlir::StringAttr getHome(mlir::Attribute parameter) const {
    return homes.lookup(parameter);
  }

  /// In a placed module: the device that reads `use` of a value, which is that
  /// of a group, the isolated one in whose memory an output lies, or the one of
  /// the parameter that is assigned. Null if it is read from the host's memory,
  /// or not at all.
  mlir::StringAttr getReader(mlir::OpOperand &use) const;

private:
  llvm::DenseMap<mlir::Attribute, mlir::StringAttr> homes;
  /// That of parameters whose new values all come from the host.
  mlir::StringAttr firstDevice;
};

/// The parameter of which `value` is the unchanged value; null if there is
/// none.
mlir::Attribute getParameter(mlir::func::FuncOp entry, mlir::Value value);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_PARAMETERFACTS_H
