//===- PtxCompiler.cpp - LLVM's back end for GPUs ---------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "PtxCompiler.h"

#include "../CPU/KernelCompiler.h"
#include "../CPU/LowerMath.h"
#include "GpuOps.h"

#include "weir/Artifact/GpuCode.h"
#include "weir/Conversion/LinalgToKernels.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <fmt/format.h>
#include <mutex>

using namespace llvm;
using namespace weir;

/// The passes for CPU kernels, and two more. `correlated-propagation` narrows
/// index arithmetic if ranges allow it. `function-attrs` finds the arguments
/// that functions only read.
static constexpr StringLiteral pipeline =
    "function(early-cse,correlated-propagation,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,"
    "loop-mssa(licm),early-cse<memssa>,simplifycfg),cgscc(function-attrs)";

static StatusOr<std::unique_ptr<TargetMachine>>
makeGpuMachine(const TargetGpu &gpu) {
  static std::once_flag isDone;
  std::call_once(isDone, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  const Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return internalError(error);
  TargetOptions options;
  // Products and sums are not fused, so that results have the same bits as on a
  // CPU.
  options.AllowFPOpFusion = FPOpFusion::Strict;
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, gpu.name, fmt::format("+ptx{}", gpu.ptxVersion), options,
      Reloc::PIC_));
  if (!machine)
    return internalError("LLVM has no back end for NVIDIA's GPUs");
  return machine;
}

static uint32_t getThreads(mlir::func::FuncOp function) {
  auto threads =
      function->getAttrOfType<mlir::IntegerAttr>(kernelattrs::threads);
  return threads ? static_cast<uint32_t>(threads.getInt()) : 1;
}

/// Makes `body` the entry of kernel `number`.
static void describeEntry(Function &body, uint32_t number, uint32_t threads) {
  body.setName(artifact::gpuEntryName(number));
  body.setCallingConv(CallingConv::PTX_Kernel);
  body.addFnAttr(Attribute::NoUnwind);
  body.addFnAttr("no-builtins");
  body.addFnAttr("nvvm.reqntid", std::to_string(threads));
  for (Argument &argument : body.args())
    argument.addAttr(Attribute::getWithAlignment(
        body.getContext(), Align(artifact::gpuBufferAlignment)));
}

static mlir::LogicalResult translate(mlir::ModuleOp module, Module &code) {
  NvptxOps machine;
  uint32_t number = 0;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    const uint32_t threads = getThreads(function);
    machine.setThreads(threads);
    lowerMath(function);
    if (mlir::failed(KernelTranslator(code, machine).translate(function)))
      return mlir::failure();
    describeEntry(*code.getFunction(function.getSymName()), number++, threads);
  }
  assert(!verifyModule(code, &errs()) && "kernels become valid LLVM IR");
  return mlir::success();
}

static void optimize(Module &code, TargetMachine &machine) {
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
  passes.run(code, modules);
}

/// Marks operands that are only read, so that a GPU reads them through the
/// cache for constant memory. This must come after the passes. They would
/// otherwise also move reads of memory that other threads of the block write.
static void markConstantOperands(mlir::ModuleOp module, Module &code) {
  uint32_t number = 0;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    Function *body = code.getFunction(artifact::gpuEntryName(number++));
    const mlir::ArrayRef<int64_t> overwrittenBy = getOverwrittenBy(function);
    for (Argument &argument : body->args()) {
      const unsigned place = argument.getArgNo();
      const bool isOverwritten =
          place < overwrittenBy.size() && overwrittenBy[place] >= 0;
      if (!isOverwritten && argument.onlyReadsMemory())
        argument.addAttr(Attribute::NoAlias);
    }
  }
}

static StatusOr<std::string> emit(Module &code, TargetMachine &machine) {
  SmallString<0> text;
  raw_svector_ostream stream(text);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  CodeGenFileType::AssemblyFile))
    return internalError("LLVM's back end writes no PTX");
  passes.run(code);
  if (text.str().contains(".extern .func"))
    return internalError(
        "generated code for GPUs calls a function that does not exist; this is "
        "a bug of the compiler: report it, and until it is fixed exclude the "
        "kernel 'generated' in a topology file");
  return text.str().str();
}

mlir::FailureOr<std::string> weir::compileToPtx(mlir::ModuleOp module,
                                                const TargetGpu &gpu) {
  auto fail = [&](const Status &status) {
    return module.emitError(mlir::StringRef(status.message()));
  };
  auto machine = makeGpuMachine(gpu);
  if (!machine.isOk())
    return fail(machine.status());
  LLVMContext context;
  Module code("kernels", context);
  code.setTargetTriple((*machine)->getTargetTriple());
  code.setDataLayout((*machine)->createDataLayout());
  if (mlir::failed(translate(module, code)))
    return mlir::failure();
  optimize(code, **machine);
  markConstantOperands(module, code);
  StatusOr<std::string> text = emit(code, **machine);
  if (!text.isOk())
    return fail(text.status());
  return *std::move(text);
}
