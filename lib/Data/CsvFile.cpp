//===- CsvFile.cpp - The rows and fields of a CSV file --------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
// One pass over the file finds where each row begins. It also checks the quotes
// and the number of fields of each row. So a row that is read later can have
// errors only in the contents of its fields.
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

/// `text` without the blanks around it, and without a '+' in front.
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

bool CsvWindow::move(uint64_t at) {
  constexpr uint64_t windowBytes = uint64_t(1) << 18;
  held.clear();
  if (at >= file.size() || !failure.isOk())
    return false;
  held.resize(std::min(windowBytes, file.size() - at));
  failure = file.read(at, held);
  if (!failure.isOk())
    held.clear();
  begin = at;
  return failure.isOk();
}

bool CsvWindow::isLineEnd(uint64_t at) {
  const std::optional<char> c = (*this)[at];
  return !c || *c == '\n' || (*c == '\r' && (*this)[at + 1] == '\n');
}

/// Whether a line or `text` itself ends at `at`.
static bool isLineEnd(std::string_view text, size_t at) {
  return at == text.size() || text[at] == '\n' ||
         (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n');
}

std::string CsvFile::describePlace(uint64_t at) const {
  CsvWindow text(bytes);
  int64_t line = 1;
  for (uint64_t i = 0; i < at; ++i)
    line += text[i] == '\n';
  return fmt::format("'{}', line {}", printable(file), line);
}

std::string CsvFile::describe(int64_t row) const {
  return describePlace(rowBegins[static_cast<size_t>(row)]);
}

std::string CsvFile::describeField(int64_t number) const {
  if (names.empty())
    return fmt::format("column {} (counted from 0)", number);
  return fmt::format("column {} ('{}')", number,
                     printable(names[static_cast<size_t>(number)]));
}

StatusOr<CsvFile> CsvFile::open(const std::string &path,
                                std::optional<char> separator,
                                std::optional<bool> hasHeader) {
  WEIR_ASSIGN_OR_RETURN(DataBytes bytes, DataBytes::open(path));
  CsvFile csv(std::move(bytes), path);
  WEIR_RETURN_IF_ERROR(csv.checkText());
  if (separator) {
    csv.separator = *separator;
  } else {
    WEIR_ASSIGN_OR_RETURN(csv.separator, csv.separatorOfFirstRow());
  }
  try {
    WEIR_RETURN_IF_ERROR(csv.findRows(hasHeader));
  } catch (const std::bad_alloc &) {
    return Status::outOfMemory();
  }
  return csv;
}

/// Whether `text` begins with an example of LIBSVM: a number, and then two or
/// more pairs of a column and its value, as in "1 4:0.5 7:2".
static bool isLibsvm(std::string_view text) {
  const std::vector<std::string_view> parts =
      splitText(text.substr(0, text.find_first_of("\r\n")), ' ');
  const auto isPair = [](std::string_view part) {
    const size_t colon = part.find(':');
    return part.empty() ||
           (colon != part.npos && parseNumber<int64_t>(part.substr(0, colon)) &&
            parseNumber<double>(part.substr(colon + 1)));
  };
  return parts.size() > 2 && !parts[1].empty() &&
         parseNumber<double>(trimNumber(parts[0])) &&
         std::all_of(parts.begin() + 1, parts.end(), isPair);
}

Status CsvFile::checkText() const {
  constexpr uint64_t beginningBytes = uint64_t(1) << 16;
  WEIR_ASSIGN_OR_RETURN(const std::vector<std::byte> beginning,
                        bytes.readFirst(beginningBytes));
  const std::string_view text(reinterpret_cast<const char *>(beginning.data()),
                              beginning.size());
  const std::optional<FileKind> kind = recogniseFile(text);
  if (isLibsvm(text))
    return invalidArgument(fmt::format(
        "cannot read '{}': it is text of LIBSVM, which has pairs "
        "COLUMN:VALUE; expected all values of a row (CSV); read it with "
        "load_svmlight_file of scikit-learn, and write the arrays with "
        "numpy.savez",
        printable(file)));
  if (!isBinary(text) && (!kind || kind == FileKind::MarkedText))
    return Status::ok();
  return invalidArgument(fmt::format(
      "cannot read '{}': expected text (CSV), it is {}", printable(file),
      kind ? weir::describe(*kind) : "binary data"));
}

StatusOr<char> CsvFile::separatorOfFirstRow() const {
  // A name may contain a comma without quotes if another character separates
  // the names. So the other candidates come before the comma.
  constexpr std::string_view candidates = "\t;,";
  CsvWindow text(bytes);
  size_t found = candidates.size() - 1;
  bool isInQuotes = false;
  for (uint64_t i = 0; text[i] && (isInQuotes || !text.isLineEnd(i)); ++i) {
    const char c = *text[i];
    isInQuotes ^= c == '"';
    if (!isInQuotes)
      found = std::min(found, candidates.find(c));
  }
  WEIR_RETURN_IF_ERROR(text.status());
  return candidates[found];
}

/// The position behind the ends of lines at `at`.
static uint64_t skipLineEnds(CsvWindow &text, uint64_t at) {
  while (text[at] == '\r' || text[at] == '\n')
    ++at;
  return at;
}

Status CsvFile::findRows(std::optional<bool> hasHeader) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  CsvWindow text(bytes);
  uint64_t at = 0;
  while (at < mark.size() && text[at] == mark[at])
    ++at;
  if (at < mark.size())
    at = 0;
  // The position of the next text. It is searched only once for several blank
  // lines.
  uint64_t next = 0;
  while (true) {
    if (at >= next)
      next = skipLineEnds(text, at);
    if (!text[next])
      break;
    const uint64_t begin = at;
    int64_t fields = 0;
    WEIR_RETURN_IF_ERROR(scanRow(text, at, fields));
    if (rowBegins.empty())
      fieldsPerRow = fields;
    if (fields != fieldsPerRow)
      return dataLoss(
          fmt::format("{}: the row has {} fields, but the first row has {}",
                      describePlace(begin), fields, fieldsPerRow));
    rowBegins.push_back(begin);
  }
  if (!text.status().isOk())
    return Status(text.status())
        .withContext(fmt::format("cannot read '{}'", printable(file)));
  if (rowBegins.empty())
    return invalidArgument(
        fmt::format("cannot read '{}': {}", printable(file),
                    next == 0 ? "the file is empty" : "it has no rows"));
  rowBegins.push_back(at);
  return takeHeader(hasHeader);
}

