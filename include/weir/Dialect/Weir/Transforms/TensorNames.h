//===- TensorNames.h - What the model calls the tensors of a group --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Passes replace ops, and one kernel computes several. But a user who debugs a
// model looks for the model's tensors. The location of an op gives its result a
// name:
//
//   "f"                         op f of the model. Its result is called f, too
//   "f"(fused<[["y"]]>[...])    op f, whose result the model calls y. No tensor
//                               is called f, or another one is
//   "f"(fused<[["a", "b"], []]>[...])
//                               op f, whose first result the model calls both a
//                               and b. Its second result is not a tensor of the
//                               model
//   fused["f", "g"]             op f, which also does the work of g. Its result
//                               is that of g. The result of f exists only
//                               inside
//   fused<"step">["f"]          a step in the computation of f. Its result is
//                               not a tensor of the model
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECT_WEIR_TRANSFORMS_TENSORNAMES_H
#define WEIR_DIALECT_WEIR_TRANSFORMS_TENSORNAMES_H

#include "weir/Dialect/Weir/IR/WeirOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

#include <optional>
#include <string>
#include <vector>

namespace weir {

/// The names of `result` in the model: the name of its op, unless the model
/// names values separately. Empty if it is not a tensor of the model.
llvm::SmallVector<std::string> getTensorNames(mlir::OpResult result);

/// The location of op `op` in a model that names values separately. It contains
/// the names of each result. The first name of a result is for reports. A
/// result that is not a value of the model has no names.
using ResultNames = llvm::SmallVector<llvm::SmallVector<std::string>>;
mlir::Location nameOpAndResults(mlir::StringAttr op, const ResultNames &names);

/// The names of the results of `op`, if the model names values separately.
std::optional<ResultNames> getResultNames(mlir::Operation *op);

/// The location of an op that does a part of the work of the op at `location`.
mlir::Location asStepOf(mlir::Location location);

/// Names of tensors that are computed inside of `op`.
llvm::SmallVector<std::string> getInnerNames(mlir::Operation *op);

/// The tensors of an entry by name, before passes change it.
struct ModelTensors {
  /// All names, without duplicates, in the order of the graph.
  std::vector<std::string> names;
  /// Names that several tensors share, so that they identify none. For example,
  /// an importer makes several ops from one node.
  llvm::StringSet<> ambiguous;
};
ModelTensors listTensors(mlir::func::FuncOp entry);

/// Records the names of the tensors that `group` returns and computes
/// internally, in its attributes. The group must not be lowered yet.
void noteTensors(GroupOp group);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_TENSORNAMES_H
