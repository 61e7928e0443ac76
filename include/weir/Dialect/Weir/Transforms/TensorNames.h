//===- TensorNames.h - What the model calls the tensors of a group --------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Passes replace ops, and a kernel computes several, but who debugs a model
// looks for its tensors. A tensor has its name from the location of the op that
// computes it:
//
//   "f"                         op f of the model; its result is called so too
//   "f"(fused<[["y"]]>[...])    op f, whose result the model calls y: no tensor
//                               is called f, or it is another one
//   "f"(fused<[["a", "b"], []]>[...])
//                               op f, whose first result the model calls both a
//                               and b; its second result is no tensor of it
//   fused["f", "g"]             op f, which also does the work of g: the result
//                               is g's, and that of f is a tensor inside
//   fused<"step">["f"]          a step towards the result of f, which is no
//                               tensor of the model
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

/// What the model calls `result`: the name of its op, unless the model names
/// values itself. Empty for what is no tensor of the model.
llvm::SmallVector<std::string> getTensorNames(mlir::OpResult result);

/// The location of op `op` in a model that names values itself: the names of
/// each result, the one for reports first; none for what is no value of the
/// model.
using ResultNames = llvm::SmallVector<llvm::SmallVector<std::string>>;
mlir::Location nameOpAndResults(mlir::StringAttr op, const ResultNames &names);

/// The names of the results of `op`, if the model names values itself.
std::optional<ResultNames> getResultNames(mlir::Operation *op);

/// The location of an op that does some of the work of the one at `location`.
mlir::Location asStepOf(mlir::Location location);

/// Names of tensors that `op` has taken in.
llvm::SmallVector<std::string> getInnerNames(mlir::Operation *op);

/// The tensors of a model by name, before passes change it.
struct ModelTensors {
  /// Each name once, in the order of the graph.
  std::vector<std::string> names;
  /// Names that several tensors have, such as those of ops that an importer
  /// made of one node. They name none of them.
  llvm::StringSet<> ambiguous;
};
ModelTensors listTensors(mlir::func::FuncOp entry);

/// Writes the names of the tensors that `group`, not yet lowered, leaves and
/// holds into its attributes.
void noteTensors(GroupOp group);

} // namespace weir

#endif // WEIR_DIALECT_WEIR_TRANSFORMS_TENSORNAMES_H
