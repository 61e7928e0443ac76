//===- Sources.h - Datasets in files ------------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// Opening a source checks its structure. Examples are read when they are asked
// for. A source keeps only the offset of each row of a CSV file, and decodes
// images one at a time. Two kinds of data are held in memory as a whole:
// compressed arrays (.gz files and compressed members of .npz files) and arrays
// in Fortran's order. If a file shrinks, reading a row that is gone is an
// error.
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

/// The arrays of the .npz file `path` as columns, which keep their names.
/// `members` lists the arrays to read; empty: all. It is an error if they are
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
  /// Names of classes. A name becomes an i64: its index in the sorted list of
  /// all names in the column.
  Classes,
};

/// A column of the dataset, made of one or more columns of a CSV file.
struct CsvColumn {
  std::string name;
  /// The columns of the file, by their names in its first row or by their
  /// numbers from 0: "4", or a range "0-3". A text that is both a name and a
  /// number is a name. One column gives examples of a single element, and
  /// several give vectors.
  std::vector<std::string> fields;
  CsvType content = CsvType::Numbers;
  DType type = DType::F32;
  /// The names of the classes in the order of their numbers, for example those
  /// of the training data. Any other name in the file is an error. Empty: the
  /// file determines the classes.
  std::vector<std::string> classes = {};
};

struct CsvOptions {
  /// The columns of the dataset. If the list is empty, each column of the file
  /// is a column of numbers in f32, under its name in the first row or "c0",
  /// "c1", ...
  std::vector<CsvColumn> columns;
  /// Whether the first row has the names of the columns. By default it does if
  /// none of its fields is a number, and does not if all its fields are
  /// numbers. If only some fields are numbers, the result is an error that asks
  /// for this option.
  std::optional<bool> hasHeader;
  /// The character between fields. By default it is the first of tab, ';' and
  /// ',' that occurs in the first row.
  std::optional<char> separator;
};

/// The CSV file `path` (RFC 4180): fields may be quoted, lines end in LF or CR
/// LF, and the last one may end at the end of the file. Empty lines at the end
/// are no rows. It is an error if a row has more or fewer fields than the first
/// one.
StatusOr<Dataset> openCsv(const std::string &path,
                          const CsvOptions &options = {});

struct ImageOptions {
  /// The size to which every image is resized, as PIL does it: bilinear, and
  /// with the mean of all covered pixels if the result is smaller. Without a
  /// size, all images must have the size of the first one.
  std::optional<int64_t> height, width;
  /// The number of channels: 1 (grey), 3 (RGB) or 4 (RGBA). 0: as many as the
  /// first image has.
  int channels = 0;
  /// The names of the classes in the order of their numbers, for example those
  /// of the training data. A folder with any other name is an error. Empty: the
  /// folders determine the classes.
  std::vector<std::string> classes = {};
};

/// The folder `path` with one folder of PNG and JPEG files for each class, as
/// columns "image" (u8, [height, width, channels]) and "label" (i64). Classes
/// and files are numbered in the order of their names' bytes.
StatusOr<Dataset> openImages(const std::string &path,
                             const ImageOptions &options = {});

} // namespace weir

#endif // WEIR_DATA_SOURCES_H
