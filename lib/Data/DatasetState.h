//===- DatasetState.h - The columns and rows of a dataset -------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DATA_DATASETSTATE_H
#define WEIR_LIB_DATA_DATASETSTATE_H

#include "ColumnSource.h"
#include "ExampleStep.h"
#include "RowView.h"
#include "StepChain.h"

#include "weir/Data/Dataset.h"

#include <memory>
#include <string>
#include <vector>

namespace weir {

/// A column: the source of its rows, the rows that the dataset has, and the
/// steps that are applied to each row.
struct DatasetColumn {
  std::shared_ptr<const ColumnSource> source;
  RowView view;
  StepChain steps;

  /// Writes example `index` of the dataset to `to`. What random steps draw
  /// depends on the number of the row in the source.
  Status read(int64_t index, const DrawKey &key, std::byte *to,
              ReadScratch &scratch) const;
  ExampleType example() const;
};

class DatasetState {
public:
  std::vector<ColumnInfo> infos;
  /// The columns, in the order of `infos`.
  std::vector<DatasetColumn> columns;
  int64_t size = 0;
};

/// A dataset of whole sources. It is an error if there are no sources, if they
/// are not equally long, or if two have the same name.
StatusOr<Dataset>
makeDataset(std::vector<std::string> names,
            std::vector<std::shared_ptr<const ColumnSource>> sources);

} // namespace weir

#endif // WEIR_LIB_DATA_DATASETSTATE_H
