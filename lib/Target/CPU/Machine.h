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

/// What generated code is for, whatever machine compiles it.
const llvm::Triple &targetTriple();

StatusOr<const llvm::Target *> findTarget();

StatusOr<std::unique_ptr<llvm::TargetMachine>>
makeTargetMachine(const TargetCpu &cpu);

/// Optimises `module`, whose functions call nothing outside.
void optimize(llvm::Module &module, const TargetCpu &cpu,
              llvm::TargetMachine &machine);

/// The object file of `module`, or its assembly.
StatusOr<std::string> emitCode(llvm::Module &module,
                               llvm::TargetMachine &machine, bool asText);

/// Links object files into one shared object. It is an error if code calls what
/// none of them defines.
StatusOr<std::string> link(const std::vector<std::string> &objects);

} // namespace weir

#endif // WEIR_LIB_TARGET_CPU_MACHINE_H
