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

/// One column: the source of its rows, the rows that the dataset has, and the
/// steps that are applied to each.
struct DatasetColumn {
  std::shared_ptr<const ColumnSource> source;
  RowView view;
  StepChain steps;

  /// Writes example `index` of the dataset to `to`. Random steps draw numbers
  /// by the row in the source.
  Status read(int64_t index, const DrawKey &key, std::byte *to,
              ReadScratch &scratch) const;
  ExampleType example() const;
};

class DatasetState {
public:
  std::vector<ColumnInfo> infos;
  /// The columns that `infos` describes, in the same order.
  std::vector<DatasetColumn> columns;
  int64_t size = 0;
};

/// A dataset of whole sources. An error if they are not equally long, two have
/// one name, or there are none.
StatusOr<Dataset>
makeDataset(std::vector<std::string> names,
            std::vector<std::shared_ptr<const ColumnSource>> sources);

} // namespace weir

#endif // WEIR_LIB_DATA_DATASETSTATE_H
