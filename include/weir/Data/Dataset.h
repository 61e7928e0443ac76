//===- Dataset.h - Examples for training --------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// A dataset is a table: named columns of equal length, each with the type and
// shape that its examples have. Any row can be read at any time, from any
// thread. So the order of examples, batches and the position at which to resume
// are arithmetic on row numbers. Skipped examples need not be read.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DATA_DATASET_H
#define WEIR_DATA_DATASET_H

#include "weir/Data/MapSteps.h"
#include "weir/Support/HostTensor.h"
#include "weir/Support/Status.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir {

class DatasetState;

/// A column of a dataset: what every example has under this name.
struct ColumnInfo {
  std::string name;
  DType type = DType::F32;
  /// The shape of one example; empty for a single element.
  std::vector<int64_t> dims;
  /// The names of the classes in the order of their numbers, if the source has
  /// names: the folders of images, a CSV column of classes.
  std::vector<std::string> classes;

  bool operator==(const ColumnInfo &) const = default;
};

/// A tensor whose first dim counts examples.
struct NamedColumn {
  std::string name;
  HostTensor values;
};

/// An immutable table of examples. Copies share what they read. Functions that
/// change something return another dataset. All functions may be called on
/// several threads at once.
class Dataset {
public:
  /// A dataset in memory. An error if the columns are not equally long.
  static StatusOr<Dataset> fromTensors(std::vector<NamedColumn> columns);

  /// The columns of all `parts`. An error if the parts are not equally long or
  /// two columns have one name.
  static StatusOr<Dataset> join(const std::vector<Dataset> &parts);

  explicit Dataset(std::shared_ptr<const DatasetState> state)
      : state(std::move(state)) {}

  /// The number of examples.
  int64_t size() const;
  const std::vector<ColumnInfo> &columns() const;
  /// The position of the column `name` in `columns()`.
  StatusOr<size_t> findColumn(std::string_view name) const;

  /// Only the named columns, in that order.
  StatusOr<Dataset> select(const std::vector<std::string> &names) const;
  /// The dataset with another name for a column.
  StatusOr<Dataset> rename(std::string_view from, std::string to) const;

  /// `take` returns the first `count` examples, and `skip` all others. It is an
  /// error if the dataset has fewer than `count`.
  StatusOr<Dataset> take(int64_t count) const;
  StatusOr<Dataset> skip(int64_t count) const;
  /// Splits the dataset into the first `count` examples and the rest.
  StatusOr<std::pair<Dataset, Dataset>> split(int64_t count) const;
  /// The examples in a fixed random order, the same on every machine. Use it
  /// before `split` if the source is sorted by class. A loader shuffles anew in
  /// each epoch by itself.
  Dataset shuffled(uint64_t seed) const;

  /// Applies `steps` to each example of the column `column` when it is read. It
  /// is an error if a step does not fit the type or shape that the step before
  /// it gives.
  StatusOr<Dataset> map(std::string_view column,
                        const std::vector<MapStep> &steps) const;

  /// Example `index` of one column, as a tensor of its shape. Random steps draw
  /// as in epoch 0 with the seed 0.
  StatusOr<HostTensor> read(size_t column, int64_t index) const;

  /// Describes the classes for an error: "3 classes: 'ant' (2 examples, first
  /// in 't.csv', line 1), ...". The rarest classes come first, because a
  /// misspelt name is rare. All examples are read. The column must have classes
  /// and single numbers.
  std::string describeClasses(size_t column) const;

private:
  friend class BatchAssembler;
  std::shared_ptr<const DatasetState> state;
};

} // namespace weir

#endif // WEIR_DATA_DATASET_H
