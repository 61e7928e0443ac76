//===- Annotation.h - Where the text asks for an op -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_IR_ANNOTATION_H
#define WEIR_DIALECT_WEIR_IR_ANNOTATION_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace weir {

/// The device and the pipeline stage that an op or a group asks for. The device
/// is null if no device is asked for, and the stage if no stage is.
struct Annotation {
  mlir::StringAttr device;
  mlir::IntegerAttr stage;

  static Annotation of(mlir::Operation *op) {
    return {op->getAttrOfType<mlir::StringAttr>("device"),
            op->getAttrOfType<mlir::IntegerAttr>("stage")};
  }

  /// Whether an op with this annotation may be in a group that has `other`. For
  /// that, `other` must ask for everything that the op asks for.
  bool joins(const Annotation &other) const {
    return (!device || device == other.device) &&
           (!stage || stage == other.stage);
  }
  bool operator==(const Annotation &) const = default;
};

/// Lets `op` ask for no device and no stage.
inline void removeAnnotation(mlir::Operation *op) {
  op->removeAttr("device");
  op->removeAttr("stage");
}

} // namespace weir

#endif // WEIR_DIALECT_WEIR_IR_ANNOTATION_H
