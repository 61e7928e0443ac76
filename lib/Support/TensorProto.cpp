//===- TensorProto.cpp - Tensors as ONNX stores them ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// The message TensorProto in onnx.proto defines the fields. All sizes are
// checked against the number of available bytes before memory is allocated.
//
//===----------------------------------------------------------------------===//

#include "weir/Support/TensorProto.h"

#include "weir/Support/MappedFile.h"
#include "weir/Support/Printable.h"

#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <iterator>

using namespace weir;

static_assert(std::endian::native == std::endian::little,
              "elements are taken over as the file has them");

namespace {
/// The fields for elements that are not raw. Each element type uses one of the
/// fields.
enum Field : uint32_t {
  Floats = 4,
  Ints32 = 5,
  Ints64 = 7,
  Doubles = 10,
  Unsigned64 = 11
};

struct TypeRow {
  std::string_view name;
  std::optional<DType> type;
  uint32_t field = 0;
};
/// The element types. The index of a row is ONNX's number for the type.
const TypeRow typeRows[] = {
    {"undefined", {}},
    {"float", DType::F32, Floats},
    {"uint8", DType::U8, Ints32},
    {"int8", DType::I8, Ints32},
    {"uint16", DType::U16, Ints32},
    {"int16", DType::I16, Ints32},
    {"int32", DType::I32, Ints32},
    {"int64", DType::I64, Ints64},
    {"string", {}},
    {"bool", DType::I1, Ints32},
    {"float16", DType::F16, Ints32},
    {"double", DType::F64, Doubles},
    {"uint32", DType::U32, Unsigned64},
    {"uint64", DType::U64, Unsigned64},
    {"complex64", {}},
    {"complex128", {}},
    {"bfloat16", DType::BF16, Ints32},
    {"float8e4m3fn", {}},
    {"float8e4m3fnuz", {}},
    {"float8e5m2", {}},
    {"float8e5m2fnuz", {}},
    {"uint4", {}},
    {"int4", {}},
    {"float4e2m1", {}},
};

const TypeRow *findRow(int64_t type) {
  return type >= 0 && type < std::ssize(typeRows) ? &typeRows[type] : nullptr;
}

bool isFixed(uint32_t field) { return field == Floats || field == Doubles; }
size_t fixedSize(uint32_t field) { return field == Floats ? 4 : 8; }
} // namespace

std::optional<DType> weir::fromONNXType(int64_t type) {
  const TypeRow *row = findRow(type);
  return row ? row->type : std::nullopt;
}

std::string_view weir::onnxTypeName(int64_t type) {
  const TypeRow *row = findRow(type);
  return row ? row->name : "unknown";
}

Status StringEntry::set(const WireField &field) {
  switch (field.number) {
  case 1:
    return read(field, key);
  case 2:
    return read(field, value);
  default:
    return Status::ok();
  }
}

Status TensorProto::set(const WireField &field) {
  switch (field.number) {
  case 1:
    return read(field, dims);
  case 2:
    return read(field, elementType);
  case 3:
    hasSegment = true;
    return Status::ok();
  case Floats:
  case Ints32:
  case Ints64:
  case Doubles:
  case Unsigned64:
    chunks.push_back(field);
    return Status::ok();
  case 8:
    return read(field, name);
  case 9:
    hasRaw = true;
    raw = field.bytes;
    return field.expect(WireType::Bytes);
  case 13:
    return read(field, externals);
  case 14:
    return read(field, location);
  default:
    return Status::ok();
  }
}

StatusOr<DType> TensorProto::type() const {
  if (std::optional<DType> type = fromONNXType(elementType))
    return *type;
  return unimplemented(fmt::format(
      "its element type is {} ({}), expected float, double, float16, bfloat16, "
      "int8, uint8, int16, uint16, int32, uint32, int64, uint64 or bool",
      onnxTypeName(elementType), elementType));
}

StatusOr<size_t> TensorProto::byteSize() const {
  WEIR_ASSIGN_OR_RETURN(DType type, this->type());
  if (static_cast<int64_t>(dims.size()) > maxTensorRank)
    return invalidArgument(fmt::format("it has {} dims, expected at most {}",
                                       dims.size(), maxTensorRank));
  return rowMajorBytes(type, dims);
}

std::string_view TensorProto::external(std::string_view key) const {
  for (const StringEntry &entry : externals)
    if (entry.key == key)
      return entry.value;
  return {};
}

std::optional<std::span<const std::byte>> TensorProto::plainBytes() const {
  StatusOr<size_t> size = byteSize();
  if (!size.isOk() || isExternal() || hasSegment ||
      *fromONNXType(elementType) == DType::I1)
    return std::nullopt;
  if (hasRaw)
    return raw.size() == *size ? std::optional(raw) : std::nullopt;
  uint32_t field = findRow(elementType)->field;
  if (!isFixed(field) || chunks.size() != 1 || chunks[0].number != field ||
      chunks[0].type != WireType::Bytes || chunks[0].bytes.size() != *size)
    return std::nullopt;
  return chunks[0].bytes;
}

