//===- Machine.cpp - LLVM's back end for a target CPU -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <fmt/format.h>
#include <mutex>

using namespace llvm;
using namespace weir;

const Triple &weir::targetTriple() {
  static const Triple triple("x86_64-unknown-linux-gnu");
  return triple;
}

StatusOr<const Target *> weir::findTarget() {
  static std::once_flag isDone;
  std::call_once(isDone, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  std::string error;
  if (const Target *target =
          TargetRegistry::lookupTarget(targetTriple(), error))
    return target;
  return internalError(error);
}

StatusOr<std::unique_ptr<TargetMachine>>
weir::makeTargetMachine(const TargetCpu &cpu) {
  WEIR_ASSIGN_OR_RETURN(const Target *target, findTarget());
  std::string features;
  for (const std::string &feature : cpu.features)
    features += (features.empty() ? "+" : ",+") + feature;
  TargetOptions options;
  // Each function and constant gets a section of its own, so that the linker
  // merges equal ones.
  options.FunctionSections = true;
  options.DataSections = true;
  std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(targetTriple(), "x86-64", features, options,
                                  Reloc::PIC_, CodeModel::Small));
  if (!machine)
    return internalError(
        fmt::format("LLVM has no back end for {}", targetTriple().str()));
  return machine;
}

/// The kernels are already loops over vectors that keep values in registers and
/// test for their end behind the body, and rows that are worth unrolling are
/// unrolled. So passes for inlining, promotion, loops and vectorisation are not
/// needed. One round of instcombine is enough; without `no-verify-fixpoint`
/// LLVM ends the process where another round would find more.
static constexpr StringLiteral pipeline =
    "function(early-cse,instcombine<max-iterations=1;no-verify-fixpoint>,"
    "loop-mssa(licm),early-cse<memssa>,simplifycfg)";

void weir::optimize(Module &module, const TargetCpu &cpu,
                    TargetMachine &machine) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("tune-cpu", cpu.tuning);
    function.addFnAttr("prefer-vector-width", std::to_string(cpu.vectorBits));
    function.addFnAttr("no-builtins");
  }
  // There is no library, so loops must not become calls of memset and the like.
  TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  functions.registerPass([&] { return TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager passes;
  cantFail(builder.parsePassPipeline(passes, pipeline));
  passes.run(module, modules);
}

StatusOr<std::string> weir::emitCode(Module &module, TargetMachine &machine,
                                     bool asText) {
  SmallVector<char> code;
  raw_svector_ostream stream(code);
  legacy::PassManager passes;
  TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  passes.add(new TargetLibraryInfoWrapperPass(library));
  auto kind =
      asText ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, kind))
    return internalError("LLVM's back end writes no object files");
  passes.run(module);
  return std::string(code.data(), code.size());
}
