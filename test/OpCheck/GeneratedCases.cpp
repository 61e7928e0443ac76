//===- GeneratedCases.cpp - Runs cases as generated code ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "GeneratedCases.h"

#include "Target/Check/ClusterRun.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"

using namespace mlir;
using namespace weir;
using namespace weir::opcheck;

StatusOr<GeneratedCases> GeneratedCases::compile(const std::vector<Case> &cases,
                                                 Machine machine,
                                                 bool isAssembled) {
  const auto clusters = llvm::map_to_vector(
      cases, [](const Case &testCase) { return testCase.function; });
  GeneratedCases generated;
  WEIR_ASSIGN_OR_RETURN(generated.code,
                        generateCode(clusters, machine, isAssembled));
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

StatusOr<std::vector<HostTensor>>
GeneratedCases::run(const Case &testCase, unsigned numRanges) const {
  WEIR_ASSIGN_OR_RETURN(std::vector<HostTensor> operands, layOut(testCase));
  auto runKernel = [&](const CompiledKernel &kernel, void *const *buffers) {
    return code.run(kernel, buffers, numRanges);
  };
  func::FuncOp function = testCase.function;
  WEIR_ASSIGN_OR_RETURN(
      std::vector<kernelcheck::GuardedBytes> results,
      kernelcheck::runCluster(
          function, code.clusters.find(testCase.name())->second, code.kernels,
          operands, {.alignment = code.alignment}, runKernel));
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