/// Checks a number of elements. The caller adds the name of the tensor to the
/// error.
static Status expectCount(size_t found, size_t expected,
                          std::string_view unit) {
  if (found == expected)
    return Status::ok();
  return dataLoss(
      fmt::format("it holds {} {}, expected {}; the file is damaged or cut off",
                  found, unit, expected));
}

/// The number of elements in field `number`.
StatusOr<size_t> TensorProto::countElements(uint32_t number) const {
  size_t count = 0;
  auto countOne = [&](uint64_t) { ++count; };
  for (const WireField &chunk : chunks) {
    if (chunk.number != number)
      continue;
    if (!isFixed(number)) {
      if (chunk.type != WireType::Varint)
        WEIR_RETURN_IF_ERROR(chunk.expect(WireType::Bytes));
      if (!forEachVarint(chunk, countOne))
        return dataLoss("the file is damaged: the elements of a tensor are cut "
                        "off");
    } else if (chunk.type == WireType::Bytes) {
      count += chunk.bytes.size() / fixedSize(number);
    } else {
      WEIR_RETURN_IF_ERROR(chunk.expect(number == Floats ? WireType::Fixed32
                                                         : WireType::Fixed64));
      ++count;
    }
  }
  return count;
}

/// Stores the elements of field `number` in `tensor`. The field and the tensor
/// have the same number of elements.
void TensorProto::storeElements(uint32_t number, HostTensor &tensor) const {
  auto *out = static_cast<std::byte *>(tensor.data());
  int64_t next = 0;
  auto storeOne = [&](uint64_t bits) {
    // f16 and bf16 are stored by their bits.
    if (tensor.type() == DType::F16 || tensor.type() == DType::BF16)
      storeInt(DType::I16, out, next++, static_cast<int64_t>(bits));
    else
      storeInt(tensor.type(), out, next++,
               tensor.type() == DType::I1 ? bits != 0
                                          : static_cast<int64_t>(bits));
  };
  for (const WireField &chunk : chunks) {
    if (chunk.number != number)
      continue;
    if (!isFixed(number)) {
      forEachVarint(chunk, storeOne);
      continue;
    }
    size_t size = fixedSize(number);
    bool isPacked = chunk.type == WireType::Bytes;
    size_t bytes = isPacked ? chunk.bytes.size() / size * size : size;
    const void *from =
        isPacked ? static_cast<const void *>(chunk.bytes.data()) : &chunk.value;
    if (bytes)
      std::memcpy(out, from, bytes);
    out += bytes;
  }
}

StatusOr<HostTensor> TensorProto::decode() const {
  if (isExternal())
    return unimplemented("its elements are in another file, which is read only "
                         "for a model's own tensors; store them inside");
  if (hasSegment)
    return unimplemented(
        "it is one segment of a larger tensor; store it whole");
  WEIR_ASSIGN_OR_RETURN(DType type, this->type());
  WEIR_ASSIGN_OR_RETURN(size_t size, byteSize());
  size_t expected = size / weir::byteSize(type);
  uint32_t field = findRow(elementType)->field;
  size_t found = raw.size() / weir::byteSize(type);
  if (!hasRaw) {
    WEIR_ASSIGN_OR_RETURN(found, countElements(field));
  } else if (raw.size() % weir::byteSize(type) != 0) {
    return expectCount(raw.size(), size, "bytes");
  }
  WEIR_RETURN_IF_ERROR(expectCount(found, expected, "elements"));
  WEIR_ASSIGN_OR_RETURN(HostTensor tensor, HostTensor::zeros(type, dims));
  if (!hasRaw)
    storeElements(field, tensor);
  else if (type == DType::I1)
    for (size_t i = 0; i < size; ++i)
      tensor.bytes()[i] = std::byte{raw[i] != std::byte{0}};
  else if (size)
    std::memcpy(tensor.data(), raw.data(), size);
  return tensor;
}

StatusOr<HostTensor> weir::parseTensorProto(std::span<const std::byte> file) {
  TensorProto tensor;
  WEIR_RETURN_IF_ERROR(readMessage(
      file, 0, [&](const WireField &field) { return tensor.set(field); }));
  return tensor.decode();
}

StatusOr<HostTensor> weir::readTensorProto(const std::string &path) {
  WEIR_ASSIGN_OR_RETURN(MappedFile file, MappedFile::read(path));
  auto tensor = parseTensorProto(file.bytes());
  if (!tensor)
    return std::move(tensor).status().withContext(
        fmt::format("cannot read the tensor in '{}'", printable(path)));
  return tensor;
}
