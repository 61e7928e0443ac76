//===- SafeTensors.h - Named tensors in a safetensors file -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_SAFETENSORS_H
#define WEIR_SUPPORT_SAFETENSORS_H

#include "weir/Support/MappedFile.h"
#include "weir/Support/RegularFile.h"
#include "weir/Support/Status.h"
#include "weir/Support/TensorDesc.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// A tensor that is written or was read. The `bytes` of a tensor that was read
/// may have any alignment.
struct NamedTensor {
  std::string name;
  /// The type, row-major.
  TensorDesc desc;
  std::span<const std::byte> bytes;
};

/// A safetensors file whose offsets have all been checked. Its tensors live as
/// long as this object. Moving the object does not affect them.
class SafeTensors {
public:
  struct Entry {
    std::string name;
    /// The type as spelled in the file: "F32".
    std::string typeName;
    /// The element type; nothing if Weir does not have it.
    std::optional<DType> type;
    std::vector<int64_t> dims;
    /// The offset of the first byte in the file, and the number of bytes.
    uint64_t begin = 0, size = 0;
    /// The bytes, if the file is mapped. If it is read, this is empty, and
    /// `tensor` returns the bytes.
    std::span<const std::byte> bytes = {};
  };

  /// Maps the file. Nobody may change it while this object lives.
  static StatusOr<SafeTensors> open(const std::string &path);
  /// Reads the header now, and each tensor when `tensor` is called. So opening
  /// a file takes no memory for its tensors. A file that gets shorter is an
  /// error.
  static StatusOr<SafeTensors> read(const std::string &path);
  static StatusOr<SafeTensors> fromBytes(std::span<const std::byte> bytes);

  /// The tensors by name.
  const std::map<std::string, Entry, std::less<>> &entries() const {
    return tensors;
  }
  /// The free key-value texts of the header.
  const std::map<std::string, std::string> &metadata() const { return texts; }

  /// The tensor `name`. If it does not exist, or its element type is not one of
  /// Weir's, the error lists the tensors of the file. If the file is read and
  /// not mapped, only one thread at a time may call this. A further call for
  /// the same tensor reads it again, into the same memory.
  StatusOr<NamedTensor> tensor(std::string_view name) const;
  /// The type of that tensor, with the same errors. Reads no tensor.
  StatusOr<TensorDesc> desc(std::string_view name) const;

private:
  explicit SafeTensors(MappedFile file) : file(std::move(file)) {}
  static StatusOr<SafeTensors> load(MappedFile file);
  Status parse(uint64_t fileBytes);
  Status parseHeader(std::string_view header, uint64_t dataBegin,
                     uint64_t dataBytes);

  /// A file whose tensors are read when they are asked for.
  struct Unread {
    RegularFile file;
    std::string path;
    /// The memory of the tensors that were read, by name.
    mutable std::map<std::string, MappedFile, std::less<>> memory = {};

    StatusOr<std::span<const std::byte>> fetch(const Entry &entry) const;
  };

  /// All bytes of the file if it is mapped, or only its header if it is read.
  MappedFile file;
  /// The file, if its tensors are read when they are needed.
  std::optional<Unread> unread;
  std::map<std::string, Entry, std::less<>> tensors;
  std::map<std::string, std::string> texts;
};

/// Writes `tensors` as the safetensors file `path`. The file appears as a whole
/// or not at all. The bytes of the file do not depend on the order of
/// `tensors`.
Status
writeSafeTensors(const std::string &path, std::vector<NamedTensor> tensors,
                 const std::map<std::string, std::string> &metadata = {});

} // namespace weir

#endif // WEIR_SUPPORT_SAFETENSORS_H
