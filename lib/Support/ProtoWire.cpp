//===- ProtoWire.cpp - Reads the wire format of protocol buffers ----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/ProtoWire.h"

#include <bit>
#include <cstring>
#include <fmt/format.h>

using namespace weir;

/// The deepest nesting, as in protobuf's own readers.
static constexpr uint32_t maxDepth = 100;

static std::string_view nameOf(WireType type) {
  switch (type) {
  case WireType::Varint:
    return "a number";
  case WireType::Fixed64:
    return "eight bytes";
  case WireType::Bytes:
    return "text, bytes or a message";
  case WireType::Fixed32:
    return "four bytes";
  }
  return "of no type";
}

Status WireField::expect(WireType wanted) const {
  if (type == wanted)
    return Status::ok();
  return dataLoss(fmt::format("the file is damaged: field {} of a message is "
                              "{}, expected {}",
                              number, nameOf(type), nameOf(wanted)));
}

WireReader::WireReader(std::span<const std::byte> message, uint32_t depth)
    : rest(message), total(message.size()), depth(depth) {
  if (depth > maxDepth)
    fail(fmt::format("messages are nested deeper than {} levels", maxDepth));
}

bool WireReader::fail(std::string_view what) {
  if (failure.isOk())
    failure = dataLoss(
        fmt::format("the file is damaged: {} at byte {} of a message of {}",
                    what, total - rest.size(), total));
  rest = {};
  return false;
}

bool WireReader::readVarint(uint64_t &value) {
  value = 0;
  for (int shift = 0; shift < 64 && !rest.empty(); shift += 7) {
    std::byte byte = rest.front();
    rest = rest.subspan(1);
    value |= static_cast<uint64_t>(byte & std::byte{0x7f}) << shift;
    if ((byte & std::byte{0x80}) == std::byte{0})
      return true;
  }
  return fail("a number does not end");
}

bool WireReader::readFixed(size_t size, uint64_t &value) {
  if (rest.size() < size)
    return fail("a number is cut off");
  value = 0;
  for (size_t i = 0; i < size; ++i)
    value |= std::to_integer<uint64_t>(rest[i]) << (8 * i);
  rest = rest.subspan(size);
  return true;
}

bool WireReader::readBytes(std::span<const std::byte> &bytes) {
  uint64_t size;
  if (!readVarint(size))
    return false;
  if (size > rest.size())
    return fail(fmt::format("a field of {} bytes is cut off", size));
  bytes = rest.first(size);
  rest = rest.subspan(size);
  return true;
}

bool WireReader::next(WireField &field) {
  if (rest.empty())
    return false;
  uint64_t tag;
  if (!readVarint(tag))
    return false;
  field = {.number = static_cast<uint32_t>(tag >> 3),
           .type = static_cast<WireType>(tag & 7),
           .depth = depth,
           .value = 0,
           .bytes = {}};
  if (field.number == 0 || tag >> 32 != 0)
    return fail("a field has no valid number");
  switch (field.type) {
  case WireType::Varint:
    return readVarint(field.value);
  case WireType::Fixed64:
    return readFixed(8, field.value);
  case WireType::Bytes:
    return readBytes(field.bytes);
  case WireType::Fixed32:
    return readFixed(4, field.value);
  }
  return fail(fmt::format("field {} is of an unknown kind", field.number));
}

Status weir::read(const WireField &field, int64_t &value) {
  WEIR_RETURN_IF_ERROR(field.expect(WireType::Varint));
  value = static_cast<int64_t>(field.value);
  return Status::ok();
}

Status weir::read(const WireField &field, float &value) {
  WEIR_RETURN_IF_ERROR(field.expect(WireType::Fixed32));
  value = std::bit_cast<float>(static_cast<uint32_t>(field.value));
  return Status::ok();
}

Status weir::read(const WireField &field, std::string_view &value) {
  WEIR_RETURN_IF_ERROR(field.expect(WireType::Bytes));
  value = {reinterpret_cast<const char *>(field.bytes.data()),
           field.bytes.size()};
  return Status::ok();
}

Status weir::read(const WireField &field, std::vector<int64_t> &values) {
  if (field.type != WireType::Varint)
    WEIR_RETURN_IF_ERROR(field.expect(WireType::Bytes));
  auto add = [&](uint64_t value) {
    values.push_back(static_cast<int64_t>(value));
  };
  if (forEachVarint(field, add))
    return Status::ok();
  return dataLoss(
      fmt::format("the file is damaged: the numbers in field {} are cut off",
                  field.number));
}

Status weir::read(const WireField &field, std::vector<float> &values) {
  if (field.type == WireType::Fixed32)
    return read(field, values.emplace_back());
  WEIR_RETURN_IF_ERROR(field.expect(WireType::Bytes));
  if (field.bytes.size() % sizeof(float) != 0)
    return dataLoss(
        fmt::format("the file is damaged: the floats in field {} are cut off",
                    field.number));
  size_t first = values.size();
  values.resize(first + field.bytes.size() / sizeof(float));
  if (!field.bytes.empty())
    std::memcpy(values.data() + first, field.bytes.data(), field.bytes.size());
  return Status::ok();
}

Status weir::read(const WireField &field,
                  std::vector<std::string_view> &values) {
  return read(field, values.emplace_back());
}