namespace {
/// A separator that may be meant if a file seems to have only one column.
struct OtherSeparator {
  std::string_view characters;
  std::string_view repair;
};
} // namespace

static constexpr OtherSeparator otherSeparators[] = {
    {"\t", "; if tabs separate its columns, say separator=tab"},
    {";", "; if ';' separates its columns, say separator=semicolon"},
    {",", "; if ',' separates its columns, say separator=comma"},
    {"|", "; if '|' separates its columns, say separator=bar"},
    {" ", "; if blanks separate its columns, say separator=space"}};

Status CsvFile::findSeparator() {
  AlignedBytes memory;
  return forFields(0, 1, memory, [&](int64_t, const CsvField &field) {
    const std::string_view text = trimNumber(field.raw);
    const auto *other =
        std::ranges::find_if(otherSeparators, [&](const OtherSeparator &each) {
          return text.find_first_of(each.characters) != text.npos;
        });
    if (fieldsPerRow == 1 && other != std::end(otherSeparators))
      otherSeparator = other->repair;
    return Status::ok();
  });
}

Status CsvFile::takeHeader(std::optional<bool> hasHeader) {
  WEIR_RETURN_IF_ERROR(findSeparator());
  bool isHeader = hasHeader.value_or(false);
  if (!hasHeader) {
    WEIR_ASSIGN_OR_RETURN(isHeader, decideHeader());
  }
  if (!isHeader)
    return Status::ok();
  WEIR_RETURN_IF_ERROR(checkNames());
  AlignedBytes memory;
  WEIR_RETURN_IF_ERROR(forFields(0, fieldsPerRow, memory,
                                 [&](int64_t number, const CsvField &field) {
                                   names.push_back(field.text());
                                   return Status::ok();
                                 }));
  rowBegins.erase(rowBegins.begin());
  if (numRows() == 0)
    return invalidArgument(fmt::format(
        "cannot read '{}': it has the names of columns and no rows below them; "
        "if that is a row, say header=no{}",
        printable(file), offerSeparator()));
  return Status::ok();
}

StatusOr<bool> CsvFile::decideHeader() const {
  int64_t numbers = 0;
  AlignedBytes memory;
  WEIR_RETURN_IF_ERROR(forFields(0, fieldsPerRow, memory,
                                 [&](int64_t number, const CsvField &field) {
                                   numbers += parseCsvNumber(field).has_value();
                                   return Status::ok();
                                 }));
  if (numbers == 0 || numbers == fieldsPerRow)
    return numbers == 0;
  return invalidArgument(fmt::format(
      "{}: {} of the {} fields of the first row are numbers; say whether it "
      "has the names of the columns: add :header=yes or :header=no behind each "
      "part of this file that is read",
      describe(0), numbers, fieldsPerRow));
}

