//===- CheckedKernels.cpp - Kernels that were found right -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CheckedKernels.h"

#include "MLIRFlags.h"
#include "weir/Cache/UserCache.h"
#include "weir/Conversion/ClusterCache.h"
#include "weir/Dialect/Weir/IR/AttributeNames.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;
using namespace weir;

StatusOr<CheckedKernels> CheckedKernels::open(const std::string &folder) {
  WEIR_ASSIGN_OR_RETURN(std::string build, identifyBuild());
  WEIR_ASSIGN_OR_RETURN(CacheFile file, CacheFile::open(folder, build));
  return CheckedKernels(std::move(file));
}

SmallVector<func::FuncOp>
CheckedKernels::findNew(ArrayRef<func::FuncOp> functions, KeyFn makeKey) {
  SmallVector<func::FuncOp> found;
  newKeys.clear();
  for (func::FuncOp function : functions) {
    std::string key = makeKey(function);
    if (file.find(key))
      continue;
    newKeys[function.getSymName()] = std::move(key);
    found.push_back(function);
  }
  return found;
}

/// Lists the operands that are overwritten by results, for each function of
/// `cluster`.
static std::string listOverwrites(func::FuncOp cluster,
                                  const CompiledKernels &compiled) {
  std::string text;
  for (size_t i = 0;; ++i) {
    auto kernel = compiled.kernels.find(getKernelName(cluster.getSymName(), i));
    if (kernel == compiled.kernels.end())
      return text;
    text += fmt::format("{};", fmt::join(kernel->second.overwrittenBy, ","));
  }
}

SmallVector<func::FuncOp>
CheckedKernels::findNew(ArrayRef<func::FuncOp> clusters,
                        const CompiledKernels &compiled) {
  const TargetCpu &cpu = compiled.cpu;
  const std::string features = fmt::format("{}", fmt::join(cpu.features, ","));
  ClusterCache clusterKeys(file, {cpu.vectorBits});
  return findNew(clusters, [&](func::FuncOp cluster) {
    return file.keyOf({"checked", cpu.tuning, features,
                       listOverwrites(cluster, compiled),
                       clusterKeys.keyOf(cluster)});
  });
}

SmallVector<func::FuncOp>
CheckedKernels::findNew(ArrayRef<func::FuncOp> launches) {
  ClusterCache launchKeys(file, {});
  // The machine is part of the key, because libraries choose different code on
  // different machines.
  std::string machine;
  if (StatusOr<TargetCpu> native = parseTargetCpu("native"); native.isOk())
    machine = fmt::format("{}", fmt::join(native->features, ","));
  return findNew(launches, [&](func::FuncOp launch) {
    std::string attributes;
    llvm::raw_string_ostream(attributes) << launch->getAttr(attrs::launch);
    return file.keyOf(
        {"checked launch", machine, attributes, launchKeys.keyOf(launch)});
  });
}

void CheckedKernels::addNew(const KernelChecks &checks) {
  for (const KernelChecks::LeftOut &one : checks.leftOut)
    if (one.lacksMemory)
      newKeys.erase(one.name);
  for (const auto &key : newKeys)
    file.add(key.second, "right");
  newKeys.clear();
  file.flush();
}

CompileOptions weir::withEnvironment(const CompileOptions &given) {
  CompileOptions options = given;
  const char *folder = std::getenv("WEIR_CHECK_KERNELS");
  // A user who gives a pipeline or flags of MLIR works on passes, not on
  // kernels.
  if (!folder || !*folder || options.checkKernels ||
      options.emit != EmitPhase::Artifact || !options.passPipeline.empty() ||
      hasMLIRFlags())
    return options;
  options.checkKernels = true;
  options.checkedKernels = folder;
  return options;
}
