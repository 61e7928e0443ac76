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
/// compiled separately from the graph itself. If this compilation fails, the
/// artifact does not have the variant. A warning about the variant is shown
/// unless the same warning was already given about the graph itself.
class FallbackVariant {
public:
  using RunPhaseFn = llvm::function_ref<llvm::LogicalResult(
      mlir::ModuleOp, EmitPhase, const CompileOptions &)>;

  /// Keeps a copy of the lifted `module` if a machine may lack some of its
  /// devices.
  void keep(mlir::ModuleOp module);

  /// Compiles the copy, from the phase after `lifted` on. Drops the copy if
  /// `module`, the compiled graph itself, uses no devices that a machine may
  /// lack. The copy computes in f32 if none of its devices can compute in the
  /// precision of `options`.
  void compile(mlir::ModuleOp module, const CompileOptions &options,
               RunPhaseFn runPhase, CompileReport &report);

  /// Records that the compilation of the graph itself has given `message`.
  void noteMessage(const mlir::Diagnostic &message) {
    known.insert(message.str());
  }

  /// Adds the variant to `translation`, which must already have the variant of
  /// `module`.
  void translate(mlir::ModuleOp module, ArtifactTranslation &translation,
                 CompileReport &report);

  /// Keeps a copy of the plan if there are memory caps, because the translation
  /// changes the plan.
  void keepPlan(const CompileOptions &options);

  /// Changes the kept plan if the variant would hold more than the memory caps
  /// allow. The variant is the second part of `image`. Returns whether the plan
  /// has changed.
  bool fitMemory(const CompileOptions &options, ArtifactImage &image);

  /// Replaces the current plan by the kept one.
  void usePlan();

  /// Removes the variant from `image` if it would hold more than the memory
  /// caps of `options` allow. The variant is the second part of `image`.
  void checkMemory(mlir::ModuleOp module, const CompileOptions &options,
                   ArtifactImage &image, CompileReport &report);

private:
  /// The messages of a phase that ran on the copy.
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
