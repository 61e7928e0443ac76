//===- UserCache.cpp - Where a user's kernels are cached --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Cache/UserCache.h"

#include <cstdlib>

using namespace weir;

/// The value of the environment variable if it is an absolute path, or else "".
/// The specification of XDG_CACHE_HOME demands that relative paths are ignored.
static std::string getFolder(const char *variable) {
  const char *value = std::getenv(variable);
  return value && value[0] == '/' ? value : "";
}

StatusOr<std::string> weir::findUserCache() {
  if (const std::string cache = getFolder("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/weir/kernels";
  if (const std::string home = getFolder("HOME"); !home.empty())
    return home + "/.cache/weir/kernels";
  return notFound("neither XDG_CACHE_HOME nor HOME names a folder");
}
