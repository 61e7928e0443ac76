//===- StoredTensors.cpp - A folder with a file per tensor ----------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "StoredTensors.h"

#include "weir/Support/ElementWalk.h"
#include "weir/Support/Printable.h"
#include "weir/Support/SystemError.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

using namespace weir;

std::string weir::fileStem(std::string_view name) {
  std::string stem(name);
  std::replace(stem.begin(), stem.end(), '/', '_');
  return stem;
}

StatusOr<StoredTensors> StoredTensors::open(const std::string &folder) {
  StoredTensors stored;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end;
       !error && at != end; at.increment(error)) {
    const std::filesystem::path &path = at->path();
    if (path.extension() != ".npy" && path.extension() != ".pb")
      continue;
    auto [other, isNew] =
        stored.paths.emplace(path.stem().string(), path.string());
    if (!isNew)
      return invalidArgument(
          fmt::format("'{}' and '{}' are of one tensor; remove one of them",
                      printable(other->second), printable(path.string())));
  }
  if (error)
    return systemError(fmt::format("cannot list the folder '{}'", folder),
                       error.value());
  if (stored.paths.empty())
    return notFound(fmt::format(
        "the folder '{}' has no NAME.npy or NAME.pb; store a tensor per file, "
        "or make a set with --dump-tensors",
        printable(folder)));
  return stored;
}

StatusOr<HostTensor> weir::gatherTensor(const TensorDesc &desc,
                                        const void *data) {
  WEIR_ASSIGN_OR_RETURN(HostTensor tensor,
                        HostTensor::zeros(desc.type, desc.dims));
  const size_t size = byteSize(desc.type);
  const auto *from = static_cast<const std::byte *>(data);
  auto *to = static_cast<std::byte *>(tensor.data());
  for (ElementWalk walk(desc.dims, desc.strides); !walk.atEnd(); walk.next()) {
    std::memcpy(to, from + walk.offset() * static_cast<int64_t>(size), size);
    to += size;
  }
  return tensor;
}