Status CsvFile::checkNames() const {
  int64_t numbers = 0, inSequence = 0;
  std::optional<int64_t> last;
  uint64_t step = 1;
  const auto count = [&](int64_t column, const CsvField &field) {
    numbers += !field.isQuoted && parseCsvNumber(field).has_value();
    const std::optional<int64_t> number = parseCsvInteger(field);
    const uint64_t apart =
        last && number && *number > *last
            ? static_cast<uint64_t>(*number) - static_cast<uint64_t>(*last)
            : 0;
    // The step is the distance of the first two numbers. With only two columns,
    // these would always be in sequence. So the step must then be 1.
    if (column == 1 && fieldsPerRow > 2)
      step = apart;
    inSequence += apart != 0 && apart == step;
    last = number;
    return Status::ok();
  };
  AlignedBytes memory;
  WEIR_RETURN_IF_ERROR(forFields(0, fieldsPerRow, memory, count));
  // Columns may have numbers as names, such as pandas' column numbers, years or
  // times.
  const bool areNumbered = fieldsPerRow > 1 && inSequence == fieldsPerRow - 1;
  if (numbers < fieldsPerRow || areNumbered)
    return Status::ok();
  return invalidArgument(fmt::format(
      "{}: the row has nothing but numbers, and header=yes makes them names of "
      "columns; say header=no if it is an example, or put the names in quotes",
      describe(0)));
}

Status CsvFile::scanRow(CsvWindow &text, uint64_t &at, int64_t &fields) {
  while (true) {
    WEIR_RETURN_IF_ERROR(scanField(text, at, fields));
    ++fields;
    if (!text.isLineEnd(at)) {
      // A separator or the end of the line follows a field.
      ++at;
      continue;
    }
    if (text[at])
      at += text[at] == '\r' ? 2 : 1;
    return Status::ok();
  }
}

Status CsvFile::scanField(CsvWindow &text, uint64_t &at, int64_t number) {
  if (text[at] != '"') {
    while (!text.isLineEnd(at) && text[at] != separator)
      ++at;
    return Status::ok();
  }
  const uint64_t begin = at++;
  while (true) {
    while (text[at] && text[at] != '"')
      ++at;
    if (!text[at])
      return dataLoss(fmt::format("{}: the quote of {} is not closed",
                                  describePlace(begin), describeField(number)));
    ++at;
    if (text[at] == '"') {
      ++at;
      continue;
    }
    if (text.isLineEnd(at) || text[at] == separator)
      return Status::ok();
    return dataLoss(fmt::format("{}: expected '{}' or the end of the line "
                                "behind the quoted text of {}",
                                describePlace(at), printable({&separator, 1}),
                                describeField(number)));
  }
}

StatusOr<std::string_view> CsvFile::readRow(int64_t row,
                                            AlignedBytes &memory) const {
  const uint64_t begin = rowBegins[static_cast<size_t>(row)];
  const uint64_t size = rowBegins[static_cast<size_t>(row) + 1] - begin;
  std::byte *held = memory.reserve(size);
  if (!held)
    return Status::outOfMemory();
  Status status = bytes.read(begin, {held, size});
  if (!status.isOk())
    return std::move(status).withContext(
        fmt::format("'{}', row {}", printable(file), row));
  return std::string_view(reinterpret_cast<const char *>(held), size);
}

CsvField CsvFile::takeField(std::string_view text, size_t &at) const {
  const size_t begin = at;
  const bool isQuoted = at < text.size() && text[at] == '"';
  size_t end = at;
  if (isQuoted) {
    // `findRows` has checked that the quotes are closed.
    ++end;
    while (end < text.size() && (text[end] != '"' || (end + 1 < text.size() &&
                                                      text[end + 1] == '"')))
      end += text[end] == '"' ? 2 : 1;
    // Another process may have changed the file since then.
    end = std::min(end, text.size());
    at = std::min(end + 1, text.size());
  } else {
    while (!isLineEnd(text, end) && text[end] != separator)
      ++end;
    at = end;
  }
  if (!isLineEnd(text, at))
    ++at;
  return {text.substr(begin + isQuoted, end - begin - isQuoted), isQuoted};
}
