//===- CheckpointFolder.h - The files of a folder of checkpoints ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_CHECKPOINTFOLDER_H
#define WEIR_LIB_TRAINING_CHECKPOINTFOLDER_H

#include "weir/Support/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weir {

/// A folder that nothing but this object may change as long as the object
/// lives.
class CheckpointFolder {
public:
  /// Creates the folder if it does not exist, and removes files that a killed
  /// process has not completed.
  static StatusOr<CheckpointFolder> open(const std::string &path);

  CheckpointFolder(CheckpointFolder &&other) noexcept
      : folder(std::move(other.folder)), fd(std::exchange(other.fd, -1)) {}
  CheckpointFolder &operator=(CheckpointFolder &&) = delete;
  ~CheckpointFolder();

  const std::string &path() const { return folder; }
  /// "step-00000100.safetensors" in the folder.
  std::string fileOf(int64_t step) const;
  std::string bestFile() const;
  /// The steps for which there is a checkpoint, ascending.
  StatusOr<std::vector<int64_t>> steps() const;
  /// Makes the checkpoint of `step` the best one.
  Status markBest(int64_t step) const;
  /// Removes all but the last `keep` checkpoints.
  Status prune(int64_t keep) const;

private:
  CheckpointFolder(std::string path, int fd)
      : folder(std::move(path)), fd(fd) {}
  Status removeRemains() const;

  std::string folder;
  /// The descriptor of the folder, which is locked.
  int fd;
};

} // namespace weir

#endif // WEIR_LIB_TRAINING_CHECKPOINTFOLDER_H
