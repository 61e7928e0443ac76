//===- CompileKernels.cpp - Machine code of kernel functions ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Functions are compiled in chunks: LLVM's time and memory grow faster than a
// module, and the kernels of a large graph must not.
//
//===----------------------------------------------------------------------===//

#include "weir/Target/CPU/CompileKernels.h"

#include "KernelEntries.h"
#include "LowerToLLVM.h"
#include "Machine.h"

#include "weir/Conversion/ClusterToLoops.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace weir;

static constexpr size_t functionsPerChunk = 64;

namespace {
class KernelCompiler {
public:
  explicit KernelCompiler(ModuleOp module) : module(module) {}

  LogicalResult start();
  ArrayRef<func::FuncOp> functions() const { return all; }

  /// Calls `use` with each chunk, optimised.
  LogicalResult forEachChunk(llvm::function_ref<Status(llvm::Module &)> use);

  llvm::TargetMachine &machine() { return *targetMachine; }
  const TargetCpu &target() const { return cpu; }

private:
  LogicalResult report(const Status &status) {
    return status.isOk()
               ? success()
               : LogicalResult(module.emitError(StringRef(status.message())));
  }
  FailureOr<std::unique_ptr<llvm::Module>>
  translate(ArrayRef<func::FuncOp> chunk, llvm::LLVMContext &context);

  ModuleOp module;
  TargetCpu cpu;
  std::unique_ptr<llvm::TargetMachine> targetMachine;
  SmallVector<func::FuncOp> all;
};
} // namespace

LogicalResult KernelCompiler::start() {
  auto name = module->getAttrOfType<StringAttr>(kernelattrs::targetCpu);
  if (!name)
    return module.emitError("expects the attribute '")
           << kernelattrs::targetCpu << "'; run convert-clusters-to-loops";
  StatusOr<TargetCpu> parsed = parseTargetCpu(name.getValue());
  if (!parsed.isOk())
    return report(parsed.status());
  cpu = *std::move(parsed);
  auto made = makeTargetMachine(cpu);
  if (!made.isOk())
    return report(made.status());
  targetMachine = *std::move(made);
  llvm::append_range(all, module.getOps<func::FuncOp>());
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  return success();
}

FailureOr<std::unique_ptr<llvm::Module>>
KernelCompiler::translate(ArrayRef<func::FuncOp> chunk,
                          llvm::LLVMContext &context) {
  OwningOpRef<ModuleOp> lowered = cloneKernels(module, chunk);
  if (failed(lowerToLLVM(*lowered)))
    return failure();
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(*lowered, context, "kernels");
  if (!code)
    return module.emitError("kernels cannot be translated to LLVM IR");
  code->setTargetTriple(targetTriple());
  code->setDataLayout(targetMachine->createDataLayout());
  for (func::FuncOp function : chunk)
    addEntry(*code->getFunction(function.getSymName()));
  optimize(*code, cpu, *targetMachine);
  return code;
}

LogicalResult
KernelCompiler::forEachChunk(llvm::function_ref<Status(llvm::Module &)> use) {
  ArrayRef<func::FuncOp> rest = all;
  while (!rest.empty()) {
    ArrayRef<func::FuncOp> chunk = rest.take_front(functionsPerChunk);
    rest = rest.drop_front(chunk.size());
    llvm::LLVMContext context;
    auto code = translate(chunk, context);
    if (failed(code) || failed(report(use(**code))))
      return failure();
  }
  return success();
}

static CompiledKernel describe(func::FuncOp function, size_t number) {
  auto get = [&](StringRef name) {
    auto value = function->getAttrOfType<IntegerAttr>(name);
    return value ? static_cast<uint64_t>(value.getInt()) : 0;
  };
  return {static_cast<uint32_t>(number), get(kernelattrs::tasks),
          std::max<uint64_t>(get(kernelattrs::grain), 1),
          get(kernelattrs::scratch)};
}

FailureOr<CompiledKernels> weir::compileKernels(ModuleOp module) {
  KernelCompiler compiler(module);
  if (failed(compiler.start()))
    return failure();
  std::vector<std::string> objects;
  auto emit = [&](llvm::Module &code) -> Status {
    WEIR_ASSIGN_OR_RETURN(std::string object,
                          emitCode(code, compiler.machine(), false));
    objects.push_back(std::move(object));
    return Status::ok();
  };
  if (failed(compiler.forEachChunk(emit)))
    return failure();
  CompiledKernels compiled;
  compiled.cpu = compiler.target();
  std::vector<std::string> names;
  for (func::FuncOp function : compiler.functions()) {
    size_t number = names.size();
    names.push_back(function.getSymName().str());
    compiled.kernels[function.getSymName()] = describe(function, number);
  }
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> table =
      makeTable(names, context, compiler.machine());
  if (Status status = emit(*table); !status.isOk())
    return module.emitError(StringRef(status.message()));
  StatusOr<std::string> object = link(objects);
  if (!object.isOk())
    return module.emitError(StringRef(object.status().message()));
  compiled.object = *std::move(object);
  return compiled;
}

FailureOr<std::string> weir::printKernels(ModuleOp module, bool asAssembly) {
  KernelCompiler compiler(module);
  if (failed(compiler.start()))
    return failure();
  std::string text;
  auto print = [&](llvm::Module &code) -> Status {
    if (asAssembly) {
      WEIR_ASSIGN_OR_RETURN(std::string part,
                            emitCode(code, compiler.machine(), true));
      text += part;
    } else {
      llvm::raw_string_ostream stream(text);
      code.print(stream, nullptr);
    }
    return Status::ok();
  };
  if (failed(compiler.forEachChunk(print)))
    return failure();
  return text;
}
