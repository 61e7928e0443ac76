//===- CsvFile.h - The rows and fields of a CSV file ------------*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DATA_CSVFILE_H
#define WEIR_LIB_DATA_CSVFILE_H

#include "ColumnSource.h"

#include "weir/Support/DataBytes.h"
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
  /// The text without the quotes around it. Quotes inside of it are still
  /// doubled.
  std::string_view raw;
  bool isQuoted = false;

  std::string text() const;
};

/// A window into the bytes of a file. It moves when bytes outside of it are
/// read.
class CsvWindow {
public:
  explicit CsvWindow(const DataBytes &file) : file(file) {}

  /// The byte at `at`. Nothing at the end of the file, or if the byte cannot be
  /// read.
  std::optional<char> operator[](uint64_t at) {
    if (at - begin >= held.size() && !move(at))
      return std::nullopt;
    return static_cast<char>(held[at - begin]);
  }
  /// Whether a line or the file ends at `at`.
  bool isLineEnd(uint64_t at);
  /// The reason why bytes could not be read. Ok if there was no error.
  const Status &status() const { return failure; }

private:
  bool move(uint64_t at);

  const DataBytes &file;
  std::vector<std::byte> held;
  uint64_t begin = 0;
  Status failure;
};

/// A CSV file, and where each of its rows begins. Thread-safe.
class CsvFile {
public:
  /// Finds the rows of `path`, and checks that all have the same number of
  /// fields.
  static StatusOr<CsvFile> open(const std::string &path,
                                std::optional<char> separator,
                                std::optional<bool> hasHeader);

  int64_t numRows() const { return static_cast<int64_t>(rowBegins.size()) - 1; }
  int64_t numFields() const { return fieldsPerRow; }
  /// The names of the fields; empty without a header.
  const std::vector<std::string> &header() const { return names; }
  const std::string &path() const { return file; }

  /// Reads row `row` into `memory`. Calls `use(number, field)` for its first
  /// `count` fields, until a call returns an error.
  template <typename Function>
  Status forFields(int64_t row, int64_t count, AlignedBytes &memory,
                   Function use) const {
    WEIR_ASSIGN_OR_RETURN(const std::string_view text, readRow(row, memory));
    size_t at = 0;
    for (int64_t number = 0; number < count; ++number)
      WEIR_RETURN_IF_ERROR(use(number, takeField(text, at)));
    return Status::ok();
  }

  /// The place of a row: "'t.csv', line 4". The function counts lines, which is
  /// slow. So it is only for errors.
  std::string describe(int64_t row) const;
  /// A field in errors: "column 2 ('age')", or "column 2 (counted from 0)"
  /// without a header.
  std::string describeField(int64_t number) const;
  /// The hint in an error that another separator may be meant. Empty if nothing
  /// suggests that.
  std::string_view offerSeparator() const { return otherSeparator; }

private:
  CsvFile(DataBytes bytes, std::string file)
      : bytes(std::move(bytes)), file(std::move(file)) {}
  Status checkText() const;
  StatusOr<char> separatorOfFirstRow() const;
  Status findRows(std::optional<bool> hasHeader);
  Status scanRow(CsvWindow &text, uint64_t &at, int64_t &fields);
  Status scanField(CsvWindow &text, uint64_t &at, int64_t number);
  Status findSeparator();
  Status takeHeader(std::optional<bool> hasHeader);
  StatusOr<bool> decideHeader() const;
  Status checkNames() const;
  StatusOr<std::string_view> readRow(int64_t row, AlignedBytes &memory) const;
  CsvField takeField(std::string_view text, size_t &at) const;
  std::string describePlace(uint64_t at) const;

  DataBytes bytes;
  std::string file;
  char separator = ',';
  int64_t fieldsPerRow = 0;
  /// The result of `offerSeparator`. It is set if rows have one field, and the
  /// text of that field contains other separators.
  std::string_view otherSeparator;
  /// The offset of each row, and the offset behind the last row.
  std::vector<uint64_t> rowBegins;
  std::vector<std::string> names;
};

/// The number in `field`, including "inf" and "nan". Nothing if the field is
/// not a number. Blanks around the number and a '+' in front of it are
/// accepted.
std::optional<double> parseCsvNumber(const CsvField &field);
std::optional<int64_t> parseCsvInteger(const CsvField &field);

} // namespace weir

#endif // WEIR_LIB_DATA_CSVFILE_H
