//===- FileUses.h - Does a tool write over what it uses? --------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A tool that takes several files can be told to write two things into one of
// them, or to write over one that it reads. One check over all files of a call
// finds every such pair, before anything is written.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_FILEUSES_H
#define WEIR_SUPPORT_FILEUSES_H

#include "weir/Support/Status.h"

#include <string>
#include <vector>

namespace weir {

/// All files that one call of a tool reads and writes.
class FileUses {
public:
  /// Notes a file that is read as `what` ("the model"). "-" is standard input.
  void reads(std::string what, const std::string &path);
  /// Notes a file that `what` ("--output y") replaces. "-" is standard output,
  /// which is written on from where it is. `repair` is what to do when another
  /// file noted with the same repair is the same file.
  void replaces(std::string what, const std::string &path,
                std::string repair = "name another file for one of them");
  /// Notes that standard error takes messages.
  void reportsToStandardError();

  /// An error if a file is replaced and used in another way too. Files are the
  /// same whatever path leads to them. What is no regular file, such as a pipe
  /// or /dev/null, loses nothing.
  Status check() const;

private:
  enum class Kind { Read, Replace, Stream };
  struct Use {
    Kind kind;
    std::string what, path, repair;
    /// Equal for two paths that lead to one file; empty if it is no regular
    /// file.
    std::string identity;
  };
  static Status conflict(const Use &first, const Use &second);

  std::vector<Use> uses;
};

} // namespace weir

#endif // WEIR_SUPPORT_FILEUSES_H
