//===- OutputFile.h - Files that appear whole or not at all -----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_OUTPUTFILE_H
#define WEIR_SUPPORT_OUTPUTFILE_H

#include "weir/Support/Status.h"

#include <cstddef>
#include <span>
#include <string>

namespace weir {

/// A file being written. The bytes go to a temporary file in the same folder.
/// `commit` renames it to `path`. Without `commit`, or after an error, nothing
/// is left behind and an older file keeps its bytes. "-" is standard output.
/// Standard output and targets that are not regular files (a pipe, /dev/null)
/// are written directly.
class OutputFile {
public:
  static StatusOr<OutputFile> create(const std::string &path);

  OutputFile(OutputFile &&other) noexcept;
  OutputFile &operator=(OutputFile &&) = delete;
  ~OutputFile();

  Status write(std::span<const std::byte> bytes);
  /// Makes the bytes durable and renames the file. This must be the last call.
  Status commit();

private:
  OutputFile(std::string path, std::string temporary, int fd)
      : path(std::move(path)), temporary(std::move(temporary)), fd(fd) {}
  Status failure() const;

  std::string path;
  /// The path of the temporary file; empty if the target is written directly.
  std::string temporary;
  int fd;
};

/// Checks that `path` can be written now, so that callers find out before long
/// work. Changes nothing.
Status checkWritable(const std::string &path);

/// Writes `bytes` as the whole of the file `path`.
Status atomicWriteFile(const std::string &path,
                       std::span<const std::byte> bytes);

} // namespace weir

#endif // WEIR_SUPPORT_OUTPUTFILE_H
