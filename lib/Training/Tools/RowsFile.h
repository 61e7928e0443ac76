//===- RowsFile.h - Outputs for each example, in a file -------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_TOOLS_ROWSFILE_H
#define WEIR_LIB_TRAINING_TOOLS_ROWSFILE_H

#include "weir/Support/HostTensor.h"
#include "weir/Support/OutputFile.h"

#include <optional>
#include <string>
#include <vector>

namespace weir {

/// A file with the rows of an output. An .npy file has them in one array. A
/// file of any other name has CSV text with a line for each row. The file
/// appears as a whole or not at all.
class RowsFile {
public:
  /// `name` is the name of the output, whose rows have `type` and `dims`.
  static StatusOr<RowsFile> create(const std::string &path,
                                   const std::string &name, DType type,
                                   std::vector<int64_t> dims);

  /// Adds the first `count` rows of `tensor`.
  Status add(const HostTensor &tensor, int64_t count);
  Status commit();

private:
  RowsFile(std::string path, DType type, std::vector<int64_t> dims)
      : path(std::move(path)), type(type), dims(std::move(dims)) {}
  Status writeHeader(const std::string &name);
  int64_t rowElements() const;

  std::string path;
  DType type;
  std::vector<int64_t> dims;
  int64_t numRows = 0;
  /// The file of CSV text. Nothing for an .npy file: its header needs the
  /// number of rows, so its rows are first collected in `array`.
  std::optional<OutputFile> text;
  std::vector<std::byte> array;
};

} // namespace weir

#endif // WEIR_LIB_TRAINING_TOOLS_ROWSFILE_H
