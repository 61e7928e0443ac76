//===- Machine.h - LLVM's back end for a target CPU -------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPU_MACHINE_H
#define WEIR_LIB_TARGET_CPU_MACHINE_H

#include "weir/Target/CPU/TargetCpu.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"

#include <memory>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace weir {

/// The target triple of generated code, on whatever machine it is compiled.
const llvm::Triple &targetTriple();

StatusOr<const llvm::Target *> findTarget();

StatusOr<std::unique_ptr<llvm::TargetMachine>>
makeTargetMachine(const TargetCpu &cpu);

/// Optimises `module`, whose functions call nothing outside of it.
void optimize(llvm::Module &module, const TargetCpu &cpu,
              llvm::TargetMachine &machine);

/// The object file of `module`, or its assembly.
StatusOr<std::string> emitCode(llvm::Module &module,
                               llvm::TargetMachine &machine, bool asText);

/// Links object files to one shared object. It is an error if the code calls an
/// undefined function.
StatusOr<std::string> link(const std::vector<std::string> &objects);

} // namespace weir

#endif // WEIR_LIB_TARGET_CPU_MACHINE_H
