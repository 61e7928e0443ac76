//===- BatchErrors.cpp - What examples of a batch have to do with errors --===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "BatchErrors.h"

#include "FiniteChecks.h"
#include "TrainingOption.h"
#include "weir/Support/Counted.h"
#include "weir/Support/Printable.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace weir;

/// Whether `tensor` may have a label for each example.
static bool mayBeLabels(const HostTensor &tensor) {
  return !isFloat(tensor.type()) && tensor.type() != DType::I1 &&
         tensor.desc().numElements() == tensor.dims().front();
}

/// The least and the largest number of the column `column` of `batch`, and the
/// examples that have them.
static std::string describeRange(const Loader &loader, const Batch &batch,
                                 size_t column) {
  const HostTensor &tensor = batch.tensors()[column];
  int64_t least = 0, largest = 0;
  const auto value = [&](int64_t row) {
    return loadInt(tensor.type(), tensor.data(), row);
  };
  for (int64_t row = 1; row < batch.count(); ++row) {
    least = value(row) < value(least) ? row : least;
    largest = value(row) > value(largest) ? row : largest;
  }
  return fmt::format("; column '{}' of this batch has numbers from {} ({}) to "
                     "{} ({})",
                     printable(loader.columns()[column].name), value(least),
                     loader.placeOf(batch, column, least), value(largest),
                     loader.placeOf(batch, column, largest));
}

/// `error` with the columns that may be labels. The error of an op says only
/// that a number is no class.
static Status withLabels(Status error, const Dataset &data,
                         const Loader &loader, const Batch &batch) {
  std::string text(error.message());
  for (size_t column = 0; column < data.columns().size(); ++column) {
    if (!mayBeLabels(batch.tensors()[column]))
      continue;
    const ColumnInfo &info = data.columns()[column];
    // The number of a class follows from all names, so any name may be the
    // wrong one.
    text += info.classes.empty()
                ? describeRange(loader, batch, column)
                : fmt::format("; column '{}' has {}", printable(info.name),
                              data.describeClasses(column));
  }
  return Status(error.code(), std::move(text));
}

Status weir::withExamples(Status error, const Dataset &data,
                          const Loader &loader, const Batch &batch) {
  // The check of all results (--check-numerics) fails with this code.
  if (error.code() == StatusCode::Internal)
    return Status(error.code(), std::string(error.message()) +
                                    describeNonFinite(loader, batch));
  return error.code() == StatusCode::InvalidArgument
             ? withLabels(std::move(error), data, loader, batch)
             : error;
}

std::string weir::describeNonFinite(const Loader &loader, const Batch &batch) {
  const std::span<const HostTensor> tensors = batch.tensors();
  for (size_t column = 0; column < tensors.size(); ++column) {
    const HostTensor &tensor = tensors[column];
    if (countNonFinite(tensor) == 0)
      continue;
    const int64_t row = findFirstNonFinite(tensor) * tensor.dims().front() /
                        tensor.desc().numElements();
    return fmt::format("; column '{}' of this batch has a NaN or infinity ({})",
                       printable(loader.columns()[column].name),
                       loader.placeOf(batch, column, row));
  }
  return "";
}

std::string weir::describeCause(const Loader &loader, const Batch &batch,
                                OptionNames names) {
  std::string example = describeNonFinite(loader, batch);
  return example.empty() ? "; " + suggestCheck(names) : example;
}

void NonFiniteBatches::add(std::span<const std::string> names,
                           std::span<const double> values, const Loader &loader,
                           const Batch &batch) {
  ++numBatches;
  const auto found = std::ranges::find_if_not(
      values, [](double each) { return std::isfinite(each); });
  if (found == values.end() || numFound++ > 0)
    return;
  value =
      fmt::format("'{}' is {}",
                  printable(names[static_cast<size_t>(found - values.begin())]),
                  std::isnan(*found) ? "NaN" : "infinite");
  place = loader.placeOf(batch, 0, 0);
  cause = describeCause(loader, batch, optionNames);
}

std::string NonFiniteBatches::describe() const {
  if (numFound == 0)
    return "";
  return fmt::format(
      "{} in {} of {}, first in the one that begins with {}{}", value, numFound,
      counted(static_cast<uint64_t>(numBatches), "batch", "es"), place, cause);
}
