//===- CsvSource.cpp - Datasets in CSV files ------------------------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "CsvFile.h"
#include "DatasetState.h"

#include "weir/Data/Sources.h"
#include "weir/Support/Arithmetic.h"
#include "weir/Support/NearNames.h"
#include "weir/Support/Printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

using namespace weir;

namespace {
using Source = std::shared_ptr<const ColumnSource>;
using SharedCsv = std::shared_ptr<const CsvFile>;

/// The most classes of a column. A column with more names hardly has classes.
constexpr size_t maxClasses = 65536;
/// Texts that are longer than this are cut off in errors.
constexpr size_t maxQuotedText = 40;
/// The advice about a missing or invalid value.
constexpr std::string_view changeRow =
    "remove the row or write a value there before training";

/// Whether `value` fits the integer type `type`.
bool isInRange(DType type, int64_t value) {
  uint64_t element = 0;
  storeInt(type, &element, 0, value);
  return loadInt(type, &element, 0) == value &&
         (value >= 0 || !isUnsigned(type));
}

/// Whether field `number` of row `row` may be the name of its column. This is
/// so in the first row of a file for which the user said that it has no header,
/// if the field below is a number.
bool mayBeHeader(const CsvFile &csv, int64_t row, int64_t number) {
  if (row != 0 || !csv.header().empty() || csv.numRows() < 2)
    return false;
  bool isNumber = false;
  AlignedBytes memory;
  const Status read =
      csv.forFields(1, number + 1, memory, [&](int64_t, const CsvField &field) {
        // The last call gets field `number`.
        isNumber = parseCsvNumber(field).has_value();
        return Status::ok();
      });
  return read.isOk() && isNumber;
}

/// Whether `field` is a whole number in the form of a float, such as "1.0", and
/// fits the integer type `type`.
bool isWholeFloat(const CsvField &field, DType type) {
  // Every integer up to this number is a double.
  constexpr double most = 0x1p53;
  const std::optional<double> value = parseCsvNumber(field);
  return value && std::abs(*value) <= most && *value == std::trunc(*value) &&
         !parseCsvInteger(field) &&
         isInRange(type, static_cast<int64_t>(*value));
}

/// Whether `text` is a usual mark for a missing value. `text` is not blank.
bool isMissing(std::string_view text) {
  constexpr std::string_view marks[] = {"NA",   "N/A",  "n/a", "na",   "null",
                                        "NULL", "None", "nil", "#N/A", "NaT",
                                        "?",    "-",    "--",  "."};
  const size_t first = text.find_first_not_of(" \t");
  text = text.substr(first, text.find_last_not_of(" \t") - first + 1);
  return std::ranges::find(marks, text) != std::end(marks);
}

/// Whether `field` would be a number with a '.' in place of its only ','.
bool hasDecimalComma(const CsvField &field) {
  std::string text = field.text();
  const size_t comma = text.find(',');
  if (comma == text.npos)
    return false;
  text[comma] = '.';
  return parseCsvNumber({text, false}).has_value();
}

/// The advice about field `number` of row `row`, which is not empty. `type` is
/// the type that the number should have. It is nothing if the name of a class
/// is expected.
std::string repairField(const CsvFile &csv, int64_t row, int64_t number,
                        const CsvField &field, std::optional<DType> type) {
  if (type && !isFloat(*type) && isWholeFloat(field, *type))
    return fmt::format("if all numbers of the column are whole, read it with "
                       ":type=f64, and make integers of it with the map "
                       "NAME=cast:{}",
                       toString(*type));
  if (type && hasDecimalComma(field))
    return "write a '.' in place of the ',' in front of decimals, for instance "
           "with pandas.read_csv(FILE, sep=';', decimal=',')"
           ".to_csv(NEW, index=False)";
  // A text that begins with a letter may be the name of a class.
  const bool isName =
      type && std::isalpha(static_cast<unsigned char>(field.raw.front())) &&
      !parseCsvNumber(field);
  if (!isName)
    return std::string(changeRow);
  return mayBeHeader(csv, row, number)
             ? "if this line has the names of the columns, say header=yes, or "
               "else remove it"
             : "if the column has names of classes, add :type=classes to it in "
               "the data";
}

/// An error about field `number` of row `row`. `type` is passed to
/// `repairField`.
Status badField(const CsvFile &csv, int64_t row, int64_t number,
                const CsvField &field, std::optional<DType> type) {
  const std::string text = field.text();
  const std::string place =
      fmt::format("{}, {}", csv.describe(row), csv.describeField(number));
  const std::string expected =
      type ? fmt::format("a {} number ({})",
                         isFloat(*type) ? "finite" : "whole", toString(*type))
           : "the name of a class";
  const bool isBlank = text.find_first_not_of(" \t") == text.npos;
  if (isBlank || (type && isMissing(text)))
    return dataLoss(
        fmt::format("{}: the value is missing{}; expected {}; {}", place,
                    isBlank ? "" : fmt::format(" ('{}')", printable(text)),
                    expected, changeRow));
  return dataLoss(fmt::format(
      "{}: expected {}, found '{}'; {}{}", place, expected,
      printable(text.substr(0, maxQuotedText)),
      repairField(csv, row, number, field, type), csv.offerSeparator()));
}

/// Columns of numbers.
class CsvNumbers : public ColumnSource {
public:
  CsvNumbers(SharedCsv csv, const std::vector<int64_t> &fields,
             ExampleType example)
      : ColumnSource(std::move(example), csv->numRows()), csv(std::move(csv)) {
    for (size_t i = 0; i < fields.size(); ++i)
      elements.push_back({fields[i], static_cast<int64_t>(i)});
    std::sort(elements.begin(), elements.end());
  }

