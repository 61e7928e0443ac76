//===- ColumnSource.h - Where the rows of a column come from ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DATA_COLUMNSOURCE_H
#define WEIR_LIB_DATA_COLUMNSOURCE_H

#include "AlignedBytes.h"

#include "weir/Support/DType.h"
#include "weir/Support/HostTensor.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weir {

/// The type and shape of the examples of a column.
struct ExampleType {
  DType type = DType::F32;
  std::vector<int64_t> dims;

  bool operator==(const ExampleType &) const = default;
};

/// Memory that one thread uses to read examples. It grows until the largest
/// example fits, and is reused.
struct ReadScratch {
  AlignedBytes first, second;
  /// Memory for intermediate data of a source.
  AlignedBytes file, pixels, columns;
};

/// Rows of one type and shape. All functions are thread-safe.
class ColumnSource {
public:
  virtual ~ColumnSource() = default;

  const ExampleType &example() const { return exampleType; }
  int64_t numRows() const { return rows; }
  size_t exampleBytes() const { return bytes; }

  /// Writes the `exampleBytes()` bytes of row `row`.
  virtual Status read(int64_t row, std::byte *to,
                      ReadScratch &scratch) const = 0;
  /// The bytes of row `row`, or null if they are not in memory in the form of
  /// an example.
  virtual const std::byte *peek(int64_t row) const { return nullptr; }
  /// The place of a row, for errors about its values: "'t.csv', row 3".
  virtual std::string describe(int64_t row) const = 0;
  /// The names of the classes. Empty if elements are not numbers of classes.
  virtual std::vector<std::string> classes() const { return {}; }

protected:
  /// `rowMajorBytes` must have accepted the sizes of the example.
  ColumnSource(ExampleType example, int64_t rows)
      : exampleType(std::move(example)), rows(rows),
        bytes(*rowMajorBytes(exampleType.type, exampleType.dims)) {}

private:
  ExampleType exampleType;
  int64_t rows;
  size_t bytes;
};

} // namespace weir

#endif // WEIR_LIB_DATA_COLUMNSOURCE_H
