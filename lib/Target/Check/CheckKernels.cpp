//===- CheckKernels.cpp - Kernels check themselves --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CheckKernels.h"

#include "ClusterCheck.h"
#include "LaunchCheck.h"

#include "weir/Conversion/ClusterToLoops.h"
#include "weir/Dialect/Weir/IR/WeirTypes.h"
#include "weir/Support/CgroupLimits.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <span>

using namespace mlir;
using namespace weir;
using namespace weir::kernelcheck;

/// The names of the ops of `function`, in order.
static std::string listOps(func::FuncOp function) {
  std::string text;
  for (Operation &op : function.getBody().front().without_terminator())
    text += (text.empty() ? "" : ", ") + op.getName().stripDialect().str();
  return text;
}

std::string KernelChecks::listLeftOut() const {
  std::string text;
  for (const LeftOut &one : leftOut)
    text += (text.empty() ? "" : "; ") + one.name + ": " + one.reason;
  return text;
}

/// Checks that the tensors of `function` do not need more memory than a process
/// of this machine may use. Otherwise the system would end the process. The
/// error is ResourceExhausted.
static Status checkMemory(func::FuncOp function) {
  // Memory is needed for the random operands, for copies of them that a kernel
  // reads and overwrites, and for the results of two runs.
  uint64_t bytes = 0;
  for (TypeRange types : {TypeRange(function.getArgumentTypes()),
                          TypeRange(function.getResultTypes())})
    for (Type type : types) {
      const TensorDesc desc = toTensorDesc(cast<RankedTensorType>(type));
      bytes +=
          2 * static_cast<uint64_t>(desc.numElements()) * byteSize(desc.type);
    }
  const uint64_t usable = usableMemory(readCgroupLimits());
  if (bytes <= usable)
    return Status::ok();
  return resourceExhausted(
      fmt::format("running it takes {} bytes of memory, but there are only {}",
                  bytes, usable));
}

/// Makes a check for each of `functions`, and runs it.
template <typename MakeCheck>
static FailureOr<KernelChecks> checkAll(ArrayRef<func::FuncOp> functions,
                                        MakeCheck makeCheck) {
  KernelChecks checks;
  for (func::FuncOp function : functions) {
    auto check = makeCheck(function);
    Status status = checkMemory(function);
    if (status.isOk())
      status = check.run(checks.elements);
    if (status.isOk()) {
      ++checks.kernels;
    } else if (status.code() == StatusCode::Unimplemented ||
               status.code() == StatusCode::ResourceExhausted) {
      checks.leftOut.push_back(
          {function.getSymName().str(), std::string(status.message()),
           status.code() == StatusCode::ResourceExhausted});
    } else {
      // If the kernel is not wrong, the error comes from the system.
      const bool isWrong = status.code() == StatusCode::Internal;
      return check.getCulprit()->emitError()
             << "kernel '" << function.getSymName() << "' of "
             << listOps(function) << ": "
             << StringRef(std::string(status.message()))
             << (isWrong ? "; this is a bug in Weir, please report it" : "");
    }
  }
  return checks;
}

FailureOr<KernelChecks> weir::checkClusters(ArrayRef<func::FuncOp> clusters,
                                            const ClusterCode &code) {
  return checkAll(clusters, [&](func::FuncOp cluster) {
    return ClusterCheck(cluster, code);
  });
}

FailureOr<KernelChecks> weir::checkLaunches(ArrayRef<func::FuncOp> launches) {
  // Libraries compute long sums, so the comparison of an element takes long. If
  // a graph has many launches, fewer elements of each are compared. Otherwise
  // the check would take much longer than the compilation.
  constexpr int64_t most = int64_t{1} << 16, fewest = most >> 3;
  const int64_t share =
      16 * most / std::max<int64_t>(1, static_cast<int64_t>(launches.size()));
  const int64_t points = std::clamp(share, fewest, most);
  return checkAll(launches, [&](func::FuncOp launch) {
    return LaunchCheck(launch, points);
  });
}

/// The lowered form of `cluster`. Its results overwrite the operands that the
/// code allows them to overwrite.
static std::optional<LoweredCluster>
findCompiled(func::FuncOp cluster, const CompiledKernels &compiled,
             ModuleOp functions) {
  std::optional<LoweredCluster> lowered = findLowering(cluster, functions);
  if (!lowered)
    return std::nullopt;
  for (KernelFunction &kernel : lowered->functions) {
    auto found = compiled.kernels.find(kernel.function.getSymName());
    if (found == compiled.kernels.end())
      return std::nullopt;
    const std::vector<int64_t> &numbers = found->second.overwrittenBy;
    kernel.overwrittenBy.assign(numbers.begin(), numbers.end());
    kernel.overwrittenBy.resize(kernel.reads.size(), -1);
  }
  return lowered;
}

StatusOr<ClusterCode> weir::loadCode(ArrayRef<func::FuncOp> clusters,
                                     const CompiledKernels &compiled) {
  ClusterCode loaded;
  if (clusters.empty())
    return loaded;
  func::FuncOp first = clusters.front();
  loaded.functions = ModuleOp::create(first.getLoc());
  for (func::FuncOp cluster : clusters) {
    auto lowered = findCompiled(cluster, compiled, *loaded.functions);
    if (!lowered)
      return internalError(fmt::format("cluster '{}' has no code to check",
                                       cluster.getSymName().str()));
    loaded.clusters[cluster.getSymName()] = *std::move(lowered);
  }
  loaded.kernels = compiled.kernels;
  WEIR_ASSIGN_OR_RETURN(
      std::shared_ptr<CodeObject> code,
      CodeObject::load(std::as_bytes(std::span<const char>(compiled.object))));
  loaded.run = [code](const CompiledKernel &kernel, void *const *buffers,
                      unsigned numRanges) {
    return runInRanges(*code, kernel, buffers, numRanges);
  };
  return loaded;
}
