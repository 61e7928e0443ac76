//===- CsvFile.cpp - The rows and fields of a CSV file --------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// One pass over the file finds where rows begin and checks quotes and numbers
// of fields. So reading a row later can fail only for what is in its fields.
//
//===----------------------------------------------------------------------===//

#include "CsvFile.h"

#include "TextParts.h"

#include "weir/Support/FileKind.h"
#include "weir/Support/Printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

using namespace weir;

std::string CsvField::text() const {
  std::string result;
  for (size_t i = 0; i < raw.size(); ++i) {
    result += raw[i];
    if (isQuoted && raw[i] == '"')
      ++i;
  }
  return result;
}

/// `field` without blanks around it and a '+' in front of it.
static std::string_view trimNumber(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const size_t first = text.find_first_not_of(blanks);
  if (first == text.npos)
    return {};
  text = text.substr(first, text.find_last_not_of(blanks) - first + 1);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-')
    text.remove_prefix(1);
  return text;
}

std::optional<double> weir::parseCsvNumber(const CsvField &field) {
  return parseNumber<double>(trimNumber(field.raw));
}

std::optional<int64_t> weir::parseCsvInteger(const CsvField &field) {
  return parseNumber<int64_t>(trimNumber(field.raw));
}

std::string_view CsvFile::text() const {
  return {reinterpret_cast<const char *>(mapped.bytes().data()),
          mapped.bytes().size()};
}

bool CsvFile::isLineEnd(size_t at) const {
  const std::string_view all = text();
  return at == all.size() || all[at] == '\n' ||
         (all[at] == '\r' && at + 1 < all.size() && all[at + 1] == '\n');
}

/// Whether only ends of lines are left.
bool CsvFile::isBlank(size_t at) const {
  return text().find_first_not_of("\r\n", at) == std::string_view::npos;
}

std::string CsvFile::describePlace(size_t at) const {
  const std::string_view before = text().substr(0, at);
  return fmt::format("'{}', line {}", printable(file),
                     1 + std::count(before.begin(), before.end(), '\n'));
}

std::string CsvFile::describe(int64_t row) const {
  return describePlace(rowBegins[static_cast<size_t>(row)]);
}

std::string CsvFile::describeField(int64_t number) const {
  if (names.empty())
    return fmt::format("column {}", number);
  return fmt::format("column {} ('{}')", number,
                     printable(names[static_cast<size_t>(number)]));
}

StatusOr<CsvFile> CsvFile::open(const std::string &path,
                                std::optional<char> separator,
                                std::optional<bool> hasHeader) {
  WEIR_ASSIGN_OR_RETURN(MappedFile mapped, MappedFile::open(path));
  CsvFile csv(std::move(mapped), path);
  const std::string_view text = csv.text();
  const std::optional<FileKind> kind = recogniseFile(text);
  if (isBinary(text) || (kind && kind != FileKind::MarkedText))
    return invalidArgument(fmt::format(
        "cannot read '{}': expected text (CSV), it is {}", printable(path),
        kind ? weir::describe(*kind) : "binary data"));
  csv.separator = separator.value_or(csv.separatorOfFirstRow());
  try {
    WEIR_RETURN_IF_ERROR(csv.findRows(hasHeader));
  } catch (const std::bad_alloc &) {
    return Status::outOfMemory();
  }
  return csv;
}

char CsvFile::separatorOfFirstRow() const {
  // A name may have a ',' without quotes if another separator is meant.
  constexpr std::string_view candidates = "\t;,";
  const std::string_view all = text();
  size_t found = candidates.size() - 1;
  bool isInQuotes = false;
  for (size_t i = 0; i < all.size() && (isInQuotes || !isLineEnd(i)); ++i) {
    isInQuotes ^= all[i] == '"';
    if (!isInQuotes)
      found = std::min(found, candidates.find(all[i]));
  }
  return candidates[found];
}

