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

static LogicalResult checkAll(ModuleOp clusters,
                              llvm::StringMap<LoweredCluster> &lowered,
                              const CompiledKernels &compiled,
                              const CodeObject &code, KernelChecks &checks) {
  for (auto cluster : clusters.getOps<func::FuncOp>()) {
    ClusterCheck check(cluster, lowered[cluster.getSymName()], compiled, code);
    const Status status = check.run(checks.elements);
    if (status.isOk()) {
      ++checks.clusters;
    } else if (status.code() == StatusCode::Unimplemented) {
      checks.leftOut.push_back(
          fmt::format("{}: {}", cluster.getSymName().str(), status.message()));
    } else {
      return check.getCulprit()->emitError()
             << "kernel '" << cluster.getSymName() << "' of "
             << listOps(cluster) << ": "
             << StringRef(std::string(status.message()))
             << "; this is a bug in Weir, please report it";
    }
  }
  return success();
}

FailureOr<KernelChecks> weir::checkKernels(ModuleOp clusters,
                                           const TargetCpu &cpu) {
  OpBuilder builder(clusters.getContext());
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(clusters.getLoc());
  (*kernels)->setAttr(kernelattrs::targetCpu, builder.getStringAttr(cpu.name));
  ClusterToLoops lowering(clusters.getContext(), {cpu.vectorBits});
  llvm::StringMap<LoweredCluster> lowered;
  for (auto cluster : clusters.getOps<func::FuncOp>()) {
    FailureOr<LoweredCluster> one = lowering.lower(cluster, *kernels);
    if (failed(one))
      return cluster.emitOpError("cannot be lowered to loops");
    lowered[cluster.getSymName()] = std::move(*one);
  }
  KernelChecks checks;
  if (lowered.empty())
    return checks;
  FailureOr<CompiledKernels> compiled = compileKernels(*kernels);
  if (failed(compiled))
    return failure();
  auto code =
      CodeObject::load(std::as_bytes(std::span<const char>(compiled->object)));
  if (!code.isOk())
    return clusters.emitError(StringRef(std::string(code.status().message())));
  if (failed(checkAll(clusters, lowered, *compiled, **code, checks)))
    return failure();
  return checks;
}
