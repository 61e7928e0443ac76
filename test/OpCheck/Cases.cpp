//===- Cases.cpp - Ops with inputs and expected results -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include "weir/Dialect/Weir/IR/WeirTypes.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;
using namespace weir::opcheck;

std::string Case::name() const {
  return func::FuncOp(function).getSymName().str();
}

/// The stored tensors `<name>0`, `<name>1`, ... of the given types.
static StatusOr<std::vector<HostTensor>> loadTensors(const SafeTensors &data,
                                                     const std::string &name,
                                                     ArrayRef<Type> types) {
  std::vector<HostTensor> tensors;
  for (auto [index, type] : llvm::enumerate(types)) {
    std::string full = name + std::to_string(index);
    WEIR_ASSIGN_OR_RETURN(NamedTensor tensor, data.tensor(full));
    TensorDesc expected =
        toTensorDesc(withoutLayout(cast<RankedTensorType>(type)));
    if (tensor.desc != expected)
      return invalidArgument(
          fmt::format("'{}' is {} by Weir but {} by the oracle", full,
                      expected.toString(), tensor.desc.toString()));
    WEIR_ASSIGN_OR_RETURN(
        HostTensor copy,
        HostTensor::copyOf(tensor.desc.type, tensor.desc.dims, tensor.bytes));
    tensors.push_back(std::move(copy));
  }
  return tensors;
}

StatusOr<std::vector<Case>> opcheck::loadCases(ModuleOp module,
                                               const SafeTensors &data) {
  std::vector<Case> cases;
  for (auto function : module.getOps<func::FuncOp>()) {
    Case testCase;
    testCase.function = function;
    std::string name = testCase.name();
    FunctionType type = function.getFunctionType();
    WEIR_ASSIGN_OR_RETURN(testCase.inputs,
                          loadTensors(data, name + ".in", type.getInputs()));
    WEIR_ASSIGN_OR_RETURN(testCase.expected,
                          loadTensors(data, name + ".out", type.getResults()));
    auto flops = data.metadata().find(name + ".flops");
    if (flops == data.metadata().end() ||
        StringRef(flops->second).getAsInteger(10, testCase.flops))
      return invalidArgument(
          fmt::format("the metadata lacks a number '{}.flops'", name));
    cases.push_back(std::move(testCase));
  }
  if (cases.empty())
    return invalidArgument("the module has no function");
  return cases;
}