  Status read(int64_t row, std::byte *to, ReadScratch &scratch) const override {
    auto next = elements.begin();
    return csv->forFields(
        row, 1 + elements.back().first, scratch.file,
        [&](int64_t number, const CsvField &field) {
          for (; next != elements.end() && next->first == number; ++next)
            if (!parseInto(field, to, next->second))
              return badField(*csv, row, number, field, example().type);
          return Status::ok();
        });
  }
  std::string describe(int64_t row) const override {
    return csv->describe(row);
  }

private:
  bool parseInto(const CsvField &field, std::byte *to, int64_t index) const {
    const DType type = example().type;
    if (!isFloat(type)) {
      const std::optional<int64_t> value = parseCsvInteger(field);
      if (!value || !isInRange(type, *value))
        return false;
      storeInt(type, to, index, *value);
      return true;
    }
    const std::optional<double> value = parseCsvNumber(field);
    if (!value)
      return false;
    storeFloat(type, to, index, *value);
    return std::isfinite(loadFloat(type, to, index));
  }

  SharedCsv csv;
  /// Pairs of the number of a field in the file and the number of its element
  /// in the example. They are in the order of the fields.
  std::vector<std::pair<int64_t, int64_t>> elements;
};

/// A column of names of classes.
class CsvClasses : public ColumnSource {
public:
  CsvClasses(SharedCsv csv, int64_t field, std::vector<std::string> names)
      : ColumnSource({DType::I64, {}}, csv->numRows()), csv(std::move(csv)),
        field(field), names(std::move(names)) {
    for (size_t i = 0; i < this->names.size(); ++i)
      numbers.emplace(this->names[i], static_cast<int64_t>(i));
  }

