//===- CheckedKernels.cpp - Kernels that were found right -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CheckedKernels.h"

#include "MLIRFlags.h"
#include "weir/Cache/UserCache.h"
#include "weir/Conversion/ClusterCache.h"

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
CheckedKernels::findNew(ArrayRef<func::FuncOp> clusters, const TargetCpu &cpu) {
  const std::string features = fmt::format("{}", fmt::join(cpu.features, ","));
  ClusterCache clusterKeys(file, {cpu.vectorBits});
  SmallVector<func::FuncOp> found;
  newKeys.clear();
  for (func::FuncOp cluster : clusters) {
    std::string key = file.keyOf(
        {"checked", cpu.tuning, features, clusterKeys.keyOf(cluster)});
    if (file.find(key))
      continue;
    newKeys.push_back(std::move(key));
    found.push_back(cluster);
  }
  return found;
}

void CheckedKernels::addNew() {
  for (const std::string &key : newKeys)
    file.add(key, "right");
  newKeys.clear();
  file.flush();
}

CompileOptions weir::withEnvironment(const CompileOptions &given) {
  CompileOptions options = given;
  const char *folder = std::getenv("WEIR_CHECK_KERNELS");
  // A pipeline and flags of MLIR are about passes.
  if (!folder || !*folder || options.checkKernels ||
      !options.passPipeline.empty() || hasMLIRFlags())
    return options;
  options.checkKernels = true;
  options.checkedKernels = folder;
  return options;
}
