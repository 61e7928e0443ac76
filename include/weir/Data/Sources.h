//===- Sources.h - Datasets in files ------------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Opening a source checks its structure. Examples are read when they are asked
// for: of a CSV file only the place of each row is kept, and images are decoded
// one at a time. Only what is compressed as a whole (.gz, members of .npz that
// are not just stored) and arrays in Fortran's order are held in memory. A file
// that shrinks is an error of the rows that it lacks.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DATA_SOURCES_H
#define WEIR_DATA_SOURCES_H

#include "weir/Data/Dataset.h"
#include "weir/Support/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weir {

/// The .npy file `path` as one column. Its first dim counts examples.
StatusOr<Dataset> openNpy(const std::string &path,
                          const std::string &column = "x");

/// The arrays of the .npz file `path`, each a column with the name that it has
/// in the file. `members` says which; all if it is empty. An error if they are
/// not equally long.
StatusOr<Dataset> openNpz(const std::string &path,
                          const std::vector<std::string> &members = {});

/// The file `path` in the format of MNIST (IDX), also compressed with gzip.
StatusOr<Dataset> openIdx(const std::string &path,
                          const std::string &column = "x");

/// What the columns of a CSV file hold.
enum class CsvType {
  /// Numbers of the type `CsvColumn::type`.
  Numbers,
  /// Names of classes. Each becomes its place, an i64, in the sorted list of
  /// all names of the column.
  Classes,
};

/// A column of the dataset, made of one or more columns of a CSV file.
struct CsvColumn {
  std::string name;
  /// The columns of the file: their names in its first row, or their numbers
  /// counted from 0, "4" or a range "0-3". A name comes before a number. One
  /// column makes examples of a single element, several a vector.
  std::vector<std::string> fields;
  CsvType content = CsvType::Numbers;
  DType type = DType::F32;
  /// The names of the classes in the order of their numbers, such as those of
  /// the training data. Another name in the file is an error. Empty: those of
  /// the file.
  std::vector<std::string> classes = {};
};

struct CsvOptions {
  /// Empty: each column of the file is a column of numbers in f32, under its
  /// name in the first row or "c0", "c1", ...
  std::vector<CsvColumn> columns;
  /// Whether the first row has the names of the columns. By default it has if
  /// none of its fields is a number, and has not if all are numbers; anything
  /// else is an error that asks.
  std::optional<bool> hasHeader;
  /// What stands between fields. By default it is the first of tab, ';' and ','
  /// that is in the first row.
  std::optional<char> separator;
};

/// The CSV file `path` (RFC 4180): fields may be quoted, lines end in LF or
/// CR LF, and the last one may end at the end of the file. Empty lines at the
/// end are no rows. An error if a row has more or fewer fields than the first.
StatusOr<Dataset> openCsv(const std::string &path,
                          const CsvOptions &options = {});

struct ImageOptions {
  /// What every image is resized to (bilinear, with all pixels that a smaller
  /// one covers, as PIL does). Without a size all must be equally large, and
  /// the first image says how large.
  std::optional<int64_t> height, width;
  /// 1 (grey), 3 (RGB) or 4 (RGBA); 0: as the first image has.
  int channels = 0;
  /// The names of the classes in the order of their numbers, such as those of
  /// the training data. Another folder is an error. Empty: those of the folder.
  std::vector<std::string> classes = {};
};

/// The folder `path` with one folder of PNG and JPEG files for each class, as
/// columns "image" (u8, [height, width, channels]) and "label" (i64). Classes
/// and files are numbered in the order of their names' bytes.
StatusOr<Dataset> openImages(const std::string &path,
                             const ImageOptions &options = {});

} // namespace weir

#endif // WEIR_DATA_SOURCES_H
