//===- Machine.h - LLVM's back end for a target CPU -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPU_MACHINE_H
#define WEIR_LIB_TARGET_CPU_MACHINE_H

#include "weir/Target/CPU/TargetCpu.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"

#include <memory>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace weir {

/// The target triple of generated code. It is the same on every machine.
const llvm::Triple &targetTriple();

StatusOr<const llvm::Target *> findTarget();

StatusOr<std::unique_ptr<llvm::TargetMachine>>
makeTargetMachine(const TargetCpu &cpu);

/// The form of a kernel's code.
enum class CodeForm { Object, Assembly, LLVM };

/// LLVM's passes and back end. Setting them up takes as long as compiling a few
/// kernels. So one object serves many modules, one after the other. All these
/// modules must have the same context, because passes may keep objects of the
/// context.
class BackEnd {
public:
  static StatusOr<BackEnd> make(const TargetCpu &cpu, CodeForm form);
  BackEnd(BackEnd &&) noexcept;
  ~BackEnd();

  /// Optimises `module`. Its functions must not call functions outside of it.
  void optimize(llvm::Module &module);
  /// The code of `module`.
  std::string emit(llvm::Module &module);
  llvm::DataLayout layout() const;

private:
  struct State;
  explicit BackEnd(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

/// The object file of a kernel. Its symbols get the name `name`.
StatusOr<std::string> nameKernel(const std::string &object,
                                 const std::string &name);

/// A text that identifies the program that `link` runs.
StatusOr<std::string> identifyLinker();

/// Links object files to one shared object, in the given order. It is an error
/// if the code calls an undefined function.
StatusOr<std::string> link(const std::vector<std::string> &objects);

} // namespace weir

#endif // WEIR_LIB_TARGET_CPU_MACHINE_H
