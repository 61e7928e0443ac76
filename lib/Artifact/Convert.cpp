//===- Convert.cpp - Between schema types and Support types -*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Artifact/Convert.h"

#include "weir/Support/ContentHash.h"

#include <bit>
#include <span>

using namespace weir;
using namespace weir::artifact;

static_assert(static_cast<int>(ElementType::MAX) == numDTypes - 1,
              "ElementType and DType are numbered alike");
static_assert(std::variant_size_v<AttrValue> ==
                  static_cast<size_t>(AttributeKind::MAX) + 1,
              "AttributeKind and AttrValue are numbered alike");

namespace {
template <typename T>
std::vector<T> toVector(const flatbuffers::Vector<T> *source) {
  return source ? std::vector<T>(source->begin(), source->end())
                : std::vector<T>();
}
} // namespace

TensorDesc weir::artifact::toTensorDesc(const TensorType &type) {
  return {static_cast<DType>(type.element_type()), toVector(type.dims()),
          toVector(type.strides())};
}

AttrMap weir::artifact::toAttrMap(const AttributeVector *attributes) {
  AttrMap map;
  if (!attributes)
    return map;
  for (const Attribute *attribute : *attributes) {
    AttrValue value;
    if (attribute->kind() == AttributeKind::Ints)
      value = toVector(attribute->ints());
    else if (attribute->kind() == AttributeKind::Floats)
      value = toVector(attribute->floats());
    else
      value = attribute->text() ? attribute->text()->str() : std::string();
    map.set(attribute->name()->str(), std::move(value));
  }
  return map;
}

uint64_t weir::artifact::hashFill(DType type, const UniformFill &fill) {
  const uint64_t parts[] = {static_cast<uint64_t>(type), fill.seed,
                            std::bit_cast<uint64_t>(fill.low),
                            std::bit_cast<uint64_t>(fill.high)};
  Checksum checksum;
  checksum.update(std::as_bytes(std::span(parts)));
  return checksum.value();
}

std::unique_ptr<TensorTypeT>
weir::artifact::fromTensorDesc(const TensorDesc &desc) {
  auto type = std::make_unique<TensorTypeT>();
  type->element_type = static_cast<ElementType>(desc.type);
  type->dims = desc.dims;
  type->strides = desc.strides;
  return type;
}

std::vector<std::unique_ptr<AttributeT>>
weir::artifact::fromAttrMap(const AttrMap &attrs) {
  std::vector<std::unique_ptr<AttributeT>> attributes;
  for (const auto &[name, value] : attrs) {
    auto &attribute = attributes.emplace_back(std::make_unique<AttributeT>());
    attribute->name = name;
    attribute->kind = static_cast<AttributeKind>(value.index());
    if (auto *ints = std::get_if<std::vector<int64_t>>(&value))
      attribute->ints = *ints;
    else if (auto *floats = std::get_if<std::vector<double>>(&value))
      attribute->floats = *floats;
    else
      attribute->text = std::get<std::string>(value);
  }
  return attributes;
}

std::unique_ptr<UniformT> weir::artifact::fromFill(const UniformFill &fill) {
  auto made = std::make_unique<UniformT>();
  made->seed = fill.seed;
  made->low = fill.low;
  made->high = fill.high;
  return made;
}
