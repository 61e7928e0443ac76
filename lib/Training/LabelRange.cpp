//===- LabelRange.cpp - Where the labels of a batch are from --------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "LabelRange.h"

#include "weir/Support/Printable.h"

#include <fmt/format.h>

using namespace weir;

Status weir::withLabels(Status error, const Loader &loader,
                        const Batch &batch) {
  if (error.code() != StatusCode::InvalidArgument)
    return error;
  std::string text(error.message());
  const std::span<const HostTensor> tensors = batch.tensors();
  for (size_t column = 0; column < tensors.size(); ++column) {
    const HostTensor &tensor = tensors[column];
    const ColumnInfo &info = loader.columns()[column];
    if (isFloat(tensor.type()) || tensor.type() == DType::I1 ||
        tensor.desc().numElements() != tensor.dims().front())
      continue;
    int64_t least = 0, largest = 0;
    const auto value = [&](int64_t row) {
      return loadInt(tensor.type(), tensor.data(), row);
    };
    for (int64_t row = 1; row < batch.count(); ++row) {
      least = value(row) < value(least) ? row : least;
      largest = value(row) > value(largest) ? row : largest;
    }
    text += fmt::format("; column '{}' of this batch has numbers from {} ({}) "
                        "to {} ({})",
                        printable(info.name), value(least),
                        loader.placeOf(batch, column, least), value(largest),
                        loader.placeOf(batch, column, largest));
  }
  return Status(error.code(), std::move(text));
}
