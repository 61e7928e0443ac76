//===- CheckKernelsPass.cpp - Compares kernels with their ops ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CheckKernelsPass.h"

#include "../Target/Check/CheckKernels.h"
#include "CheckedKernels.h"

#include "weir/Conversion/ClusterToLoops.h"
#include "weir/Dialect/Weir/IR/AttributeNames.h"

#include "mlir/IR/BuiltinOps.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

using namespace mlir;
using namespace weir;

namespace {
class CheckKernelsPass
    : public PassWrapper<CheckKernelsPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckKernelsPass)

  CheckKernelsPass(std::vector<std::string> targetCpus, std::string folder)
      : targetCpus(std::move(targetCpus)), folder(std::move(folder)) {}

  StringRef getArgument() const override { return "weir-check-kernels"; }
  StringRef getDescription() const override {
    return "Compare generated kernels with the records of their ops";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registerLoopDialects(registry);
  }
  void runOnOperation() override;

private:
  LogicalResult checkHere(ArrayRef<func::FuncOp> clusters, const TargetCpu &cpu,
                          CheckedKernels *known);

  std::vector<std::string> targetCpus;
  std::string folder;
};
} // namespace

/// Whether this machine runs the code of `cpu`.
static bool isHere(const TargetCpu &cpu) {
  StatusOr<TargetCpu> here = parseTargetCpu("native");
  return here.isOk() &&
         std::includes(here->features.begin(), here->features.end(),
                       cpu.features.begin(), cpu.features.end());
}

/// Remarks on all of the graph, which show no line of it.
static InFlightDiagnostic emitRemark(ModuleOp module) {
  return mlir::emitRemark(UnknownLoc::get(module.getContext()));
}

static void report(ModuleOp module, const TargetCpu &cpu,
                   const KernelChecks &checks, double seconds) {
  emitRemark(module) << fmt::format(
      "checked {} kernels for {}, {} elements, in {:.2f} s", checks.clusters,
      cpu.name, checks.elements, seconds);
  if (!checks.leftOut.empty())
    emitRemark(module) << fmt::format("not checked: {}",
                                      fmt::join(checks.leftOut, "; "));
}

LogicalResult CheckKernelsPass::checkHere(ArrayRef<func::FuncOp> clusters,
                                          const TargetCpu &cpu,
                                          CheckedKernels *known) {
  const auto begin = std::chrono::steady_clock::now();
  const auto chosen = known ? known->findNew(clusters, cpu)
                            : SmallVector<func::FuncOp>(clusters);
  FailureOr<ClusterCode> code = generateForCpu(chosen, cpu);
  if (failed(code))
    return failure();
  FailureOr<KernelChecks> checks = checkClusters(chosen, *code);
  if (failed(checks))
    return failure();
  if (known) {
    known->addNew();
    return success();
  }
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  report(getOperation(), cpu, *checks, seconds.count());
  return success();
}

void CheckKernelsPass::runOnOperation() {
  ModuleOp module = getOperation();
  auto clusters = module.lookupSymbol<ModuleOp>(attrs::clustersModule);
  if (!clusters)
    return;
  std::optional<CheckedKernels> known;
  if (!folder.empty()) {
    auto opened = CheckedKernels::open(folder);
    if (!opened.isOk()) {
      module.emitError(fmt::format("checked kernels cannot be remembered: {}",
                                   opened.status().message()));
      return signalPassFailure();
    }
    known = *std::move(opened);
  }
  const auto all = llvm::to_vector(clusters.getOps<func::FuncOp>());
  for (const std::string &name : targetCpus) {
    // The names have already been checked.
    StatusOr<TargetCpu> cpu = parseTargetCpu(name);
    if (!cpu.isOk())
      return signalPassFailure();
    if (isHere(*cpu)) {
      if (failed(checkHere(all, *cpu, known ? &*known : nullptr)))
        return signalPassFailure();
    } else if (!known) {
      emitRemark(module) << "kernels for " << name
                         << " are not checked, since this machine cannot run "
                            "them";
    }
  }
}

std::unique_ptr<Pass>
weir::createCheckKernels(std::vector<std::string> targetCpus,
                         std::string folder) {
  return std::make_unique<CheckKernelsPass>(std::move(targetCpus),
                                            std::move(folder));
}
