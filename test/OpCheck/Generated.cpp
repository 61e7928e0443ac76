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
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Target/NVPTX/CompileGpuKernels.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;
using namespace weir::opcheck;

/// Loads the code of `kernels`, and says how its functions are called.
Status GeneratedCases::loadForCpu(ModuleOp kernels) {
  FailureOr<CompiledKernels> compiled = compileKernels(kernels);
  if (failed(compiled))
    return internalError("the kernels cannot be compiled");
  functions = std::move(compiled->kernels);
  WEIR_ASSIGN_OR_RETURN(code, CodeObject::load(std::as_bytes(
                                  std::span<const char>(compiled->object))));
  return Status::ok();
}

Status GeneratedCases::loadForGpu(ModuleOp kernels) {
  for (auto [number, function] :
       llvm::enumerate(kernels.getOps<func::FuncOp>()))
    functions[function.getSymName()] = describeGpuKernel(function, number);
  FailureOr<std::string> object = emulateKernels(kernels);
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
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
  Builder builder(module.getContext());
  (*kernels)->setAttr(kernelattrs::targetCpu, builder.getStringAttr(cpu.name));
  ClusterToLoops lowering(module.getContext(), {cpu.vectorBits, isGpu});
  GeneratedCases generated;
  for (const Case &testCase : cases) {
    FailureOr<LoweredCluster> lowered =
        lowering.lower(testCase.function, *kernels);
    if (failed(lowered))
      return internalError("case '" + testCase.name() +
                           "' cannot be lowered to loops");
    Plan &plan = generated.plans[testCase.name()];
    plan.temporaries = lowered->temporaries;
    for (KernelFunction &kernel : lowered->functions)
      plan.launches.push_back(
          {kernel.function.getSymName().str(), kernel.reads, kernel.writes});
  }
  WEIR_RETURN_IF_ERROR(isGpu ? generated.loadForGpu(*kernels)
                             : generated.loadForCpu(*kernels));
  if (isGpu)
    WEIR_RETURN_IF_ERROR(checkPtx(*kernels, isAssembled));
  return generated;
}

namespace {
/// The buffers of one run.
class Run {
public:
  Run(const Case &testCase, ArrayRef<RankedTensorType> temporaries);

  Status fill(const Case &testCase);
  void *at(const ClusterBuffer &buffer);
  StatusOr<std::vector<HostTensor>> takeResults();

private:
  std::vector<TensorDesc> inputTypes, resultTypes, temporaryTypes;
  std::vector<HostTensor> inputs, results, temporaries;
};
} // namespace

static TensorDesc describe(Type type) {
  return toTensorDesc(cast<RankedTensorType>(type));
}

Run::Run(const Case &testCase, ArrayRef<RankedTensorType> temporaries) {
  func::FuncOp function = testCase.function;
  for (Type type : function.getArgumentTypes())
    inputTypes.push_back(describe(type));
  for (Type type : function.getResultTypes())
    resultTypes.push_back(describe(type));
  for (RankedTensorType type : temporaries)
    temporaryTypes.push_back(describe(type));
}

Status Run::fill(const Case &testCase) {
  auto add = [](const TensorDesc &desc, std::vector<HostTensor> &to) -> Status {
    WEIR_ASSIGN_OR_RETURN(HostTensor tensor,
                          HostTensor::zeros(desc.type, desc.dims));
    to.push_back(std::move(tensor));
    return Status::ok();
  };
  for (size_t i = 0; i < inputTypes.size(); ++i) {
    WEIR_RETURN_IF_ERROR(add(inputTypes[i], inputs));
    const HostTensor &given = testCase.inputs[i];
    rearrange(given.desc(), given.data(), inputTypes[i], inputs[i].data());
  }
  for (const TensorDesc &type : resultTypes)
    WEIR_RETURN_IF_ERROR(add(type, results));
  for (const TensorDesc &type : temporaryTypes)
    WEIR_RETURN_IF_ERROR(add(type, temporaries));
  return Status::ok();
}

void *Run::at(const ClusterBuffer &buffer) {
  switch (buffer.kind) {
  case ClusterBuffer::Kind::Operand:
    return inputs[buffer.index].data();
  case ClusterBuffer::Kind::Result:
    return results[buffer.index].data();
  case ClusterBuffer::Kind::Temporary:
    return temporaries[buffer.index].data();
  }
  return nullptr;
}

StatusOr<std::vector<HostTensor>> Run::takeResults() {
  std::vector<HostTensor> rowMajor;
  for (size_t i = 0; i < results.size(); ++i) {
    WEIR_ASSIGN_OR_RETURN(
        HostTensor tensor,
        HostTensor::zeros(resultTypes[i].type, resultTypes[i].dims));
    rearrange(resultTypes[i], results[i].data(), tensor.desc(), tensor.data());
    rowMajor.push_back(std::move(tensor));
  }
  return rowMajor;
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
  const Plan &plan = plans.find(testCase.name())->second;
  Run run(testCase, plan.temporaries);
  WEIR_RETURN_IF_ERROR(run.fill(testCase));
  for (const Launch &launch : plan.launches) {
    const CompiledKernel &kernel = functions.find(launch.function)->second;
    std::vector<void *> buffers;
    for (const ClusterBuffer &buffer : launch.reads)
      buffers.push_back(run.at(buffer));
    for (const ClusterBuffer &buffer : launch.writes)
      buffers.push_back(run.at(buffer));
    if (kernel.threads > 0) {
      const auto order = numRanges == 1 ? emulator::ThreadOrder::Ascending
                                        : emulator::ThreadOrder::Descending;
      WEIR_RETURN_IF_ERROR(runBlocks(kernel, buffers.data(), order));
      continue;
    }
    // As on a device, scratch is aligned and has arbitrary contents.
    std::vector<std::byte> memory(kernel.scratchBytes + 64, std::byte(0xff));
    auto address = reinterpret_cast<uintptr_t>(memory.data());
    void *scratch = memory.data() + (64 - address % 64);
    // The last ranges run first, since their order must not matter.
    for (unsigned i = numRanges; i-- > 0;) {
      auto begin = static_cast<int64_t>(kernel.tasks * i / numRanges);
      auto end = static_cast<int64_t>(kernel.tasks * (i + 1) / numRanges);
      if (begin == end)
        continue;
      WeirKernelArgs args = {buffers.data(), nullptr, begin, end, scratch};
      code->function(kernel.number)(&args);
    }
  }
  return run.takeResults();
}
