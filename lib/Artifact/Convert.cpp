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
static_assert(static_cast<size_t>(artifact::QueueRole::MAX) ==
                  queueRoleNames.size() - 1,
              "both types QueueRole are numbered alike");
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

weir::QueueRole weir::artifact::toQueueRole(artifact::QueueRole role) {
  return static_cast<weir::QueueRole>(role);
}

RandomFill weir::artifact::toFill(const RandomT &fill) {
  if (fill.distribution == Distribution::Normal)
    return NormalFill{fill.seed, fill.low, fill.high};
  return UniformFill{fill.seed, fill.low, fill.high};
}

RandomFill weir::artifact::toFill(const Random &fill) {
  RandomT unpacked;
  fill.UnPackTo(&unpacked);
  return toFill(unpacked);
}

uint64_t weir::artifact::hashFill(DType type, const RandomFill &fill) {
  const std::unique_ptr<RandomT> made = fromFill(fill);
  const uint64_t parts[] = {static_cast<uint64_t>(type), made->seed,
                            std::bit_cast<uint64_t>(made->low),
                            std::bit_cast<uint64_t>(made->high),
                            static_cast<uint64_t>(made->distribution)};
  // Artifacts had uniform fills before other distributions. The hash of a
  // uniform fill must stay the same, so it leaves out the distribution.
  const bool isUniform = made->distribution == Distribution::Uniform;
  Checksum checksum;
  checksum.update(std::as_bytes(std::span(parts).first(isUniform ? 4 : 5)));
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

artifact::QueueRole weir::artifact::fromQueueRole(weir::QueueRole role) {
  return static_cast<artifact::QueueRole>(role);
}

std::unique_ptr<RandomT> weir::artifact::fromFill(const RandomFill &fill) {
  auto made = std::make_unique<RandomT>();
  if (const auto *uniform = std::get_if<UniformFill>(&fill)) {
    made->seed = uniform->seed;
    made->low = uniform->low;
    made->high = uniform->high;
    return made;
  }
  const auto &normal = std::get<NormalFill>(fill);
  made->distribution = Distribution::Normal;
  made->seed = normal.seed;
  made->low = normal.mean;
  made->high = normal.scale;
  return made;
}
