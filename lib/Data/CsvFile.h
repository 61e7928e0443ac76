//===- CsvFile.h - The rows and fields of a CSV file ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DATA_CSVFILE_H
#define WEIR_LIB_DATA_CSVFILE_H

#include "weir/Support/MappedFile.h"
#include "weir/Support/Status.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// A field as it is in the file.
struct CsvField {
  /// Without the quotes around it, but with those in it doubled.
  std::string_view raw;
  bool isQuoted = false;

  std::string text() const;
};

/// A mapped CSV file and where each of its rows begins. Thread-safe.
class CsvFile {
public:
  /// Finds the rows of `path`, and checks that all have as many fields.
  static StatusOr<CsvFile> open(const std::string &path,
                                std::optional<char> separator,
                                std::optional<bool> hasHeader);

  int64_t numRows() const { return static_cast<int64_t>(rowBegins.size()); }
  int64_t numFields() const { return fieldsPerRow; }
  /// The names of the fields; empty without a header.
  const std::vector<std::string> &header() const { return names; }
  const std::string &path() const { return file; }

  /// Calls `use(number, field)` for the first `count` fields of row `row`,
  /// until it returns an error.
  template <typename Function>
  Status forFields(int64_t row, int64_t count, Function use) const {
    size_t at = rowBegins[static_cast<size_t>(row)];
    for (int64_t number = 0; number < count; ++number)
      WEIR_RETURN_IF_ERROR(use(number, takeField(at)));
    return Status::ok();
  }

  /// "'t.csv', line 4". Counts the lines, for errors only.
  std::string describe(int64_t row) const;
  /// "column 2 ('age')".
  std::string describeField(int64_t number) const;

private:
  CsvFile(MappedFile mapped, std::string file)
      : mapped(std::move(mapped)), file(std::move(file)) {}
  Status findRows(std::optional<bool> hasHeader);
  Status scanRow(size_t &at, int64_t &fields);
  Status scanField(size_t &at, int64_t number);
  StatusOr<bool> decideHeader() const;
  CsvField takeField(size_t &at) const;
  char separatorOfFirstRow() const;
  bool isLineEnd(size_t at) const;
  bool isBlank(size_t at) const;
  std::string_view text() const;
  std::string describePlace(size_t at) const;

  MappedFile mapped;
  std::string file;
  char separator = ',';
  int64_t fieldsPerRow = 0;
  std::vector<size_t> rowBegins;
  std::vector<std::string> names;
};

/// The number in `field`, also "inf" and "nan"; nothing if it is none. Blanks
/// around it and a '+' in front of it are accepted.
std::optional<double> parseCsvNumber(const CsvField &field);
std::optional<int64_t> parseCsvInteger(const CsvField &field);

} // namespace weir

#endif // WEIR_LIB_DATA_CSVFILE_H
