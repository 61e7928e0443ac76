//===- Generated.cpp - Runs cases as generated code -----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Generated.h"

#include "../GpuEmulator/EmulatedBlock.h"
#include "Target/NVPTX/Emulation.h"
#include "Target/NVPTX/PtxCompiler.h"
#include "Target/NVPTX/Ptxas.h"

#include "weir/Artifact/GpuCode.h"
#include "weir/Conversion/ClusterToLoops.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Target/NVPTX/CompileGpuKernels.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;
using namespace weir::opcheck;

/// Loads the code of the kernels, and says how its functions are called.
Status GeneratedCases::loadForCpu() {
  FailureOr<CompiledKernels> compiled = compileKernels(*kernels);
  if (failed(compiled))
    return internalError("the kernels cannot be compiled");
  functions = std::move(compiled->kernels);
  WEIR_ASSIGN_OR_RETURN(code, CodeObject::load(std::as_bytes(
                                  std::span<const char>(compiled->object))));
  return Status::ok();
}

Status GeneratedCases::loadForGpu() {
  for (auto [number, function] :
       llvm::enumerate(kernels->getOps<func::FuncOp>()))
    functions[function.getSymName()] = describeGpuKernel(function, number);
  FailureOr<std::string> object = emulateKernels(*kernels);
  if (failed(object))
    return internalError("the kernels cannot be compiled for emulated GPUs");
  WEIR_ASSIGN_OR_RETURN(
      code, CodeObject::load(std::as_bytes(std::span<const char>(*object))));
  return Status::ok();
}

/// Compiles `kernels` for the oldest and the newest GPU.
static Status checkPtx(ModuleOp kernels, bool isAssembled) {
  std::vector<PtxText> texts;
  for (const char *name : {"sm_80", "sm_120"}) {
    WEIR_ASSIGN_OR_RETURN(TargetGpu gpu, parseTargetGpu(name));
    FailureOr<std::string> ptx = compileToPtx(kernels, gpu);
    if (failed(ptx))
      return internalError("the kernels cannot be compiled for " + gpu.name);
    texts.push_back({std::move(gpu), *std::move(ptx)});
  }
  if (!isAssembled)
    return Status::ok();
  WEIR_ASSIGN_OR_RETURN(Ptxas assembler, Ptxas::find());
  for (const StatusOr<std::string> &code : assembler.assemble(texts))
    WEIR_RETURN_IF_ERROR(code.status());
  return Status::ok();
}

StatusOr<GeneratedCases> GeneratedCases::compile(ModuleOp module,
                                                 const std::vector<Case> &cases,
                                                 Machine machine,
                                                 bool isAssembled) {
  WEIR_ASSIGN_OR_RETURN(TargetCpu cpu, parseTargetCpu("native"));
  const bool isGpu = machine == Machine::EmulatedGpu;
  GeneratedCases generated;
  generated.kernels = ModuleOp::create(module.getLoc());
  ModuleOp kernels = *generated.kernels;
  Builder builder(module.getContext());
  kernels->setAttr(kernelattrs::targetCpu, builder.getStringAttr(cpu.name));
  ClusterToLoops lowering(module.getContext(), {cpu.vectorBits, isGpu});
  for (const Case &testCase : cases) {
    FailureOr<LoweredCluster> lowered =
        lowering.lower(testCase.function, kernels);
    if (failed(lowered))
      return internalError("case '" + testCase.name() +
                           "' cannot be lowered to loops");
    generated.clusters[testCase.name()] = *std::move(lowered);
  }
  WEIR_RETURN_IF_ERROR(isGpu ? generated.loadForGpu() : generated.loadForCpu());
  if (isGpu)
    WEIR_RETURN_IF_ERROR(checkPtx(kernels, isAssembled));
  return generated;
}

static TensorDesc describe(Type type) {
  return toTensorDesc(cast<RankedTensorType>(type));
}

/// The operands in the order of their layouts.
static StatusOr<std::vector<HostTensor>> layOut(const Case &testCase) {
  std::vector<HostTensor> operands;
  for (auto [type, given] :
       llvm::zip(func::FuncOp(testCase.function).getArgumentTypes(),
                 testCase.inputs)) {
    WEIR_ASSIGN_OR_RETURN(HostTensor operand,
                          HostTensor::zeros(given.type(), given.dims()));
    rearrange(given.desc(), given.data(), describe(type), operand.data());
    operands.push_back(std::move(operand));
  }
  return operands;
}

/// Runs the last blocks first, since their order must not matter.
Status GeneratedCases::runBlocks(const CompiledKernel &kernel,
                                 void *const *buffers,
                                 emulator::ThreadOrder order) const {
  emulator::EmulatedBlock block(kernel.threads, kernel.scratchBytes);
  for (uint64_t number = kernel.tasks; number-- > 0;)
    WEIR_RETURN_IF_ERROR(
        block.run(code->function(kernel.number), buffers, number, order));
  return Status::ok();
}

StatusOr<std::vector<HostTensor>>
GeneratedCases::run(const Case &testCase, unsigned numRanges) const {
  WEIR_ASSIGN_OR_RETURN(std::vector<HostTensor> operands, layOut(testCase));
  const auto order = numRanges == 1 ? emulator::ThreadOrder::Ascending
                                    : emulator::ThreadOrder::Descending;
  auto runKernel = [&](const CompiledKernel &kernel, void *const *buffers) {
    return kernel.threads > 0
               ? runBlocks(kernel, buffers, order)
               : kernelcheck::runInRanges(*code, kernel, buffers, numRanges);
  };
  func::FuncOp function = testCase.function;
  WEIR_ASSIGN_OR_RETURN(
      std::vector<kernelcheck::GuardedBytes> results,
      kernelcheck::runCluster(function, clusters.find(testCase.name())->second,
                              functions, operands, {}, runKernel));
  std::vector<HostTensor> rowMajor;
  for (auto [type, result] : llvm::zip(function.getResultTypes(), results)) {
    const TensorDesc desc = describe(type);
    WEIR_ASSIGN_OR_RETURN(HostTensor tensor,
                          HostTensor::zeros(desc.type, desc.dims));
    rearrange(desc, result.data(), tensor.desc(), tensor.data());
    rowMajor.push_back(std::move(tensor));
  }
  return rowMajor;
}
