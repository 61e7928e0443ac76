//===- DataText.cpp - Datasets and maps on the command line ---------------===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#include "weir/Data/DataText.h"

#include "Pixels.h"
#include "TextParts.h"

#include "weir/Data/Sources.h"
#include "weir/Support/FileKind.h"
#include "weir/Support/NearNames.h"
#include "weir/Support/Printable.h"
#include "weir/Support/RegularFile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

using namespace weir;
using namespace std::string_view_literals;

namespace {
/// The character with the name `name`, as a separator.
std::optional<char> parseSeparator(std::string_view name) {
  constexpr std::pair<std::string_view, char> names[] = {{"bar", '|'},
                                                         {"comma", ','},
                                                         {"semicolon", ';'},
                                                         {"tab", '\t'},
                                                         {"space", ' '}};
  for (auto [known, character] : names)
    if (known == name)
      return character;
  return std::nullopt;
}

/// An option of some kind of file, such as `separator`.
struct OptionRow {
  std::string_view key;
  bool (*accepts)(std::string_view value);
  std::string_view expected;
};
constexpr OptionRow optionRows[] = {
    {"header",
     [](std::string_view value) { return value == "yes" || value == "no"; },
     "yes or no"},
    {"separator",
     [](std::string_view value) { return parseSeparator(value).has_value(); },
     "bar, comma, semicolon, tab or space"},
    {"type",
     [](std::string_view value) {
       return value == "classes" || parseDType(value).has_value();
     },
     "an element type, such as i64, or classes"},
    {"size",
     [](std::string_view value) {
       const auto dims = parseSizes(value);
       return dims && dims->size() == 2;
     },
     "HEIGHTxWIDTH, such as 224x224"},
    {"channels",
     [](std::string_view value) {
       return value == "1" || value == "3" || value == "4";
     },
     "1 (grey), 3 (RGB) or 4 (RGBA)"},
};

/// The keys of all options.
std::vector<std::string> listOptions() {
  std::vector<std::string> keys;
  for (const OptionRow &row : optionRows)
    keys.emplace_back(row.key);
  return keys;
}

/// Refuses unknown options, invalid values, and options that are given twice.
Status checkOptions(const DataItem &item) {
  std::set<std::string_view> given;
  for (const auto &[key, value] : item.options) {
    const OptionRow *row = std::ranges::find(optionRows, key, &OptionRow::key);
    if (row == std::end(optionRows))
      return invalidArgument(fmt::format("'{}': there is no option '{}'; {}",
                                         printable(item.path), printable(key),
                                         offerNames(key, listOptions())));
    if (!row->accepts(value))
      return invalidArgument(
          fmt::format("option {} of '{}' expects {}; found '{}'", key,
                      printable(item.path), row->expected, printable(value)));
    if (!given.insert(key).second)
      return invalidArgument(
          fmt::format("option {} of '{}' expects to be given once", key,
                      printable(item.path)));
  }
  return Status::ok();
}

StatusOr<DataItem> parseItem(std::string_view text) {
  const std::string context = fmt::format("data '{}'", printable(text));
  DataItem item;
  std::string_view rest = text;
  const size_t equals = text.find('=');
  // Only a name stands in front of its '='. A '=' behind a ':' belongs to an
  // option, and a '=' behind a '/' to a path.
  if (equals != text.npos &&
      text.substr(0, equals).find_first_of(":/") == text.npos) {
    item.name = text.substr(0, equals);
    rest.remove_prefix(equals + 1);
    if (item.name.empty())
      return invalidArgument(context + " expects a name in front of the '='");
  }
  const std::vector<std::string_view> parts = splitText(rest, ':');
  item.path = parts.front();
  if (parts.size() > 1 && parts[1].starts_with("//"))
    return invalidArgument(context + " is an address; expected a file or a "
                                     "folder, so download it first");
  if (item.path.empty())
    return invalidArgument(context +
                           " expects [NAME=]FILE[:PART][:OPTION=VALUE...], for "
                           "instance x=digits.npz:images");
  for (size_t i = 1; i < parts.size(); ++i) {
    const size_t sign = parts[i].find('=');
    if (sign != parts[i].npos) {
      item.options.push_back({std::string(parts[i].substr(0, sign)),
                              std::string(parts[i].substr(sign + 1))});
      continue;
    }
    if (i == 2 && parseNumber<int64_t>(item.part) &&
        parseNumber<int64_t>(parts[i]))
      return invalidArgument(fmt::format(
          "{}: expected OPTION=VALUE, found '{}'; a range of columns has a '-' "
          "and contains the last one, such as 0-3",
          context, printable(parts[i])));
    if (i > 1 && !parts[i].empty() && !item.part.empty())
      return invalidArgument(fmt::format(
          "{}: expected OPTION=VALUE, found '{}', since '{}' is the part that "
          "is read: columns of a CSV file are joined by '+', and an array is "
          "read as a whole, so write a part of it into a file of its own with "
          "numpy.save; names and paths cannot have a ':'",
          context, printable(parts[i]), printable(item.part)));
    if (i > 1 || parts[i].empty())
      return invalidArgument(fmt::format(
          "{}: expected OPTION=VALUE, found '{}'; names and paths cannot have "
          "a "
          "':', so rename the file or give it another name by a link",
          context, printable(parts[i])));
    item.part = parts[i];
  }
  WEIR_RETURN_IF_ERROR(checkOptions(item));
  return item;
}

/// The options of one kind of file. They are taken one by one.
class ItemOptions {
public:
  explicit ItemOptions(const DataItem &item) : item(item) {}

