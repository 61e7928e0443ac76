//===- DataText.h - Datasets and maps on the command line ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// docs/data.md has the grammar. A text can be parsed without opening a file, so
// a tool can refuse a malformed option before any work.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DATA_DATATEXT_H
#define WEIR_DATA_DATATEXT_H

#include "weir/Data/Dataset.h"
#include "weir/Data/MapSteps.h"
#include "weir/Support/Status.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir {

/// The columns of one file or folder: "y=digits.npz:labels",
/// "x=iris.csv:0-3:header=no", "images/:size=32x32".
struct DataItem {
  /// The name of the column in the dataset. Empty: all columns of the file keep
  /// their names.
  std::string name;
  std::string path;
  /// The part of the file: a member of an .npz file, columns of a CSV file
  /// joined by '+', "image" or "label". Empty: the only part, or all parts.
  std::string part;
  /// The options, such as {"header", "no"} for "header=no".
  std::vector<std::pair<std::string, std::string>> options;
};

/// The names of classes in the order of their numbers, by column.
using ColumnClasses = std::map<std::string, std::vector<std::string>>;

/// The steps for a column: "x=scale:255,chw".
struct ColumnMap {
  std::string column;
  std::vector<MapStep> steps;
};

/// Parses "x=digits.npz:images,y=digits.npz:labels". Opens no file.
StatusOr<std::vector<DataItem>> parseDataItems(std::string_view text);
/// Opens the files of `items` and joins their columns. A column of classes gets
/// its classes from `classes`, for example those of the training data. If
/// `classes` does not have the column, its file decides.
StatusOr<Dataset> openDataset(const std::vector<DataItem> &items,
                              const ColumnClasses &classes = {});
/// Parses `text` and opens the dataset.
StatusOr<Dataset> parseDataset(std::string_view text,
                               const ColumnClasses &classes = {});

/// Parses "x=scale:255,normalise:0.13:0.31".
StatusOr<ColumnMap> parseColumnMap(std::string_view text);

} // namespace weir

#endif // WEIR_DATA_DATATEXT_H