  Status read(int64_t row, std::byte *to, ReadScratch &scratch) const override {
    return csv->forFields(row, field + 1, scratch.file,
                          [&](int64_t number, const CsvField &text) -> Status {
                            if (number != field)
                              return Status::ok();
                            const auto found = numbers.find(text.text());
                            // The file may have changed since its classes were
                            // listed.
                            if (found == numbers.end())
                              return badField(*csv, row, field, text,
                                              std::nullopt);
                            storeInt(DType::I64, to, 0, found->second);
                            return Status::ok();
                          });
  }
  std::string describe(int64_t row) const override {
    return csv->describe(row);
  }
  std::vector<std::string> classes() const override { return names; }

private:
  SharedCsv csv;
  int64_t field;
  std::vector<std::string> names;
  std::map<std::string, int64_t, std::less<>> numbers;
};

/// Calls `use(row, text)` for the field `field` of each row.
template <typename Function>
Status forRows(const CsvFile &csv, int64_t field, Function use) {
  AlignedBytes memory;
  for (int64_t row = 0; row < csv.numRows(); ++row)
    WEIR_RETURN_IF_ERROR(
        csv.forFields(row, field + 1, memory,
                      [&](int64_t number, const CsvField &text) -> Status {
                        if (number != field)
                          return Status::ok();
                        if (text.raw.empty())
                          return badField(csv, row, number, text, std::nullopt);
                        return use(row, text);
                      }));
  return Status::ok();
}

/// The sorted names in the field `field` of all rows.
StatusOr<std::vector<std::string>> findClasses(const CsvFile &csv,
                                               int64_t field) {
  std::set<std::string> names;
  WEIR_RETURN_IF_ERROR(
      forRows(csv, field, [&](int64_t, const CsvField &text) -> Status {
        names.insert(text.text());
        if (names.size() <= maxClasses)
          return Status::ok();
        return invalidArgument(fmt::format(
            "'{}', {}: it has more than {} different names, too many for "
            "classes",
            printable(csv.path()), csv.describeField(field), maxClasses));
      }));
  return std::vector<std::string>(names.begin(), names.end());
}

/// Checks that each name in the field `field` is in `classes`.
Status checkClasses(const CsvFile &csv, int64_t field,
                    const std::vector<std::string> &classes) {
  const std::set<std::string> known(classes.begin(), classes.end());
  return forRows(csv, field, [&](int64_t row, const CsvField &text) -> Status {
    const std::string name = text.text();
    return known.contains(name)
               ? Status::ok()
               : Status(invalidArgument(fmt::format(
                     "{}, {}: '{}' is none of the classes {}, which the "
                     "training data or graph-run --classes gives",
                     csv.describe(row), csv.describeField(field),
                     printable(name.substr(0, maxQuotedText)),
                     nearNames(name, classes))));
  });
}

StatusOr<Source> classesSource(const SharedCsv &csv, int64_t field,
                               std::vector<std::string> classes) {
  if (classes.empty()) {
    WEIR_ASSIGN_OR_RETURN(classes, findClasses(*csv, field));
  } else {
    WEIR_RETURN_IF_ERROR(checkClasses(*csv, field, classes));
  }
  return std::make_shared<CsvClasses>(csv, field, std::move(classes));
}

/// Parses "0-3" as its first and last number, and "4" as twice the same number.
std::optional<std::pair<int64_t, int64_t>> parseRange(std::string_view text) {
  std::pair<int64_t, int64_t> range;
  const char *end = text.data() + text.size();
  auto first = std::from_chars(text.data(), end, range.first);
  if (first.ec != std::errc())
    return std::nullopt;
  range.second = range.first;
  if (first.ptr == end)
    return range;
  if (*first.ptr != '-')
    return std::nullopt;
  auto second = std::from_chars(first.ptr + 1, end, range.second);
  if (second.ec != std::errc() || second.ptr != end)
    return std::nullopt;
  return range;
}

/// The hint "; a range has numbers, 0-2", if `text` is a range of two of
/// `names`. Otherwise empty.
std::string offerRange(std::string_view text,
                       const std::vector<std::string> &names) {
  for (size_t dash = text.find('-'); dash != text.npos;
       dash = text.find('-', dash + 1)) {
    const auto first = std::ranges::find(names, text.substr(0, dash));
    const auto last = std::ranges::find(names, text.substr(dash + 1));
    if (first != names.end() && last != names.end())
      return fmt::format("; a range has numbers, {}-{}", first - names.begin(),
                         last - names.begin());
  }
  return "";
}

/// Appends the numbers of the fields that `text` names.
Status findFields(const CsvFile &csv, const std::string &text,
                  std::vector<int64_t> &fields) {
  const std::vector<std::string> &names = csv.header();
  const auto name = std::find(names.begin(), names.end(), text);
  if (name != names.end()) {
    if (std::find(name + 1, names.end(), text) != names.end())
      return invalidArgument(
          fmt::format("'{}' has two columns '{}'; give the number of one",
                      printable(csv.path()), printable(text)));
    fields.push_back(name - names.begin());
    return Status::ok();
  }
  const auto range = parseRange(text);
  if (!range || range->first < 0 || range->first > range->second ||
      range->second >= csv.numFields())
    return notFound(fmt::format(
        "'{}' has no column '{}'{}; it has the columns 0 to {}{}{}",
        printable(csv.path()), printable(text), offerRange(text, names),
        csv.numFields() - 1,
        names.empty() ? ", without names"
                      : fmt::format(", such as {}", nearNames(text, names)),
        csv.offerSeparator()));
  for (int64_t number = range->first; number <= range->second; ++number)
    fields.push_back(number);
  return Status::ok();
}

/// A column of the dataset, and the fields of the file that it consists of.
struct ColumnFields {
  CsvColumn column;
  std::vector<int64_t> fields;
};

StatusOr<std::vector<ColumnFields>> findColumns(const CsvFile &csv,
                                                const CsvOptions &options) {
  std::vector<ColumnFields> columns;
  for (const CsvColumn &column : options.columns) {
    WEIR_RETURN_IF_ERROR(checkDType(column.type));
    ColumnFields found{column, {}};
    for (const std::string &text : column.fields)
      WEIR_RETURN_IF_ERROR(findFields(csv, text, found.fields));
    if (found.fields.empty())
      return invalidArgument(
          fmt::format("'{}': column '{}' names no columns of the file",
                      printable(csv.path()), printable(column.name)));
    columns.push_back(std::move(found));
  }
  if (!columns.empty())
    return columns;
  for (int64_t number = 0; number < csv.numFields(); ++number) {
    CsvColumn column;
    column.name = csv.header().empty()
                      ? fmt::format("c{}", number)
                      : csv.header()[static_cast<size_t>(number)];
    columns.push_back({std::move(column), {number}});
  }
  return columns;
}

StatusOr<Source> openColumn(const SharedCsv &csv, const ColumnFields &found) {
  if (found.column.content == CsvType::Classes) {
    if (found.fields.size() != 1)
      return invalidArgument(
          fmt::format("'{}': classes come from one column, found {}",
                      printable(csv->path()), found.fields.size()));
    return classesSource(csv, found.fields.front(), found.column.classes);
  }
  ExampleType example{found.column.type, {}};
  if (found.fields.size() > 1)
    example.dims = {static_cast<int64_t>(found.fields.size())};
  return std::make_shared<CsvNumbers>(csv, found.fields, std::move(example));
}
} // namespace

StatusOr<Dataset> weir::openCsv(const std::string &path,
                                const CsvOptions &options) {
  WEIR_ASSIGN_OR_RETURN(
      CsvFile file, CsvFile::open(path, options.separator, options.hasHeader));
  const auto csv = std::make_shared<const CsvFile>(std::move(file));
  WEIR_ASSIGN_OR_RETURN(std::vector<ColumnFields> columns,
                        findColumns(*csv, options));
  std::vector<std::string> names;
  std::vector<Source> sources;
  for (ColumnFields &found : columns) {
    WEIR_ASSIGN_OR_RETURN(Source source, openColumn(csv, found));
    names.push_back(std::move(found.column.name));
    sources.push_back(std::move(source));
  }
  return makeDataset(std::move(names), std::move(sources));
}
