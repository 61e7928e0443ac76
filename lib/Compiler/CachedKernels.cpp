//===- CachedKernels.cpp - The kernel cache of one compilation --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CachedKernels.h"

#include "weir/Cache/UserCache.h"

#include <fmt/format.h>

using namespace weir;

static StatusOr<CacheFile> openFile(const std::string &path) {
  WEIR_ASSIGN_OR_RETURN(std::string build, identifyBuild());
  return CacheFile::open(path, build);
}

CacheFile *CachedKernels::open() {
  if (std::exchange(isOpened, true) || option == "off")
    return get();
  StatusOr<std::string> path = option;
  if (option.empty())
    path = findUserCache();
  if (!path.isOk()) {
    // The note is no warning, because a user without a home folder knows about
    // it.
    note = Status(path.status().code(),
                  fmt::format("{}; name one with --kernel-cache",
                              path.status().message()));
    return nullptr;
  }
  auto opened = openFile(*path);
  if (!opened.isOk()) {
    warning = std::move(opened).status();
    return nullptr;
  }
  file = *std::move(opened);
  return &*file;
}

KernelCacheReport CachedKernels::close(size_t numKernels, size_t numFound) {
  KernelCacheReport report;
  report.found = static_cast<int64_t>(numFound);
  report.compiled = static_cast<int64_t>(numKernels - numFound);
  if (file) {
    file->flush();
    report.folder = file->getFolder();
    warning = file->problem();
  }
  if (!warning.isOk())
    note = Status(warning).withContext("kernel cache");
  report.note = note.message();
  return report;
}
