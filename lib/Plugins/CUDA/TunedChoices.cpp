//===- TunedChoices.cpp - Keeps what tuning has found --------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "TunedChoices.h"

#include "weir/Cache/CacheFile.h"
#include "weir/Cache/UserCache.h"

#include <map>
#include <mutex>

using namespace weir;

namespace {
/// The choices that the user's cache does not keep. A model with a memory cap
/// is loaded twice, and must get the same choices each time.
struct OwnChoices {
  std::mutex mutex;
  std::map<std::string, std::string> byKey;

  static OwnChoices &get() {
    // Never destroyed, since sessions may be loaded while the process ends.
    static OwnChoices &all = *new OwnChoices;
    return all;
  }
};
} // namespace

static StatusOr<CacheFile> openCache() {
  WEIR_ASSIGN_OR_RETURN(const std::string folder, findUserCache());
  return CacheFile::open(folder, "tuned launches of GPUs");
}

std::optional<std::string> weir::findChoice(const std::string &key,
                                            Status &problem) {
  if (StatusOr<CacheFile> file = openCache(); file.isOk()) {
    std::optional<std::string> found = file->find(file->keyOf({key}));
    // A choice that will soon be overwritten is written again.
    file->flush();
    problem = file->problem();
    if (found)
      return found;
  }
  OwnChoices &own = OwnChoices::get();
  const std::lock_guard lock(own.mutex);
  const auto found = own.byKey.find(key);
  return found == own.byKey.end() ? std::nullopt : std::optional(found->second);
}

static Status writeChoice(const std::string &key, const std::string &choice) {
  WEIR_ASSIGN_OR_RETURN(CacheFile file, openCache());
  file.add(file.keyOf({key}), choice);
  file.flush();
  return file.problem();
}

Status weir::keepChoice(const std::string &key, const std::string &choice) {
  Status written = writeChoice(key, choice);
  if (written.isOk())
    return written;
  OwnChoices &own = OwnChoices::get();
  const std::lock_guard lock(own.mutex);
  own.byKey[key] = choice;
  return written;
}
