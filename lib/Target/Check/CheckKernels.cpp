//===- CheckKernels.cpp - Generated kernels check themselves ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CheckKernels.h"

#include "ClusterCheck.h"

#include "weir/Conversion/ClusterToLoops.h"

#include <fmt/format.h>

using namespace mlir;
using namespace weir;
using namespace weir::kernelcheck;

/// The names of the ops, in order.
static std::string listOps(func::FuncOp cluster) {
  std::string text;
  for (Operation &op : cluster.getBody().front().without_terminator())
    text += (text.empty() ? "" : ", ") + op.getName().stripDialect().str();
  return text;
}

FailureOr<KernelChecks> weir::checkClusters(ArrayRef<func::FuncOp> clusters,
                                            const ClusterCode &code) {
  KernelChecks checks;
  for (func::FuncOp cluster : clusters) {
    ClusterCheck check(cluster, code);
    const Status status = check.run(checks.elements);
    if (status.isOk()) {
      ++checks.clusters;
    } else if (status.code() == StatusCode::Unimplemented ||
               status.code() == StatusCode::ResourceExhausted) {
      checks.leftOut.push_back(
          fmt::format("{}: {}", cluster.getSymName().str(), status.message()));
    } else {
      // Other errors are the system's.
      const bool isWrong = status.code() == StatusCode::Internal;
      return check.getCulprit()->emitError()
             << "kernel '" << cluster.getSymName() << "' of "
             << listOps(cluster) << ": "
             << StringRef(std::string(status.message()))
             << (isWrong ? "; this is a bug in Weir, please report it" : "");
    }
  }
  return checks;
}

FailureOr<ClusterCode> weir::generateForCpu(ArrayRef<func::FuncOp> clusters,
                                            const TargetCpu &cpu) {
  ClusterCode generated;
  if (clusters.empty())
    return generated;
  func::FuncOp first = clusters.front();
  OpBuilder builder(first.getContext());
  generated.functions = ModuleOp::create(first.getLoc());
  ModuleOp functions = *generated.functions;
  functions->setAttr(kernelattrs::targetCpu, builder.getStringAttr(cpu.name));
  ClusterToLoops lowering(first.getContext(), {cpu.vectorBits});
  for (func::FuncOp cluster : clusters) {
    FailureOr<LoweredCluster> one = lowering.lower(cluster, functions);
    if (failed(one))
      return cluster.emitOpError("cannot be lowered to loops");
    generated.clusters[cluster.getSymName()] = std::move(*one);
  }
  FailureOr<CompiledKernels> compiled = compileKernels(functions);
  if (failed(compiled))
    return failure();
  auto loaded =
      CodeObject::load(std::as_bytes(std::span<const char>(compiled->object)));
  if (!loaded.isOk())
    return first.emitError(StringRef(std::string(loaded.status().message())));
  generated.kernels = std::move(compiled->kernels);
  generated.run = [code = std::shared_ptr<CodeObject>(*std::move(loaded))](
                      const CompiledKernel &kernel, void *const *buffers,
                      unsigned numRanges) {
    return runInRanges(*code, kernel, buffers, numRanges);
  };
  return generated;
}
