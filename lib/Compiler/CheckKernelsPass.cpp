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
    return "Compare kernels with the records of their ops";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registerLoopDialects(registry);
  }
  void runOnOperation() override;

private:
  std::vector<std::string> targetCpus;
  std::string folder;
};

/// Checks the kernels of one module.
class KernelChecker {
public:
  /// Without `known`, there are remarks.
  KernelChecker(ModuleOp module, std::optional<CheckedKernels> known)
      : module(module), known(std::move(known)) {}

  LogicalResult checkGenerated(ArrayRef<std::string> targetCpus);
  /// Erases the module of launches.
  LogicalResult checkLibrary();

private:
  LogicalResult checkHere(ArrayRef<func::FuncOp> clusters,
                          const TargetCpu &cpu);
  void report(const std::string &what, const KernelChecks &checks,
              std::chrono::steady_clock::time_point begin);

  ModuleOp module;
  std::optional<CheckedKernels> known;
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

void KernelChecker::report(const std::string &what, const KernelChecks &checks,
                           std::chrono::steady_clock::time_point begin) {
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  emitRemark(module) << fmt::format("checked {} {}, {} elements, in {:.2f} s",
                                    checks.kernels, what, checks.elements,
                                    seconds.count());
  if (!checks.leftOut.empty())
    emitRemark(module) << "not checked: " << checks.listLeftOut();
}

LogicalResult KernelChecker::checkHere(ArrayRef<func::FuncOp> clusters,
                                       const TargetCpu &cpu) {
  const auto begin = std::chrono::steady_clock::now();
  const auto chosen = known ? known->findNew(clusters, cpu)
                            : SmallVector<func::FuncOp>(clusters);
  FailureOr<ClusterCode> code = generateForCpu(chosen, cpu);
  if (failed(code))
    return failure();
  FailureOr<KernelChecks> checks = checkClusters(chosen, *code);
  if (failed(checks))
    return failure();
  if (known)
    known->addNew(*checks);
  else
    report("kernels for " + cpu.name, *checks, begin);
  return success();
}

LogicalResult KernelChecker::checkGenerated(ArrayRef<std::string> targetCpus) {
  auto clusters = module.lookupSymbol<ModuleOp>(attrs::clustersModule);
  if (!clusters)
    return success();
  const auto all = llvm::to_vector(clusters.getOps<func::FuncOp>());
  for (const std::string &name : targetCpus) {
    // The names have already been checked.
    StatusOr<TargetCpu> cpu = parseTargetCpu(name);
    if (!cpu.isOk())
      return failure();
    if (isHere(*cpu)) {
      if (failed(checkHere(all, *cpu)))
        return failure();
    } else if (!known) {
      emitRemark(module)
          << "kernels for " << name
          << " are not checked, since this machine cannot run them";
    }
  }
  return success();
}

LogicalResult KernelChecker::checkLibrary() {
  auto launches = module.lookupSymbol<ModuleOp>(attrs::launchesModule);
  if (!launches)
    return success();
  const auto begin = std::chrono::steady_clock::now();
  auto chosen = llvm::to_vector(launches.getOps<func::FuncOp>());
  if (known)
    chosen = known->findNew(chosen);
  FailureOr<KernelChecks> checks = checkLaunches(chosen);
  if (failed(checks))
    return failure();
  if (known)
    known->addNew(*checks);
  else
    report("kernels of libraries", *checks, begin);
  launches.erase();
  return success();
}

void CheckKernelsPass::runOnOperation() {
  ModuleOp module = getOperation();
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
  KernelChecker checker(module, std::move(known));
  if (failed(checker.checkGenerated(targetCpus)) ||
      failed(checker.checkLibrary()))
    signalPassFailure();
}

std::unique_ptr<Pass>
weir::createCheckKernels(std::vector<std::string> targetCpus,
                         std::string folder) {
  return std::make_unique<CheckKernelsPass>(std::move(targetCpus),
                                            std::move(folder));
}
