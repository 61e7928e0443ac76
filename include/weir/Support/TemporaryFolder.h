//===- TemporaryFolder.h - A folder of this user alone ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_TEMPORARYFOLDER_H
#define WEIR_SUPPORT_TEMPORARYFOLDER_H

#include "weir/Support/Status.h"

#include <string>
#include <string_view>

namespace weir {

/// A new folder that only this user can read or write, independently of the
/// umask of the process. The destructor removes it with its contents.
class TemporaryFolder {
public:
  /// Makes a folder in $TMPDIR, or else in /tmp. Its name begins with `prefix`.
  /// Fails if no folder can be made there.
  static StatusOr<TemporaryFolder> make(std::string_view prefix);

  TemporaryFolder(TemporaryFolder &&other) noexcept;
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;
  ~TemporaryFolder();

  const std::string &path() const { return folder; }
  /// The path of the file `name` in it.
  std::string file(std::string_view name) const;

private:
  explicit TemporaryFolder(std::string folder) : folder(std::move(folder)) {}

  /// The path; empty after the object was moved from.
  std::string folder;
};

} // namespace weir

#endif // WEIR_SUPPORT_TEMPORARYFOLDER_H
