//===- Machine.cpp - LLVM's back end for a target CPU -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "SingleLaneStores.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <fmt/format.h>
#include <mutex>
#include <optional>

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
  // Each function and each constant gets a section of its own, so that the
  // linker can merge equal ones.
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

/// The optimisation passes. Kernels are already loops over vectors. They keep
/// values in registers, test for the end of a loop after its body, and are
/// unrolled where that helps. So passes for inlining, promotion, loops and
/// vectorisation are not needed. One round of instcombine is enough. With
/// `no-verify-fixpoint`, LLVM accepts that another round would change more.
/// Otherwise it would end the process.
static constexpr StringLiteral pipeline =
    "function(early-cse,instcombine<max-iterations=1;no-verify-fixpoint>,"
    "loop-mssa(licm),early-cse<memssa>,simplifycfg)";

/// Tells LLVM that there is no C library. So a loop does not become a call of
/// memset or of another function.
static TargetLibraryInfoImpl describeNoLibrary(const TargetMachine &machine) {
  TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  return library;
}

namespace {
/// The optimisation passes, and the analyses of the current module.
class Optimizer {
public:
  explicit Optimizer(TargetMachine &machine)
      : library(describeNoLibrary(machine)), builder(&machine) {
    functions.registerPass([&] { return TargetLibraryAnalysis(library); });
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    cantFail(builder.parsePassPipeline(passes, pipeline));
    passes.addPass(createModuleToFunctionPassAdaptor(SingleLaneStoresPass()));
  }

  void run(Module &module) {
    passes.run(module, modules);
    // The analyses are dropped, because the next module may have the same
    // address.
    modules.clear();
    components.clear();
    functions.clear();
    loops.clear();
  }

private:
  TargetLibraryInfoImpl library;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder;
  ModulePassManager passes;
};
} // namespace

struct BackEnd::State {
  State(const TargetCpu &cpu, std::unique_ptr<TargetMachine> machine)
      : cpu(cpu), machine(std::move(machine)), optimizer(*this->machine) {}

  TargetCpu cpu;
  std::unique_ptr<TargetMachine> machine;
  Optimizer optimizer;
  SmallVector<char, 0> code;
  raw_svector_ostream stream{code};
  /// The passes that emit code. None if the form is LLVM IR.
  std::optional<legacy::PassManager> emission;
};

BackEnd::BackEnd(std::unique_ptr<State> state) : state(std::move(state)) {}
BackEnd::BackEnd(BackEnd &&) noexcept = default;
BackEnd::~BackEnd() = default;

StatusOr<BackEnd> BackEnd::make(const TargetCpu &cpu, CodeForm form) {
  WEIR_ASSIGN_OR_RETURN(auto machine, makeTargetMachine(cpu));
  auto state = std::make_unique<State>(cpu, std::move(machine));
  if (form == CodeForm::LLVM)
    return BackEnd(std::move(state));
  legacy::PassManager &passes = state->emission.emplace();
  passes.add(
      new TargetLibraryInfoWrapperPass(describeNoLibrary(*state->machine)));
  auto kind = form == CodeForm::Assembly ? CodeGenFileType::AssemblyFile
                                         : CodeGenFileType::ObjectFile;
  if (state->machine->addPassesToEmitFile(passes, state->stream, nullptr, kind))
    return internalError("LLVM's back end writes no object files");
  return BackEnd(std::move(state));
}

DataLayout BackEnd::layout() const {
  return state->machine->createDataLayout();
}

void BackEnd::optimize(Module &module) {
  const TargetCpu &cpu = state->cpu;
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("tune-cpu", cpu.tuning);
    function.addFnAttr("prefer-vector-width", std::to_string(cpu.vectorBits));
    function.addFnAttr("no-builtins");
  }
  state->optimizer.run(module);
}

std::string BackEnd::emit(Module &module) {
  state->code.clear();
  if (state->emission)
    state->emission->run(module);
  else
    module.print(state->stream, nullptr);
  return std::string(state->code.data(), state->code.size());
}
