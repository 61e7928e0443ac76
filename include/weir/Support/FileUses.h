//===- FileUses.h - Checks that a tool overwrites no input ------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A command line may tell a tool to write two things to one file, or to
// overwrite a file that it reads. One check over all files of a call finds
// every such pair before anything is written.
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
  /// Records a file that is read as `what` ("the model"). "-" is standard
  /// input.
  void reads(std::string what, const std::string &path);
  /// Records that the files of all device plug-ins are read, loaded or not.
  void readsPlugins();
  /// Records a file that `what` ("--output y") replaces. "-" is standard
  /// output, which is appended to. `repair` says what to do if two uses with
  /// the same `repair` are of one file.
  void replaces(std::string what, const std::string &path,
                std::string repair = "name another file for one of them");
  /// Records that messages go to standard error.
  void reportsToStandardError();

  /// An error if a file is replaced and also used in another way. Two paths to
  /// one file count as the same file. Targets that are not regular files, such
  /// as a pipe or /dev/null, are ignored, because they lose nothing.
  Status check() const;

private:
  enum class Kind { Read, Replace, Stream };
  struct Use {
    Kind kind;
    std::string what, path, repair;
    /// The identity of the file, which is equal for two paths to one file;
    /// empty if it is not a regular file.
    std::string identity;
  };
  static Status conflict(const Use &first, const Use &second);

  std::vector<Use> uses;
};

} // namespace weir

#endif // WEIR_SUPPORT_FILEUSES_H
