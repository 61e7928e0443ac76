//===- ValueStep.cpp - Arithmetic on the elements of an example -----------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "ValueStep.h"

#include <cassert>
#include <cstring>
#include <limits>
#include <utility>

using namespace weir;

namespace {
/// `value` rounded to `type`.
double roundTo(DType type, double value) {
  uint64_t element = 0;
  storeFloat(type, &element, 0, value);
  return loadFloat(type, &element, 0);
}

bool isWideInteger(DType type) {
  return type == DType::I64 || type == DType::U64;
}

/// Converts between the signed and the unsigned integers of 64 bits. Conversion
/// by a double would lose digits.
int64_t clampSign(DType from, DType to, int64_t value) {
  if (from == to || value >= 0)
    return value;
  return to == DType::U64 ? 0 : std::numeric_limits<int64_t>::max();
}

template <typename T>
void convert(const std::byte *source, float *target, int64_t count) {
  const T *values = reinterpret_cast<const T *>(source);
  for (int64_t i = 0; i < count; ++i)
    target[i] = static_cast<float>(values[i]);
}

void toFloats(DType type, const std::byte *source, float *target,
              int64_t count) {
  switch (type) {
  case DType::F32:
    std::memcpy(target, source, static_cast<size_t>(count) * sizeof(float));
    return;
  case DType::F64:
    return convert<double>(source, target, count);
  case DType::I16:
    return convert<int16_t>(source, target, count);
  case DType::U16:
    return convert<uint16_t>(source, target, count);
  case DType::I32:
    return convert<int32_t>(source, target, count);
  case DType::U32:
    return convert<uint32_t>(source, target, count);
  case DType::I64:
    return convert<int64_t>(source, target, count);
  case DType::U64:
    return convert<uint64_t>(source, target, count);
  default:
    for (int64_t i = 0; i < count; ++i)
      target[i] = static_cast<float>(loadFloat(type, source, i));
  }
}
} // namespace

void ValueStep::cast(DType type) {
  operations.push_back({Operation::Kind::Cast, type, {}});
  to = type;
}

void ValueStep::subtract(std::vector<double> values, ChannelPlace channels) {
  add(Operation::Kind::Subtract, std::move(values), channels);
}

void ValueStep::divide(std::vector<double> values, ChannelPlace channels) {
  add(Operation::Kind::Divide, std::move(values), channels);
}

void ValueStep::add(Operation::Kind kind, std::vector<double> values,
                    ChannelPlace channels) {
  assert(isFloat(to) && "the chain casts before");
  if (values.size() > 1)
    place = channels;
  for (double &value : values)
    value = roundTo(to, value);
  operations.push_back({kind, to, std::move(values)});
}

double ValueStep::evaluate(double value, int64_t channel) const {
  for (const Operation &operation : operations) {
    if (operation.kind == Operation::Kind::Subtract)
      value -= operation.valueOf(channel);
    else if (operation.kind == Operation::Kind::Divide)
      value /= operation.valueOf(channel);
    value = roundTo(operation.type, value);
  }
  return value;
}

void ValueStep::finish() {
  table.clear();
  if (byteSize(from) != 1)
    return;
  const size_t bytes = byteSize(to);
  table.resize(static_cast<size_t>(place.count) * 256 * bytes);
  for (int64_t channel = 0; channel < place.count; ++channel)
    for (int64_t byte = 0; byte < 256; ++byte) {
      const auto element = static_cast<uint8_t>(byte);
      storeFloat(to, table.data(), channel * 256 + byte,
                 evaluate(loadFloat(from, &element, 0), channel));
    }
}

bool ValueStep::isInFloats() const {
  for (const Operation &operation : operations)
    if (operation.type != DType::F32)
      return false;
  return true;
}

Status ValueStep::apply(const std::byte *source, std::byte *target,
                        const StepDraw &draw) const {
  if (!table.empty())
    applyTable(source, target);
  else if (isInFloats())
    applyInFloats(source, reinterpret_cast<float *>(target));
  else
    applyAny(source, target);
  return Status::ok();
}

template <typename T>
static void lookUp(const std::byte *source, std::byte *target, int64_t count,
                   ChannelPlace place, const std::byte *table) {
  T *results = reinterpret_cast<T *>(target);
  const T *row = reinterpret_cast<const T *>(table);
  for (int64_t i = 0; i < count;)
    for (int64_t channel = 0; channel < place.count; ++channel)
      for (int64_t n = 0; n < place.inner; ++n, ++i)
        results[i] = row[channel * 256 + static_cast<uint8_t>(source[i])];
}

void ValueStep::applyTable(const std::byte *source, std::byte *target) const {
  // If there is a single channel, all elements belong to it.
  const ChannelPlace channels =
      place.count == 1 ? ChannelPlace{1, numElements} : place;
  switch (byteSize(to)) {
  case 1:
    return lookUp<uint8_t>(source, target, numElements, channels, table.data());
  case 2:
    return lookUp<uint16_t>(source, target, numElements, channels,
                            table.data());
  case 4:
    return lookUp<uint32_t>(source, target, numElements, channels,
                            table.data());
  default:
    return lookUp<uint64_t>(source, target, numElements, channels,
                            table.data());
  }
}

void ValueStep::applyInFloats(const std::byte *source, float *target) const {
  toFloats(from, source, target, numElements);
  for (const Operation &operation : operations) {
    if (operation.kind == Operation::Kind::Cast)
      continue;
    const bool isSame = operation.values.size() == 1;
    const int64_t channels = isSame ? 1 : place.count;
    const int64_t inner = isSame ? numElements : place.inner;
    for (int64_t i = 0; i < numElements;)
      for (int64_t channel = 0; channel < channels; ++channel, i += inner) {
        const auto value = static_cast<float>(operation.valueOf(channel));
        float *run = target + i;
        if (operation.kind == Operation::Kind::Subtract)
          for (int64_t n = 0; n < inner; ++n)
            run[n] -= value;
        else
          for (int64_t n = 0; n < inner; ++n)
            run[n] /= value;
      }
  }
}

void ValueStep::applyAny(const std::byte *source, std::byte *target) const {
  if (operations.size() == 1 && isWideInteger(from) && isWideInteger(to)) {
    for (int64_t i = 0; i < numElements; ++i)
      storeInt(to, target, i, clampSign(from, to, loadInt(from, source, i)));
    return;
  }
  for (int64_t i = 0; i < numElements; ++i)
    storeFloat(
        to, target, i,
        evaluate(loadFloat(from, source, i), i / place.inner % place.count));
}
