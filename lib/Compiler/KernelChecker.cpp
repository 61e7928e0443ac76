//===- KernelChecker.cpp - Compares kernels with their ops ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "KernelChecker.h"

#include "weir/Dialect/Weir/IR/AttributeNames.h"
#include "weir/Support/ContentHash.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

using namespace mlir;
using namespace weir;

using Clock = std::chrono::steady_clock;

/// Whether this machine runs the code of `cpu`.
static bool isSupported(const TargetCpu &cpu) {
  StatusOr<TargetCpu> native = parseTargetCpu("native");
  return native.isOk() &&
         std::includes(native->features.begin(), native->features.end(),
                       cpu.features.begin(), cpu.features.end());
}

/// Begins a remark about the whole graph. It has no location.
static InFlightDiagnostic emitRemark(ModuleOp module) {
  return mlir::emitRemark(UnknownLoc::get(module.getContext()));
}

static void report(ModuleOp module, const std::string &what,
                   const KernelChecks &checks, Clock::time_point begin) {
  const std::chrono::duration<double> seconds = Clock::now() - begin;
  emitRemark(module) << fmt::format("checked {} {}, {} elements, in {:.2f} s",
                                    checks.kernels, what, checks.elements,
                                    seconds.count());
  if (!checks.leftOut.empty())
    emitRemark(module) << "not checked: " << checks.listLeftOut();
}

StatusOr<KernelChecker> KernelChecker::make(const std::string &folder) {
  if (folder.empty())
    return KernelChecker(std::nullopt);
  auto opened = CheckedKernels::open(folder);
  if (!opened.isOk())
    return std::move(opened).status().withContext(
        "checked kernels cannot be remembered");
  return KernelChecker(*std::move(opened));
}

//===----------------------------------------------------------------------===//
// Kernels of libraries
//===----------------------------------------------------------------------===//

LogicalResult KernelChecker::checkLaunches(ModuleOp module) {
  auto launches = module.lookupSymbol<ModuleOp>(attrs::launchesModule);
  if (!launches)
    return success();
  const auto begin = Clock::now();
  auto chosen = llvm::to_vector(launches.getOps<func::FuncOp>());
  if (known)
    chosen = known->findNew(chosen);
  FailureOr<KernelChecks> checks = weir::checkLaunches(chosen);
  if (failed(checks))
    return failure();
  if (known)
    known->addNew(*checks);
  else
    report(module, "kernels of libraries", *checks, begin);
  launches.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Generated kernels
//===----------------------------------------------------------------------===//

/// The clusters of `module` whose code is in `compiled`.
static SmallVector<func::FuncOp> findClusters(ModuleOp module,
                                              const CompiledKernels &compiled) {
  auto clusters = module.lookupSymbol<ModuleOp>(attrs::clustersModule);
  assert(clusters && "the pass that lowers clusters keeps them");
  return llvm::to_vector(llvm::make_filter_range(
      clusters.getOps<func::FuncOp>(), [&](func::FuncOp cluster) {
        return compiled.kernels.contains(
            getKernelName(cluster.getSymName(), 0));
      }));
}

LogicalResult KernelChecker::check(ModuleOp module,
                                   const CompiledKernels &compiled) {
  const auto begin = Clock::now();
  SmallVector<func::FuncOp> clusters = findClusters(module, compiled);
  if (known)
    clusters = known->findNew(clusters, compiled);
  StatusOr<ClusterCode> code = loadCode(clusters, compiled);
  if (!code.isOk())
    return module.emitError(code.status().message());
  FailureOr<KernelChecks> checks = checkClusters(clusters, *code);
  if (failed(checks))
    return failure();
  if (known)
    known->addNew(*checks);
  else
    report(module, "kernels for " + compiled.cpu.name, *checks, begin);
  return success();
}

/// A text that identifies the code and the overwritten operands. The result of
/// a check depends on both.
static std::string identify(const CompiledKernels &compiled) {
  std::vector<std::string> overwrites(compiled.kernels.size());
  for (const auto &[name, kernel] : compiled.kernels)
    overwrites[kernel.number] =
        fmt::format("{}", fmt::join(kernel.overwrittenBy, ","));
  const auto object = std::as_bytes(std::span<const char>(compiled.object));
  return fmt::format("{} {}", contentHash(object), fmt::join(overwrites, ";"));
}

LogicalResult KernelChecker::checkCode(ModuleOp module,
                                       const CompiledKernels &compiled) {
  if (!codes.insert(identify(compiled)).second)
    return success();
  if (isSupported(compiled.cpu))
    return check(module, compiled);
  if (!known)
    emitRemark(module) << "kernels for " << compiled.cpu.name
                       << " are not checked, since this machine cannot run "
                          "them";
  return success();
}
