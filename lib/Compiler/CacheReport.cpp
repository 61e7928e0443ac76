//===- CacheReport.cpp - Reports what the kernel cache did ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CacheReport.h"

#include "weir/Support/Counted.h"

#include <fmt/format.h>

using namespace weir;

std::string weir::describeCache(const KernelCacheReport &report) {
  const std::string compiled =
      counted(static_cast<uint64_t>(report.compiled), "generated kernel");
  std::string text = report.folder.empty()
                         ? fmt::format("{} compiled without a cache", compiled)
                         : fmt::format("{} compiled, {} found in {}", compiled,
                                       report.found, report.folder);
  text += (report.note.empty() ? "" : " (" + report.note + ")") + "\n";
  if (!report.gpuImages.empty())
    text += "GPU code: " + report.gpuImages + "\n";
  return text;
}

llvm::json::Object weir::describeCacheJson(const KernelCacheReport &report) {
  llvm::json::Object object{{"folder", report.folder},
                            {"found", report.found},
                            {"compiled", report.compiled},
                            {"note", report.note}};
  if (!report.gpuImages.empty())
    object["gpu_code"] = report.gpuImages;
  return object;
}