  std::optional<std::string> take(std::string_view key) {
    known.push_back(key);
    std::optional<std::string> value;
    for (const auto &[name, text] : item.options)
      if (name == key)
        value = text;
    return value;
  }
  Status bad(std::string_view key, std::string_view expected) const {
    return invalidArgument(fmt::format("option {} of '{}' expects {}", key,
                                       printable(item.path), expected));
  }
  /// Refuses options that this kind of file does not have.
  Status finish(std::string_view kind) const {
    for (const auto &[key, value] : item.options)
      if (std::ranges::find(known, key) == known.end())
        return invalidArgument(fmt::format(
            "'{}' has no option '{}': {}", printable(item.path), printable(key),
            known.empty()
                ? fmt::format("{} takes none", kind)
                : fmt::format("{} takes {}", kind, fmt::join(known, ", "))));
    return Status::ok();
  }

private:
  const DataItem &item;
  std::vector<std::string_view> known;
};

/// The name of the column that `item` chooses. `item` must be a single column.
std::string columnName(const DataItem &item) {
  return item.name.empty() ? item.part : item.name;
}

/// The columns of `file` that `item` chooses. If `item` gives a name, the
/// column gets it.
StatusOr<Dataset> pick(const Dataset &file, const DataItem &item) {
  if (item.part.empty() && item.name.empty())
    return file;
  if (item.part.empty() && file.columns().size() != 1) {
    std::vector<std::string> names;
    for (const ColumnInfo &column : file.columns())
      names.push_back(printable(column.name));
    return invalidArgument(fmt::format(
        "'{0}' has the columns {1}; say which '{2}' is, as in {2}={0}:{3}",
        printable(item.path), fmt::join(names, ", "), printable(item.name),
        names.front()));
  }
  Dataset chosen = file;
  if (!item.part.empty()) {
    StatusOr<Dataset> selected = file.select({item.part});
    if (!selected)
      return std::move(selected).status().withContext(
          fmt::format("'{}'", printable(item.path)));
    chosen = *std::move(selected);
  }
  return chosen.rename(std::string(chosen.columns()[0].name), columnName(item));
}

/// The classes of the column `name`. If it has none of its own, the result is
/// empty, and the classes are those of the file.
std::vector<std::string> classesOf(const ColumnClasses &classes,
                                   const std::string &name) {
  const auto found = classes.find(name);
  return found == classes.end() ? std::vector<std::string>() : found->second;
}

StatusOr<Dataset> openTextItem(const DataItem &item,
                               const ColumnClasses &classes) {
  ItemOptions options(item);
  CsvOptions csv;
  if (std::optional<std::string> header = options.take("header"))
    csv.hasHeader = header == "yes";
  if (std::optional<std::string> separator = options.take("separator"))
    csv.separator = parseSeparator(*separator);
  CsvColumn column;
  if (std::optional<std::string> type = options.take("type")) {
    const std::optional<DType> numbers = parseDType(*type);
    column.content = numbers ? CsvType::Numbers : CsvType::Classes;
    column.type = numbers.value_or(DType::I64);
    if (item.part.empty())
      return options.bad("type", "the columns that it is for, as in y=" +
                                     item.path + ":4:type=i64");
  }
  WEIR_RETURN_IF_ERROR(options.finish("a CSV file"));
  if (item.part.empty()) {
    WEIR_ASSIGN_OR_RETURN(const Dataset file, openCsv(item.path, csv));
    return pick(file, item);
  }
  column.name = columnName(item);
  column.classes = classesOf(classes, column.name);
  for (std::string_view field : splitText(item.part, '+'))
    column.fields.push_back(std::string(field));
  csv.columns.push_back(std::move(column));
  return openCsv(item.path, csv);
}

StatusOr<Dataset> openFolderItem(const DataItem &item,
                                 const ColumnClasses &classes) {
  ItemOptions options(item);
  ImageOptions images;
  images.classes = classesOf(
      classes, item.name.empty() || item.part != "label" ? "label" : item.name);
  if (std::optional<std::string> size = options.take("size")) {
    const std::optional<std::vector<int64_t>> dims = parseSizes(*size);
    images.height = (*dims)[0];
    images.width = (*dims)[1];
  }
  if (std::optional<std::string> channels = options.take("channels"))
    images.channels = parseNumber<int>(*channels).value_or(0);
  WEIR_RETURN_IF_ERROR(options.finish("a folder of images"));
  WEIR_ASSIGN_OR_RETURN(const Dataset folder, openImages(item.path, images));
  return pick(folder, item);
}

/// The first bytes of the file `path`.
StatusOr<std::string> readBeginning(const std::string &path) {
  constexpr uint64_t most = 512;
  WEIR_ASSIGN_OR_RETURN(const RegularFile file, RegularFile::open(path));
  std::string bytes(std::min(most, file.size()), '\0');
  // The file may become shorter in the meantime.
  WEIR_RETURN_IF_ERROR(
      file.read(0, std::as_writable_bytes(std::span(bytes)))
          .withContext(fmt::format("cannot read '{}'", printable(path))));
  return bytes;
}

StatusOr<Dataset> openArrayItem(const DataItem &item, FileKind kind) {
  if (kind == FileKind::Zip) {
    WEIR_RETURN_IF_ERROR(ItemOptions(item).finish("a file of arrays"));
    std::vector<std::string> members;
    if (!item.part.empty())
      members.push_back(item.part);
    WEIR_ASSIGN_OR_RETURN(const Dataset file, openNpz(item.path, members));
    return pick(file, item);
  }
  // If the file is compressed, it must be opened to find out whether it has an
  // array.
  const std::string name = item.name.empty() ? "x" : item.name;
  WEIR_ASSIGN_OR_RETURN(Dataset array, kind == FileKind::Numpy
                                           ? openNpy(item.path, name)
                                           : openIdx(item.path, name));
  WEIR_RETURN_IF_ERROR(ItemOptions(item).finish("a file of arrays"));
  if (!item.part.empty())
    return invalidArgument(
        fmt::format("'{}' has one array, so it has no part '{}'; leave the "
                    "part away",
                    printable(item.path), printable(item.part)));
  return array;
}

/// The hint on how to convert a file of kind `kind` into one that can be read.
std::string_view offerConversion(std::optional<FileKind> kind) {
  switch (kind.value_or(FileKind::Artifact)) {
  case FileKind::HDF5:
    return "; read its arrays with h5py, and write them with numpy.savez";
  case FileKind::Pickle:
    return "; load it with pandas.read_pickle or torch.load, and write its "
           "arrays with numpy.savez";
  case FileKind::SafeTensors:
    return "; if it has values of variables, load them with graph-run "
           "--load-variables; for data, load it with "
           "safetensors.numpy.load_file, and write its "
           "arrays with numpy.savez";
  case FileKind::WideText:
    return "; save it as UTF-8";
  default:
    return "";
  }
}

/// Whether `text` begins like JSON: with an object, or with a list of objects,
/// lists or texts.
bool isJson(std::string_view text) {
  const auto next = [&] {
    text.remove_prefix(
        std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    const char c = text.empty() ? '\0' : text.front();
    text.remove_prefix(text.empty() ? 0 : 1);
    return c;
  };
  const char first = next(), second = next();
  return (first == '{' && (second == '"' || second == '}')) ||
         (first == '[' && (second == '{' || second == '[' || second == '"'));
}

/// Refuses streams, because examples are not read in the order of the file.
Status checkSeekable(const std::string &path) {
  std::error_code error;
  const bool isStream = path == "-" || std::filesystem::is_fifo(path, error) ||
                        std::filesystem::is_socket(path, error);
  if (!isStream)
    return Status::ok();
  return invalidArgument(fmt::format(
      "cannot read '{}': it is {}, and examples are read in any order and "
      "again in each epoch; write it to a file first",
      printable(path), path == "-" ? "standard input" : "a pipe"));
}

StatusOr<Dataset> openItem(const DataItem &item, const ColumnClasses &classes) {
  WEIR_RETURN_IF_ERROR(checkOptions(item));
  std::error_code error;
  if (std::filesystem::is_directory(item.path, error))
    return openFolderItem(item, classes);
  WEIR_RETURN_IF_ERROR(checkSeekable(item.path));
  WEIR_ASSIGN_OR_RETURN(const std::string bytes, readBeginning(item.path));
  const std::optional<FileKind> kind = recogniseFile(bytes);
  if (kind == FileKind::Numpy || kind == FileKind::Zip ||
      kind == FileKind::Gzip)
    return openArrayItem(item, *kind);
  if (bytes.starts_with("\0\0"sv))
    return openArrayItem(item, FileKind::Gzip);
  if (isImage(bytes))
    return invalidArgument(fmt::format(
        "cannot read '{}': it is an image, and images are read from a folder; "
        "put it into FOLDER/CLASS/, and give {}",
        printable(item.path),
        item.name.empty() ? "FOLDER/"
                          : printable(item.name) + "=FOLDER:image"));
  if ((kind && kind != FileKind::MarkedText) || isBinary(bytes))
    return invalidArgument(fmt::format(
        "cannot read '{}': expected an array (.npy, .npz or IDX), text (CSV) "
        "or a folder of images, it is {}{}",
        printable(item.path), kind ? describe(*kind) : "binary data",
        offerConversion(kind)));
  if (isJson(bytes))
    return invalidArgument(fmt::format(
        "cannot read '{}': expected text (CSV), it is JSON; write its arrays "
        "with numpy.savez, or its rows with pandas.read_json and to_csv",
        printable(item.path)));
  return openTextItem(item, classes);
}

/// Records in `owners` that the columns of `added` come from item `number`. It
/// is an error if another item already has a column of the same name.
Status addNames(const Dataset &added, const std::vector<DataItem> &items,
                size_t number, std::map<std::string, size_t> &owners) {
  for (const ColumnInfo &column : added.columns()) {
    const auto [owner, isNew] = owners.emplace(column.name, number);
    if (isNew)
      continue;
    std::string part = items[number].part;
    if (part.empty() && added.columns().size() > 1)
      part = column.name;
    return invalidArgument(fmt::format(
        "column '{0}' is in '{1}' and in '{2}'; give one of them another name, "
        "as in NAME={2}{3}{4}, or write the examples of both into one file",
        printable(column.name), printable(items[owner->second].path),
        printable(items[number].path), part.empty() ? "" : ":",
        printable(part)));
  }
  return Status::ok();
}
} // namespace

StatusOr<std::vector<DataItem>> weir::parseDataItems(std::string_view text) {
  std::vector<DataItem> items;
  for (std::string_view part : splitText(text, ',')) {
    if (part.starts_with(' ') && !items.empty())
      return invalidArgument(
          fmt::format("data '{}' begins with a blank; write none behind a ','",
                      printable(part)));
    WEIR_ASSIGN_OR_RETURN(DataItem item, parseItem(part));
    items.push_back(std::move(item));
  }
  return items;
}

StatusOr<Dataset> weir::openDataset(const std::vector<DataItem> &items,
                                    const ColumnClasses &classes) {
  std::vector<Dataset> parts;
  std::map<std::string, size_t> owners;
  for (size_t i = 0; i < items.size(); ++i) {
    auto part = openItem(items[i], classes);
    if (!part) {
      Status error = std::move(part).status();
      const bool mayBeColumn =
          i > 0 && items[i].name.empty() && items[i].part.empty();
      const bool isCut = i + 1 < items.size() && items[i + 1].name.empty();
      if (error.code() == StatusCode::NotFound && isCut && !mayBeColumn)
        return notFound(fmt::format(
            "{}; a comma ends the name of a file, so if '{},{}' is one, rename "
            "it",
            error.message(), printable(items[i].path),
            printable(items[i + 1].path)));
      if (error.code() != StatusCode::NotFound || !mayBeColumn)
        return error;
      return notFound(fmt::format(
          "{0}; if it is a column of '{1}', join the columns by '+', as in "
          "{1}:{2}+{3}",
          error.message(), printable(items[i - 1].path),
          items[i - 1].part.empty() ? "a" : printable(items[i - 1].part),
          printable(items[i].path)));
    }
    WEIR_RETURN_IF_ERROR(addNames(*part, items, i, owners));
    parts.push_back(*std::move(part));
  }
  return Dataset::join(parts);
}

StatusOr<Dataset> weir::parseDataset(std::string_view text,
                                     const ColumnClasses &classes) {
  WEIR_ASSIGN_OR_RETURN(const std::vector<DataItem> items,
                        parseDataItems(text));
  return openDataset(items, classes);
}
