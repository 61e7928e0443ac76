//===- Emulation.cpp - GPU kernels for the CPU ------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Emulation.h"

#include "../CPU/KernelCompiler.h"
#include "../CPU/KernelEntries.h"
#include "GpuOps.h"

#include "weir/Artifact/GpuCode.h"

#include "llvm/IR/LLVMContext.h"

using namespace mlir;
using namespace weir;

/// Adds the arguments that follow the buffers in kernel functions for CPUs. The
/// last one is the thread.
static void addArguments(func::FuncOp function) {
  Builder builder(function.getContext());
  Type index = builder.getIndexType();
  for (Type type :
       {index, index, Type(MemRefType::get({0}, builder.getI8Type()))})
    (void)function.insertArgument(function.getNumArguments(), type, {},
                                  function.getLoc());
}

static StatusOr<std::string> link(std::vector<std::string> objects,
                                  const TargetCpu &cpu) {
  std::vector<std::string> names;
  for (std::string &object : objects) {
    names.push_back(
        artifact::gpuEntryName(static_cast<uint32_t>(names.size())));
    WEIR_ASSIGN_OR_RETURN(object, nameKernel(object, names.back()));
  }
  WEIR_ASSIGN_OR_RETURN(BackEnd backEnd, BackEnd::make(cpu, CodeForm::Object));
  llvm::LLVMContext context;
  objects.push_back(backEnd.emit(*makeTable(names, context, backEnd.layout())));
  return weir::link(objects);
}

FailureOr<std::string> weir::emulateKernels(ModuleOp module) {
  auto fail = [&](const Status &status) {
    return module.emitError(StringRef(status.message()));
  };
  StatusOr<TargetCpu> cpu = parseTargetCpu("x86-64-v3");
  if (!cpu.isOk())
    return fail(cpu.status());
  OwningOpRef<ModuleOp> copy = module.clone();
  SmallVector<func::FuncOp> functions =
      llvm::to_vector(copy->getOps<func::FuncOp>());
  for (func::FuncOp function : functions)
    addArguments(function);
  EmulatedOps machine;
  auto compiler = KernelCompiler::make(*cpu, CodeForm::Object, machine);
  if (!compiler.isOk())
    return fail(compiler.status());
  FailureOr<std::vector<std::string>> objects = compiler->compile(functions);
  if (failed(objects))
    return failure();
  StatusOr<std::string> linked = ::link(*std::move(objects), *cpu);
  if (!linked.isOk())
    return fail(linked.status());
  return *std::move(linked);
}
