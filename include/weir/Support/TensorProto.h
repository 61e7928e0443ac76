//===- TensorProto.h - Tensors as ONNX stores them --------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Reads the message TensorProto of onnx.proto without protobuf: as a file of
// its own (.pb), as an initialiser, or as an attribute.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_TENSORPROTO_H
#define WEIR_SUPPORT_TENSORPROTO_H

#include "weir/Support/HostTensor.h"
#include "weir/Support/ProtoWire.h"

#include <optional>

namespace weir {

/// The element type with ONNX's number `type`; nothing if Weir does not have
/// it.
std::optional<DType> fromONNXType(int64_t type);
/// ONNX's name of the element type: "float", "uint16", ...
std::string_view onnxTypeName(int64_t type);

/// The message StringStringEntryProto.
struct StringEntry {
  std::string_view key, value;

  Status set(const WireField &field);
};

/// A tensor in a message. All views refer to the bytes from which it was read.
class TensorProto {
public:
  std::string_view name;
  std::vector<int64_t> dims;
  /// ONNX's number of the element type.
  int64_t elementType = 0;

  Status set(const WireField &field);

  /// The element type; an error if Weir does not have it.
  StatusOr<DType> type() const;
  /// The bytes of the elements as Weir stores them; an error if the size is
  /// invalid.
  StatusOr<size_t> byteSize() const;

  /// Whether the elements are in another file.
  bool isExternal() const { return location == 1; }
  /// The value of `key`, one of "location", "offset" and "length", of an
  /// external tensor; empty if there is none.
  std::string_view external(std::string_view key) const;

  /// The elements, if the message stores them as Weir does: row-major and
  /// little-endian. Nothing if they must be decoded.
  std::optional<std::span<const std::byte>> plainBytes() const;

  /// The tensor, decoded from the field that holds its elements.
  StatusOr<HostTensor> decode() const;

private:
  StatusOr<size_t> countElements(uint32_t number) const;
  void storeElements(uint32_t number, HostTensor &tensor) const;

  int64_t location = 0;
  bool hasRaw = false;
  bool hasSegment = false;
  std::span<const std::byte> raw;
  /// The fields with elements, except raw data, in their order.
  std::vector<WireField> chunks;
  std::vector<StringEntry> externals;
};

/// Reads the file `path`, which contains one TensorProto.
StatusOr<HostTensor> readTensorProto(const std::string &path);
StatusOr<HostTensor> parseTensorProto(std::span<const std::byte> file);

} // namespace weir

#endif // WEIR_SUPPORT_TENSORPROTO_H
