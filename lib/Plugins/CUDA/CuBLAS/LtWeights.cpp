//===- LtWeights.cpp - Weights of products -------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LtWeights.h"

#include "weir/Support/Alignment.h"

#include <cstring>
#include <fmt/format.h>

using namespace weir;

/// GPUs read 16 bytes at a time.
static constexpr uint64_t columnAlignment = 16;

StatusOr<const void *> weir::padWeights(LtProduct &product,
                                        CudaPrepareContext &context) {
  LtMatrix &weights = product.a;
  const auto number = static_cast<int>(product.aBuffer);
  const auto elementBytes = static_cast<uint64_t>(byteSize(weights.type));
  const uint64_t stepBytes = static_cast<uint64_t>(weights.step) * elementBytes;
  const uint64_t padded = alignTo(stepBytes, columnAlignment);
  const bool isOne = product.parts.size() == 1 && weights.batchStep == 0;
  if (padded == stepBytes || !isOne || !context.isConstant(number))
    return static_cast<const void *>(nullptr);
  const auto columns = static_cast<uint64_t>(weights.columns);
  const uint64_t columnBytes =
      static_cast<uint64_t>(weights.rows) * elementBytes;
  const auto pack = [&](ConstantReader &from, void *to) -> Status {
    for (uint64_t i = 0; i < columns; ++i) {
      WEIR_ASSIGN_OR_RETURN(const void *column,
                            from.read(i * stepBytes, columnBytes));
      std::memcpy(static_cast<std::byte *>(to) + i * padded, column,
                  columnBytes);
    }
    return Status::ok();
  };
  const std::string key = fmt::format(
      "{} columns of {} {} at a distance of {} bytes, before {}", columns,
      weights.rows, toString(weights.type), padded, stepBytes);
  WEIR_ASSIGN_OR_RETURN(
      const void *packed,
      context.packedOperand(number, key, columns * padded, pack));
  weights.step = static_cast<int64_t>(padded / elementBytes);
  return packed;
}
