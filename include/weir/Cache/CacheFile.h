//===- CacheFile.h - A file of entries by key -------------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A cache is one file. It has a table, in which a key says where its entry
// lies, and a ring of bytes, in which new entries overwrite the oldest entries.
// So the file is never too large, and a compilation writes all its entries at
// once.
//
// Entries become code that programs execute, so a file is used only if nobody
// but its owner can write to it. Processes that share it take turns by a lock.
// Nothing is synced: what a process or a power failure leaves half written has
// a wrong checksum.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_CACHE_CACHEFILE_H
#define WEIR_CACHE_CACHEFILE_H

#include "weir/Support/Status.h"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace weir {

/// The most that a file keeps.
struct CacheLimits {
  uint64_t bytes = uint64_t(128) << 20;
  uint64_t entries = 16384;
};

/// An open file descriptor, or -1.
class OwnedDescriptor {
public:
  explicit OwnedDescriptor(int fd) : fd(fd) {}
  OwnedDescriptor(OwnedDescriptor &&other) noexcept
      : fd(std::exchange(other.fd, -1)) {}
  OwnedDescriptor &operator=(OwnedDescriptor &&other) noexcept {
    std::swap(fd, other.fd);
    return *this;
  }
  ~OwnedDescriptor();

  int get() const { return fd; }
  explicit operator bool() const { return fd >= 0; }

private:
  int fd = -1;
};

/// A file that keeps entries for later processes. Problems with the file are no
/// errors: an entry that cannot be read counts as missing, and an entry that
/// cannot be written is not kept. `problem` says what was wrong. Objects for
/// one file may exist in any number of threads and processes; one object
/// belongs to one thread at a time.
class CacheFile {
public:
  /// Opens the cache in `folder`, and makes the folder and the file if they do
  /// not exist. `maker` is a part of all keys: makers see no entries of each
  /// other.
  static StatusOr<CacheFile> open(const std::string &folder,
                                  std::string_view maker,
                                  const CacheLimits &limits = {});

  /// 32 hexadecimal digits that identify `parts` and the maker.
  std::string keyOf(std::initializer_list<std::string_view> parts) const;

  /// The bytes of the entry `key`, or nothing.
  std::optional<std::string> find(const std::string &key);
  /// Keeps `bytes` as the entry `key` from the next `flush` on, unless they are
  /// too large.
  void add(const std::string &key, std::string bytes);
  /// Writes what was added. Entries that were found and that would soon be
  /// overwritten are written again.
  void flush();

  /// The first problem, with a repair; ok if there was none.
  const Status &problem() const { return firstProblem; }
  const std::string &getFolder() const { return folder; }

private:
  CacheFile(std::string folder, std::string maker, const CacheLimits &limits,
            OwnedDescriptor file, Status writable)
      : folder(std::move(folder)), maker(std::move(maker)), limits(limits),
        file(std::move(file)), writable(std::move(writable)) {}

  std::string getPath() const;
  void report(Status status);
  /// Ends the use of a file that cannot be locked.
  void leaveAlone();
  Status write() const;

  std::string folder;
  /// The hash of the maker.
  std::string maker;
  CacheLimits limits;
  OwnedDescriptor file;
  /// Ok, or why the file can only be read.
  Status writable;
  bool isUsable = true;
  /// What the next `flush` writes, by key.
  std::map<std::string, std::string> pending;
  uint64_t pendingBytes = 0;
  Status firstProblem;
};

} // namespace weir

#endif // WEIR_CACHE_CACHEFILE_H
