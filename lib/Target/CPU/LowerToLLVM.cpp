//===- LowerToLLVM.cpp - Kernel functions in the LLVM dialect ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LowerToLLVM.h"

#include "LowerMath.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace weir;

OwningOpRef<ModuleOp> weir::cloneKernels(ModuleOp module,
                                         ArrayRef<func::FuncOp> functions) {
  OwningOpRef<ModuleOp> copy = ModuleOp::create(module.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(copy->getBody());
  SymbolTable symbols(module), copied(*copy);
  for (func::FuncOp function : functions) {
    auto cloned = cast<func::FuncOp>(builder.clone(*function));
    cloned.setPublic();
    cloned.walk([&](memref::GetGlobalOp use) {
      if (!copied.lookup(use.getName()))
        copied.insert(symbols.lookup(use.getName())->clone());
    });
  }
  return copy;
}

static void addPasses(OpPassManager &manager) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  // Vectors of several dims become loops and vectors of one.
  manager.addPass(createConvertVectorToSCFPass());
  // Functions of the reals become arithmetic, while vectors are still whole.
  manager.addPass(createLowerMathPass());
  // Views become arithmetic on pointers.
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertVectorToLLVMPass());
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createFinalizeMemRefToLLVMConversionPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertIndexToLLVMPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createUBToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true;
  manager.addPass(createConvertFuncToLLVMPass(functions));
  manager.addPass(createReconcileUnrealizedCastsPass());
}

LogicalResult weir::lowerToLLVM(ModuleOp module) {
  PassManager manager(module.getContext());
  // Verification after each pass would take as long as the passes.
  manager.enableVerifier(false);
  addPasses(manager);
  return manager.run(module);
}
