//===- SafeTensors.h - Named tensors in a safetensors file -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_SAFETENSORS_H
#define WEIR_SUPPORT_SAFETENSORS_H

#include "weir/Support/MappedFile.h"
#include "weir/Support/Status.h"
#include "weir/Support/TensorDesc.h"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// A tensor to be written, or as read: then `bytes` lie in the file and may be
/// at any alignment.
struct NamedTensor {
  std::string name;
  /// Row-major.
  TensorDesc desc;
  std::span<const std::byte> bytes;
};

/// A mapped safetensors file, of which every offset was checked. Its tensors
/// live as long as this object, also when it is moved.
class SafeTensors {
public:
  struct Entry {
    std::string name;
    /// As in the file: "F32".
    std::string typeName;
    /// Nothing when Weir has no such element type.
    std::optional<DType> type;
    std::vector<int64_t> dims;
    std::span<const std::byte> bytes;
  };

  static StatusOr<SafeTensors> open(const std::string &path);
  static StatusOr<SafeTensors> fromBytes(std::span<const std::byte> bytes);

  /// By name.
  const std::map<std::string, Entry, std::less<>> &entries() const {
    return tensors;
  }
  /// The free text pairs of the header.
  const std::map<std::string, std::string> &metadata() const { return texts; }

  /// The tensor `name`; an error that lists what is there when there is none,
  /// or when its element type is not one of Weir's.
  StatusOr<NamedTensor> tensor(std::string_view name) const;

private:
  explicit SafeTensors(MappedFile file) : file(std::move(file)) {}
  static StatusOr<SafeTensors> load(MappedFile file);
  Status parseHeader(std::string_view header, std::span<const std::byte> data);

  MappedFile file;
  std::map<std::string, Entry, std::less<>> tensors;
  std::map<std::string, std::string> texts;
};

/// Writes `tensors` as the safetensors file `path`, which appears whole or not
/// at all. The same tensors give the same bytes in whatever order they come.
Status
writeSafeTensors(const std::string &path, std::vector<NamedTensor> tensors,
                 const std::map<std::string, std::string> &metadata = {});

} // namespace weir

#endif // WEIR_SUPPORT_SAFETENSORS_H