Status CsvFile::findRows(std::optional<bool> hasHeader) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  size_t at = text().starts_with(mark) ? mark.size() : 0;
  while (at < text().size() && !isBlank(at)) {
    const size_t begin = at;
    int64_t fields = 0;
    WEIR_RETURN_IF_ERROR(scanRow(at, fields));
    if (rowBegins.empty())
      fieldsPerRow = fields;
    if (fields != fieldsPerRow)
      return dataLoss(
          fmt::format("{}: the row has {} fields, but the first row has {}",
                      describePlace(begin), fields, fieldsPerRow));
    rowBegins.push_back(begin);
  }
  if (rowBegins.empty())
    return invalidArgument(
        fmt::format("cannot read '{}': it has no rows", printable(file)));
  bool isHeader = hasHeader.value_or(false);
  if (!hasHeader) {
    WEIR_ASSIGN_OR_RETURN(isHeader, decideHeader());
  }
  if (!isHeader)
    return Status::ok();
  WEIR_RETURN_IF_ERROR(
      forFields(0, fieldsPerRow, [&](int64_t number, const CsvField &field) {
        names.push_back(field.text());
        return Status::ok();
      }));
  rowBegins.erase(rowBegins.begin());
  return Status::ok();
}

StatusOr<bool> CsvFile::decideHeader() const {
  int64_t numbers = 0;
  WEIR_RETURN_IF_ERROR(
      forFields(0, fieldsPerRow, [&](int64_t number, const CsvField &field) {
        numbers += parseCsvNumber(field).has_value();
        return Status::ok();
      }));
  if (numbers == 0 || numbers == fieldsPerRow)
    return numbers == 0;
  return invalidArgument(fmt::format(
      "{}: {} of the {} fields of the first row are numbers; say whether it "
      "has the names of the columns (header=yes or header=no)",
      describe(0), numbers, fieldsPerRow));
}

Status CsvFile::scanRow(size_t &at, int64_t &fields) {
  while (true) {
    WEIR_RETURN_IF_ERROR(scanField(at, fields));
    ++fields;
    if (!isLineEnd(at)) {
      // Behind a field there is a separator or the end of the line.
      ++at;
      continue;
    }
    if (at < text().size())
      at += text()[at] == '\r' ? 2 : 1;
    return Status::ok();
  }
}

Status CsvFile::scanField(size_t &at, int64_t number) {
  const std::string_view all = text();
  if (at == all.size() || all[at] != '"') {
    while (!isLineEnd(at) && all[at] != separator)
      ++at;
    return Status::ok();
  }
  const size_t begin = at++;
  while (true) {
    at = all.find('"', at);
    if (at == all.npos)
      return dataLoss(fmt::format("{}: the quote of column {} is not closed",
                                  describePlace(begin), number));
    ++at;
    if (at < all.size() && all[at] == '"') {
      ++at;
      continue;
    }
    if (isLineEnd(at) || all[at] == separator)
      return Status::ok();
    return dataLoss(fmt::format("{}: expected '{}' or the end of the line "
                                "behind the quoted text of column {}",
                                describePlace(at), printable({&separator, 1}),
                                number));
  }
}

CsvField CsvFile::takeField(size_t &at) const {
  const std::string_view all = text();
  const size_t begin = at;
  const bool isQuoted = at < all.size() && all[at] == '"';
  size_t end = at;
  if (isQuoted) {
    // `findRows` has seen that the quotes are closed.
    ++end;
    while (end < all.size() &&
           (all[end] != '"' || (end + 1 < all.size() && all[end + 1] == '"')))
      end += all[end] == '"' ? 2 : 1;
    // Another process may have changed the file.
    end = std::min(end, all.size());
    at = std::min(end + 1, all.size());
  } else {
    while (!isLineEnd(end) && all[end] != separator)
      ++end;
    at = end;
  }
  if (!isLineEnd(at))
    ++at;
  return {all.substr(begin + isQuoted, end - begin - isQuoted), isQuoted};
}
