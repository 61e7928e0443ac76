//===- CheckKernelsPass.cpp - Compares kernels with their ops ---*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CheckKernelsPass.h"

#include "../Target/Check/CheckKernels.h"

#include "weir/Conversion/ClusterToLoops.h"
#include "weir/Dialect/Weir/IR/AttributeNames.h"

#include "mlir/IR/BuiltinOps.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;
using namespace weir;

namespace {
class CheckKernelsPass
    : public PassWrapper<CheckKernelsPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckKernelsPass)

  explicit CheckKernelsPass(std::vector<std::string> targetCpus)
      : targetCpus(std::move(targetCpus)) {}

  StringRef getArgument() const override { return "weir-check-kernels"; }
  StringRef getDescription() const override {
    return "Compare generated kernels with the records of their ops";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registerLoopDialects(registry);
  }
  void runOnOperation() override;

private:
  std::vector<std::string> targetCpus;
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
    emitRemark(module) << fmt::format(
        "not checked, as their elements cannot be evaluated one by one: {}",
        fmt::join(checks.leftOut, "; "));
}

void CheckKernelsPass::runOnOperation() {
  ModuleOp module = getOperation();
  auto clusters = module.lookupSymbol<ModuleOp>(attrs::clustersModule);
  if (!clusters)
    return;
  for (const std::string &name : targetCpus) {
    // The names have already been checked.
    StatusOr<TargetCpu> cpu = parseTargetCpu(name);
    if (!cpu.isOk())
      return signalPassFailure();
    if (!isHere(*cpu)) {
      emitRemark(module) << "kernels for " << name
                         << " are not checked, since this machine cannot run "
                            "them";
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    FailureOr<KernelChecks> checks = checkKernels(clusters, *cpu);
    if (failed(checks))
      return signalPassFailure();
    const std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - begin;
    report(module, *cpu, *checks, seconds.count());
  }
}

std::unique_ptr<Pass>
weir::createCheckKernels(std::vector<std::string> targetCpus) {
  return std::make_unique<CheckKernelsPass>(std::move(targetCpus));
}
