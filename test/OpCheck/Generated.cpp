//===- Generated.cpp - Code of clusters for CPUs and GPUs -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Generated.h"

#include "../GpuEmulator/EmulatedBlock.h"
#include "Runtime/Code/CodeObject.h"
#include "Target/NVPTX/Emulation.h"
#include "Target/NVPTX/PtxCompiler.h"
#include "Target/NVPTX/Ptxas.h"

#include "weir/Artifact/GpuCode.h"
#include "weir/Conversion/ClusterToLoops.h"
#include "weir/Target/NVPTX/CompileGpuKernels.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;
using namespace weir::opcheck;

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

/// Runs the last blocks first, since their order must not matter.
static Status runBlocks(const CodeObject &code, const CompiledKernel &kernel,
                        void *const *buffers, unsigned numRanges) {
  const auto order = numRanges == 1 ? emulator::ThreadOrder::Ascending
                                    : emulator::ThreadOrder::Descending;
  emulator::EmulatedBlock block(kernel.threads, kernel.scratchBytes);
  for (uint64_t number = kernel.tasks; number-- > 0;)
    WEIR_RETURN_IF_ERROR(
        block.run(code.function(kernel.number), buffers, number, order));
  return Status::ok();
}

/// Loads the code for emulated GPUs of the functions in `generated`, and says
/// how they are called.
static Status loadForGpu(ClusterCode &generated) {
  // Vectors of a thread have up to 16 bytes.
  generated.alignment = 16;
  ModuleOp functions = *generated.functions;
  for (auto [number, function] :
       llvm::enumerate(functions.getOps<func::FuncOp>()))
    generated.kernels[function.getSymName()] =
        describeGpuKernel(function, number);
  FailureOr<std::string> object = emulateKernels(functions);
  if (failed(object))
    return internalError("the kernels cannot be compiled for emulated GPUs");
  WEIR_ASSIGN_OR_RETURN(
      std::shared_ptr<CodeObject> code,
      CodeObject::load(std::as_bytes(std::span<const char>(*object))));
  generated.run = [code](const CompiledKernel &kernel, void *const *buffers,
                         unsigned numRanges) {
    return runBlocks(*code, kernel, buffers, numRanges);
  };
  return Status::ok();
}

static StatusOr<ClusterCode> generateForGpu(ArrayRef<func::FuncOp> clusters,
                                            bool isAssembled) {
  ClusterCode generated;
  MLIRContext *context = func::FuncOp(clusters.front()).getContext();
  generated.functions = ModuleOp::create(UnknownLoc::get(context));
  ClusterToLoops lowering(context, {.isGpu = true});
  for (func::FuncOp cluster : clusters) {
    FailureOr<LoweredCluster> lowered =
        lowering.lower(cluster, *generated.functions);
    if (failed(lowered))
      return internalError(fmt::format("'{}' cannot be lowered to loops",
                                       cluster.getSymName().str()));
    generated.clusters[cluster.getSymName()] = *std::move(lowered);
  }
  WEIR_RETURN_IF_ERROR(loadForGpu(generated));
  WEIR_RETURN_IF_ERROR(checkPtx(*generated.functions, isAssembled));
  return generated;
}

static StatusOr<ClusterCode> generateForCpu(ArrayRef<func::FuncOp> clusters) {
  WEIR_ASSIGN_OR_RETURN(TargetCpu cpu, parseTargetCpu("native"));
  MLIRContext *context = func::FuncOp(clusters.front()).getContext();
  OwningOpRef<ModuleOp> functions = ModuleOp::create(UnknownLoc::get(context));
  (*functions)
      ->setAttr(kernelattrs::targetCpu, StringAttr::get(context, cpu.name));
  ClusterToLoops lowering(context, {cpu.vectorBits});
  for (func::FuncOp cluster : clusters) {
    FailureOr<LoweredCluster> lowered = lowering.lower(cluster, *functions);
    if (failed(lowered))
      return internalError(fmt::format("'{}' cannot be lowered to loops",
                                       cluster.getSymName().str()));
    keepLowering(cluster, *lowered);
  }
  FailureOr<CompiledKernels> compiled = compileKernels(*functions);
  if (failed(compiled))
    return internalError("no code can be generated");
  return loadCode(clusters, *compiled);
}

StatusOr<ClusterCode> opcheck::generateCode(ArrayRef<func::FuncOp> clusters,
                                            Machine machine, bool isAssembled) {
  if (clusters.empty())
    return ClusterCode();
  if (machine == Machine::EmulatedGpu)
    return generateForGpu(clusters, isAssembled);
  return generateForCpu(clusters);
}
