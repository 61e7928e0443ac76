//===- FallbackVariant.h - For machines that lack devices -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_COMPILER_FALLBACKVARIANT_H
#define WEIR_LIB_COMPILER_FALLBACKVARIANT_H

#include "MemoryCaps.h"
#include "weir/Compiler/Compiler.h"
#include "weir/Target/Artifact/Translation.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringSet.h"

#include <optional>
#include <string>
#include <vector>

namespace weir {

/// The variant of a graph for machines that lack some of its devices. It is
/// compiled separately from the graph itself. If that fails, the artifact does
/// not have this variant. Its warnings are shown unless the graph itself has
/// given the same ones.
class FallbackVariant {
public:
  using RunPhaseFn = llvm::function_ref<llvm::LogicalResult(
      mlir::ModuleOp, EmitPhase, const CompileOptions &)>;

  /// Keeps a copy of the lifted `module` if it lists devices that may be
  /// missing.
  void keep(mlir::ModuleOp module);

  /// Runs the phases behind `lifted` on the copy, if `module`, which has been
  /// through them with `options`, uses devices that may be missing. The copy
  /// computes in f32 if none of its devices computes in f16.
  void compile(mlir::ModuleOp module, const CompileOptions &options,
               RunPhaseFn runPhase, CompileReport &report);

  /// Notes that the graph itself has given `message`.
  void noteMessage(const mlir::Diagnostic &message) {
    known.insert(message.str());
  }

  /// Adds the variant to `translation`, to which the variant of `module` was
  /// added.
  void translate(mlir::ModuleOp module, ArtifactTranslation &translation,
                 CompileReport &report);

  /// Keeps the plan, which translation changes, if there are memory caps.
  void keepPlan(const CompileOptions &options);

  /// Changes the kept plan if `image`, which has the variant as its second
  /// part, would hold more than the memory caps allow. Returns whether it has.
  bool fitMemory(const CompileOptions &options, ArtifactImage &image);

  /// Returns to the kept plan.
  void usePlan();

  /// Removes the variant from `image`, which has it as its second part, if it
  /// would hold more than the memory caps of `options` allow.
  void checkMemory(mlir::ModuleOp module, const CompileOptions &options,
                   ArtifactImage &image, CompileReport &report);

private:
  /// The messages of work on the copy.
  struct Messages {
    /// The first error, if the work has failed.
    std::optional<std::string> error;
    std::vector<mlir::Diagnostic> others;
  };
  Messages collect(llvm::function_ref<llvm::LogicalResult()> work);
  void say(mlir::ModuleOp module, Messages messages);
  void drop(mlir::ModuleOp module, const std::string &reason,
            CompileReport &report);

  mlir::OwningOpRef<mlir::ModuleOp> copy, plan;
  SpareBytes spare;
  Messages fitMessages;
  llvm::StringSet<> known;
};

} // namespace weir

#endif // WEIR_LIB_COMPILER_FALLBACKVARIANT_H
