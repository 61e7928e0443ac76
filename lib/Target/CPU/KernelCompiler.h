//===- KernelCompiler.h - Compiles kernel functions one by one --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Each function gets an LLVM module of its own. So its code depends only on
// that function, and can be cached. Threads on all cores compile chunks of
// functions. LLVM is set up once for each chunk.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPU_KERNELCOMPILER_H
#define WEIR_LIB_TARGET_CPU_KERNELCOMPILER_H

#include "Machine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/IR/DataLayout.h"

#include <memory>
#include <string>
#include <vector>

namespace weir {

class MachineOps;

/// For each operand, the result that may overwrite it, or -1. Empty if no
/// result may overwrite an operand.
llvm::ArrayRef<int64_t> getOverwrittenBy(mlir::func::FuncOp function);

class KernelCompiler {
public:
  static StatusOr<KernelCompiler> make(const TargetCpu &cpu, CodeForm form);
  /// `machine` translates the ops that only some machines have.
  static StatusOr<KernelCompiler> make(const TargetCpu &cpu, CodeForm form,
                                       MachineOps &machine);

  /// Compiles each of `functions`, and replaces their math ops in place. Errors
  /// are emitted at a function, but errors of LLVM at the module.
  mlir::FailureOr<std::vector<std::string>>
  compile(llvm::ArrayRef<mlir::func::FuncOp> functions);

private:
  struct Chunk;

  KernelCompiler(const TargetCpu &cpu, CodeForm form, MachineOps &machine,
                 const llvm::DataLayout &layout)
      : cpu(cpu), form(form), machine(&machine), layout(layout) {}

  mlir::LogicalResult translate(mlir::func::FuncOp function, Chunk &chunk);
  /// Optimises and emits a chunk. Runs on any thread.
  StatusOr<std::vector<std::string>> finish(const Chunk &chunk) const;

  TargetCpu cpu;
  CodeForm form;
  MachineOps *machine;
  llvm::DataLayout layout;
};

} // namespace weir

#endif // WEIR_LIB_TARGET_CPU_KERNELCOMPILER_H
