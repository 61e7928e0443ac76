//===- ProtoWire.h - Reads the wire format of protocol buffers --*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A message in wire format is a sequence of numbered fields. This reader
// returns them one by one and copies nothing: texts, bytes and nested messages
// are views of the file. A message type is a struct with a function
//
//   Status set(const WireField &field);
//
// that passes each known field to `read` and ignores the others. `read` decodes
// the field according to the type of the member.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_SUPPORT_PROTOWIRE_H
#define WEIR_SUPPORT_PROTOWIRE_H

#include "weir/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace weir {

enum class WireType : uint8_t {
  Varint = 0,
  Fixed64 = 1,
  Bytes = 2,
  Fixed32 = 5
};

/// One field of a message.
struct WireField {
  uint32_t number = 0;
  WireType type = WireType::Varint;
  /// The number of messages that enclose the field.
  uint32_t depth = 0;
  /// The value of a varint or fixed field.
  uint64_t value = 0;
  /// The bytes of a length-delimited field.
  std::span<const std::byte> bytes;

  /// Checks that the field has type `wanted`.
  Status expect(WireType wanted) const;
};

/// Iterates over the fields of a message.
class WireReader {
public:
  /// `depth` is the number of messages that enclose this one; too many are an
  /// error.
  explicit WireReader(std::span<const std::byte> message, uint32_t depth = 0);

  /// Reads the next field; false at the end and after an error.
  bool next(WireField &field);
  Status status() const { return failure; }

private:
  bool fail(std::string_view what);
  bool readVarint(uint64_t &value);
  bool readFixed(size_t size, uint64_t &value);
  bool readBytes(std::span<const std::byte> &bytes);

  std::span<const std::byte> rest;
  size_t total;
  uint32_t depth;
  Status failure;
};

/// Passes each field of `message` to `set`, which returns a Status.
template <typename Set>
Status readMessage(std::span<const std::byte> message, uint32_t depth,
                   Set set) {
  WireReader reader(message, depth);
  WireField field;
  while (reader.next(field))
    WEIR_RETURN_IF_ERROR(set(field));
  return reader.status();
}

Status read(const WireField &field, int64_t &value);
Status read(const WireField &field, float &value);
Status read(const WireField &field, std::string_view &value);
/// Repeated fields, packed or not.
Status read(const WireField &field, std::vector<int64_t> &values);
Status read(const WireField &field, std::vector<float> &values);
Status read(const WireField &field, std::vector<std::string_view> &values);

/// A nested message. If it occurs twice, the fields of the second are merged
/// into the first.
template <typename Message>
Status read(const WireField &field, Message &message) {
  WEIR_RETURN_IF_ERROR(field.expect(WireType::Bytes));
  return readMessage(field.bytes, field.depth + 1, [&](const WireField &inner) {
    return message.set(inner);
  });
}
template <typename Message>
Status read(const WireField &field, std::vector<Message> &messages) {
  return read(field, messages.emplace_back());
}
template <typename Message>
Status read(const WireField &field, std::unique_ptr<Message> &message) {
  if (!message)
    message = std::make_unique<Message>();
  return read(field, *message);
}

/// Passes the numbers of a packed field, or the single number of a field that
/// is not packed, to `take`. Returns false if the data is truncated.
template <typename Take> bool forEachVarint(const WireField &field, Take take) {
  if (field.type == WireType::Varint) {
    take(field.value);
    return true;
  }
  uint64_t value = 0;
  int shift = 0;
  for (std::byte byte : field.bytes) {
    if (shift > 63)
      return false;
    value |= static_cast<uint64_t>(byte & std::byte{0x7f}) << shift;
    shift += 7;
    if ((byte & std::byte{0x80}) != std::byte{0})
      continue;
    take(value);
    value = 0;
    shift = 0;
  }
  return shift == 0;
}

} // namespace weir

#endif // WEIR_SUPPORT_PROTOWIRE_H
