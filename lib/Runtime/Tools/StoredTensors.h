//===- StoredTensors.h - A folder with a file per tensor ------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_RUNTIME_TOOLS_STOREDTENSORS_H
#define WEIR_LIB_RUNTIME_TOOLS_STOREDTENSORS_H

#include "weir/Support/HostTensor.h"

#include <map>
#include <string>
#include <string_view>

namespace weir {

/// The name without extension of the file for a tensor called `name`. A slash,
/// which file names cannot contain, becomes '_'.
std::string fileStem(std::string_view name);

/// The .npy and .pb files of a folder.
class StoredTensors {
public:
  static StatusOr<StoredTensors> open(const std::string &folder);

  /// Paths by file names without extension.
  const std::map<std::string, std::string, std::less<>> &files() const {
    return paths;
  }

private:
  std::map<std::string, std::string, std::less<>> paths;
};

/// A row-major tensor of the elements at `data`, which are laid out as `desc`
/// says.
StatusOr<HostTensor> gatherTensor(const TensorDesc &desc, const void *data);

} // namespace weir

#endif // WEIR_LIB_RUNTIME_TOOLS_STOREDTENSORS_H
