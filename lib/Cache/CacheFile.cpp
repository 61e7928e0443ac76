//===- CacheFile.cpp - A file of entries by key -----------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Cache/CacheFile.h"

#include "EntryTable.h"
#include "PrivateFolder.h"
#include "weir/Support/ContentHash.h"
#include "weir/Support/SystemError.h"

#include <cerrno>
#include <chrono>
#include <fmt/format.h>
#include <span>
#include <sys/file.h>
#include <thread>

using namespace weir;

/// The name of the file. Builds with another layout of the file may use the
/// same folder, so they use another name.
static constexpr const char *fileName = "entries-1";

namespace {
/// A lock on a file as long as this object exists. Other processes can then not
/// write the file or, with an exclusive lock, not even read it.
class FileLock {
public:
  explicit FileLock(int file) : file(file) {}
  FileLock(const FileLock &) = delete;
  ~FileLock() { ::flock(file, LOCK_UN); }

  /// Takes the lock, and waits for it at most a second. A process keeps the
  /// lock for milliseconds, unless it is stopped meanwhile.
  bool take(int kind) {
    constexpr int mostTries = 1000;
    for (int i = 0; ::flock(file, kind | LOCK_NB) != 0; ++i) {
      if ((errno != EWOULDBLOCK && errno != EINTR) || i == mostTries)
        return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

private:
  int file;
};
} // namespace

StatusOr<CacheFile> CacheFile::open(const std::string &folder,
                                    std::string_view maker,
                                    const CacheLimits &limits) {
  WEIR_ASSIGN_OR_RETURN(OwnedDescriptor opened, openPrivateFolder(folder));
  WEIR_ASSIGN_OR_RETURN(PrivateFile made,
                        openPrivateFile(opened, folder, fileName));
  CacheFile cache(folder, contentHash(std::as_bytes(std::span(maker))), limits,
                  std::move(made.file), std::move(made.writable));
  const auto kind = EntryTable::identify(cache.file.get(), limits);
  if (kind == EntryTable::Kind::Foreign)
    return dataLoss(fmt::format("'{}' is not used: it is no cache of kernels, "
                                "or it is damaged; remove it",
                                cache.getPath()));
  if (kind == EntryTable::Kind::New &&
      !EntryTable::begin(cache.file.get(), limits))
    return systemError(fmt::format("cannot write to '{}'", cache.getPath()));
  return cache;
}

std::string CacheFile::getPath() const { return folder + "/" + fileName; }

std::string
CacheFile::keyOf(std::initializer_list<std::string_view> parts) const {
  std::string text;
  auto append = [&](std::string_view part) {
    text += fmt::format("{}:", part.size());
    text += part;
  };
  append(maker);
  for (std::string_view part : parts)
    append(part);
  return contentHash(std::as_bytes(std::span(text)));
}

void CacheFile::report(Status status) {
  if (firstProblem.isOk())
    firstProblem = std::move(status);
}

void CacheFile::leaveAlone() {
  report(systemError(fmt::format("cannot lock '{}'", getPath())));
  isUsable = false;
}

std::optional<std::string> CacheFile::find(const std::string &key) {
  if (!isUsable)
    return std::nullopt;
  FileLock lock(file.get());
  if (!lock.take(LOCK_SH)) {
    leaveAlone();
    return std::nullopt;
  }
  using State = EntryTable::State;
  auto [state, bytes] = EntryTable(file.get(), limits).find(key);
  if (state == State::Damaged)
    report(dataLoss(fmt::format(
        "an entry of '{}' is damaged: its checksum is wrong", getPath())));
  if (state == State::Old && writable.isOk())
    add(key, bytes);
  if (state == State::Old || state == State::Young)
    return std::move(bytes);
  return std::nullopt;
}

void CacheFile::add(const std::string &key, std::string bytes) {
  const auto known = pending.find(key);
  const uint64_t others =
      pendingBytes - (known == pending.end() ? 0 : known->second.size());
  // A compilation that added more would overwrite its own entries.
  if (others + bytes.size() > limits.bytes / 2)
    return;
  pendingBytes = others + bytes.size();
  pending.insert_or_assign(key, std::move(bytes));
}

Status CacheFile::write() const {
  WEIR_RETURN_IF_ERROR(writable);
  if (!EntryTable(file.get(), limits).write(pending))
    return systemError(fmt::format("cannot write to '{}'", getPath()));
  return Status::ok();
}

void CacheFile::flush() {
  if (pending.empty() || !isUsable)
    return;
  FileLock lock(file.get());
  if (!lock.take(LOCK_EX))
    return leaveAlone();
  if (Status status = write(); !status.isOk())
    report(std::move(status));
  pending.clear();
  pendingBytes = 0;
}
