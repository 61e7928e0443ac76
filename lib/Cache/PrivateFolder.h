//===- PrivateFolder.h - Folders and files of one user ----------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_CACHE_PRIVATEFOLDER_H
#define WEIR_LIB_CACHE_PRIVATEFOLDER_H

#include "weir/Cache/CacheFile.h"

#include <string>

namespace weir {

/// Opens the folder `path`. If it does not exist, makes it and the folders
/// above it, for this user alone. It is an error if other users can write to
/// the folder.
StatusOr<OwnedDescriptor> openPrivateFolder(const std::string &path);

struct PrivateFile {
  OwnedDescriptor file;
  /// The reason why the file can only be read; ok if it can be written.
  Status writable;
};

/// Opens the file `name` in `folder`. If it does not exist, makes it for this
/// user alone. It is an error if other users can write to the file. `path` is
/// the path of the folder, for errors.
StatusOr<PrivateFile> openPrivateFile(const OwnedDescriptor &folder,
                                      const std::string &path,
                                      const std::string &name);

} // namespace weir

#endif // WEIR_LIB_CACHE_PRIVATEFOLDER_H
